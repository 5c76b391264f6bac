//! Calls of reactive programs as letters: `iC` is an input, `oZ` an output (`A` is 1).

use certify::Player;
use model::reactive::letter;
use model::{InputId, Outcome, Reactive};

/// The input letter as in words.
#[must_use]
pub fn input(program: &Reactive, input: InputId) -> String {
    format!("i{}", letter(program.input(input)))
}

/// What the player's last call shows: its letters, and how it ended if that is no matter of letters.
#[must_use]
pub fn shown(player: &Player<'_>, outcome: Outcome) -> Vec<String> {
    let letters = player.letters().iter().map(|&value| format!("o{}", letter(value)));
    letters.chain(end(player.program(), outcome)).collect()
}

/// How a call ended, if not with an output.
#[must_use]
pub fn end(program: &Reactive, outcome: Outcome) -> Option<String> {
    match outcome {
        Outcome::Output(_) | Outcome::Silent | Outcome::Unspelt => None,
        Outcome::Invalid => Some("(invalid)".to_owned()),
        Outcome::Error(error) if Some(error) == program.undefined() => Some("(undefined)".to_owned()),
        Outcome::Error(error) => Some(format!("error_{}", program.errors()[error.index()])),
        Outcome::Crash => Some("(stops)".to_owned()),
    }
}
