//! Finds the variables of a model that need no value. If all clauses are satisfied with either value of a
//! variable, the variable can be removed from the model.
//!
//! IC3 uses this to lift states, that is, to drop the values that a state does not need. To check a variable,
//! this module reads the watches of its true literal. So if a literal is the only true literal of a clause, it
//! must watch the clause. Blockers break this property: propagation skips a clause while its blocker is true,
//! even if the blocker is not watched. Therefore, before the first removal from a model, every clause with a
//! false watch gets a true watch if it has none. Removed values are restored before the search continues.
//!
//! Invariants:
//!
//! 1. Each removed literal was true at a level above 0, and not assumed.
//! 2. `assumed` is true for the assumptions while `is_ready` is true, and false for all variables otherwise.

use crate::clauses::Clauses;
use crate::lit::{Lit, Var};
use crate::trail::Trail;
use crate::watches::Watches;

#[derive(Default)]
pub(crate) struct Flips {
    /// Literals that were removed from the model.
    flipped: Vec<Lit>,
    /// True if every satisfied clause has a true watch.
    is_ready: bool,
    /// For each variable: true if it is assumed. All false unless `is_ready`.
    assumed: Vec<bool>,
}

impl Flips {
    /// Removes the value of `var` from the model if every clause is satisfied without it and `var` is not
    /// assumed. Returns true if the variable has no value now.
    pub(crate) fn flip(
        &mut self,
        var: Var,
        trail: &mut Trail,
        clauses: &mut Clauses,
        watches: &mut Watches,
        assumptions: &[Lit],
    ) -> bool {
        let lit = trail.true_literal(var);
        if trail.is_open(lit) {
            return true;
        }
        // Unit clauses are not watched. A unit clause that was added while its literal was true is noted as a
        // missed implication.
        if trail.missed_level(var) == Some(0) || trail.level_of_var(var) == 0 {
            return false;
        }
        self.make_ready(trail, clauses, watches, assumptions);
        if self.assumed[var.index()] || !find_other_witnesses(lit, trail, clauses, watches) {
            return false;
        }
        self.flipped.push(lit);
        trail.hide(lit);
        true
    }

    /// Restores the values of all removed variables.
    pub(crate) fn undo(&mut self, trail: &mut Trail, assumptions: &[Lit]) {
        for lit in self.flipped.drain(..) {
            trail.unhide(lit);
        }
        if std::mem::take(&mut self.is_ready) {
            for lit in assumptions {
                self.assumed[lit.var().index()] = false;
            }
        }
    }

    fn make_ready(&mut self, trail: &Trail, clauses: &mut Clauses, watches: &mut Watches, assumptions: &[Lit]) {
        if std::mem::replace(&mut self.is_ready, true) {
            return;
        }
        debug_assert!(self.flipped.is_empty());
        self.assumed.resize(trail.variables_len(), false);
        for lit in assumptions {
            self.assumed[lit.var().index()] = true;
        }
        for lit in (0..=trail.depth()).flat_map(|level| trail.chain(level)) {
            find_other_witnesses(!lit, trail, clauses, watches);
        }
    }

    /// Panics if a value is still removed while the search continues.
    pub(crate) fn check(&self) {
        assert!(!self.is_ready && self.flipped.is_empty(), "values are missing");
        assert!(!self.assumed.iter().any(|&assumed| assumed), "an assumption of an earlier query is left");
    }
}

/// Rewatches the clauses that watch `lit` and have no other true watch: each gets a true literal to watch
/// instead of `lit`, if it has one. Returns true if every clause that watched `lit` has a true watch other than
/// `lit` now. If `lit` is true, stops at the first clause without one.
fn find_other_witnesses(lit: Lit, trail: &Trail, clauses: &mut Clauses, watches: &mut Watches) -> bool {
    debug_assert!(!trail.is_open(lit));
    let stops = trail.is_true(lit);
    let mut list = watches.take(lit);
    let mut found_all = true;
    list.retain(|&watch| {
        if stops && !found_all {
            return true;
        }
        if watch.is_binary() {
            found_all &= trail.is_true(watch.blocker());
            return true;
        }
        let mut open = clauses.open(watch.clause());
        if open.is_garbage() {
            return false;
        }
        let own = usize::from(open.lit(1) == lit);
        debug_assert_eq!(open.lit(own), lit, "a clause is watched by its first two literals");
        if trail.is_true(open.lit(1 - own)) {
            return true;
        }
        let Some(at) = (2..open.len()).find(|&at| trail.is_true(open.lit(at))) else {
            found_all = false;
            return true;
        };
        open.swap(own, at);
        watches.push(open.lit(own), watch.with_blocker(open.lit(1 - own)));
        false
    });
    watches.put(lit, list);
    found_all
}
