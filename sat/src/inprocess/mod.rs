//! Inprocessing: from time to time, at level 0, the formula itself is made smaller or stronger (Jarvisalo, Heule and
//! Biere 2012). Each technique is a file of its own, with a switch in the options.
//!
//! Whatever it does keeps the formula logically equivalent over *all* variables, so that assumptions, clauses to come
//! and literals that a theory knows stay sound and no model has to be repaired. Temporary clauses are left alone, and
//! their guard keeps apart what follows from them; removable ones are not changed, but what is derived may lean on them
//! (see `solver/temporary.rs`). Effort is a share of what search has cost (`Stats::ticks`), and a round waits until the
//! passes over all clauses that it makes in any case are a small part of that.
//!
//! *Probing*: a technique may assume literals on levels of its own and propagate. The theory does not hear of these
//! levels.
//!
//! Invariants: a round begins and ends at level 0 with everything propagated, or with the formula refuted; a clause
//! that replaces another one subsumes it; the schedule only moves forward.

mod binary;
mod equivalent;
mod probe;
mod subsume;
mod tidy;
mod vivify;

use crate::analyze::Analysis;
use crate::bcp::Bcp;
use crate::clauses::{ClauseRef, Kind};
use crate::lit::Lit;
use crate::options::Options;
use crate::proof::ClauseId;
use crate::trail::Reason;

/// Search between two rounds costs at least so many times what reading all clauses costs.
const PATIENCE: u64 = 4;

/// So many words of clauses are read in no time.
const SMALL: u64 = 100_000;

/// When it is due, and how far each technique came.
pub(crate) struct Schedule {
    next: u64,
    interval: u64,
    count: u64,
    /// Ticks of inprocessing so far: not of search.
    ticks: u64,
    /// Ticks of search when the last round began.
    began: u64,
    /// Ticks of search when each technique ran last.
    vivified: u64,
    subsumed: u64,
    probed: u64,
    /// Fixed literals that no clause mentions any more.
    tidied: usize,
    /// Subsumption has compared the clauses up to this one.
    compared: ClauseId,
    /// Equivalent literals were looked for when this was the latest clause.
    tied: ClauseId,
    /// By literal: how many were fixed, and one, when it was probed last.
    probed_at: Vec<usize>,
}

/// What a technique may still spend, in ticks.
struct Effort {
    until: u64,
}

impl Effort {
    /// Ticks left.
    fn left(&self, ticks: u64) -> u64 {
        self.until.saturating_sub(ticks)
    }

    fn is_spent(&self, ticks: u64) -> bool {
        ticks >= self.until
    }
}

impl Schedule {
    pub(crate) fn new(options: &Options) -> Self {
        let interval = options.inprocess_interval;
        Self {
            next: interval,
            interval,
            count: 0,
            ticks: 0,
            began: 0,
            vivified: 0,
            subsumed: 0,
            probed: 0,
            tidied: 0,
            compared: ClauseId(0),
            tied: ClauseId(0),
            probed_at: Vec::new(),
        }
    }

    /// Have there been conflicts enough?
    pub(crate) fn is_due(&self, conflicts: u64) -> bool {
        self.interval != 0 && conflicts >= self.next
    }

    /// Has search cost enough, for clauses of so many words?
    pub(crate) fn pays(&self, ticks: u64, words: usize) -> bool {
        // What the passes over all clauses cost.
        let setup = (words as u64).saturating_sub(SMALL);
        self.search(ticks) - self.began >= PATIENCE * setup
    }

    /// Not now.
    pub(crate) fn put_off(&mut self, conflicts: u64) {
        debug_assert!(self.is_due(conflicts));
        self.next = conflicts + self.interval;
    }

    fn begin(&mut self, conflicts: u64, ticks: u64) {
        debug_assert!(self.is_due(conflicts));
        self.began = self.search(ticks);
        self.count += 1;
        self.next = conflicts + self.interval * self.count;
    }

    /// Ticks of search, of all so far.
    fn search(&self, ticks: u64) -> u64 {
        debug_assert!(self.ticks <= ticks);
        ticks - self.ticks
    }
}

/// A round of inprocessing, and what it borrows.
pub(crate) struct Round<'a> {
    pub(crate) bcp: Bcp<'a>,
    pub(crate) analysis: &'a mut Analysis,
    pub(crate) schedule: &'a mut Schedule,
}

impl Round<'_> {
    /// Inprocesses, at level 0. Answers what it cost, in ticks.
    pub(crate) fn run(&mut self) -> u64 {
        debug_assert!(self.bcp.trail.depth() == 0 && self.bcp.trail.is_propagated());
        let before = self.bcp.stats.ticks;
        self.schedule.begin(self.bcp.stats.conflicts, before);
        self.bcp.stats.inprocessed += 1;
        let options = self.bcp.options;
        self.bcp.trail.mute(true);
        self.tidy();
        if options.equivalent {
            self.find_equivalent();
        }
        if options.probe && !self.is_refuted() {
            self.probe_roots();
        }
        if options.subsume && !self.is_refuted() {
            self.subsume();
        }
        if options.vivify && !self.is_refuted() {
            self.vivify();
        }
        self.bcp.trail.mute(false);
        self.bcp.trail.tell_fixed();
        self.bcp.sweep();
        let spent = self.bcp.stats.ticks - before;
        self.schedule.ticks += spent;
        spent
    }

    fn is_refuted(&self) -> bool {
        self.bcp.log.is_refuted()
    }

    /// Ticks of search so far.
    fn search_ticks(&self) -> u64 {
        self.schedule.search(self.bcp.stats.ticks)
    }

    /// A budget of `share` of the search since `last`.
    fn effort(&self, share: f64, last: u64) -> Effort {
        debug_assert!(share >= 0.0);
        let since = self.search_ticks().saturating_sub(last);
        Effort { until: self.bcp.stats.ticks + (since as f64 * share) as u64 }
    }

    /// Assumes a literal on a new level and propagates.
    fn probe(&mut self, lit: Lit) -> Option<ClauseRef> {
        debug_assert!(self.bcp.trail.is_open(lit));
        self.bcp.trail.push_level(Some(lit));
        self.bcp.trail.assign(lit, self.bcp.trail.depth(), Reason::None);
        self.bcp.propagate()
    }

    /// Ends levels of probing. Phases keep what search has found.
    fn end_probes(&mut self, level: u32) {
        let Bcp { trail, order, .. } = &mut self.bcp;
        while trail.depth() > level {
            trail.pop_level(level, |lit| order.freed(lit.var()));
        }
        // Whatever was queued has been undone, or will be found again.
        debug_assert!(trail.misses_none());
    }

    /// Is it a clause that inprocessing may delete and put others in the place of? Others come and go on their own.
    fn may_change(&self, clause: ClauseRef) -> bool {
        matches!(self.bcp.clauses.kind(clause), Kind::Given | Kind::Learnt)
    }

    /// Puts a derived clause in the place of `old`, which it subsumes. Level 0; all its literals are unassigned.
    fn replace(&mut self, old: ClauseRef, literals: &[Lit], id: ClauseId) {
        let clauses = &self.bcp.clauses;
        debug_assert!(self.may_change(old) && literals.len() <= clauses.len(old));
        let kind = clauses.kind(old);
        let glue = clauses.glue(old).min(literals.len() as u32 - 1).max(1);
        let used = clauses.used(old);
        self.bcp.withdraw(old);
        self.add_derived(literals, id, kind, glue, used);
    }

    /// Stores a derived clause. Level 0; all its literals are unassigned. That may refute the formula.
    fn add_derived(&mut self, literals: &[Lit], id: ClauseId, kind: Kind, glue: u32, used: u32) {
        debug_assert_eq!(self.bcp.trail.depth(), 0);
        debug_assert!(literals.iter().all(|&lit| self.bcp.trail.is_open(lit)));
        let clause = self.bcp.add(literals, id, kind, glue);
        self.bcp.clauses.set_used(clause, used);
        if literals.len() == 1 {
            self.bcp.evaluate(clause);
            self.bcp.propagate_fixed();
        }
    }
}
