//! Searches of programs that may leave states out, for bugs in very large spaces.

use crate::RwbStepper;
use model::{Engine, Lengths, ProgramTask};
use search::explicit::Explicit;
use search::{Bitstate, Counted};

/// Returns a search for the goals of a program that has `bytes` bytes for bits of states. It finds runs, and never
/// claims that there are none.
#[must_use]
pub fn lossy(task: &ProgramTask, bytes: usize) -> Box<dyn Engine> {
    let (goals, stepper) = (task.goals().to_vec(), RwbStepper::new(task.program()));
    if task.assumptions().is_empty() {
        return Box::new(Explicit::with(goals, false, Bitstate::new(stepper, bytes)));
    }
    let stepper = Counted::new(stepper, Lengths::of(task.assumptions()), task.assumptions().to_vec());
    Box::new(Explicit::with(goals, false, Bitstate::new(stepper, bytes)))
}
