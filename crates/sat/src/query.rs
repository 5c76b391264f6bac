//! The current query: its assumptions and its answer.
//!
//! *Temporary* clauses hold for the next queries only. Each contains the negation of one guard literal, which
//! those queries assume last. All clauses learnt from temporary clauses contain the negated guard as well. So
//! temporary clauses and the clauses learnt from them can be deleted together. Then the guard can be reused,
//! and no variable and no clause is left over (as in rIC3; other solvers need a fresh variable for each query).
//!
//! Invariants:
//!
//! 1. Level i + 1 of the trail belongs to assumption number i, if that level exists.
//! 2. The core contains assumptions only, and is empty unless the last answer was `Unsat`.
//! 3. The guard is assumed if and only if it is open (there are temporary clauses), and an open guard has a
//!    variable.

use crate::lit::{Lit, Var};
use crate::log::Log;
use crate::proof::ClauseId;
use crate::theory::View;
use crate::trail::Trail;

/// The guard of temporary clauses.
#[derive(Default)]
struct Guard {
    var: Option<Var>,
    /// True if there are temporary clauses, so that the guard must be assumed.
    is_open: bool,
}

#[derive(Default)]
pub(crate) struct Query {
    /// The assumptions of the last query, and the guard if it was open.
    assumptions: Vec<Lit>,
    /// The assumptions of the query before the last. The vector is kept to reuse its memory.
    before: Vec<Lit>,
    guard: Guard,
    core: Vec<Lit>,
    core_hints: Vec<ClauseId>,
    /// The model of the last query with a theory, or after an elimination of variables. Other queries keep the
    /// trail instead.
    model: Vec<Option<bool>>,
    last: Option<SolveResult>,
}

impl Query {
    pub(crate) fn assumptions(&self) -> &[Lit] {
        &self.assumptions
    }

    /// True if the last query had exactly these assumptions.
    pub(crate) fn assumes(&self, assumptions: &[Lit]) -> bool {
        self.assumptions.iter().eq(assumptions.iter().chain(&self.guard_literal()))
    }

    /// Begins a query with these assumptions. If they differ from those of the last query, returns the length
    /// of the common prefix.
    pub(crate) fn assume(&mut self, assumptions: &[Lit]) -> Option<usize> {
        let mut effective = std::mem::take(&mut self.before);
        effective.clear();
        effective.extend_from_slice(assumptions);
        effective.extend(self.guard_literal());
        self.before = std::mem::replace(&mut self.assumptions, effective);
        let pairs = self.assumptions.iter().zip(&self.before);
        (self.assumptions != self.before).then(|| pairs.take_while(|(now, before)| now == before).count())
    }

    /// The guard literal, if it must be assumed.
    pub(crate) fn guard_literal(&self) -> Option<Lit> {
        self.guard.var.filter(|_| self.guard.is_open).map(Var::positive)
    }

    /// The variable of the guard, if one was created.
    pub(crate) fn guard(&self) -> Option<Var> {
        self.guard.var
    }

    /// Records that there are temporary clauses, guarded by this variable.
    pub(crate) fn open_guard(&mut self, var: Var) {
        debug_assert!(self.guard.var.is_none_or(|guard| guard == var));
        self.guard = Guard { var: Some(var), is_open: true };
    }

    /// Records that there are no temporary clauses.
    pub(crate) fn close_guard(&mut self) {
        self.guard.is_open = false;
    }

    /// Forgets the guard because it is false at level 0. The next temporary clauses need another guard.
    pub(crate) fn drop_guard(&mut self) {
        debug_assert!(!self.guard.is_open);
        self.guard.var = None;
    }

    /// True if the clause contains the negation of the open guard.
    pub(crate) fn guards(&self, clause: &[Lit]) -> bool {
        self.guard_literal().is_some_and(|guard| clause.contains(&!guard))
    }

    pub(crate) fn last(&self) -> Option<SolveResult> {
        self.last
    }

    /// Begins the search: clears the last answer and the core.
    pub(crate) fn begin(&mut self) {
        self.last = None;
        self.core.clear();
    }

    /// Forgets the last answer because the formula changes.
    pub(crate) fn forget_answer(&mut self) {
        self.last = None;
    }

    pub(crate) fn answer(&mut self, answer: SolveResult) {
        debug_assert!(answer == SolveResult::Unsat || self.core.is_empty());
        self.last = Some(answer);
    }

    /// Copies the model from the trail, which will be undone.
    pub(crate) fn keep_model(&mut self, trail: &Trail) {
        self.model.clear();
        self.model.extend((0..trail.variables_len()).map(|index| trail.value(Var::new(index).positive())));
    }

    /// The values of the variables in the copied model.
    pub(crate) fn model_mut(&mut self) -> &mut [Option<bool>] {
        &mut self.model
    }

    /// The value of the literal in the copied model. The outer `None` means that the last answer has no model.
    pub(crate) fn value(&self, lit: Lit) -> Option<Option<bool>> {
        let is_model = matches!(self.last, Some(SolveResult::Sat | SolveResult::Unknown));
        let value = || self.model.get(lit.var().index()).copied().flatten();
        is_model.then(|| value().map(|value| value == lit.is_positive()))
    }

    pub(crate) fn core(&self) -> &[Lit] {
        &self.core
    }

    /// The core and its hints, for the code that fills them in.
    pub(crate) fn core_mut(&mut self) -> (&mut Vec<Lit>, &mut Vec<ClauseId>) {
        (&mut self.core, &mut self.core_hints)
    }

    pub(crate) fn set_core(&mut self, core: Vec<Lit>) {
        self.core = core;
        self.last = Some(SolveResult::Unsat);
    }

    /// Logs the clause that at least one literal of the core is false. This must be the last derivation of the
    /// query. Then removes the guard of the temporary clauses from the core, because the caller did not assume
    /// it.
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

    /// Panics if an open guard has no variable, or if the level of an assumption has another decision.
    pub(crate) fn check(&self, trail: &Trail) {
        assert!(!self.guard.is_open || self.guard.var.is_some(), "an open guard exists");
        for (level, &lit) in (1..=trail.depth()).zip(&self.assumptions) {
            let decision = trail.decision(level);
            assert!(decision.is_none_or(|decision| decision == lit), "level {level} belongs to {lit:?}");
            assert!(trail.is_true(lit) && trail.level_of_var(lit.var()) <= level, "{lit:?} is assumed and not true");
        }
    }
}

/// The result of a `solve`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolveResult {
    /// There is a model; `value` returns its values.
    Sat,
    /// There is no model under the assumptions; `core` returns a set of assumptions that contradicts the
    /// clauses.
    Unsat,
    /// All clauses are satisfied, but the theory could not confirm the model; `value` returns its values.
    Unknown,
    /// A limit was reached, or the theory called `Ctx::stop`. `value` returns the values on the current trail.
    Stopped,
}
