//! Plain search of behavioral programs.
//!
//! If violating runs must satisfy assumptions, a state may be reached by a run that does not satisfy them, and
//! later by one that does. Assumptions depend on the last state of a run and, up to a bound and a modulus, on
//! its length. So the search visits pairs of a state and a class of lengths, each only once ([`counted()`]).

mod lossy;
mod stubborn;
mod temporal;
#[cfg(test)]
mod tests;

pub use lossy::lossy;
pub use stubborn::explore_stubborn;
pub use temporal::Temporal;

use crate::RwbStepper;
use model::{Certificate, Engine, Lengths, ProgramTask};
use search::Counted;
use search::disk::Large;
use search::explicit::search::{Certifier, Space};
use search::explicit::{Explicit, Options, breadth_first};

/// Returns a search for the goals of `task`.
#[must_use]
pub fn explore(task: &ProgramTask, options: Options) -> Explicit<Large<RwbStepper>> {
    breadth_first(RwbStepper::new(task.program()), task.goals().to_vec(), &options)
}

/// Returns a breadth-first search for the goals of `task` under its assumptions.
#[must_use]
pub fn counted(task: &ProgramTask, options: Options) -> Box<dyn Engine> {
    let lengths = Lengths::of(task.assumptions());
    let stepper = Counted::new(RwbStepper::new(task.program()), lengths, task.assumptions().to_vec());
    Box::new(breadth_first(stepper, task.goals().to_vec(), &options))
}

impl Space for RwbStepper {
    const NAME: &'static str = "explicit";

    fn certifier(&self) -> Certifier {
        Box::new(Certificate::StateSet)
    }
}
