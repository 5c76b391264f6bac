//! Reactive programs: calls executed fast, valuations packed.

mod act;
mod code;
mod crew;
mod expression;
mod graph;
mod interner;
pub mod interval;
mod judge;
mod layout;
mod packing;
mod slots;
mod states;
#[cfg(test)]
mod tests;
mod tree;
mod values;

pub use graph::{Exploration, Stopped};
pub use states::{StateNumber, States};

use act::Desk;
use code::Code;
use model::ids::VarId;
use model::{InputId, Outcome, Reactive};
use std::ops::ControlFlow;
use std::sync::Arc;
use tree::Tree;
use values::value_sets;

/// Instructions that the tree looks at within about a microsecond.
const STEPS_PER_UNIT: u64 = 4;
/// Calls made within about a microsecond, most of them alike.
const CALLS_PER_UNIT: usize = 8;

/// What so many calls from a state usually take, in units of about a microsecond.
#[must_use]
pub fn work_of_calls(count: usize) -> u64 {
    1 + (count / CALLS_PER_UNIT) as u64
}

/// Executes calls of a program.
///
/// A state is the values of the *slots*: the variables that a call may look at before it has assigned them. All other
/// variables are constants or forgotten between calls.
///
/// Calls are walks down a decision tree that grows with the calls that are made ([`tree`]): the first call of a kind
/// costs about as much as ten executions of the program text, others a few look-ups. The room it takes is bounded.
#[derive(Clone, Debug)]
pub struct Stepper {
    code: Arc<Code>,
    tree: Tree,
    slots: Box<[VarId]>,
    values: Arc<[Option<Box<[i32]>>]>,
    desk: Desk,
    /// The slots that the last call changed.
    changed: Vec<u32>,
}

impl Stepper {
    /// Prepares a program; linear in its size.
    #[must_use]
    pub fn new(program: &Arc<Reactive>) -> Self {
        let code = Arc::new(Code::new(program));
        let values = value_sets(&code);
        Self {
            tree: Tree::new(&code, &values),
            slots: code.cells[..code.slot_count].into(),
            // A cell whose only value is known is never assigned it: it holds it from the start.
            desk: Desk {
                cells: code.cells.iter().map(|var| program.initial()[var.index()]).collect(),
                ..Desk::default()
            },
            changed: Vec::new(),
            values: values.into(),
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

    /// The values that a slot can have, ascending, if they are few; `None` is everything. The initial value is among
    /// them.
    #[must_use]
    pub fn values(&self, slot: usize) -> Option<&[i32]> {
        self.values[slot].as_deref()
    }

    /// An empty set of states of this program.
    #[must_use]
    pub fn states(&self) -> States {
        States::new((0..self.slots.len()).map(|slot| self.values(slot)))
    }

    /// The state before the first call.
    #[must_use]
    pub fn initial(&self) -> Box<[i32]> {
        self.slots.iter().map(|var| self.code.program.initial()[var.index()]).collect()
    }

    /// What calls with each input from a state usually take, in units of about a microsecond.
    #[must_use]
    pub fn work_per_state(&self) -> u64 {
        work_of_calls(self.code.program.inputs().len())
    }

    /// What growing the decision tree took so far, in units of about a microsecond.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.tree.work() / STEPS_PER_UNIT
    }

    /// Executes one call from a state that has only values that its slots can have (as all states have that calls
    /// lead to). After `Output`, `Silent` and `Invalid` the new state is in `next` (an invalid call may change
    /// variables); after `Error` and `Crash` what is there means nothing. Allocates nothing in the long run.
    ///
    /// # Panics
    /// If `state` or `next` has not one value per slot, or there is no such input.
    pub fn step(&mut self, state: &[i32], input: InputId, next: &mut [i32]) -> Outcome {
        let slots = self.slots.len();
        self.desk.log.clear();
        self.desk.cells[..slots].copy_from_slice(state);
        let outcome = self.tree.walk(&self.code, Tree::root(), &mut self.desk, input);
        next.copy_from_slice(&self.desk.cells[..slots]);
        outcome
    }

    /// Executes a call with each input, in order, and shows outcomes and new states (which mean nothing after `Error`
    /// and `Crash`). What does not depend on the input is done once. Stops when `visit` breaks off.
    ///
    /// # Panics
    /// If `state` has not one value per slot.
    pub fn step_all(&mut self, state: &[i32], mut visit: impl FnMut(InputId, Outcome, &[i32]) -> ControlFlow<()>) {
        self.step_changes(state, |input, outcome, next, _| visit(input, outcome, next));
    }

    /// As [`Stepper::step_all`], and shows of each new state in which slots it differs from `state`, in any order and
    /// perhaps again and again. Where few do, this is much cheaper than a look at all of them.
    ///
    /// # Panics
    /// If `state` has not one value per slot.
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
