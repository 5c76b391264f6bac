//! The solver's decision order: which variable is decided next, and which value is tried first.
//!
//! In stable mode and within a query's domain the most active variable comes first; in focused mode the
//! variable bumped last comes first (`mode.rs`). The heap, the queue and the domain are told of unassigned
//! variables only while they are in use. The missing variables are added when the use begins.
//!
//! Invariants: the order of the current mode, or the domain if one is set, finds every unassigned variable that
//! may be decided; heaps are ordered by activity.

mod check;
mod domain;
mod heap;
mod phase;
mod queue;

pub(crate) use domain::Domain;
pub(crate) use phase::Rephased;

use crate::lit::{Lit, Var};
use crate::mode::Mode;
use crate::options::Options;
use crate::trail::Trail;
use heap::{Activity, Heap};
use phase::Phases;
use queue::Queue;

pub(crate) struct Order {
    activity: Activity,
    /// Contains all unassigned variables that may be decided, in stable mode.
    heap: Heap,
    /// Finds all unassigned variables that may be decided, in focused mode.
    queue: Queue,
    domain: Domain,
    phases: Phases,
    mode: Mode,
    /// True if the last decision came from this order, not from the theory.
    decided_last: bool,
    decay: f64,
    /// Buffer: the variables to be bumped, with their stamps. Empty between two bumps.
    bumped: Vec<(u64, Var)>,
}

impl Order {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            activity: Activity::new(),
            heap: Heap::new(),
            queue: Queue::new(),
            domain: Domain::new(),
            phases: Phases::new(options),
            mode: Mode::first(options.modes),
            decided_last: false,
            decay: options.variable_decay,
            bumped: Vec::new(),
        }
    }

    pub(crate) fn new_var(&mut self, var: Var, is_hosts: bool) {
        self.activity.new_var();
        self.heap.new_var(is_hosts);
        self.heap.insert(var, &self.activity);
        if is_hosts {
            self.queue.new_var(var);
        }
        self.domain.new_var();
        self.phases.new_var();
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Switches to the other mode. Prepares the heap or queue of that mode, which was not updated while it was
    /// not in use.
    pub(crate) fn switch_mode(&mut self, variables: usize) {
        self.mode = self.mode.other();
        match self.mode {
            Mode::Focused => self.queue.search_from_the_end(),
            Mode::Stable => (0..variables).for_each(|index| self.heap.insert(Var::new(index), &self.activity)),
        }
    }

    pub(crate) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The next query is about the whole formula.
    pub(crate) fn clear_domain(&mut self) {
        self.domain.clear();
    }

    /// The next query is about these variables; see [`Domain::begin`].
    pub(crate) fn begin_domain(&mut self, vars: &[Var], assumed: impl Iterator<Item = Var>, is_confined: bool) {
        self.domain.begin(vars, assumed, is_confined, &self.activity);
    }

    /// The solver's next decision, or `None` if no unassigned variable is left.
    pub(crate) fn decide(&mut self, trail: &Trail) -> Option<Lit> {
        self.decided_last = true;
        let var = self.next(trail)?;
        debug_assert!(trail.is_open(var.positive()));
        Some(self.phases.literal(var, self.mode))
    }

    /// Leaves the next decision to the theory.
    pub(crate) fn leave_to_theory(&mut self) {
        self.decided_last = false;
    }

    /// True if the last decision came from this order.
    pub(crate) fn decided_last(&self) -> bool {
        self.decided_last
    }

    /// The unassigned variable that the solver would decide next.
    pub(crate) fn next(&mut self, trail: &Trail) -> Option<Var> {
        let is_open = |var: Var| trail.is_open(var.positive());
        if !self.by_activity() {
            return self.queue.next(is_open);
        }
        if self.domain.is_set() {
            return self.domain.next(&self.activity, is_open);
        }
        while let Some(var) = self.heap.peek() {
            if is_open(var) {
                return Some(var);
            }
            self.heap.pop(&self.activity);
        }
        None
    }

    /// Removes an unassigned variable from the order: it will not be decided any more.
    pub(crate) fn remove(&mut self, var: Var) {
        self.heap.remove(var, &self.activity);
        self.queue.remove(var);
    }

    /// True if the order is currently by activity.
    fn by_activity(&self) -> bool {
        self.mode == Mode::Stable || self.domain.is_set()
    }

    /// True if a restart would decide `lit` again before it decides `next`. Also true for variables that only
    /// the theory decides, because this order does not affect them.
    pub(crate) fn keeps(&self, lit: Lit, next: Var) -> bool {
        !self.heap.may_hold(lit.var()) || self.comes_before(lit.var(), next)
    }

    fn comes_before(&self, first: Var, second: Var) -> bool {
        if self.by_activity() {
            self.activity.of(first) > self.activity.of(second)
        } else {
            self.queue.stamp(first) > self.queue.stamp(second)
        }
    }

    /// Records that `lit`, which was true in the search, is unassigned now.
    pub(crate) fn unassigned(&mut self, lit: Lit) {
        self.phases.save(lit);
        self.freed(lit.var());
    }

    /// Records that the variable is no longer assigned.
    pub(crate) fn freed(&mut self, var: Var) {
        if self.domain.is_set() {
            self.domain.freed(var, &self.activity);
        }
        match self.mode {
            Mode::Stable => self.heap.insert(var, &self.activity),
            Mode::Focused => self.queue.freed(var),
        }
    }

    /// Bumps these variables, all assigned, because they took part in a conflict.
    pub(crate) fn bump(&mut self, seen: impl Iterator<Item = Var>) {
        if self.by_activity() {
            self.bump_activities(seen);
        } else {
            self.bump_queue(seen);
        }
    }

    fn bump_activities(&mut self, seen: impl Iterator<Item = Var>) {
        for var in seen {
            if self.heap.may_hold(var) {
                self.activity.bump(var);
                self.heap.bumped(var, &self.activity);
                self.domain.bumped(var, &self.activity);
            }
        }
        self.activity.decay(self.decay);
    }

    /// Bumps the variables in the order of their previous bumps, which keeps their relative order.
    fn bump_queue(&mut self, seen: impl Iterator<Item = Var>) {
        debug_assert!(self.bumped.is_empty());
        self.bumped.extend(seen.map(|var| (self.queue.stamp(var), var)));
        self.bumped.sort_unstable();
        for (_, var) in self.bumped.drain(..) {
            self.queue.bump(var);
        }
    }

    /// Records the assignment below the conflict level `top` if it is the largest so far. This assignment has
    /// no conflict. It is recorded only in stable mode and after the solver's own decisions, because no other
    /// decisions use target phases. Copying at each step of a theory's deep search would be quadratic.
    pub(crate) fn note_consistent(&mut self, trail: &Trail, top: u32) {
        debug_assert!((1..=trail.depth()).contains(&top));
        if self.mode == Mode::Stable && self.decided_last {
            self.phases.note_consistent(trail, top);
        }
    }

    /// Replaces all saved values if rephasing is due.
    pub(crate) fn rephase_if_due(&mut self, conflicts: u64) -> Option<Rephased> {
        self.phases.rephase_if_due(conflicts)
    }

    /// For each variable: the value that its next decision tries first, except for target phases.
    pub(crate) fn saved_phases(&self) -> &[bool] {
        self.phases.saved()
    }

    pub(crate) fn set_saved_phases(&mut self, values: Vec<bool>) {
        self.phases.set_saved(values);
    }
}
