//! The names of properties that values inherit, in BPjs or in current JavaScript: most are methods. Such a property is
//! never absent, so it is refused where it is read without a call.

/// The kinds of values with methods of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Plain objects, `true` and `false`.
    Plain,
    Number,
    Text,
    Array,
    /// Maps and sets.
    Map,
    /// Events, which are objects of Java in BPjs, and event sets.
    Event,
}

/// What all objects of JavaScript have.
const PLAIN: &str = "constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toSource toString \
    valueOf __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __parent__";
const NUMBER: &str = "toExponential toFixed toPrecision";
const TEXT: &str = "anchor at big blink bold charAt charCodeAt codePointAt concat endsWith equals equalsIgnoreCase \
    fixed fontcolor fontsize includes indexOf isWellFormed italics lastIndexOf link localeCompare match \
    matchAll normalize padEnd padStart repeat replace replaceAll search slice small split startsWith \
    strike sub substr substring sup toLocaleLowerCase toLocaleUpperCase toLowerCase toUpperCase \
    toWellFormed trim trimEnd trimLeft trimRight trimStart";
const ARRAY: &str = "at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap \
    forEach includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice \
    some sort splice toReversed toSorted toSpliced unshift values with";
const MAP: &str = "add clear delete difference entries forEach get has intersection isDisjointFrom isSubsetOf \
    isSupersetOf keys set symmetricDifference union values";
/// Methods and properties of `BEvent`, `EventSet` and `Object` of Java.
const EVENT: &str = "and class compareTo contains dataField equals getClass getData getDataField getName hashCode nand \
    negate nor notify notifyAll or wait xor";

/// True if values of this kind have a property with this name that is not their own.
pub(super) fn has(kind: Kind, name: &str) -> bool {
    let own = match kind {
        Kind::Plain => "",
        Kind::Number => NUMBER,
        Kind::Text => TEXT,
        Kind::Array => ARRAY,
        Kind::Map => MAP,
        Kind::Event => EVENT,
    };
    own.split_whitespace().chain(PLAIN.split_whitespace()).any(|known| known == name)
}

/// Returns what can stand in place of a method that is not read.
pub(super) fn instead(name: &str) -> &'static str {
    match name {
        "toFixed" | "toPrecision" | "toExponential" => "use `Math.round`, or put the number into a template: `${n}`",
        "match" | "matchAll" | "search" => "use `regex.test(text)`, or `match` with the flag `g` or as a condition",
        "localeCompare" => "compare texts with `<` and `>`",
        "toLocaleString" | "toString" => "use `String(..)`, a template, or `JSON.stringify` of data",
        "flat" => "`flat()` without an argument flattens one level",
        "toLocaleLowerCase" | "toLocaleUpperCase" => "use `toLowerCase` or `toUpperCase`",
        "trimLeft" | "trimRight" => "use `trimStart` or `trimEnd`",
        "codePointAt" => "use `charCodeAt`",
        "findLast" | "findLastIndex" => "use `reverse` of a copy, and `find` or `findIndex`",
        "toSorted" | "toReversed" | "toSpliced" | "with" => "change a copy: `list.slice().sort(..)`",
        "keys" | "entries" => "use `Object.keys` or `Object.entries`, or a loop over the indices",
        _ => "docs/bpjs.md lists the methods that are read",
    }
}
