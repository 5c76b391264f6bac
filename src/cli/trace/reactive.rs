//! Runs of reactive programs, as the challenges write them: the inputs `[C, A]` of a run into an error, and
//! `[iC, oZ] ([iA, oY])*` of one that repeats for ever.

use super::{Detail, HEAD, TAIL};
use crate::cli::letters::{self, Word};
use crate::cli::text::plural;
use impasse::model::reactive::letter;
use impasse::model::{Goal, Reactive, Trace};

/// Renders a replayed run, indented.
pub(super) fn render(program: &Reactive, trace: &Trace, goal: Goal, detail: Detail) -> String {
    let Word { stem, cycle, is_whole } = letters::spell(program, trace);
    let rest = if is_whole { "" } else { "  (too many calls to follow them all here)" };
    if matches!(goal, Goal::Temporal(_)) {
        return format!("    {} ({})*{rest}\n", list(&stem, detail), list(&cycle, detail));
    }
    let inputs: Vec<String> = letters::inputs(trace).take(stem.len()).map(|i| letter(program.input(i))).collect();
    let mut out = format!("    inputs {}\n", list(&inputs, detail));
    if detail.all {
        out.push_str(&format!("    word   {}{rest}\n", list(&stem, detail)));
    }
    out
}

/// `[a, b, c]`, without its middle if it is long.
fn list(letters: &[String], detail: Detail) -> String {
    let (head, tail) = (HEAD as usize, TAIL as usize);
    if detail.all || letters.len() <= head + tail + 1 {
        return format!("[{}]", letters.join(", "));
    }
    let left_out = plural((letters.len() - head - tail) as u64, "letter");
    let (first, last) = (letters[..head].join(", "), letters[letters.len() - tail..].join(", "));
    format!("[{first}, .. {left_out} .., {last}]")
}
