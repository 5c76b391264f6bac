//! The names of the environment: global names, and the paths of functions that belong to them.

use crate::methods;
use crate::value::{Res, Stop, unsupported};
use formats::error::printable;

/// Global names.
pub(super) const GLOBALS: &[&str] = &[
    "bp",
    "Math",
    "Object",
    "Array",
    "JSON",
    "Number",
    "String",
    "Boolean",
    "Error",
    "TypeError",
    "RangeError",
    "EventSets",
    "Event",
    "Function",
    "Map",
    "Set",
    "parseInt",
    "parseFloat",
    "isNaN",
    "isFinite",
    "undefined",
    "NaN",
    "Infinity",
];

/// Functions and objects that are read as properties of other ones. Those of `bp.log` have no effect.
const PATHS: &[&str] = &[
    "(hot).hot",
    "(hot).sync",
    "Array.from",
    "Array.isArray",
    "Array.of",
    "EventSets.all",
    "EventSets.allOf",
    "EventSets.anyOf",
    "EventSets.none",
    "EventSets.not",
    "JSON.stringify",
    "Math.abs",
    "Math.ceil",
    "Math.floor",
    "Math.max",
    "Math.min",
    "Math.pow",
    "Math.random",
    "Math.round",
    "Math.sign",
    "Math.sqrt",
    "Math.trunc",
    "Number.isInteger",
    "Number.isNaN",
    "Number.isFinite",
    "Object.assign",
    "Object.entries",
    "Object.freeze",
    "Object.keys",
    "Object.values",
    "String.fromCharCode",
    "bp.ASSERT",
    "bp.Event",
    "bp.EventSet",
    "bp.all",
    "bp.allExcept",
    "bp.enqueueExternalEvent",
    "bp.eventSets",
    "bp.eventSets.all",
    "bp.eventSets.allExcept",
    "bp.eventSets.allOf",
    "bp.eventSets.anyOf",
    "bp.eventSets.none",
    "bp.eventSets.not",
    "bp.fork",
    "bp.getTime",
    "bp.hot",
    "bp.log",
    "bp.log.error",
    "bp.log.fine",
    "bp.log.info",
    "bp.log.setLevel",
    "bp.log.warn",
    "bp.none",
    "bp.random",
    "bp.random.nextBoolean",
    "bp.random.nextFloat",
    "bp.random.nextInt",
    "bp.registerBThread",
    "bp.setInterruptHandler",
    "bp.setWaitForExternalEvents",
    "bp.store",
    "bp.store.get",
    "bp.store.has",
    "bp.store.keys.contains",
    "bp.store.keys.isEmpty",
    "bp.store.keys.size",
    "bp.store.put",
    "bp.store.remove",
    "bp.store.size",
    "bp.sync",
    "bp.thread",
];

/// Returns the global name of the environment.
pub(super) fn global(name: &str) -> Option<&'static str> {
    GLOBALS.iter().copied().find(|known| *known == name)
}

/// Global names of BPjs that are not read. A name of all objects is a global name, too.
const UNREAD: &str = "AggregateError ArrayBuffer BigInt Call Continuation DataView Date EvalError Float32Array \
    Float64Array Int16Array Int32Array Int8Array InternalError Iterator JavaAdapter JavaException JavaImporter \
    Packages Promise Proxy ReferenceError Reflect RegExp Script StopIteration Symbol SyntaxError URIError \
    Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet With com decodeURI decodeURIComponent edu \
    encodeURI encodeURIComponent escape eval getClass globalThis importClass importPackage isXMLName java javax net \
    org unescape uneval";

/// True if BPjs has a global name that is not read.
pub(super) fn is_unread(name: &str) -> bool {
    let is_listed = UNREAD.split_whitespace().any(|known| known == name);
    is_listed || methods::has(methods::Kind::Plain, name)
}

/// Returns what can stand in place of a global name of JavaScript or BPjs that is not read.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "bsync" => "this is `bp.sync` since BPjs 0.9",
        "WeakMap" | "WeakSet" => "use `Map` or `Set`",
        "Date" | "performance" => "a model has no clock: use an event for each step of time",
        "setTimeout" | "setInterval" => "a model has no clock: request an event",
        "RegExp" => "write the regular expression as `/a+/`",
        "Promise" | "Symbol" | "Proxy" | "Reflect" | "BigInt" => "docs/bpjs.md describes the subset of JavaScript",
        "console" | "print" => "use `bp.log.info`, which has no effect here",
        "require" | "module" | "exports" | "process" => "put the whole program into one file",
        "java" | "javax" | "Packages" | "importPackage" | "importClass" | "JavaAdapter" | "JavaImporter" => {
            "classes of Java are not read"
        }
        _ => return None,
    })
}

/// Returns a name that only the prelude knows.
pub(super) fn hidden(name: &str) -> Option<&'static str> {
    match name {
        "check" => Some("%check"),
        "hole" => Some("%hole"),
        _ => None,
    }
}

/// Returns the path of a property.
pub(super) fn member(object: &str, name: &str) -> Option<&'static str> {
    let fits = |path: &&str| path.strip_prefix(object).and_then(|rest| rest.strip_prefix('.')) == Some(name);
    PATHS.iter().copied().find(fits)
}

/// Returns the path of a property with a similar name.
pub(super) fn near(object: &str, name: &str) -> Option<&'static str> {
    let inside = |path: &'static str| path.strip_prefix(object).and_then(|rest| rest.strip_prefix('.'));
    member(object, formats::suggest::nearest(name, PATHS.iter().copied().filter_map(inside))?)
}

/// True if the value is a function.
pub(super) fn is_function(path: &str) -> bool {
    !matches!(
        path,
        "bp" | "(hot)"
            | "Math"
            | "JSON"
            | "EventSets"
            | "bp.all"
            | "bp.none"
            | "bp.eventSets"
            | "bp.eventSets.all"
            | "bp.eventSets.none"
            | "EventSets.all"
            | "EventSets.none"
            | "bp.log"
            | "bp.random"
            | "bp.store"
            | "bp.thread"
    )
}

pub(super) fn refused(path: &str) -> Stop {
    let hint = match path {
        "bp.random.nextFloat" | "Math.random" => "use `bp.random.nextInt(n)`: all values are tried",
        _ => "docs/bpjs.md lists what is read",
    };
    unsupported(format!("`{}` is not read", printable(path)), hint)
}

/// Refuses what reads of properties must not give.
pub(super) fn check_path(path: &'static str) -> Res<()> {
    let is_refused = matches!(path, "bp.getTime" | "bp.random.nextFloat" | "Math.random");
    if is_refused { Err(refused(path)) } else { Ok(()) }
}
