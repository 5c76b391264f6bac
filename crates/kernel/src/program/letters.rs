//! The positions of runs through listed states of a program.

use super::position::Position;
use super::stepper::{Stepper, bits, describe};
use crate::Check;
use crate::closed::Change;
use crate::temporal::{Positions, Steps};
use crate::work::Work;
use model::{Letter, Program};

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
