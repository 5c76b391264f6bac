//! The truth of letters at one position of a run, by their definition ([`model::Letter`]).

use super::runs::{Runs, State};
use super::stepper::{Stepper, bit, bits, describe};
use crate::closed::Change;
use crate::temporal::{Played, Positions, Steps};
use crate::work::Work;
use crate::{Check, reject};
use model::{Letter, LocalId, Program, ThreadId};

/// A position of a run: a composite state, and the event that happens in it.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its stepper.
    pub stepper: &'a Stepper,
    /// The local state of each thread.
    pub state: &'a [u32],
    /// The events that are enabled in the state, 64 per word.
    pub enabled: &'a [u64],
    /// The event that happens. `None` if the run has ended in this state.
    pub event: Option<u32>,
}

impl Position<'_> {
    /// Returns true if the letter holds at this position.
    #[must_use]
    pub fn satisfies(&self, letter: Letter) -> bool {
        let requests = |t: ThreadId, event| self.stepper.requests(t.index(), self.state[t.index()], event);
        let is_hot = |t: ThreadId| self.program.is_hot(t, LocalId(self.state[t.index()]));
        let ends = || self.enabled.iter().all(|word| *word == 0);
        let is_bad = || (0..self.state.len()).any(|t| self.stepper.is_bad(t, self.state[t]));
        match letter {
            Letter::Input(_) | Letter::Output(_) | Letter::Marking(_) => false,
            Letter::Event(event) => self.event == Some(event.0),
            Letter::State(t, local) => self.state[t.index()] == local.0,
            Letter::Enabled(event) => bit(self.enabled, event.0),
            Letter::Ready(t) => bits(self.enabled).any(|event| requests(t, event)),
            Letter::Served(t) => self.event.is_some_and(|event| requests(t, event)),
            Letter::Hot(t) => is_hot(t),
            Letter::SomeHot => self.program.hot_threads().any(is_hot),
            Letter::Bad => is_bad(),
            Letter::End => ends(),
            Letter::Deadlock => ends() && !is_bad() && !self.program.all_final(self.state),
        }
    }
}

/// The positions of runs through composite states.
#[derive(Debug)]
pub struct ProgramPositions<'a> {
    program: &'a Program,
    stepper: &'a Stepper,
    /// The events that are enabled in the current state, 64 per word.
    enabled: Vec<u64>,
    changes: Vec<Change>,
    choices: Vec<(usize, usize)>,
}

impl<'a> ProgramPositions<'a> {
    /// Creates the positions. The stepper must have been created from this program.
    #[must_use]
    pub fn new(program: &'a Program, stepper: &'a Stepper) -> Self {
        let (enabled, changes, choices) = (Vec::new(), Vec::new(), Vec::new());
        Self { program, stepper, enabled, changes, choices }
    }
}

impl Positions for ProgramPositions<'_> {
    const READS_EVENTS: bool = true;

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        self.stepper.initial_states(visit)
    }

    fn look_at(&mut self, state: &[u32], work: &mut Work<'_>) -> Check<()> {
        self.stepper.enabled(state, &mut self.enabled);
        work.spend(self.enabled.len() as u64)
    }

    fn satisfies(&self, state: &[u32], letter: Letter, event: Option<u32>) -> bool {
        let (program, stepper, enabled) = (self.program, self.stepper, &self.enabled[..]);
        Position { program, stepper, state, enabled, event }.satisfies(letter)
    }

    fn steps(&mut self, state: &[u32], out: &mut Steps, work: &mut Work<'_>) -> Check<()> {
        for event in bits(&self.enabled) {
            self.stepper.products(state, event, &mut self.changes, &mut self.choices, &mut |changes| {
                work.spend(1)?;
                let next = out.push(event, state);
                changes.iter().for_each(|change| next[change.slot] = change.to);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn describe(&self, state: &[u32]) -> String {
        describe(self.program, state)
    }
}

impl Played for Runs<'_> {
    fn read(
        &mut self,
        state: &State,
        event: Option<u32>,
        letters: &[Letter],
        out: &mut Vec<bool>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let (program, stepper) = self.program();
        if event.is_some_and(|event| event as usize >= program.events().len()) {
            return reject("there is no such event");
        }
        work.spend(state.locals.len() as u64)?;
        let mut enabled = Vec::new();
        stepper.enabled(&state.locals, &mut enabled);
        let position = Position { program, stepper, state: &state.locals, enabled: &enabled, event };
        out.extend(letters.iter().map(|letter| position.satisfies(*letter)));
        Ok(())
    }

    fn has_ended(&self, state: &State) -> bool {
        self.program().1.goal(&state.locals).is_some()
    }

    fn describe(&self, state: &State) -> String {
        describe(self.program().0, &state.locals)
    }
}
