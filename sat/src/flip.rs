//! Which literals of a model matter: a variable whose value no clause needs can be taken out of it.
//!
//! For lifting in IC3. A clause that a literal satisfies alone must be found among that literal's watches; blockers
//! break this (a clause is left alone while its blocker is true, watched or not), so before the first question about a
//! model every clause with a false watch gets a true one, if it has not. Values come back before the search goes on.
//!
//! Invariants: what is taken out was true, above level 0 and not assumed; while a question may come, `assumed` is true
//! of the assumptions, and of nothing at other times.

use crate::clauses::Clauses;
use crate::lit::{Lit, Var};
use crate::trail::Trail;
use crate::watches::Watches;

#[derive(Default)]
pub(crate) struct Flips {
    /// Literals of the model taken out of it.
    flipped: Vec<Lit>,
    /// Have all satisfied clauses a true watch?
    is_ready: bool,
    /// By variable: is it assumed? Only while ready.
    assumed: Vec<bool>,
}

impl Flips {
    /// Is every clause satisfied whatever the value of `var` is, and is it not assumed? Then it has no value from now
    /// on.
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
        // Units are not watched. One that came while its literal was true is noted.
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

    /// Gives flipped variables their values back.
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

    /// Panics if anything is out of the model while the search goes on.
    pub(crate) fn check(&self) {
        assert!(!self.is_ready && self.flipped.is_empty(), "values are missing");
        assert!(!self.assumed.iter().any(|&assumed| assumed), "an assumption of an earlier query is left");
    }
}

/// Finds every clause that watches `lit`, but has no other true watch, a true literal to watch instead of it. Answers
/// whether each has one or the other; if `lit` is true, the first clause that has not ends the search.
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
