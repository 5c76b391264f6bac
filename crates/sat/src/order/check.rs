//! Checks of the invariants of the decision order.

use super::Order;
use crate::lit::Var;
use crate::mode::Mode;
use crate::trail::Trail;

impl Order {
    /// Panics if a heap or the queue is inconsistent, or if the current order would never return an unassigned
    /// variable that may be decided.
    pub(crate) fn check(&self, trail: &Trail) {
        self.heap.check(&self.activity);
        self.domain.check(&self.activity);
        self.phases.check(trail.variables_len());
        let is_open = |var: Var| trail.is_open(var.positive());
        self.queue.check(|var| self.mode == Mode::Focused && is_open(var));
        assert!(self.bumped.is_empty());
        for var in (0..trail.variables_len()).map(Var::new).filter(|&var| is_open(var)) {
            let is_missing = if self.domain.is_set() {
                self.domain.overlooks(var)
            } else {
                self.mode == Mode::Stable && self.heap.may_hold(var) && !self.heap.holds(var)
            };
            assert!(!is_missing, "{var:?} can be decided and is overlooked");
        }
    }
}
