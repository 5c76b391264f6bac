//! The order of decisions of the host: which variable comes next, and which value it is tried with first.
//!
//! Most active first in stable mode, last in a conflict first in focused mode (`mode.rs`), and within a query's domain
//! the most active. Each order is told of what is unassigned only while it is in use, and completed when it comes into
//! use.
//!
//! Invariants: every unassigned variable that may be decided is found by the order of the current mode, or by the
//! domain if one is set; a heap is ordered by activity.

mod check;
mod domain;
mod heap;
mod phase;
mod queue;

pub(crate) use domain::Domain;

use crate::lit::{Lit, Var};
use crate::mode::Mode;
use crate::options::Options;
use crate::trail::Trail;
use heap::{Activity, Heap};
use phase::Phases;
use queue::Queue;

pub(crate) struct Order {
    activity: Activity,
    /// Complete in stable mode.
    heap: Heap,
    /// Complete in focused mode.
    queue: Queue,
    domain: Domain,
    phases: Phases,
    mode: Mode,
    /// Was the last decision of this order, not the theory's?
    decided_last: bool,
    decay: f64,
    /// Variables to be bumped, by their stamps. Empty at rest.
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

    /// The other mode's order comes into use. Only stable search keeps the heap complete.
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

    /// The host's next decision, if there is an open variable left.
    pub(crate) fn decide(&mut self, trail: &Trail) -> Option<Lit> {
        self.decided_last = true;
        let var = self.next(trail)?;
        debug_assert!(trail.is_open(var.positive()));
        Some(self.phases.literal(var, self.mode))
    }

    /// The theory decides this time.
    pub(crate) fn leave_to_theory(&mut self) {
        self.decided_last = false;
    }

    /// Was the last decision of this order?
    pub(crate) fn decided_last(&self) -> bool {
        self.decided_last
    }

    /// The unassigned variable that the host would decide.
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

    /// Is the order that of activities now?
    fn by_activity(&self) -> bool {
        self.mode == Mode::Stable || self.domain.is_set()
    }

    /// Would a restart decide `lit` again before it comes to `next`? What only the theory decides is none of its
    /// business.
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

    /// `lit` was true until now, in the search.
    pub(crate) fn unassigned(&mut self, lit: Lit) {
        self.phases.save(lit);
        self.freed(lit.var());
    }

    /// The variable is no longer assigned.
    pub(crate) fn freed(&mut self, var: Var) {
        if self.domain.is_set() {
            self.domain.freed(var, &self.activity);
        }
        match self.mode {
            Mode::Stable => self.heap.insert(var, &self.activity),
            Mode::Focused => self.queue.freed(var),
        }
    }

    /// These variables, all assigned, had to do with a conflict.
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

    /// In the order they were bumped before, so that they stay in order.
    fn bump_queue(&mut self, seen: impl Iterator<Item = Var>) {
        debug_assert!(self.bumped.is_empty());
        self.bumped.extend(seen.map(|var| (self.queue.stamp(var), var)));
        self.bumped.sort_unstable();
        for (_, var) in self.bumped.drain(..) {
            self.queue.bump(var);
        }
    }

    /// A conflict at `top`: below that level there was none, which may be more than ever before. Only where the host
    /// decides: it alone looks at targets, and copying at each step of a theory's deep search would be quadratic.
    pub(crate) fn note_consistent(&mut self, trail: &Trail, top: u32) {
        debug_assert!((1..=trail.depth()).contains(&top));
        if self.mode == Mode::Stable && self.decided_last {
            self.phases.note_consistent(trail, top);
        }
    }

    /// Sets all values anew if it is time. Answers whether it did.
    pub(crate) fn rephase_if_due(&mut self, conflicts: u64) -> bool {
        self.phases.rephase_if_due(conflicts)
    }
}
