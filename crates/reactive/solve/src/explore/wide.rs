//! A breadth-first search from any state, up to a maximal number of states.

use super::expand::{Expander, Met};
use super::technique::ErrorRun;
use model::InputId;
use model::ids::ErrorId;
use search::Pause;
use search::valuations::{StateNumber, States};
use std::collections::VecDeque;

/// A search. Its states are stored in the order in which they are found, which is also the queue.
#[derive(Debug)]
pub(super) struct Wide {
    states: States,
    /// The run to the first state.
    prefix: Vec<InputId>,
    /// For each state: its predecessor, and the input that leads from there. The predecessor of the first state
    /// is this state itself.
    parents: Vec<(StateNumber, InputId)>,
    next: StateNumber,
    most: usize,
    /// The state that the labels in `found` belong to.
    from: StateNumber,
    found: VecDeque<(ErrorId, InputId)>,
}

impl Wide {
    /// Returns a search from the state that `prefix` leads to, until `most` states are known.
    pub(super) fn new(expander: &Expander, prefix: Vec<InputId>, start: &[i32], most: usize) -> Self {
        Self {
            states: expander.only(start),
            prefix,
            parents: vec![(0, InputId(0))],
            next: 0,
            most,
            from: 0,
            found: VecDeque::new(),
        }
    }

    /// Returns an estimate of the additional bytes that a thousand units of work may take.
    pub(super) fn growth_bytes(&self) -> usize {
        self.states.growth_bytes() + self.parents.capacity() * size_of::<(StateNumber, InputId)>()
    }

    /// Expands states for about `work` units, or until a run to a `wanted` label is found. The search also
    /// counts as exhausted when it has found `most` states.
    pub(super) fn advance(
        &mut self,
        expander: &mut Expander,
        work: u64,
        wanted: &dyn Fn(ErrorId) -> bool,
    ) -> Pause<ErrorRun> {
        let end = expander.work().saturating_add(work);
        loop {
            while let Some((error, input)) = self.found.pop_front() {
                if wanted(error) {
                    return Pause::Hit((error, self.inputs_to(self.from, input)));
                }
            }
            if self.next as usize >= self.states.len() || self.states.len() >= self.most {
                return Pause::Exhausted;
            }
            if expander.work() >= end {
                return Pause::Turn;
            }
            let Self { states, parents, next, found, from, .. } = self;
            *from = *next;
            let fits = expander.expand(states, *next, |input, met| match met {
                Met::New(_) => parents.push((*next, input)),
                Met::Error(error) => {
                    if wanted(error) && found.iter().all(|(other, _)| *other != error) {
                        found.push_back((error, input));
                    }
                }
            });
            *next += 1;
            debug_assert_eq!(parents.len(), states.len(), "every new state has a predecessor");
            if !fits {
                self.most = 0;
            }
        }
    }

    /// Returns the inputs of the run to a state, and one more input.
    fn inputs_to(&self, state: StateNumber, last: InputId) -> Vec<InputId> {
        let mut inputs = vec![last];
        let mut state = state;
        while state != 0 {
            let (parent, input) = self.parents[state as usize];
            inputs.push(input);
            state = parent;
        }
        inputs.extend(self.prefix.iter().rev());
        inputs.reverse();
        inputs
    }
}
