//! One state and all its calls: what every way to search a reactive program does at each state.

use model::ids::ErrorId;
use model::{InputId, Outcome};
use std::ops::ControlFlow;
use store::Stepper;
use store::reactive::{StateNumber, States};

/// What a call leads to that is worth a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Met {
    /// A state that was not in the set.
    New(StateNumber),
    /// A label.
    Error(ErrorId),
}

/// Expands states, and counts what that takes.
#[derive(Debug)]
pub(super) struct Expander {
    stepper: Stepper,
    state: Vec<i32>,
    expanded: u64,
    transitions: u64,
}

impl Expander {
    pub(super) fn new(stepper: Stepper) -> Self {
        let state = stepper.initial().into_vec();
        Self { stepper, state, expanded: 0, transitions: 0 }
    }

    /// States expanded, and what growing the decision tree took, in units of about a microsecond.
    pub(super) fn work(&self) -> u64 {
        self.expanded * self.stepper.work_per_state() + self.stepper.work()
    }

    /// Calls from a state to a state, those left out that are invalid and change nothing.
    pub(super) fn transitions(&self) -> u64 {
        self.transitions
    }

    /// A set with the initial state alone.
    pub(super) fn only_initial(&self) -> States {
        self.only(&self.stepper.initial())
    }

    /// A set with one state.
    pub(super) fn only(&self, state: &[i32]) -> States {
        let mut states = self.stepper.states();
        states.intern(state);
        states
    }

    /// The state that a run from the initial one ends in.
    pub(super) fn after(&mut self, inputs: &[InputId]) -> Box<[i32]> {
        let mut state = self.stepper.initial();
        let mut next = state.clone();
        for &input in inputs {
            let outcome = self.stepper.step(&state, input, &mut next);
            debug_assert!(!matches!(outcome, Outcome::Error(_) | Outcome::Crash), "a run goes on");
            std::mem::swap(&mut state, &mut next);
        }
        state
    }

    /// Makes every call from a state of the set, adds the states they lead to, and tells of what is new. False if the set is
    /// full: then not all of them are in it.
    #[must_use]
    pub(super) fn expand(
        &mut self,
        states: &mut States,
        number: StateNumber,
        mut met: impl FnMut(InputId, Met),
    ) -> bool {
        let Self { stepper, state, expanded, transitions } = self;
        states.read(number, state);
        *expanded += 1;
        let mut fits = true;
        stepper.step_all(state, |input, outcome, to| {
            match outcome {
                Outcome::Error(error) => met(input, Met::Error(error)),
                Outcome::Crash => {}
                Outcome::Invalid if to == &**state => {}
                Outcome::Output(_) | Outcome::Silent | Outcome::Unspelt | Outcome::Invalid => {
                    *transitions += 1;
                    match (to != &**state).then(|| states.intern(to)) {
                        Some(None) => fits = false,
                        Some(Some((new, true))) => met(input, Met::New(new)),
                        Some(Some((_, false))) | None => {}
                    }
                }
            }
            if fits { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        fits
    }

    pub(super) fn into_stepper(self) -> Stepper {
        self.stepper
    }
}
