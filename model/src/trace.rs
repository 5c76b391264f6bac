//! Runs of a system as evidence, run-length encoded so that a run of ten million equal events is two lines.

use crate::ids::EventId;
use std::num::NonZeroU32;

/// Names one of a trace's recorded target states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChoiceId(NonZeroU32);

/// One step: an event, and where it led if that is not determined by the event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The event that fires; of a net or thread system the transition of the same number.
    pub event: EventId,
    /// The state it leads to, recorded where the event has several composite successors; `None` promises just one.
    /// (Calls of reactive programs leave no choice; the event is the input letter. Of thread systems: the shared state, then the threads in each local state. Nets leave no choice. Of circuits a move is
    /// a frame, event 0, and the choice its inputs, one bit each in their order, 32 to a slot; the goal is true in the last frame.)
    pub choice: Option<ChoiceId>,
}

/// `word` repeated `times` times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// At least one move; moves with a choice only where `times` is 1.
    pub word: Vec<Move>,
    /// At least 1.
    pub times: u64,
}

/// A run from an initial state: its events in order, with the states where the system had a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The initial state it starts from: a local state per thread. For nets and thread systems only what the system leaves
    /// open: one slot for each place (local state) whose initial count is not fixed, the tokens beyond the least count. For
    /// circuits the latches without reset, one bit each in their order, 32 to a slot from the lowest bit. Empty for reactive programs.
    pub start: Box<[u32]>,
    runs: Vec<Run>,
    choices: Vec<Box<[u32]>>,
    /// The run is infinite: after its last event it goes on with the one of this number (from 0), for ever.
    pub repeats_from: Option<u64>,
}

impl Trace {
    /// The empty run from `start`.
    #[must_use]
    pub fn new(start: Box<[u32]>) -> Self {
        Self { start, runs: Vec::new(), choices: Vec::new(), repeats_from: None }
    }

    /// Appends one step; `to` is the state it leads to if the event does not determine it.
    /// Equal steps in a row without choice are stored as one repetition.
    ///
    /// # Panics
    /// If more than 2^32 - 2 choices are recorded.
    pub fn push(&mut self, event: EventId, to: Option<Box<[u32]>>) {
        let choice = to.map(|state| {
            self.choices.push(state);
            let id = u32::try_from(self.choices.len()).ok().and_then(NonZeroU32::new);
            ChoiceId(id.expect("at most 2^32 - 2 choices"))
        });
        let step = Move { event, choice };
        match self.runs.last_mut() {
            Some(run) if choice.is_none() && run.word == [step] => run.times += 1,
            Some(run) if run.times == 1 => match run.word.last() {
                Some(last) if run.word.len() > 1 && choice.is_none() && *last == step => {
                    run.word.pop();
                    self.runs.push(Run { word: vec![step], times: 2 });
                }
                _ => run.word.push(step),
            },
            _ => self.runs.push(Run { word: vec![step], times: 1 }),
        }
    }

    /// Appends `word` repeated `times` times; nothing if either is empty.
    pub fn push_repeat(&mut self, word: Vec<EventId>, times: u64) {
        if times == 0 || word.is_empty() {
            return;
        }
        let word = word.into_iter().map(|event| Move { event, choice: None }).collect();
        self.runs.push(Run { word, times });
    }

    /// The run-length encoded steps.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The state a move's choice names.
    ///
    /// # Panics
    /// If the choice belongs to another trace.
    #[must_use]
    pub fn choice(&self, id: ChoiceId) -> &[u32] {
        &self.choices[id.0.get() as usize - 1]
    }

    /// Number of events, or `None` if it does not fit 64 bits.
    #[must_use]
    pub fn len(&self) -> Option<u64> {
        self.runs.iter().try_fold(0u64, |sum, run| sum.checked_add(run.times.checked_mul(run.word.len() as u64)?))
    }

    /// Has the run no event?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_fold_into_a_repetition() {
        let mut trace = Trace::new(Box::from([0]));
        for e in [1, 0, 0, 0, 2] {
            trace.push(EventId(e), None);
        }
        let shape: Vec<(usize, u64)> = trace.runs().iter().map(|r| (r.word.len(), r.times)).collect();
        assert_eq!(shape, [(1, 1), (1, 3), (1, 1)]);
        assert_eq!(trace.len(), Some(5));
    }

    #[test]
    fn choices_are_kept_and_never_folded() {
        let mut trace = Trace::new(Box::from([0]));
        trace.push(EventId(0), Some(Box::from([1])));
        trace.push(EventId(0), Some(Box::from([2])));
        assert_eq!(trace.len(), Some(2));
        let to: Vec<&[u32]> =
            trace.runs().iter().flat_map(|r| &r.word).map(|m| trace.choice(m.choice.unwrap())).collect();
        assert_eq!(to, [&[1][..], &[2][..]]);
    }
}
