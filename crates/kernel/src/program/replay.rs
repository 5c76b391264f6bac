//! The positions of runs of programs that are replayed.

use super::position::Position;
use super::runs::{RunState, Runs};
use super::stepper::describe;
use crate::temporal::replay::Played;
use crate::work::Work;
use crate::{Check, reject};
use model::Letter;

impl Played for Runs<'_> {
    fn read(
        &mut self,
        state: &RunState,
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

    fn has_ended(&self, state: &RunState) -> bool {
        self.program().1.goal(&state.locals).is_some()
    }

    fn describe(&self, state: &RunState) -> String {
        describe(self.program().0, &state.locals)
    }
}
