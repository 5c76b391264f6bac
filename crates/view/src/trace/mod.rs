//! Renders traces for people: a line per step with what changed, and why the end is a violation.

pub mod circuit;
pub mod data;
pub mod net;
mod own;
pub mod program;
pub mod reactive;
pub mod table;
pub mod waves;

pub use own::render as of_own;

use super::text::{Paint, names};
use model::{Move, Run, Trace};
use std::ops::Range;

/// Determines how much of a trace is shown.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// True if every line and every name is shown.
    pub all: bool,
    /// The colours.
    pub paint: Paint,
}

/// Number of lines shown from the start, and from the end, of a long trace.
pub const HEAD: u64 = 24;
/// Number of lines shown from the end of a long trace.
pub const TAIL: u64 = 12;

/// Maximum number of names in a list.
pub const NAMES: usize = 4;

/// Maximum number of events shown of a repeated word.
const WORD: usize = 12;

/// A rendered trace.
pub struct Rendered {
    /// The steps of the trace.
    pub run: String,
    /// Why its end is a violation; empty if there is nothing to say.
    pub why: String,
}

/// A part of a trace that is shown in one line.
pub enum TraceLine<'t> {
    /// One step.
    Step(&'t Move),
    /// A word that is repeated.
    Repeat(&'t Run),
}

/// Returns the lines of a run.
pub fn parts(run: &Run) -> Box<dyn Iterator<Item = TraceLine<'_>> + '_> {
    if run.times == 1 {
        Box::new(run.word.iter().map(TraceLine::Step))
    } else {
        Box::new(std::iter::once(TraceLine::Repeat(run)))
    }
}

/// Returns the numbers of the lines that are left out.
pub fn hidden(trace: &Trace, detail: Detail) -> Range<u64> {
    let lines = |run: &Run| if run.times == 1 { run.word.len() as u64 } else { 1 };
    let total: u64 = trace.runs().iter().map(lines).sum();
    if detail.all || total <= HEAD + TAIL + 1 { 0..0 } else { HEAD..total - TAIL }
}

/// Returns a repeated word as the names of its steps.
pub fn word(run: &Run, name: impl Fn(&Move) -> String, detail: Detail) -> String {
    if let [single] = run.word[..] {
        return format!("{} x {}", name(&single), run.times);
    }
    let most = if detail.all { usize::MAX } else { WORD };
    let mut shown: Vec<String> = run.word.iter().take(most).map(name).collect();
    if run.word.len() > most {
        shown.push("..".to_owned());
    }
    format!("({}) x {}", shown.join(" "), run.times)
}

/// Returns `7`, or `7..9` for several steps.
pub fn numbers(first: u64, last: u64) -> String {
    if first == last { first.to_string() } else { format!("{first}..{last}") }
}

/// Returns a list of names, shortened unless all are shown.
pub fn long_list(items: &[String], detail: Detail) -> String {
    let most = if detail.all { usize::MAX } else { 2 * NAMES };
    names(items.iter().map(String::as_str), most)
}

/// Returns a list of names, shortened more.
pub fn list<'a>(items: impl IntoIterator<Item = &'a str>, detail: Detail) -> String {
    names(items, if detail.all { usize::MAX } else { NAMES })
}
