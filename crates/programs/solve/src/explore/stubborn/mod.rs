//! Breadth-first search of behavioral programs by stubborn sets. [`crate::stubborn`] defines the
//! sets and proves that they suffice.

mod stepper;
#[cfg(test)]
mod tests;

use model::{Certificate, ProgramTask, Reason};
use search::explicit::Explicit;
use search::explicit::search::{Certifier, Space};
use search::explicit::trial::{Reduced, Trial};
use search::{Breadth, Packed};
use stepper::StubbornStepper;

/// Breadth-first search of a behavioral program by stubborn sets. It gives up if they save almost nothing.
pub(super) type Stubborn = Explicit<Trial<StubbornStepper>>;

/// Returns a search for the goals of `task`. Costs a pass over the program's local states, and a comparison
/// of pairs of events.
#[must_use]
pub fn explore_stubborn(task: &ProgramTask) -> Stubborn {
    let goals = task.goals().to_vec();
    let stepper = StubbornStepper::new(task.program(), &goals).ok_or(Reason::GaveUp);
    Explicit::of(goals, false, stepper.map(|stepper| Trial::new(Packed::new(stepper, Breadth::of))))
}

impl Space for StubbornStepper {
    const NAME: &'static str = "stubborn";

    fn certifier(&self) -> Certifier {
        Box::new(Certificate::Reduced)
    }
}

impl Reduced for StubbornStepper {
    /// Choosing a set takes several times as long as stepping.
    const UNITS: u64 = 8;

    /// Returns true if more than `WORTH_PERCENT` percent of the enabled events were taken. On the corpus,
    /// searches with a large gain take a third of the events or less. Searches that leave out a sixth of the
    /// states, at several times the cost, take three quarters of the events.
    fn saves_little(&self) -> bool {
        const WORTH_PERCENT: u64 = 60;
        let (enabled, chosen) = self.enabled_and_chosen();
        u128::from(chosen) * 100 > u128::from(enabled) * u128::from(WORTH_PERCENT)
    }
}
