//! Runs of reactive programs as words of letters: `iC` is an input, `oZ` an output (`A` is 1).

use impasse::certify::Player;
use impasse::model::reactive::letter;
use impasse::model::{InputId, Outcome, Reactive, Trace};

/// Calls that are followed to show outputs.
pub(crate) const PATIENCE: usize = 1_000_000;

/// A run spelt out.
pub(crate) struct Word {
    /// The letters before the loop; of a finite run all of them.
    pub(crate) stem: Vec<String>,
    /// What repeats for ever.
    pub(crate) cycle: Vec<String>,
    /// Is it the whole run?
    pub(crate) is_whole: bool,
}

/// The inputs of a run in order, expanded.
pub(crate) fn inputs(trace: &Trace) -> impl Iterator<Item = InputId> + '_ {
    let events = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.iter()));
    events.map(|step| InputId(step.event.0))
}

/// The input letter as in words.
pub(crate) fn input(program: &Reactive, input: InputId) -> String {
    format!("i{}", letter(program.input(input)))
}

/// What the player's last call shows: its letters, and how it ended if that is no matter of letters.
pub(crate) fn shown(player: &Player<'_>, outcome: Outcome) -> Vec<String> {
    let letters = player.letters().iter().map(|&value| format!("o{}", letter(value)));
    letters.chain(end(player.program(), outcome)).collect()
}

/// How a call ended, if not with an output.
pub(crate) fn end(program: &Reactive, outcome: Outcome) -> Option<String> {
    match outcome {
        Outcome::Output(_) | Outcome::Silent | Outcome::Unspelt => None,
        Outcome::Invalid => Some("(invalid)".to_owned()),
        Outcome::Error(error) if Some(error) == program.undefined() => Some("(undefined)".to_owned()),
        Outcome::Error(error) => Some(format!("error_{}", program.errors()[error.index()])),
        Outcome::Crash => Some("(stops)".to_owned()),
    }
}

/// Follows a replayed run and spells it.
pub(crate) fn spell(program: &Reactive, trace: &Trace) -> Word {
    let mut player = Player::new(program);
    let mut word = Word { stem: Vec::new(), cycle: Vec::new(), is_whole: true };
    let from = trace.repeats_from.unwrap_or(u64::MAX);
    for (call, id) in (0u64..).zip(inputs(trace)) {
        if call as usize >= PATIENCE {
            word.is_whole = false;
            break;
        }
        let letters = if call < from { &mut word.stem } else { &mut word.cycle };
        letters.push(input(program, id));
        let outcome = player.call(id);
        letters.extend(shown(&player, outcome));
    }
    word
}
