//! BPjs programs: b-threads in JavaScript (Bar-Sinai, Weiss, Shmuel: BPjs). Reference: `docs/bpjs.md`.
//!
//! ```
//! use formats::{Limits, Source};
//!
//! let text = b"bp.registerBThread(function () { bp.sync({ request: bp.Event(\"hello\") }); });";
//! let source = Source { name: "hello.js".to_owned(), bytes: text.to_vec() };
//! let found = impasse_bpjs::FORMAT.read.unwrap()(&source, &Limits::default()).unwrap();
//! assert_eq!(found.problem.system().as_program().unwrap().threads().len(), 1);
//! ```
//!
//! 1. `depth` bounds the depth of the text, and the parser (oxc) makes a syntax tree.
//! 2. `compile` makes instructions of a stack machine. `live` finds the variables that are read later.
//! 3. `machine` runs the top-level script, which registers b-threads.
//! 4. `thread` runs each b-thread from sync to sync. Its states are those of the explicit program.
//!
//! **B-threads share nothing that changes.** A cell of the heap that several b-threads can reach after the top-level
//! script is never changed later: the reader refuses that. So each b-thread can be explored by itself.

mod arrays;
mod bp;
mod call;
mod code;
mod collections;
mod compile;
mod depth;
mod files;
mod frame;
mod group;
mod heap;
mod instance;
mod joint;
mod json;
mod leg;
mod live;
mod machine;
mod marks;
mod matching;
mod methods;
mod names;
mod natives;
mod number;
mod ops;
mod process;
mod props;
mod regex;
mod round;
mod sets;
mod sort;
mod state;
mod step;
mod store;
mod strings;
mod thread;
mod top;
mod value;

use code::OfRounds;
use files::Files;
use formats::codes;
use formats::comments::{self, Comments, Quote};
use formats::error::{Error, Span, Text, printable};
use formats::format::{Format, Read};
use formats::meter::Meter;
use formats::source::{Limits, Source, Strategy};
use marks::Marks;
use model::{Goal, Lines, Problem, Program};
use oxc_allocator::Allocator;
use programs_read::behavior::{UNREAD, elaborate, rounds};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// BPjs programs.
pub const FORMAT: Format = Format {
    name: "bpjs",
    extensions: &["js"],
    family: model::Family::Programs,
    doc: "BPjs programs: b-threads in a subset of JavaScript.",
    read: Some(read),
    write: None,
    says_goals: true,
};

const COMMENTS: Comments = Comments {
    line: &["//"],
    at_start: false,
    block: Some(("/*", "*/")),
    quote: Some(Quote { sign: b'"', escape: Some(b'\\') }),
};

/// The functions of the environment that are written in JavaScript.
const PRELUDE: &str = include_str!("prelude.js");

/// The stack of the thread that parses and compiles. `depth` bounds the depth of the recursion.
const STACK: usize = 256 << 20;

type Res<T> = Result<T, Box<Error>>;

fn read(source: &Source, limits: &Limits) -> Res<Read> {
    read_files(std::slice::from_ref(source), limits)
}

/// Reads several files as one program. They are run one after the other.
///
/// # Errors
/// Mistakes in one of the files.
pub fn read_files(sources: &[Source], limits: &Limits) -> Res<Read> {
    let texts: Vec<_> = sources.iter().map(|source| comments::text(source, &COMMENTS)).collect::<Res<_>>()?;
    let parts: Vec<(&str, &str)> = sources.iter().zip(&texts).map(|(source, text)| (&*source.name, &**text)).collect();
    let (files, text) = Files::new(&parts, limits);
    let name = sources.iter().map(|source| &*source.name).collect::<Vec<_>>().join("+");
    if text.len() > limits.bytes {
        let message = format!("the files have {} bytes, and at most {} are read", text.len(), limits.bytes);
        return Err(Error::whole(&codes::LIMIT_BYTES, &name, message));
    }
    let text = Text { name: &name, text: &text };
    let failed = || Error::whole(&codes::LIMIT_NESTING, text.name, "there is no memory for the stack of the parser");
    std::thread::scope(|scope| {
        let read = || {
            files::check(&parts, limits)?;
            let mut read = program(text, &files, limits).map_err(|error| files.located(error))?;
            read.warnings.iter_mut().for_each(|warning| files.locate(warning));
            Ok(read)
        };
        let builder = std::thread::Builder::new().stack_size(STACK);
        let reader = builder.spawn_scoped(scope, read).map_err(|_| failed())?;
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Reads a program, on a stack that is large enough for the parser.
fn program(text: Text<'_>, files: &Files, limits: &Limits) -> Res<Read> {
    depth::check(text, limits)?;
    let prelude = Text { name: "prelude", text: PRELUDE };
    let mut marks = Marks::default();
    let (functions, _) = script(prelude, Vec::new(), None)?;
    let count = functions.len();
    let (functions, main) = script(text, functions, Some(&mut marks))?;
    marks.strategy = limits.strategy.or(marks.strategy);
    let code = compile::link(functions, main, count, marks.strategy.unwrap_or(Strategy::Simple), files.clone());
    let threads = top::threads(&code, text)?;
    let mut meter = Meter::new(text, limits);
    let mut found = elaborate(&threads, text, &mut meter, &rounds(limits.explored), limits.partly)?;
    found.lines.iter_mut().for_each(|lines| located(lines, files));
    let events =
        distinct(found.events.iter().map(json::event_name).chain(found.unread.as_ref().map(|_| UNREAD.to_owned())));
    let goals = Goal::usual(found.may_be_bad || code.functions[count..].iter().any(asserts));
    let program = Program::new(events, found.threads, goals);
    let program = program.map_err(|invalid| Error::whole(&codes::INPUT_INVALID, text.name, invalid.to_string()))?;
    let program = program.with_joint_blocks(found.joint);
    // In BPjs, a deadlock is a state in which events are requested and all of them are blocked.
    let program = if marks.stops { program.with_stopped_ends() } else { program.with_quiet_ends() };
    let program = program.with_positions(found.lines).with_hot(found.hot).with_unread(found.unread);
    let program = program.with_priorities(ranks(found.priorities));
    let ignored = code.data.get().filter(|_| marks.strategy.is_none()).map(|span| ignored_priorities(text, span));
    let unset = code.function(main).unset.as_ref().map(|variable| unset_global(text, variable));
    let shared = code.functions[count..].iter().filter_map(|function| function.of_rounds.as_ref());
    let shared =
        shared.min_by_key(|(variable, _)| variable.span.start).map(|of_rounds| shared_variable(text, of_rounds));
    let missing = missing_names(text, &code.functions[count..]);
    let warnings = ignored.into_iter().chain(unset).chain(shared).chain(missing).collect();
    Ok(Read { problem: Problem::of_program(Arc::new(program)), warnings })
}

/// Makes lines of a joined text lines of its files.
fn located(lines: &mut Lines, files: &Files) {
    let places: Vec<_> = lines.lines.iter().map(|line| files.place(*line as usize)).collect();
    if let Some(names) = places.iter().map(|(file, _)| file.cloned()).collect() {
        lines.files = names;
    }
    lines.lines = places.iter().map(|(_, line)| u32::try_from(*line).unwrap_or(0)).collect();
}

/// Makes priorities small numbers in the same order. The least one, which most states have, becomes 0.
fn ranks(mut priorities: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let all: BTreeSet<i64> = priorities.iter().flatten().copied().collect();
    let rank: HashMap<i64, i64> = all.into_iter().zip(0..).collect();
    priorities.iter_mut().flatten().for_each(|priority| *priority = rank[priority]);
    priorities
}

/// Warns that the data of a sync may be meant as a priority.
fn ignored_priorities(text: Text<'_>, span: Span) -> Error {
    let message = "a sync has a number as data, which is no priority in the strategy `simple`, the default of BPjs";
    let error = text.error(&codes::JS_PRIORITY, span.range(), message).label("all requested events count alike");
    *error.warning().hint(
        "give `--strategy prioritized-bsync` if the numbers are priorities, otherwise `--strategy simple`; or write \
                 a comment `// @strategy NAME` into the text",
    )
}

/// Warns that a global variable is read as `undefined`, because the host of the program may set it.
fn unset_global(text: Text<'_>, variable: &code::Variable) -> Error {
    let name = printable(&variable.name);
    let message = format!("nothing sets `{name}` before this test, so it counts as `undefined`");
    let error = text.error(&codes::JS_UNSET, variable.span.range(), message).label("set by the host of the program?");
    *error
        .warning()
        .hint(format!("`--define {name}=JSON` sets it, as `putInGlobalScope` does; without a value, BPjs fails here"))
}

/// Warns that BPjs has one variable for all rounds of a loop, and not one for each.
fn shared_variable(text: Text<'_>, (variable, of): &(code::Variable, OfRounds)) -> Error {
    let name = printable(&variable.name);
    let (message, hint) = match of {
        OfRounds::Const => (
            format!("`{name}` is a new constant in each round, and BPjs keeps the value of the first round"),
            format!("declare `{name}` with `let`"),
        ),
        OfRounds::Bare => (
            format!("`{name}` has no value at the start of each round, and in BPjs it keeps the last one"),
            format!("write `let {name} = undefined`"),
        ),
        OfRounds::Head => (
            format!("the functions of each round have a variable `{name}` of their own, and in BPjs they share one"),
            format!("copy `{name}` to a `let` in the body of the loop, and use the copy in the functions"),
        ),
    };
    let error = text.error(&codes::JS_ROUND, variable.span.range(), message).label("a variable of a loop");
    *error.warning().hint(hint)
}

/// Warns of names that nothing has, each once.
fn missing_names(text: Text<'_>, functions: &[code::Function]) -> Vec<Error> {
    let mut seen = HashSet::new();
    let ops = functions.iter().flat_map(|function| function.code.iter().zip(&function.spans));
    let all = ops.filter_map(|(op, span)| if let code::Op::Missing(error) = op { Some((error, span)) } else { None });
    let new = all.filter(|(error, _)| seen.insert(error.message().to_owned()));
    let warn = |(error, span): (&Rc<Error>, &Span)| {
        let message = format!("{}: a run that gets here is not read", error.message());
        *text.error(&codes::JS_UNKNOWN, span.range(), message).label("unknown name").warning()
    };
    new.map(warn).collect()
}

/// True if the function calls `bp.ASSERT`, even where the condition never fails.
fn asserts(function: &code::Function) -> bool {
    let is_assert =
        |op: &code::Op| matches!(op, code::Op::GetProp(name) | code::Op::Method(name, _) if &**name == "ASSERT");
    function.code.iter().any(is_assert)
}

/// Makes names distinct by numbers.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::new();
    let mut all = Vec::new();
    for name in names {
        let mut new = name.clone();
        let mut number = 2;
        while !used.insert(new.clone()) {
            new = format!("{name}#{number}");
            number += 1;
        }
        all.push(new);
    }
    all
}

/// Parses and compiles a text, and finds its marks. Appends to `functions`, and returns the number of the function of
/// the script. Without `marks`, the text is the prelude.
fn script(
    text: Text<'_>,
    functions: Vec<code::Function>,
    marks: Option<&mut Marks>,
) -> Res<(Vec<code::Function>, u32)> {
    let allocator = Allocator::default();
    let program = files::parsed(text, &allocator)?;
    let is_prelude = marks.is_none();
    if let Some(marks) = marks {
        *marks = Marks::of(text, &program.comments)?;
    }
    compile::script(text, functions, is_prelude, &program)
}
