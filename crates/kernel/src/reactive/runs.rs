//! Replays runs of reactive programs: finite runs into an error label, and infinite runs.
//!
//! A run into an error ends with the call that stops at the error label; no earlier call stops. Calls with
//! invalid input are part of the run, because they can change variables. In an infinite run every call outputs
//! a letter or is silent.

use super::plain::{Interpreter, Valuation};
use crate::trace::{Infinite, Semantics};
use crate::work::Work;
use crate::{Check, reject};
use model::{ErrorId, Goal, InputId, Letter, Outcome, Reactive};

/// The semantics of a reactive program for runs.
#[derive(Debug)]
pub struct Runs<'p> {
    program: &'p Reactive,
    interpreter: Interpreter<'p>,
}

/// The state after a call.
#[derive(Clone, PartialEq, Debug)]
pub struct CallState {
    valuation: Valuation,
    /// The input of the last call and its outcome.
    last: Option<(i32, Outcome)>,
}

impl<'p> Runs<'p> {
    /// Creates the semantics of this program.
    #[must_use]
    pub fn new(program: &'p Reactive) -> Self {
        Self { program, interpreter: Interpreter::new(program) }
    }

    fn label(&self, error: ErrorId) -> String {
        self.program.errors().get(error.index()).map_or_else(|| error.0.to_string(), u32::to_string)
    }
}

impl Semantics for Runs<'_> {
    type State = CallState;

    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<CallState> {
        work.spend(self.program.var_count() as u64)?;
        match start {
            [] => Ok(CallState { valuation: Valuation::initial(self.program), last: None }),
            _ => reject("the run names an initial valuation, and a reactive program has only one"),
        }
    }

    fn step(&mut self, state: &mut CallState, label: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()> {
        match state.last {
            Some((_, Outcome::Error(error))) => {
                return reject(format!("the call before stops at `{}`", self.label(error)));
            }
            Some((_, Outcome::Crash)) => return reject("the call before crashes"),
            _ => {}
        }
        if choice.is_some() {
            return reject("a call records a choice, and there is none");
        }
        if label as usize >= self.program.inputs().len() {
            return reject(format!("the alphabet has no letter number {label}"));
        }
        let input = self.program.input(InputId(label));
        let outcome = self.interpreter.call(&mut state.valuation, input, work)?;
        state.last = Some((input, outcome));
        Ok(())
    }

    fn reached(&mut self, state: &CallState, goal: Goal, _: &mut Work<'_>) -> Check<()> {
        let Goal::Error(goal) = goal else { return reject("a finite run shows only that an error label is reachable") };
        match state.last {
            Some((_, Outcome::Error(error))) if error == goal => Ok(()),
            Some((_, Outcome::Error(error))) => reject(format!("the last call stops at `{}`", self.label(error))),
            _ => reject("the last call does not stop at the error label"),
        }
    }
}

impl Infinite for Runs<'_> {
    fn letters(&self, state: &CallState) -> Check<(Letter, Option<Letter>)> {
        let Some((input, outcome)) = state.last else { return reject("there was no call") };
        match outcome {
            Outcome::Output(letter) => Ok((Letter::Input(input), Some(Letter::Output(letter)))),
            Outcome::Silent => Ok((Letter::Input(input), None)),
            Outcome::Unspelt => reject("it does not print exactly one letter"),
            Outcome::Invalid => reject("it has an invalid input"),
            Outcome::Error(_) | Outcome::Crash => reject("it stops"),
        }
    }

    fn forget(&self, from: &CallState, to: &CallState) -> CallState {
        let (old, new) = (&from.valuation, &to.valuation);
        assert_eq!(old.values.len(), new.values.len(), "both are valuations of the program");
        let poisoned = old.values.iter().zip(&new.values).map(|(a, b)| a != b).collect();
        CallState { valuation: Valuation { values: old.values.clone(), poisoned }, last: from.last }
    }
}
