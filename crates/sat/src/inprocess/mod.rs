//! Inprocessing: simplifies or strengthens the formula itself from time to time, at level 0 (Jarvisalo, Heule
//! and Biere 2012). Each technique has its own file and a switch in the options.
//!
//! Every technique but elimination keeps the formula logically equivalent over *all* variables. Therefore assumptions,
//! later clauses and literals of a theory stay valid, and no model must be repaired. Elimination runs only if an
//! option allows it, for formulas that are asked about once. Temporary clauses are not
//! changed, and every clause derived from a temporary clause contains the negation of the guard. Removable
//! clauses are not changed, but derivations may use them (see `solver/temporary.rs`). The effort is a fraction
//! of the cost of search (`Stats::ticks`). A round is put off until the cost of reading all clauses is a small
//! part of the cost of search since the last round.
//!
//! *Probing*: a technique may assume literals on its own levels and propagate. The theory is not told of these
//! levels.
//!
//! Invariants:
//!
//! 1. A round begins and ends at level 0 with everything propagated, or with the formula refuted.
//! 2. A clause that replaces another clause subsumes it.
//! 3. The values of the schedule never decrease.

mod binary;
mod eliminate;
mod equivalent;
mod probe;
mod subsume;
mod tidy;
mod vivify;

use crate::analyze::Analysis;
use crate::bcp::Bcp;
use crate::clauses::{ClauseKind, ClauseRef};
use crate::extension::Extension;
use crate::lit::Lit;
use crate::options::Options;
use crate::proof::ClauseId;
use crate::trail::Reason;

/// Between two rounds, the search must cost at least this many times as much as reading all clauses.
const PATIENCE: u64 = 4;

/// Number of words in the clause arena up to which reading all clauses counts as free.
const SMALL: u64 = 100_000;

/// The schedule of inprocessing, and the progress of each technique.
pub(crate) struct Schedule {
    next: u64,
    interval: u64,
    count: u64,
    /// Ticks spent on inprocessing so far.
    ticks: u64,
    /// Ticks spent on search when the last round began.
    began: u64,
    /// Ticks spent on search when each technique last ran: vivification, subsumption, probing.
    vivified: u64,
    subsumed: u64,
    probed: u64,
    /// Number of fixed literals when clauses were last freed of them.
    tidied: usize,
    /// Clauses up to this one were compared with each other by subsumption.
    compared: ClauseId,
    /// The latest clause when the solver last searched for equivalent literals.
    tied: ClauseId,
    /// For each literal: 1 plus the number of fixed literals when the literal was last probed; 0 if it was
    /// never probed.
    probed_at: Vec<usize>,
    elimination: eliminate::Progress,
}

/// The budget of a technique: the tick count at which it must stop.
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
            elimination: eliminate::Progress::default(),
        }
    }

    /// True if there have been enough conflicts since the last round.
    pub(crate) fn is_due(&self, conflicts: u64) -> bool {
        self.interval != 0 && conflicts >= self.next
    }

    /// True if search since the last round has cost enough, given the size of the clauses in words.
    pub(crate) fn pays(&self, ticks: u64, words: usize) -> bool {
        // Estimated cost of reading all clauses, in ticks.
        let setup = (words as u64).saturating_sub(SMALL);
        self.search(ticks) - self.began >= PATIENCE * setup
    }

    /// Puts the round off by one interval.
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

    /// Records ticks that were not spent on search.
    pub(crate) fn exclude(&mut self, ticks: u64) {
        self.ticks += ticks;
    }

    /// The ticks spent on search, out of all ticks so far.
    pub(crate) fn search(&self, ticks: u64) -> u64 {
        debug_assert!(self.ticks <= ticks);
        ticks - self.ticks
    }
}

/// A round of inprocessing, with the parts it borrows.
pub(crate) struct Round<'a> {
    pub(crate) bcp: Bcp<'a>,
    pub(crate) analysis: &'a mut Analysis,
    pub(crate) schedule: &'a mut Schedule,
    pub(crate) extension: &'a mut Extension,
}

impl Round<'_> {
    /// Inprocesses at level 0. Returns the cost in ticks.
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
        if options.eliminate && !self.is_refuted() {
            self.tidy();
            self.eliminate();
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

    /// Eliminates variables before the search, when no learnt clause is lost by it. Level 0, propagated.
    pub(crate) fn prepare(&mut self) {
        let before = self.bcp.stats.ticks;
        self.tidy();
        self.eliminate();
        self.bcp.sweep();
        self.schedule.exclude(self.bcp.stats.ticks - before);
    }

    fn is_refuted(&self) -> bool {
        self.bcp.log.is_refuted()
    }

    /// Ticks spent on search so far.
    fn search_ticks(&self) -> u64 {
        self.schedule.search(self.bcp.stats.ticks)
    }

    /// A budget of `share` times the ticks of search since `last`.
    fn effort(&self, share: f64, last: u64) -> Effort {
        debug_assert!(share >= 0.0);
        let since = self.search_ticks().saturating_sub(last);
        Effort { until: self.bcp.stats.ticks + (since as f64 * share) as u64 }
    }

    /// Assumes a literal on a new level and propagates. Returns the conflict if there is one.
    fn probe(&mut self, lit: Lit) -> Option<ClauseRef> {
        debug_assert!(self.bcp.trail.is_open(lit));
        self.bcp.trail.push_level(Some(lit));
        self.bcp.trail.assign(lit, self.bcp.trail.depth(), Reason::None);
        self.bcp.propagate()
    }

    /// Ends probing levels above `level`. Saved phases are not changed, so they keep the values from the
    /// search.
    fn end_probes(&mut self, level: u32) {
        let Bcp { trail, order, .. } = &mut self.bcp;
        while trail.depth() > level {
            trail.pop_level(level, |lit| order.freed(lit.var()));
        }
        // A literal that still waits in the propagation queue is unassigned now, or will be propagated again.
        debug_assert!(trail.misses_none());
    }

    /// True if inprocessing may delete and replace the clause. Temporary and removable clauses have their own
    /// lifetimes.
    fn may_change(&self, clause: ClauseRef) -> bool {
        matches!(self.bcp.clauses.kind(clause), ClauseKind::Given | ClauseKind::Learnt)
    }

    /// Replaces `old` by a derived clause that subsumes it. Level 0; all literals of the new clause are
    /// unassigned.
    fn replace(&mut self, old: ClauseRef, literals: &[Lit], id: ClauseId) {
        let clauses = &self.bcp.clauses;
        debug_assert!(self.may_change(old) && literals.len() <= clauses.len(old));
        let kind = clauses.kind(old);
        let glue = clauses.glue(old).min(literals.len() as u32 - 1).max(1);
        let used = clauses.used(old);
        self.bcp.withdraw(old);
        self.add_derived(literals, id, kind, glue, used);
    }

    /// Stores a derived clause. Level 0; all its literals are unassigned. A unit clause is propagated, which
    /// may refute the formula.
    fn add_derived(&mut self, literals: &[Lit], id: ClauseId, kind: ClauseKind, glue: u32, used: u32) {
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
