//! Runs of reactive programs as words of letters: `iC` is an input, `oZ` an output (`A` is 1).

use impasse::certify::Player;
use impasse::model::{InputId, Reactive, Trace};
pub(crate) use impasse::steps::letters::{end, input, shown};

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
