//! What engines have done, in words: for the lines of progress, and for reports about unknown answers.

use super::json::{EffortReport, FileReport, GrownReport};
use impasse::formats::printable;
use impasse::model::{Grown, Reason};
use std::collections::BTreeMap;
use std::fmt::Write;
use view::text::plural;

/// Other counts that are shown, in this order, and how many of them.
const COUNTS: [(&str, &str); 9] = [
    ("frames", "frame"),
    ("clauses", "clause"),
    ("vectors", "vector"),
    ("obligations", "obligation"),
    ("walks", "walk"),
    ("conflicts", "conflict"),
    ("excluded", "excluded goal"),
    ("rounds", "round"),
    ("z3_queries", "Z3 call"),
];
const SHOWN: usize = 2;

/// Returns the counts of an engine in words: `12 frames`, `340 clauses`.
pub(crate) fn counts(states: u64, transitions: u64, more: &BTreeMap<&'static str, u64>) -> Vec<String> {
    let mut parts = Vec::new();
    match (states, transitions) {
        (0, 0) => {}
        // Walks do not store states, so they count steps.
        (0, steps) => parts.push(plural(steps, "step")),
        (states, _) => parts.push(plural(states, "state")),
    }
    let known = COUNTS.iter().filter_map(|(id, word)| Some((more.get(id).copied().filter(|n| *n > 0)?, *word)));
    parts.extend(known.take(SHOWN).map(|(n, word)| plural(n, word)));
    parts
}

/// Returns what was tried and what may help, if a property is unknown.
pub(crate) fn tried(report: &FileReport) -> String {
    let mut out = String::new();
    let (busy, idle): (Vec<&EffortReport>, Vec<&EffortReport>) = report.engines.iter().partition(|e| is_busy(e));
    let mut parts: Vec<String> = busy.into_iter().map(effort).collect();
    if !idle.is_empty() {
        let idle: Vec<&str> = idle.iter().map(|effort| effort.engine).collect();
        parts.push(format!("without a result {}", idle.join(", ")));
    }
    // The headline says what a single engine did.
    if report.engines.len() > 1 {
        let _ = writeln!(out, "    Tried: {}.", parts.join("; "));
    }
    if let Some(most) = &report.grown {
        let _ = writeln!(out, "    What grew: {}.", grown(most));
    }
    if !report.advice.is_empty() {
        let _ = writeln!(out, "    May help: {}.", report.advice.join("; "));
    }
    out
}

/// Returns what has grown the most in words.
pub(crate) fn grown(grown: &GrownReport) -> String {
    let (thread, variable, range, values) = match grown {
        GrownReport::Variable { thread, variable, range, values } => (thread, variable, range, values),
        GrownReport::Place { place, tokens } => {
            return format!("place `{}`: {} in one of the markings", printable(place), plural(*tokens, "token"));
        }
    };
    let range = range.map_or_else(String::new, |[least, most]| format!(" ({})", Grown::range_text(least, most)));
    let (thread, variable) = (printable(thread), printable(variable));
    format!("thread `{thread}`: variable `{variable}`{range} took {} so far", plural(*values, "value"))
}

/// Returns true if the effort is worth a note of its own: it has a share of the work, or says why it ended.
fn is_busy(effort: &EffortReport) -> bool {
    effort.share > 0 || effort.standing == "out_of_memory" || effort.reason.is_some_and(|r| r != Reason::GaveUp.id())
}

/// Returns `explicit 61% (12,345 states, out of memory)`. The share is that of the work.
fn effort(effort: &EffortReport) -> String {
    let mut parts = counts(effort.states, effort.transitions, &effort.more);
    let why = match (effort.reason, effort.standing) {
        (Some("memory"), _) | (_, "out_of_memory") => Some("out of memory"),
        (Some("overflow"), _) => Some("a number became too large"),
        (Some("bound"), _) => Some("reached the bound"),
        (Some("unsupported"), _) => Some("does not support the question"),
        (Some("gave_up"), _) | (None, "done") => Some("nothing left to try"),
        (reason, _) => reason,
    };
    parts.extend(why.map(str::to_owned));
    let counts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!("{} {}%{counts}", effort.engine, effort.share)
}
