//! Calls of reactive programs as letters: `iC` is an input, `oZ` an output (`A` is 1).

use certify::Player;
use model::reactive::letter;
use model::{InputId, Outcome, Reactive};

/// Returns the input letter as it is written in sequences of letters.
#[must_use]
pub fn input(program: &Reactive, input: InputId) -> String {
    format!("i{}", letter(program.input(input)))
}

/// Returns the output letters of the player's last call, and how the call ended if it did not end with an
/// output.
#[must_use]
pub fn shown(player: &Player<'_>, outcome: Outcome) -> Vec<String> {
    let letters = player.letters().iter().map(|&value| format!("o{}", letter(value)));
    letters.chain(end(player.program(), outcome)).collect()
}

/// Returns how a call ended; `None` if it ended with an output, or normally without one.
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
