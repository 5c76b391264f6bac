//! The solver. It owns all parts and lends them to the code that works on them. It also has the public
//! interface, and the main loop that combines propagation, theory, analysis and decisions.
//!
//! No part refers to the solver. Code that needs several parts borrows them: [`Bcp`] is the view for
//! propagation, inprocessing has `Round`, and analysis takes a `Bcp`. All code that needs the whole solver is
//! in this directory, because its fields are private to this directory.

mod apply;
mod check;
mod core;
mod decide;
mod domain;
mod resolve;
mod temporary;
mod turns;

use crate::analyze::Analysis;
use crate::bcp::Bcp;
use crate::clauses::Clauses;
use crate::extension::Extension;
use crate::flip::Flips;
use crate::hook::Hook;
use crate::inprocess::Schedule;
use crate::lit::{Lit, Var};
use crate::log::Log;
use crate::options::{Limits, Options};
use crate::order::Order;
use crate::proof::Proof;
use crate::query::{Query, SolveResult};
use crate::reduce::Reduction;
use crate::restart::Restart;
use crate::signs::Signs;
use crate::stats::Stats;
use crate::theory::{DecidedBy, Silent, Tag, Theory, View};
use crate::trail::Trail;
use crate::walk::Walks;
use crate::watches::Watches;
use std::sync::atomic::Ordering;

/// An incremental CDCL solver. All calls of `solve_with` on one solver must use the same theory.
pub struct Solver {
    options: Options,
    stats: Stats,
    trail: Trail,
    clauses: Clauses,
    watches: Watches,
    order: Order,
    log: Log,
    signs: Signs,
    analysis: Analysis,
    restart: Restart,
    reduction: Reduction,
    inprocessing: Schedule,
    query: Query,
    hook: Hook,
    flips: Flips,
    extension: Extension,
    walks: Walks,
}

/// The parts of the solver, borrowed separately.
struct Lent<'a> {
    bcp: Bcp<'a>,
    analysis: &'a mut Analysis,
    reduction: &'a mut Reduction,
    schedule: &'a mut Schedule,
    query: &'a mut Query,
    extension: &'a mut Extension,
}

impl Solver {
    /// A solver without variables.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            stats: Stats::default(),
            trail: Trail::new(),
            clauses: Clauses::default(),
            watches: Watches::default(),
            order: Order::new(&options),
            log: Log::default(),
            signs: Signs::default(),
            analysis: Analysis::default(),
            restart: Restart::new(&options),
            reduction: Reduction::new(&options),
            inprocessing: Schedule::new(&options),
            query: Query::default(),
            hook: Hook::default(),
            flips: Flips::default(),
            extension: Extension::default(),
            walks: Walks::default(),
            options,
        }
    }

    /// The parts that propagation borrows.
    fn bcp(&mut self) -> Bcp<'_> {
        self.lend().bcp
    }

    /// The parts of the solver for code that needs several of them at the same time.
    fn lend(&mut self) -> Lent<'_> {
        let bcp = Bcp {
            trail: &mut self.trail,
            clauses: &mut self.clauses,
            watches: &mut self.watches,
            order: &mut self.order,
            log: &mut self.log,
            signs: &mut self.signs,
            stats: &mut self.stats,
            options: &self.options,
        };
        Lent {
            bcp,
            analysis: &mut self.analysis,
            reduction: &mut self.reduction,
            schedule: &mut self.inprocessing,
            query: &mut self.query,
            extension: &mut self.extension,
        }
    }

    /// Sets the listener to the clause log. Must be called before the first clause is added.
    pub fn set_proof(&mut self, proof: Box<dyn Proof>) {
        self.log.set_listener(proof);
    }

    /// Creates a variable, outside `solve`. A theory creates its variables with [`crate::Ctx::new_lit`].
    pub fn new_var(&mut self, by: DecidedBy) -> Var {
        let var = self.trail.new_var();
        self.watches.new_var();
        self.order.new_var(var, by == DecidedBy::Host);
        self.signs.new_var();
        self.analysis.new_var();
        debug_assert_eq!(self.watches.len(), 2 * self.trail.variables_len());
        var
    }

    /// Adds a clause, at any time outside `solve`. Duplicate literals and tautologies are allowed.
    ///
    /// # Panics
    /// If a literal's variable does not exist.
    pub fn add_clause(&mut self, tag: Tag, clause: &[Lit]) {
        self.changed();
        if let Some(conflict) = self.bcp().add_axiom(tag, clause) {
            self.clauses.defer(conflict);
        }
    }

    /// Prepares for a change of the formula. The change makes the last answer invalid.
    fn changed(&mut self) {
        assert!(self.extension.is_empty(), "the formula changes after an elimination of variables");
        self.unflip();
        self.end_confinement();
        self.query.forget_answer();
    }

    /// Ends all levels after a query with [`Options::confined`] about a domain. Its propagation may have
    /// skipped clauses that must be propagated from now on.
    fn end_confinement(&mut self) {
        if self.options.is_confined() && self.order.domain().is_set() {
            self.step_back(0);
        }
    }

    /// Restores the values of variables that were removed from the model.
    fn unflip(&mut self) {
        self.flips.undo(&mut self.trail, self.query.assumptions());
    }

    /// Decides whether there is a model in which the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> SolveResult {
        self.solve_within(assumptions, &Limits::default())
    }

    /// Like [`Solver::solve`], within limits. If the assumptions begin with the same literals as those of the
    /// last query, the search state for these literals is reused. After `Stopped`, a call with the same
    /// assumptions continues the search.
    pub fn solve_within(&mut self, assumptions: &[Lit], limits: &Limits) -> SolveResult {
        self.end_confinement();
        self.order.clear_domain();
        self.solve_again(assumptions, limits)
    }

    /// Solves in the domain of the last query.
    fn solve_again(&mut self, assumptions: &[Lit], limits: &Limits) -> SolveResult {
        if self.trail.listens() {
            self.step_back(0);
            self.trail.listen(false);
        }
        let is_whole = !self.options.eliminate || assumptions.is_empty();
        assert!(is_whole, "a literal is assumed although its variable may be eliminated");
        self.hook.set_incomplete(false);
        self.assume(assumptions, &mut Silent);
        let answer = self.search(&mut Silent, limits);
        self.query.answer(answer);
        if answer == SolveResult::Sat && !self.extension.is_empty() {
            self.query.keep_model(&self.trail);
            self.extension.extend(self.query.model_mut());
        }
        self.end_refutation(answer);
        answer
    }

    /// Decides whether there is a model in which the assumptions hold and that the theory confirms. After
    /// `Stopped`, a call with the same assumptions continues the search.
    pub fn solve_with<T: Theory>(&mut self, theory: &mut T, assumptions: &[Lit], limits: &Limits) -> SolveResult {
        assert!(!self.options.eliminate, "a theory needs all variables");
        self.end_confinement();
        self.order.clear_domain();
        self.hook.set_remembers(theory.undoes_by_level());
        if !self.trail.listens() {
            self.unflip();
            self.backtrack(0, &mut Silent);
            self.trail.listen(true);
        }
        let owed = self.hook.take_owed();
        if owed > 0 {
            theory.pop_levels(owed);
        }
        if !self.query.assumes(assumptions) {
            // A query with the same assumptions continues a stopped query, so it does not reset `is_incomplete`.
            // The theory has set this flag for some literals, and the continued query does not pass these
            // literals to the theory again.
            self.hook.set_incomplete(false);
            self.backtrack(0, theory);
        }
        self.assume(assumptions, theory);
        let answer = self.search(theory, limits);
        self.finish(answer, theory);
        answer
    }

    /// Backtracks to the last level that these assumptions share with those of the last query.
    fn assume(&mut self, assumptions: &[Lit], theory: &mut dyn Theory) {
        self.unflip();
        if let Some(shared) = self.query.assume(assumptions) {
            self.backtrack(shared as u32, theory);
        }
    }

    /// Ends levels between queries. A theory that was told of these levels hears of their end in the next query
    /// with this theory.
    fn step_back(&mut self, level: u32) {
        self.unflip();
        if self.trail.listens() {
            self.hook.owe(self.trail.depth().saturating_sub(level) as usize);
        }
        self.backtrack(level, &mut Silent);
    }

    /// The value of a literal. After `Sat` or `Unknown`, until a clause is added or a query starts, this is the
    /// value in the model. Otherwise it is the value on the trail. `None` if the literal is unassigned.
    #[must_use]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        let kept = if self.is_model_kept() { None } else { self.query.value(lit) };
        kept.unwrap_or_else(|| self.trail.value(lit))
    }

    /// True if the model is the trail itself, not a copy.
    fn is_model_kept(&self) -> bool {
        !self.trail.listens() && self.extension.is_empty()
    }

    /// Removes the value of `var` from the model if every clause is satisfied without it and `var` is not
    /// assumed. Returns true if the variable has no value afterwards. The value stays removed until a clause is
    /// added or a query starts. Only allowed after `Sat` of a query without theory, before any other operation.
    /// Cost: reads the watches of the variable, and once for each model the watches of all assigned variables.
    /// After a query in a domain, a clause with two unassigned literals may count as satisfied.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn flip_to_none(&mut self, var: Var) -> bool {
        let is_there = self.query.last() == Some(SolveResult::Sat) && self.is_model_kept();
        assert!(is_there, "there is no model to take it out of");
        let assumptions = self.query.assumptions();
        self.flips.flip(var, &mut self.trail, &mut self.clauses, &mut self.watches, assumptions)
    }

    /// True if `lit` is true at level 0, and so in every model.
    #[must_use]
    pub fn is_fixed(&self, lit: Lit) -> bool {
        self.trail.is_fixed(lit)
    }

    /// After `Unsat`: a set of assumptions that contradicts the clauses; empty if the clauses alone are
    /// contradictory.
    #[must_use]
    pub fn core(&self) -> &[Lit] {
        self.query.core()
    }

    /// Counters of the work done so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The main loop of the search.
    fn search(&mut self, theory: &mut dyn Theory, limits: &Limits) -> SolveResult {
        self.query.begin();
        let conflicts_allowed = limits.conflicts.map(|allowed| self.stats.conflicts.saturating_add(allowed));
        self.settle_pending(theory);
        let is_stopped = || limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if !is_stopped() {
            self.prepare();
        }
        loop {
            if self.log.is_refuted() {
                return SolveResult::Unsat;
            }
            if is_stopped() || conflicts_allowed.is_some_and(|allowed| self.stats.conflicts >= allowed) {
                return SolveResult::Stopped;
            }
            if let Some(conflict) = self.bcp().propagate() {
                self.resolve(conflict, theory);
                continue;
            }
            self.check_if_wanted();
            if self.trail.has_news() {
                let effect = self.tell(theory);
                if effect.incomplete {
                    self.hook.set_incomplete(true);
                }
                if effect.stop && !self.log.is_refuted() {
                    return SolveResult::Stopped;
                }
                continue;
            }
            if self.restart_if_due(theory) {
                continue;
            }
            self.reduce_if_due();
            match self.decide(theory) {
                Next::Decided => {}
                Next::Failed(lit) => {
                    self.find_core(lit, theory);
                    return SolveResult::Unsat;
                }
                Next::Complete => {
                    let effect = self.consult(theory, |theory, ctx| theory.final_check(ctx));
                    if effect.stop && !self.log.is_refuted() {
                        return SolveResult::Stopped;
                    }
                    if !effect.changed {
                        let is_incomplete = self.hook.is_incomplete() || effect.incomplete;
                        return if is_incomplete { SolveResult::Unknown } else { SolveResult::Sat };
                    }
                }
            }
        }
    }

    /// Evaluates the clauses that were false when they were added between queries. Some of these clauses are no
    /// longer false. Each clause that is still false causes a conflict.
    fn settle_pending(&mut self, theory: &mut dyn Theory) {
        for clause in self.clauses.take_pending() {
            if self.clauses.is_garbage(clause) {
                continue;
            }
            self.watches.attach_anew(&mut self.clauses, &self.trail, clause);
            if let Some(conflict) = self.bcp().evaluate(clause)
                && !self.log.is_refuted()
            {
                self.resolve(conflict, theory);
            }
        }
    }

    fn finish(&mut self, answer: SolveResult, theory: &mut dyn Theory) {
        self.query.answer(answer);
        if let SolveResult::Sat | SolveResult::Unknown = answer {
            self.query.keep_model(&self.trail);
        }
        if answer != SolveResult::Stopped {
            self.hook.set_incomplete(false);
            self.backtrack(0, theory);
        }
        self.end_refutation(answer);
    }

    /// After `Unsat` under assumptions: logs the clause that at least one literal of the core is false.
    fn end_refutation(&mut self, answer: SolveResult) {
        if answer == SolveResult::Unsat && !self.log.is_refuted() {
            self.query.derive_core(&mut self.log);
        }
    }
}

/// The result of an attempt to decide.
pub(super) enum Next {
    Decided,
    /// An assumption that is already false.
    Failed(Lit),
    /// No variable is left to decide.
    Complete,
}
