//! Expands one state of a reactive program by all its calls. All search orders share this.

use crate::ReactiveStepper;
use model::ids::ErrorId;
use model::{InputId, Outcome};
use search::valuations::{StateNumber, States};
use std::ops::ControlFlow;

/// A result of a call that a search needs to see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Met {
    /// A state that was not in the set.
    New(StateNumber),
    /// An error label.
    Error(ErrorId),
}

/// Expands states, and counts the work.
#[derive(Debug)]
pub(super) struct Expander {
    stepper: ReactiveStepper,
    state: Vec<i32>,
    expanded: u64,
    transitions: u64,
}

impl Expander {
    pub(super) fn new(stepper: ReactiveStepper) -> Self {
        let state = stepper.initial().into_vec();
        Self { stepper, state, expanded: 0, transitions: 0 }
    }

    /// Returns the work of expanding states and of growing the decision tree, in units of about a microsecond.
    pub(super) fn work(&self) -> u64 {
        self.expanded * self.stepper.work_per_state() + self.stepper.work()
    }

    /// Returns the number of calls from a state to a state, without invalid ones that change nothing.
    pub(super) fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Returns a set with only the initial state.
    pub(super) fn only_initial(&self) -> States {
        self.only(&self.stepper.initial())
    }

    /// Returns a set with one state.
    pub(super) fn only(&self, state: &[i32]) -> States {
        let mut states = self.stepper.states();
        states.intern(state);
        states
    }

    /// Returns the state in which a run from the initial state ends.
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

    /// Makes every call from a state of the set, adds the states that the calls lead to, and calls `met` with
    /// what is new. Returns false if the set is full. Then some of the states that the calls lead to are
    /// missing in the set.
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

    pub(super) fn into_stepper(self) -> ReactiveStepper {
        self.stepper
    }
}
