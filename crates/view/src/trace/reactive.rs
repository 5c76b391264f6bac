//! Renders runs of reactive programs as words and call by call. A word is written as in the challenges: the
//! inputs `[C, A]` of a run to an error, or `[iC, oZ] ([iA, oY])*` for a run that repeats forever. A call is
//! shown with the numbers that the program reads and prints, and with the variables that change.

use crate::letters::{self, PATIENCE, Word};
use crate::text::{names, plural};
use crate::trace::table::Table;
use crate::trace::{Detail, HEAD, TAIL};
use certify::Player;
use model::reactive::letter;
use model::{Goal, Outcome, Reactive, Trace, VarId};

/// Maximum number of changed variables shown for a call.
const CHANGED: usize = 6;

/// Renders a replayed run, indented.
pub fn render(program: &Reactive, trace: &Trace, goal: Goal, detail: Detail) -> String {
    let Word { stem, cycle, is_whole } = letters::spell(program, trace);
    let rest = if is_whole { "" } else { "  (too many calls to show them all here)" };
    let mut out = if matches!(goal, Goal::Temporal(_)) {
        format!("    {} ({})*{rest}\n", list(&stem, detail), list(&cycle, detail))
    } else {
        let inputs: Vec<String> = letters::inputs(trace).take(stem.len()).map(|i| letter(program.input(i))).collect();
        let mut out = format!("    inputs {}\n", list(&inputs, detail));
        if detail.all {
            out.push_str(&format!("    word   {}{rest}\n", list(&stem, detail)));
        }
        out
    };
    out.push_str(&calls(program, trace, detail));
    out
}

/// Returns a line for each call.
fn calls(program: &Reactive, trace: &Trace, detail: Detail) -> String {
    let total = letters::inputs(trace).take(PATIENCE).count() as u64;
    let hidden = if detail.all || total <= HEAD + TAIL + 1 { 0..0 } else { HEAD..total - TAIL };
    let mut player = Player::new(program);
    let mut table = Table { titles: ["call", "input", "output", "what changes"], lines: Vec::new() };
    for (call, input) in (0u64..).zip(letters::inputs(trace).take(PATIENCE)) {
        if hidden.contains(&call) {
            player.call(input);
            continue;
        }
        let before = player.values().to_vec();
        let outcome = player.call(input);
        let stops = matches!(outcome, Outcome::Error(_) | Outcome::Crash);
        let changes = if stops { String::new() } else { changed(program, &before, player.values(), detail) };
        let again = if trace.repeats_from == Some(call) { "  (from here on it repeats forever)" } else { "" };
        let number = read(program.input(input));
        table.lines.push([(call + 1).to_string(), number, printed(&player, outcome), format!("{changes}{again}")]);
    }
    let mut out = String::new();
    table.write(&mut out, &hidden, hidden.end - hidden.start, detail);
    out
}

/// Returns a number that the program reads or prints, with the letter that represents it.
pub fn read(number: i32) -> String {
    let letter = letter(number);
    if letter == number.to_string() { letter } else { format!("{number} ({letter})") }
}

/// Returns what the last call printed. If the call ended neither with an output nor normally without one, the
/// text also says how it ended.
pub fn printed(player: &Player<'_>, outcome: Outcome) -> String {
    let numbers = player.letters().iter().map(|&n| read(n));
    let end = letters::end(player.program(), outcome);
    let all: Vec<String> = numbers.chain(end).collect();
    if all.is_empty() { "-".to_owned() } else { all.join(", ") }
}

/// Returns what a call changed, such as `a7: 0 -> 3`.
pub fn changed(program: &Reactive, before: &[i32], after: &[i32], detail: Detail) -> String {
    let differs = before.iter().zip(after).enumerate().filter(|(_, (a, b))| a != b);
    let all: Vec<String> = differs.map(|(i, (a, b))| format!("{}: {a} -> {b}", program.name(VarId::new(i)))).collect();
    if all.is_empty() {
        return "(nothing)".to_owned();
    }
    names(all.iter().map(String::as_str), if detail.all { usize::MAX } else { CHANGED })
}

/// Returns `[a, b, c]`, without its middle if it is long.
fn list(letters: &[String], detail: Detail) -> String {
    let (head, tail) = (HEAD as usize, TAIL as usize);
    if detail.all || letters.len() <= head + tail + 1 {
        return format!("[{}]", letters.join(", "));
    }
    let left_out = plural((letters.len() - head - tail) as u64, "letter");
    let (first, last) = (letters[..head].join(", "), letters[letters.len() - tail..].join(", "));
    format!("[{first}, .. {left_out} .., {last}]")
}
