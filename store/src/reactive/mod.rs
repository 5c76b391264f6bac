//! Reactive programs: calls executed fast, valuations packed.

mod code;
mod expression;
mod slots;
#[cfg(test)]
mod tests;

use code::{Code, Point};
use model::ids::VarId;
use model::{InputId, Outcome, Reactive};
use std::sync::Arc;

/// Executes calls of a program.
///
/// A state is the values of the *slots*: the variables that a call may look at before it has assigned them. All other variables
/// are constants or forgotten between calls.
#[derive(Debug)]
pub struct Stepper {
    code: Arc<Code>,
    slots: Box<[VarId]>,
    cells: Vec<i32>,
    stack: Vec<i32>,
    point: Point,
}

impl Stepper {
    /// Prepares a program; linear in its size.
    #[must_use]
    pub fn new(program: &Arc<Reactive>) -> Self {
        let code = Arc::new(Code::new(program));
        Self {
            slots: code.cells[..code.slot_count].into(),
            cells: vec![0; code.cells.len()],
            stack: Vec::new(),
            point: Point::default(),
            code,
        }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Arc<Reactive> {
        &self.code.program
    }

    /// The variables that are state, in the order of their ids. States have one value for each.
    #[must_use]
    pub fn slots(&self) -> &[VarId] {
        &self.slots
    }

    /// The state before the first call.
    #[must_use]
    pub fn initial(&self) -> Box<[i32]> {
        self.slots.iter().map(|var| self.code.program.initial()[var.index()]).collect()
    }

    /// Executes one call. After `Output`, `Silent` and `Invalid` the new state is in `next` (an invalid call may change
    /// variables); after `Error` and `Crash` what is there means nothing. Costs what the call executes; allocates nothing in
    /// the long run.
    ///
    /// # Panics
    /// If `state` or `next` has not one value per slot, or there is no such input.
    pub fn step(&mut self, state: &[i32], input: InputId, next: &mut [i32]) -> Outcome {
        let slots = self.slots.len();
        self.cells[..slots].copy_from_slice(state);
        self.point.pc = self.code.entry().pc;
        self.point.frames.clear();
        (self.point.printed, self.point.invalid) = (None, false);
        let outcome = self.code.run(&mut self.point, &mut self.cells, input, &mut self.stack);
        next.copy_from_slice(&self.cells[..slots]);
        outcome
    }
}
