//! The query: what is assumed, and what was answered.
//!
//! *Temporary* clauses hold for the next queries: each gets the negation of one guard literal, which those queries
//! assume last. Whatever is learnt from them contains that literal too, so both kinds go together and the guard can be
//! used again: no variable and no clause is left behind (as in rIC3; elsewhere each query costs a fresh variable).
//!
//! Invariants: level i + 1 of the trail belongs to assumption number i, if it is there; the core is of assumptions and
//! empty unless the last answer was `Unsat`; the guard is assumed while it is open, and then exists.

use crate::lit::{Lit, Var};
use crate::log::Log;
use crate::proof::ClauseId;
use crate::solver::Answer;
use crate::theory::View;
use crate::trail::Trail;

/// The guard of temporary clauses.
#[derive(Default)]
struct Guard {
    var: Option<Var>,
    /// Are there temporary clauses, so that it is to be assumed?
    is_open: bool,
}

#[derive(Default)]
pub(crate) struct Query {
    /// Of the last query, with the guard if it was open.
    assumptions: Vec<Lit>,
    /// Of the one before, for its memory.
    before: Vec<Lit>,
    guard: Guard,
    core: Vec<Lit>,
    core_hints: Vec<ClauseId>,
    /// Of the last query with a theory; queries without one keep the trail.
    model: Vec<Option<bool>>,
    last: Option<Answer>,
}

impl Query {
    pub(crate) fn assumptions(&self) -> &[Lit] {
        &self.assumptions
    }

    /// Are these what the last query assumed?
    pub(crate) fn assumes(&self, assumptions: &[Lit]) -> bool {
        self.assumptions.iter().eq(assumptions.iter().chain(&self.guard_literal()))
    }

    /// A query with these assumptions begins. Answers how many of them, from the first, are those of the last query, if
    /// it had others.
    pub(crate) fn assume(&mut self, assumptions: &[Lit]) -> Option<usize> {
        let mut effective = std::mem::take(&mut self.before);
        effective.clear();
        effective.extend_from_slice(assumptions);
        effective.extend(self.guard_literal());
        self.before = std::mem::replace(&mut self.assumptions, effective);
        let pairs = self.assumptions.iter().zip(&self.before);
        (self.assumptions != self.before).then(|| pairs.take_while(|(now, before)| now == before).count())
    }

    /// The literal of the guard, while it is to be assumed.
    pub(crate) fn guard_literal(&self) -> Option<Lit> {
        self.guard.var.filter(|_| self.guard.is_open).map(Var::positive)
    }

    /// The guard's variable, if there is one.
    pub(crate) fn guard(&self) -> Option<Var> {
        self.guard.var
    }

    /// There are temporary clauses, guarded by this variable.
    pub(crate) fn open_guard(&mut self, var: Var) {
        debug_assert!(self.guard.var.is_none_or(|guard| guard == var));
        self.guard = Guard { var: Some(var), is_open: true };
    }

    /// There are no temporary clauses.
    pub(crate) fn close_guard(&mut self) {
        self.guard.is_open = false;
    }

    /// The guard is false for good: the next temporary clauses need another one.
    pub(crate) fn drop_guard(&mut self) {
        debug_assert!(!self.guard.is_open);
        self.guard.var = None;
    }

    /// Does a clause contain the guard's negation?
    pub(crate) fn guards(&self, clause: &[Lit]) -> bool {
        self.guard_literal().is_some_and(|guard| clause.contains(&!guard))
    }

    pub(crate) fn last(&self) -> Option<Answer> {
        self.last
    }

    /// The search begins: there is no answer yet.
    pub(crate) fn begin(&mut self) {
        self.last = None;
        self.core.clear();
    }

    /// The formula changes: the last answer was about another one.
    pub(crate) fn forget_answer(&mut self) {
        self.last = None;
    }

    pub(crate) fn answer(&mut self, answer: Answer) {
        debug_assert!(answer == Answer::Unsat || self.core.is_empty());
        self.last = Some(answer);
    }

    /// Copies the model from the trail, which is to be undone.
    pub(crate) fn keep_model(&mut self, trail: &Trail) {
        self.model.clear();
        self.model.extend((0..trail.variables_len()).map(|index| trail.value(Var::new(index).positive())));
    }

    /// In the model kept, if the last answer was about one.
    pub(crate) fn value(&self, lit: Lit) -> Option<Option<bool>> {
        let is_model = matches!(self.last, Some(Answer::Sat | Answer::Unknown));
        let value = || self.model.get(lit.var().index()).copied().flatten();
        is_model.then(|| value().map(|value| value == lit.is_positive()))
    }

    pub(crate) fn core(&self) -> &[Lit] {
        &self.core
    }

    /// The core and its hints, to be found.
    pub(crate) fn core_mut(&mut self) -> (&mut Vec<Lit>, &mut Vec<ClauseId>) {
        (&mut self.core, &mut self.core_hints)
    }

    pub(crate) fn set_core(&mut self, core: Vec<Lit>) {
        self.core = core;
        self.last = Some(Answer::Unsat);
    }

    /// Logs that not all of the core holds, once nothing else is left to be derived. The core then loses the guard of
    /// the temporary clauses, which was not assumed from outside.
    pub(crate) fn derive_core(&mut self, log: &mut Log) {
        debug_assert!(!self.core.is_empty() && self.core.iter().all(|lit| self.assumptions.contains(lit)));
        if log.is_on() {
            let clause: Vec<Lit> = self.core.iter().map(|&lit| !lit).collect();
            log.derive_by(&clause, &self.core_hints);
        }
        self.core_hints.clear();
        if let Some(guard) = self.guard_literal() {
            self.core.retain(|&lit| lit != guard);
        }
    }

    /// Panics if the guard is not there, or a level of an assumption has another decision.
    pub(crate) fn check(&self, trail: &Trail) {
        assert!(!self.guard.is_open || self.guard.var.is_some(), "an open guard exists");
        for (level, &lit) in (1..=trail.depth()).zip(&self.assumptions) {
            let decision = trail.decision(level);
            assert!(decision.is_none_or(|decision| decision == lit), "level {level} belongs to {lit:?}");
            assert!(trail.is_true(lit) && trail.level_of_var(lit.var()) <= level, "{lit:?} is assumed and not true");
        }
    }
}
