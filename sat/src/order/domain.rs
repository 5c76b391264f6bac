//! Queries about a part of the formula: only the variables of a domain are decided. Propagation goes everywhere:
//! constraints outside the domain may refute what is inside.
//!
//! For a query about a cone of a circuit, what propagation leaves open outside the cone can be completed whatever the
//! cone does, so a model of the domain is enough; who asks vouches for that. After rIC3 (Su, Yang, Ci, Bu and Huang
//! 2025).
//!
//! Propagation out of the domain and back in refutes more, but most of it is in vain. With
//! [`crate::Options::confined`], a clause whose blocker is open and outside is left alone. Such a clause is not false,
//! and nothing is missed inside but by clauses about both; what is outside stays open until all levels have ended,
//! which is before the formula or the domain changes. `Sat` then promises less: clauses with variables outside the
//! domain may contradict each other under it.
//!
//! A query should cost what the domain costs, and next to nothing where it is easy: variables that were lately in
//! conflicts wait in a heap by activity, all others are decided after them in the order in which the domain was given.
//! Variables that only a theory decides have no activity: a domain of them is decided just in its order.
//!
//! Invariants: the heap may hold the variables of the domain and no others; each of them that is unassigned is in it,
//! or at its place in the list at or behind the cursor; `inside` is true of the domain and of what is admitted.

use super::heap::{Activity, Heap};
use crate::lit::{Lit, Var};

/// A variable whose activity is less than this part of the next bump has not been in a conflict for long.
const STALE: f64 = 1e-4;

pub(crate) struct Domain {
    /// Lately active variables that may be unassigned.
    heap: Heap,
    vars: Vec<Var>,
    /// By variable of the domain: its place in `vars`.
    places: Vec<u32>,
    /// Before it, every variable of the domain is assigned or in the heap.
    cursor: usize,
    /// What counts as lately.
    threshold: f64,
    is_set: bool,
    /// Does propagation leave alone what is outside?
    is_confined: bool,
    /// By variable: is it in the domain, or admitted?
    inside: Vec<bool>,
    /// Assumed in the current query, perhaps from outside.
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

    /// Nothing is in it any more.
    pub(super) fn clear(&mut self) {
        self.is_set = false;
        self.heap.clear();
        for var in self.vars.drain(..) {
            self.heap.set_may_hold(var, false);
            self.inside[var.index()] = false;
        }
        self.admit([]);
    }

    /// Is it left alone in the current query?
    pub(crate) fn is_outside(&self, lit: Lit) -> bool {
        self.is_confined && self.is_set && !self.inside[lit.var().index()]
    }

    /// What is assumed is not left alone.
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

    /// A query about these variables begins, with the levels of assumptions at most still there.
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

    /// The variable has become more active.
    pub(super) fn bumped(&mut self, var: Var, activity: &Activity) {
        self.heap.bumped(var, activity);
    }

    /// The variable is no longer assigned.
    pub(super) fn freed(&mut self, var: Var, activity: &Activity) {
        if !self.heap.may_hold(var) {
        } else if activity.of(var) >= self.threshold {
            self.heap.insert(var, activity);
        } else {
            self.cursor = self.cursor.min(self.places[var.index()] as usize);
        }
    }

    /// The variable to be decided next, of those that `is_open` lets pass.
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

    /// Would `next` overlook this open variable?
    pub(super) fn overlooks(&self, var: Var) -> bool {
        self.heap.may_hold(var) && !self.heap.holds(var) && (self.places[var.index()] as usize) < self.cursor
    }

    /// Panics if the heap is out of order, or the variables inside are not those of the domain and what is admitted.
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
