//! Traces: runs of a system as evidence. They are run-length encoded, so a run of ten million equal events
//! takes two lines.

use crate::ids::EventId;
use std::num::NonZeroU32;

/// The number of a target state that a trace records.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChoiceId(NonZeroU32);

/// One step of a trace: an event, and the next state if the event does not determine it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The event that fires. For a net or thread-transition system it is the transition with the same number,
    /// for a reactive program the input letter with the same number.
    pub event: EventId,
    /// The next state. It is recorded if the event has several composite successors; `None` asserts that there
    /// is only one.
    ///
    /// Its form depends on the kind of system:
    /// * Behavioral programs: one local state per thread.
    /// * Thread-transition systems: the shared state, then the number of threads in each local state.
    /// * Nets and reactive programs: no move records a next state.
    /// * Circuits: a move is a frame with event 0, and the choice contains the values of the inputs instead,
    ///   one bit each in their order, 32 bits to a slot. The goal is true in the last frame, or the run repeats.
    /// * Systems written in Rust: the slots of the state.
    pub choice: Option<ChoiceId>,
}

/// `word` repeated `times` times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The repeated moves, at least one. A move may record a choice only if `times` is 1.
    pub word: Vec<Move>,
    /// Number of repetitions, at least 1.
    pub times: u64,
}

/// A run from an initial state: its events in order, and the next state after each step with several
/// successors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The initial state. Its form depends on the kind of system:
    /// * Behavioral programs: one local state per thread.
    /// * Nets and thread-transition systems: only what the system leaves open. There is one slot for each place
    ///   (local state) with more than one possible initial count. The slot contains the number of tokens
    ///   (threads) beyond the least possible count.
    /// * Circuits: the values of the latches without a reset value, one bit each in their order, 32 bits to a
    ///   slot from the lowest bit.
    /// * Reactive programs: empty.
    /// * Systems written in Rust: the slots of the state.
    pub start: Box<[u32]>,
    runs: Vec<Run>,
    choices: Vec<Box<[u32]>>,
    /// For an infinite run: the number (from 0) of an event of the trace. After its last event the run
    /// continues with this event, and repeats all events from there on forever.
    pub repeats_from: Option<u64>,
}

impl Trace {
    /// Returns the empty run from `start`.
    #[must_use]
    pub fn new(start: Box<[u32]>) -> Self {
        Self { start, runs: Vec::new(), choices: Vec::new(), repeats_from: None }
    }

    /// Appends one step. `to` is the next state if the event does not determine it. Consecutive equal steps
    /// without a choice are stored as one repetition.
    ///
    /// # Panics
    /// Panics if more than 2^32 - 2 choices are recorded.
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

    /// Appends `word` repeated `times` times. Appends nothing if `word` is empty or `times` is 0.
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

    /// Returns the recorded state of a choice.
    ///
    /// # Panics
    /// Panics if the choice is not one of this trace.
    #[must_use]
    pub fn choice(&self, id: ChoiceId) -> &[u32] {
        &self.choices[id.0.get() as usize - 1]
    }

    /// Returns the number of events, or `None` if it does not fit 64 bits.
    #[must_use]
    pub fn len(&self) -> Option<u64> {
        self.runs.iter().try_fold(0u64, |sum, run| sum.checked_add(run.times.checked_mul(run.word.len() as u64)?))
    }

    /// Returns true if the run has no events.
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
