//! Breadth-first exploration of a reactive program, and the way back to where it began.
//!
//! States are numbered in the order they are found, so the queue is the numbering, and the first predecessors of the states ascend
//! with them. For the way back it is enough to remember every sixty-fourth: the predecessor of any other state is found by
//! expanding again the few states that come into question.

use super::{StateNumber, States, Stepper};
use model::ids::ErrorId;
use model::{InputId, Outcome};
use std::ops::ControlFlow;

/// States per remembered predecessor.
const STRIDE: usize = 64;

/// At these numbers of states the parts of states are paired anew.
const ARRANGE_AT: [usize; 2] = [1 << 13, 1 << 17];

/// What an expansion met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// The label.
    pub error: ErrorId,
    /// The state before the call.
    pub from: StateNumber,
    /// The input of the call.
    pub input: InputId,
}

/// Why it stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pause {
    /// The allowance is used up.
    Turn,
    /// Everything has been expanded.
    Exhausted,
    /// A call that stops at a wanted label.
    Stopped(Stopped),
    /// More states than can be numbered.
    Full,
}

/// An exploration under way.
#[derive(Debug)]
pub struct Exploration {
    stepper: Stepper,
    states: States,
    /// The next state to expand.
    next: u32,
    transitions: u64,
    /// How often the states have been arranged.
    arranged: usize,
    /// The predecessor of the states 0, 64, 128..; of the first one itself.
    parents: Vec<StateNumber>,
    state: Vec<i32>,
}

impl Exploration {
    /// Knows the initial state.
    #[must_use]
    pub fn new(stepper: Stepper) -> Self {
        let mut states = stepper.states();
        let initial = stepper.initial();
        states.intern(&initial);
        Self { stepper, states, next: 0, transitions: 0, arranged: 0, parents: vec![0], state: initial.into_vec() }
    }

    /// The states so far.
    #[must_use]
    pub fn states(&self) -> &States {
        &self.states
    }

    /// How many states have been expanded.
    #[must_use]
    pub fn expanded(&self) -> u64 {
        u64::from(self.next)
    }

    /// How many calls have led from a state to a state, invalid ones that change nothing left out.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Size of the decision tree: nodes, and bytes about.
    #[must_use]
    pub fn tree(&self) -> (usize, usize) {
        self.stepper.tree.size()
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.bytes() + self.parents.len() * size_of::<StateNumber>()
    }

    /// About the bytes that expanding a thousand states may take beyond that.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        self.states.growth_bytes() + self.parents.capacity() * size_of::<StateNumber>()
    }

    /// What was done so far, in units of about a microsecond: states expanded, and what the decision tree took to grow.
    #[must_use]
    pub fn work(&self) -> u64 {
        u64::from(self.next) + self.stepper.work()
    }

    /// Expands states for about `work` units; returns early where a call stops at a label that is `wanted`. (That state is expanded
    /// again the next time, when the label is no longer wanted.)
    pub fn advance(&mut self, work: u64, mut wanted: impl FnMut(ErrorId) -> bool) -> Pause {
        let end = self.work().saturating_add(work);
        while self.work() < end {
            let Self { stepper, states, next, transitions, arranged, parents, state } = self;
            if *next as usize >= states.len() {
                return Pause::Exhausted;
            }
            if ARRANGE_AT.get(*arranged).is_some_and(|&at| states.len() >= at) {
                states.arrange();
                *arranged += 1;
            }
            states.read(*next, state);
            let mut pause = None;
            let mut count = 0;
            stepper.step_all(state, |input, outcome, to| {
                match outcome {
                    Outcome::Error(error) if wanted(error) => {
                        pause = Some(Pause::Stopped(Stopped { error, from: *next, input }));
                        return ControlFlow::Break(());
                    }
                    Outcome::Error(_) | Outcome::Crash => return ControlFlow::Continue(()),
                    Outcome::Invalid if to == &**state => return ControlFlow::Continue(()),
                    Outcome::Output(_) | Outcome::Silent | Outcome::Invalid => {}
                }
                count += 1;
                if to == &**state {
                    return ControlFlow::Continue(());
                }
                match states.intern(to) {
                    None => {
                        pause = Some(Pause::Full);
                        return ControlFlow::Break(());
                    }
                    Some((number, true)) if (number as usize).is_multiple_of(STRIDE) => parents.push(*next),
                    Some(_) => {}
                }
                ControlFlow::Continue(())
            });
            if let Some(pause) = pause {
                return pause;
            }
            *transitions += count;
            *next += 1;
        }
        Pause::Turn
    }

    /// The inputs of a shortest run from the initial state to a state. Expands again at most about 64 states per input
    /// where states have about one successor each.
    pub fn inputs_to(&mut self, number: StateNumber) -> Vec<InputId> {
        let mut inputs = Vec::new();
        let mut number = number;
        while number != 0 {
            let (parent, input) = self.parent(number);
            inputs.push(input);
            number = parent;
        }
        inputs.reverse();
        inputs
    }

    /// The first predecessor of a state other than the first, and the first input that leads from it.
    fn parent(&mut self, number: StateNumber) -> (StateNumber, InputId) {
        let mut wanted = vec![0; self.state.len()];
        self.states.read(number, &mut wanted);
        let mut state = vec![0; self.state.len()];
        for from in self.parents[number as usize / STRIDE].. {
            assert!(from < number, "its predecessor was found before");
            self.states.read(from, &mut state);
            let mut found = None;
            self.stepper.step_all(&state, |input, outcome, to| {
                if matches!(outcome, Outcome::Error(_) | Outcome::Crash) || to != wanted {
                    return ControlFlow::Continue(());
                }
                found = Some((from, input));
                ControlFlow::Break(())
            });
            if let Some(found) = found {
                return found;
            }
        }
        unreachable!("each state but the first has a predecessor")
    }

    /// The stepper and the states, in the order they were found.
    #[must_use]
    pub fn into_parts(self) -> (Stepper, States) {
        (self.stepper, self.states)
    }
}
