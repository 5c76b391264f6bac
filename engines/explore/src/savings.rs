//! Work kept from turn to turn. An expansion with very many successors may take more than a turn has: it waits until
//! turns have paid for it, so that engines that need less come first.

use model::Budget;

/// What is kept.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Savings(u64);

impl Savings {
    /// What can be spent in this turn.
    pub(crate) fn means(self, budget: &Budget) -> u64 {
        self.0.saturating_add(budget.work)
    }

    /// Takes `units`, first of what was kept; false when the turn's own are used up or work must stop.
    pub(crate) fn pay(&mut self, units: u64, budget: &mut Budget) -> bool {
        let kept = units.min(self.0);
        self.0 -= kept;
        budget.spend(units - kept)
    }

    /// Keeps all that is left of the turn, and ends it.
    pub(crate) fn keep(&mut self, budget: &mut Budget) {
        self.0 = self.means(budget);
        budget.work = 0;
    }
}
