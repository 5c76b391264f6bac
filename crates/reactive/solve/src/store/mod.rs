//! Reactive programs: fast execution of calls, and packed sets of valuations.

mod act;
mod code;
mod crew;
mod expression;
mod graph;
mod instr;
pub mod interval;
mod judge;
mod saved;
mod slots;
#[cfg(test)]
mod tests;
mod tree;
mod values;

use act::CallCells;
pub use graph::{Exploration, Stopped};
use instr::Code;
use model::ids::VarId;
use model::{InputId, Outcome, Reactive};
use search::valuations::{StateNumber, States, work_of_calls};
use std::ops::ControlFlow;
use std::sync::Arc;
use tree::Tree;
use values::value_sets;

/// Instructions that are examined within about a microsecond while the decision tree grows.
const STEPS_PER_UNIT: u64 = 4;

/// Executes calls of a program.
///
/// A state is the values of the *slots*. These are the variables that a call may read before it has assigned
/// them. All other variables are constant, or each call assigns them before it reads them.
///
/// A call is a walk down a decision tree (module `tree`). The tree grows as calls are made. The first call along
/// a path of the tree costs about as much as ten executions of the program text. Later calls along the same path
/// cost a few look-ups. The memory of the tree is limited.
#[derive(Clone, Debug)]
pub struct ReactiveStepper {
    code: Arc<Code>,
    tree: Tree,
    slots: Box<[VarId]>,
    values: Arc<[Option<Box<[i32]>>]>,
    desk: CallCells,
    /// The slots that the last call changed.
    changed: Vec<u32>,
}

impl ReactiveStepper {
    /// Prepares a program. Linear in its size.
    #[must_use]
    pub fn new(program: &Arc<Reactive>) -> Self {
        let code = Arc::new(Code::new(program));
        let values = value_sets(&code);
        Self {
            tree: Tree::new(&code, &values),
            slots: code.cells[..code.slot_count].into(),
            // The tree contains no assignments to cells with only one possible value, because these cells hold
            // that value from the start.
            desk: CallCells {
                cells: code.cells.iter().map(|var| program.initial()[var.index()]).collect(),
                ..CallCells::default()
            },
            changed: Vec::new(),
            values: values.into(),
            code,
        }
    }

    /// Returns the program.
    #[must_use]
    pub fn program(&self) -> &Arc<Reactive> {
        &self.code.program
    }

    /// Returns the variables that make up a state, in the order of their ids. A state has one value for each.
    #[must_use]
    pub fn slots(&self) -> &[VarId] {
        &self.slots
    }

    /// Returns the possible values of a slot, ascending, if they are few. The initial value is among them.
    /// `None` means any value.
    #[must_use]
    pub fn values(&self, slot: usize) -> Option<&[i32]> {
        self.values[slot].as_deref()
    }

    /// Returns an empty set of states of this program.
    #[must_use]
    pub fn states(&self) -> States {
        States::new((0..self.slots.len()).map(|slot| self.values(slot)))
    }

    /// Returns the state before the first call.
    #[must_use]
    pub fn initial(&self) -> Box<[i32]> {
        self.slots.iter().map(|var| self.code.program.initial()[var.index()]).collect()
    }

    /// Returns the usual work of calls with all inputs from a state, in units of about a microsecond.
    #[must_use]
    pub fn work_per_state(&self) -> u64 {
        work_of_calls(self.code.program.inputs().len())
    }

    /// Returns the work of growing the decision tree so far, in units of about a microsecond.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.tree.work() / STEPS_PER_UNIT
    }

    /// Executes one call. Each value in `state` must be a possible value of its slot. All states that calls lead
    /// to satisfy this. After `Output`, `Silent` and `Invalid`, `next` is the new state (an invalid call may
    /// change variables). After `Error` and `Crash`, `next` is meaningless. Once the tree has stopped growing,
    /// calls allocate nothing.
    ///
    /// # Panics
    /// If `state` or `next` does not have one value per slot, or there is no such input.
    pub fn step(&mut self, state: &[i32], input: InputId, next: &mut [i32]) -> Outcome {
        let slots = self.slots.len();
        self.desk.log.clear();
        self.desk.cells[..slots].copy_from_slice(state);
        let outcome = self.tree.walk(&self.code, Tree::root(), &mut self.desk, input);
        next.copy_from_slice(&self.desk.cells[..slots]);
        outcome
    }

    /// Executes a call with each input, in order, and calls `visit` with outcome and new state (which is
    /// meaningless after `Error` and `Crash`). The part of the calls that does not depend on the input is
    /// executed once. Stops when `visit` breaks.
    ///
    /// # Panics
    /// If `state` does not have one value per slot.
    pub fn step_all(&mut self, state: &[i32], mut visit: impl FnMut(InputId, Outcome, &[i32]) -> ControlFlow<()>) {
        self.step_changes(state, |input, outcome, next, _| visit(input, outcome, next));
    }

    /// Like [`ReactiveStepper::step_all`]. `visit` also gets the slots in which the new state differs from
    /// `state`, in any order and possibly several times. If few slots differ, this is much cheaper than
    /// comparing all slots.
    ///
    /// # Panics
    /// If `state` does not have one value per slot.
    pub fn step_changes(
        &mut self,
        state: &[i32],
        mut visit: impl FnMut(InputId, Outcome, &[i32], &[u32]) -> ControlFlow<()>,
    ) {
        let Self { code, tree, desk, changed, .. } = self;
        let slots = code.slot_count;
        desk.log.clear();
        desk.cells[..slots].copy_from_slice(state);
        let place = tree.walk_shared(code, desk);
        let always = tree.outcome(place);
        let shared = desk.log.len();
        for input in (0..code.program.inputs().len()).map(InputId::new) {
            let outcome = match always {
                Some(outcome) => outcome,
                None => {
                    desk.back_to(shared);
                    tree.walk(code, place, desk, input)
                }
            };
            let cells = &desk.cells[..slots];
            let differs = |&cell: &u32| cells.get(cell as usize).is_some_and(|&value| value != state[cell as usize]);
            changed.clear();
            changed.extend(desk.log.iter().map(|&(cell, _)| cell).filter(differs));
            if visit(input, outcome, cells, changed).is_break() {
                return;
            }
        }
    }
}
