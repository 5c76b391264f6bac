//! Runs of reactive programs as words of letters: `iC` is an input, `oZ` an output (`A` is 1).

pub use crate::steps::letters::{end, input, shown};
use certify::Player;
use model::{InputId, Reactive, Trace};

/// Maximum number of calls that are executed to show outputs.
pub const PATIENCE: usize = 1_000_000;

/// A run as a word of letters.
pub struct Word {
    /// The letters before the loop. For a finite run, all letters.
    pub stem: Vec<String>,
    /// The letters of the loop, which repeats forever.
    pub cycle: Vec<String>,
    /// True if the letters represent the whole run.
    pub is_whole: bool,
}

/// Returns the inputs of a run in order, with repetitions expanded.
pub fn inputs(trace: &Trace) -> impl Iterator<Item = InputId> + '_ {
    let events = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.iter()));
    events.map(|step| InputId(step.event.0))
}

/// Executes a replayed run, and returns its letters.
pub fn spell(program: &Reactive, trace: &Trace) -> Word {
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
