//! The solver: it owns the parts, and lends them to what works on them; its public face; and the host loop that ties
//! propagation, theory, analysis and decisions together.
//!
//! No part knows the solver. What needs several of them borrows them: [`Bcp`] is the view that propagation needs,
//! inprocessing has `Round`, analysis takes a `Bcp`. What ties all parts together is in this directory and nowhere
//! else: the fields are private to it.

mod apply;
mod check;
mod core;
mod decide;
mod domain;
mod resolve;
mod temporary;
mod turns;

use std::sync::atomic::Ordering;

use crate::analyze::Analysis;
use crate::bcp::Bcp;
use crate::clauses::Clauses;
use crate::flip::Flips;
use crate::hook::Hook;
use crate::inprocess::Schedule;
use crate::lit::{Lit, Var};
use crate::log::Log;
use crate::options::{Limits, Options};
use crate::order::Order;
use crate::proof::Proof;
use crate::query::Query;
use crate::reduce::Reduction;
use crate::restart::Restart;
use crate::signs::Signs;
use crate::stats::Stats;
use crate::theory::{DecidedBy, Silent, Tag, Theory, View};
use crate::trail::Trail;
use crate::watches::Watches;
use decide::Next;

/// How a `solve` ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; `value` tells it.
    Sat,
    /// There is none under the assumptions; `core` tells which of them are to blame.
    Unsat,
    /// There would be a model if the theory could vouch for it; `value` tells it.
    Unknown,
    /// A limit was reached, or the theory called `Ctx::stop`. `value` tells the trail as it stands.
    Stopped,
}

/// An incremental CDCL solver. All calls of `solve_with` on one solver must come with the same theory.
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
}

/// The parts that work on what propagation works on, apart from each other.
struct Lent<'a> {
    bcp: Bcp<'a>,
    analysis: &'a mut Analysis,
    reduction: &'a mut Reduction,
    schedule: &'a mut Schedule,
    query: &'a mut Query,
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
            options,
        }
    }

    /// What propagation borrows.
    fn bcp(&mut self) -> Bcp<'_> {
        self.lend().bcp
    }

    /// What several parts borrow at a time.
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
        }
    }

    /// The listener to the clause log. To be set before the first clause.
    pub fn set_proof(&mut self, proof: Box<dyn Proof>) {
        self.log.set_listener(proof);
    }

    /// A new variable, outside `solve`; a theory makes its own with [`crate::Ctx::new_lit`].
    pub fn new_var(&mut self, by: DecidedBy) -> Var {
        let var = self.trail.new_var();
        self.watches.new_var();
        self.order.new_var(var, by == DecidedBy::Host);
        self.signs.new_var();
        self.analysis.new_var();
        debug_assert_eq!(self.watches.len(), 2 * self.trail.variables_len());
        var
    }

    /// Adds a clause, at any time outside `solve`. Duplicate literals and tautologies are fine.
    ///
    /// # Panics
    /// If a literal's variable does not exist.
    pub fn add_clause(&mut self, tag: Tag, clause: &[Lit]) {
        self.changed();
        if let Some(conflict) = self.bcp().add_axiom(tag, clause) {
            self.clauses.defer(conflict);
        }
    }

    /// The formula is about to change: the last answer was about another one.
    fn changed(&mut self) {
        self.unflip();
        self.end_confinement();
        self.query.forget_answer();
    }

    /// Propagation may have left clauses alone that it must not leave alone from now on.
    fn end_confinement(&mut self) {
        if self.options.is_confined() && self.order.domain().is_set() {
            self.step_back(0);
        }
    }

    /// Gives variables taken out of the model their values back.
    fn unflip(&mut self) {
        self.flips.undo(&mut self.trail, self.query.assumptions());
    }

    /// Is there a model in which the assumptions hold?
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solve_within(assumptions, &Limits::default())
    }

    /// The same, within limits. What the query has in common with the last one (its first assumptions) is not done
    /// again; after `Stopped`, the same assumptions go on where the search stood.
    pub fn solve_within(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        self.end_confinement();
        self.order.clear_domain();
        self.solve_again(assumptions, limits)
    }

    /// In the domain of the last query.
    fn solve_again(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        if self.trail.listens() {
            self.step_back(0);
            self.trail.listen(false);
        }
        self.hook.set_incomplete(false);
        self.assume(assumptions, &mut Silent);
        let answer = self.search(&mut Silent, limits);
        self.query.answer(answer);
        self.end_refutation(answer);
        answer
    }

    /// Is there a model in which the assumptions hold, and that the theory vouches for? After `Stopped`, the same
    /// assumptions go on where the search stood.
    pub fn solve_with<T: Theory>(&mut self, theory: &mut T, assumptions: &[Lit], limits: &Limits) -> Answer {
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
            // Going on where the last query stopped, the theory is not asked again about what it was told.
            self.hook.set_incomplete(false);
            self.backtrack(0, theory);
        }
        self.assume(assumptions, theory);
        let answer = self.search(theory, limits);
        self.finish(answer, theory);
        answer
    }

    /// Steps back to where these assumptions and those of the last query part.
    fn assume(&mut self, assumptions: &[Lit], theory: &mut dyn Theory) {
        self.unflip();
        if let Some(shared) = self.query.assume(assumptions) {
            self.backtrack(shared as u32, theory);
        }
    }

    /// Ends levels between queries; a theory that knows of them hears of it when it is next there.
    fn step_back(&mut self, level: u32) {
        self.unflip();
        if self.trail.listens() {
            self.hook.owe(self.trail.depth().saturating_sub(level) as usize);
        }
        self.backtrack(level, &mut Silent);
    }

    /// After `Sat` or `Unknown`: in the model, until something is added or asked. Otherwise: on the trail, if it is
    /// assigned there.
    #[must_use]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        let kept = if self.is_model_kept() { None } else { self.query.value(lit) };
        kept.unwrap_or_else(|| self.trail.value(lit))
    }

    /// Is the model the trail, not a copy?
    fn is_model_kept(&self) -> bool {
        !self.trail.listens()
    }

    /// After `Sat` of a query without theory, before anything else is done: is every clause satisfied whatever the
    /// value of `var` is, and is it not assumed? Then it has no value from now on, until something is added or asked.
    /// Cost: the variable's watches; once per model, those of all assigned ones. After a query in a domain, a clause
    /// with two open literals may count as satisfied.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn flip_to_none(&mut self, var: Var) -> bool {
        let is_there = self.query.last() == Some(Answer::Sat) && self.is_model_kept();
        assert!(is_there, "there is no model to take it out of");
        let assumptions = self.query.assumptions();
        self.flips.flip(var, &mut self.trail, &mut self.clauses, &mut self.watches, assumptions)
    }

    /// Is `lit` true at level 0, for good?
    #[must_use]
    pub fn is_fixed(&self, lit: Lit) -> bool {
        self.trail.is_fixed(lit)
    }

    /// After `Unsat`: assumptions that cannot hold together; empty if the clauses contradict each other by themselves.
    #[must_use]
    pub fn core(&self) -> &[Lit] {
        self.query.core()
    }

    /// What the solver did so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The host loop.
    fn search(&mut self, theory: &mut dyn Theory, limits: &Limits) -> Answer {
        self.query.begin();
        let conflicts_allowed = limits.conflicts.map(|allowed| self.stats.conflicts.saturating_add(allowed));
        self.settle_pending(theory);
        loop {
            if self.log.is_refuted() {
                return Answer::Unsat;
            }
            let is_stopped = limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
            if is_stopped || conflicts_allowed.is_some_and(|allowed| self.stats.conflicts >= allowed) {
                return Answer::Stopped;
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
                    return Answer::Stopped;
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
                    return Answer::Unsat;
                }
                Next::Complete => {
                    let effect = self.consult(theory, |theory, ctx| theory.final_check(ctx));
                    if effect.stop && !self.log.is_refuted() {
                        return Answer::Stopped;
                    }
                    if !effect.changed {
                        let is_incomplete = self.hook.is_incomplete() || effect.incomplete;
                        return if is_incomplete { Answer::Unknown } else { Answer::Sat };
                    }
                }
            }
        }
    }

    /// Clauses that were false when they were added may no longer be, or still.
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

    fn finish(&mut self, answer: Answer, theory: &mut dyn Theory) {
        self.query.answer(answer);
        if let Answer::Sat | Answer::Unknown = answer {
            self.query.keep_model(&self.trail);
        }
        if answer != Answer::Stopped {
            self.hook.set_incomplete(false);
            self.backtrack(0, theory);
        }
        self.end_refutation(answer);
    }

    /// The clause that the core does not hold is the last word on assumptions.
    fn end_refutation(&mut self, answer: Answer) {
        if answer == Answer::Unsat && !self.log.is_refuted() {
            self.query.derive_core(&mut self.log);
        }
    }
}
