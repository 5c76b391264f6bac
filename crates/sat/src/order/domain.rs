//! Queries about a part of the formula: only the variables of a domain are decided. Propagation is not
//! restricted, because constraints outside the domain may refute an assignment inside it.
//!
//! The domain of a query about a circuit is a cone. The variables outside the cone that propagation leaves
//! unassigned can be completed whatever the values in the cone are, so a model of the domain suffices. The
//! caller guarantees this. The method follows rIC3 (Su, Yang, Ci, Bu and Huang 2025).
//!
//! Propagation through variables outside the domain and back into it refutes more assignments, but most of this
//! propagation has no effect on the domain. With [`crate::Options::confined`], propagation skips a clause if
//! its blocker is unassigned and outside the domain. Such a clause is not false, because its blocker is
//! unassigned. The propagation may miss an implication inside the domain, but only by a clause that also has
//! variables outside it. The skipped blockers stay unassigned until all levels have ended, and all levels end
//! before the formula or the domain changes. With this option, `Sat` guarantees less: clauses with variables
//! outside the domain may contradict each other under the model.
//!
//! The overhead of a query should be at most linear in the size of the domain, and small if the query is easy.
//! Therefore the heap, which is ordered by activity, starts with only those variables that were in recent
//! conflicts. All other variables are decided after them, in the order in which the domain was given. Variables
//! that only a theory decides have no activity, so a domain of such variables is decided in the given order.
//!
//! Invariants:
//!
//! 1. The heap may contain exactly the variables of the domain.
//! 2. Each unassigned variable of the domain is in the heap, or its position in the list is at or after the
//!    cursor.
//! 3. `inside` is true exactly for the variables of the domain and for admitted variables (those assumed in the
//!    current query).

use super::heap::{Activity, Heap};
use crate::lit::{Lit, Var};

/// A variable with an activity below this fraction of the next bump was not in a recent conflict.
const STALE: f64 = 1e-4;

pub(crate) struct Domain {
    /// Recently active variables that may be unassigned.
    heap: Heap,
    vars: Vec<Var>,
    /// For each variable of the domain: its position in `vars`.
    places: Vec<u32>,
    /// Every variable of the domain before this position is assigned or in the heap.
    cursor: usize,
    /// Minimum activity of a recently active variable.
    threshold: f64,
    is_set: bool,
    /// True if propagation skips unassigned variables outside the domain.
    is_confined: bool,
    /// For each variable: true if it is in the domain or admitted.
    inside: Vec<bool>,
    /// Variables assumed in the current query; they may be outside the domain.
    admitted: Vec<Var>,
}

impl Domain {
    pub(super) fn new() -> Self {
        Self {
            heap: Heap::new(),
            vars: Vec::new(),
            places: Vec::new(),
            cursor: 0,
            threshold: 0.0,
            is_set: false,
            is_confined: false,
            inside: Vec::new(),
            admitted: Vec::new(),
        }
    }

    pub(super) fn new_var(&mut self) {
        self.heap.new_var(false);
        self.inside.push(false);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set
    }

    /// Removes all variables. Afterwards no domain is set.
    pub(super) fn clear(&mut self) {
        self.is_set = false;
        self.heap.clear();
        for var in self.vars.drain(..) {
            self.heap.set_may_hold(var, false);
            self.inside[var.index()] = false;
        }
        self.admit([]);
    }

    /// True if propagation may skip clauses because of this literal in the current query.
    pub(crate) fn is_outside(&self, lit: Lit) -> bool {
        self.is_confined && self.is_set && !self.inside[lit.var().index()]
    }

    /// True if propagation may skip clauses in the current query.
    pub(crate) fn skips(&self) -> bool {
        self.is_confined && self.is_set
    }

    /// Admits the assumed variables instead of the variables admitted before. Propagation does not skip
    /// admitted variables.
    fn admit(&mut self, assumed: impl IntoIterator<Item = Var>) {
        for var in self.admitted.drain(..) {
            self.inside[var.index()] = self.heap.may_hold(var);
        }
        self.admitted.extend(assumed);
        for var in &self.admitted {
            self.inside[var.index()] = true;
        }
    }

    fn set(&mut self, vars: &[Var]) {
        self.clear();
        self.is_set = true;
        for (place, &var) in vars.iter().enumerate() {
            self.heap.set_may_hold(var, true);
            self.inside[var.index()] = true;
            if self.places.len() <= var.index() {
                self.places.resize(var.index() + 1, 0);
            }
            self.places[var.index()] = place as u32;
        }
        self.vars.extend_from_slice(vars);
    }

    /// Begins a query about these variables. All decision levels on the trail must belong to assumptions.
    pub(super) fn begin(
        &mut self,
        vars: &[Var],
        assumed: impl Iterator<Item = Var>,
        is_confined: bool,
        activity: &Activity,
    ) {
        if !self.is_set || self.vars != vars {
            self.set(vars);
        }
        self.is_confined = is_confined;
        self.admit(assumed);
        self.cursor = 0;
        self.threshold = activity.next_bump() * STALE;
        for &var in &self.vars {
            if activity.of(var) >= self.threshold {
                self.heap.insert(var, activity);
            }
        }
    }

    /// Updates the heap after the activity of a variable was raised.
    pub(super) fn bumped(&mut self, var: Var, activity: &Activity) {
        self.heap.bumped(var, activity);
    }

    /// Records that the variable is no longer assigned.
    pub(super) fn freed(&mut self, var: Var, activity: &Activity) {
        if !self.heap.may_hold(var) {
        } else if activity.of(var) >= self.threshold {
            self.heap.insert(var, activity);
        } else {
            self.cursor = self.cursor.min(self.places[var.index()] as usize);
        }
    }

    /// The next variable to decide, of those that satisfy `is_open`.
    pub(super) fn next(&mut self, activity: &Activity, is_open: impl Fn(Var) -> bool) -> Option<Var> {
        while let Some(var) = self.heap.peek() {
            if is_open(var) {
                return Some(var);
            }
            self.heap.pop(activity);
        }
        while let Some(&var) = self.vars.get(self.cursor) {
            if is_open(var) {
                return Some(var);
            }
            self.cursor += 1;
        }
        None
    }

    /// True if `next` would never return this unassigned variable.
    pub(super) fn overlooks(&self, var: Var) -> bool {
        self.heap.may_hold(var) && !self.heap.holds(var) && (self.places[var.index()] as usize) < self.cursor
    }

    /// Panics if the heap is inconsistent, or if `inside` does not match the domain and the admitted variables.
    pub(super) fn check(&self, activity: &Activity) {
        self.heap.check(activity);
        assert!(self.is_set || self.vars.is_empty(), "a domain that is not set has no variables");
        for (place, &var) in self.vars.iter().enumerate() {
            assert!(self.heap.may_hold(var) && self.inside[var.index()], "{var:?} is in the domain");
            let known = self.places[var.index()] as usize;
            assert!(self.vars[known] == var && known >= place, "the last place counts");
        }
        let inside = self.inside.iter().filter(|&&inside| inside).count();
        assert!(inside <= self.vars.len() + self.admitted.len(), "what has left the domain is still inside");
    }
}
