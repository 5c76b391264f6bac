//! Work saved from turn to turn. An expansion with very many successors may cost more than the budget of a
//! turn. It waits until turns have saved enough for it, so that engines that need less come first.

use model::Budget;

/// Saved work units.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Savings(u64);

impl Savings {
    /// Returns the work that can be spent in this turn.
    pub(crate) fn means(self, budget: &Budget) -> u64 {
        self.0.saturating_add(budget.work)
    }

    /// Spends `units`, from the savings first. Returns false when the turn's own budget is used up or work must
    /// stop.
    pub(crate) fn pay(&mut self, units: u64, budget: &mut Budget) -> bool {
        let kept = units.min(self.0);
        self.0 -= kept;
        budget.spend(units - kept)
    }

    /// Saves the rest of the turn's budget, and ends the turn.
    pub(crate) fn keep(&mut self, budget: &mut Budget) {
        self.0 = self.means(budget);
        budget.work = 0;
    }
}
