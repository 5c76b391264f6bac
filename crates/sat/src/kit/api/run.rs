//! Runs a trace on a solver. Checks every answer, and fails if the proof listener or the theory has seen a
//! mistake of the solver.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::lazy::Lazy;
use super::listener::{Listener, Rigor, mix};
use super::op::{Op, Trace};
use super::oracle::is_satisfiable;
use super::{Fault, Rule, Subject};
use crate::lit::{Lit, Var};
use crate::options::{Limits, Options};
use crate::proof::ClauseId;
use crate::query::SolveResult;
use crate::stats::Stats;
use crate::theory::{DecidedBy, Tag};

/// Tag of the host's clauses.
const TAG: Tag = Tag(7);
/// Limit of consecutive `Stopped` answers to one query.
const PATIENCE: usize = 10_000;

pub(super) type Checked = Result<(), Fault>;

pub(super) fn fault(rule: Rule, what: impl Into<String>) -> Checked {
    Err(Fault { rule, what: what.into() })
}

/// The kind of model that a query asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    /// Models of the clauses.
    Clauses,
    /// Models of the clauses, restricted to the domain's variables.
    Domain,
    /// Models of the clauses and the theory.
    Theory,
}

/// The last query without a theory, if it was answered and no later operation made the answer invalid.
#[derive(Clone)]
pub(super) struct Query {
    pub(super) answer: SolveResult,
    pub(super) scope: Scope,
    pub(super) assumed: Vec<Lit>,
}

fn limits(conflicts: Option<u64>) -> Limits {
    Limits { conflicts, stop: None }
}

/// The state of a running trace.
pub(super) struct Run<'a> {
    pub(super) subject: Box<dyn Subject + 'a>,
    pub(super) rigor: Rigor,
    pub(super) listener: Listener,
    pub(super) theory: Lazy,
    /// For each number in the trace: the solver's variable.
    vars: BTreeMap<u32, Var>,
    /// Clauses that the solver was given permanently: by the host (guarded if in a scope), and by the theory.
    pub(super) given: Vec<Vec<Lit>>,
    pub(super) temporary: Vec<Vec<Lit>>,
    pub(super) removable: Vec<(ClauseId, Vec<Lit>)>,
    /// Number of the theory's lemmas that are already in `given`.
    heard: usize,
    /// Activation literals of open scopes.
    scopes: Vec<Lit>,
    pub(super) domain: Vec<Var>,
    /// True if queries may skip clauses with variables outside their domain (`Options::confined`).
    pub(super) is_confined: bool,
    /// True if the theory called `incomplete` in a query that then ended with `Stopped`.
    unsure: bool,
    pub(super) last: Option<Query>,
    /// Variables removed from the last query's model.
    pub(super) flipped: BTreeSet<Var>,
    pub(super) fixed: BTreeSet<Lit>,
    /// True if the oracle has found that the clauses have no model, so it need not be queried again.
    pub(super) is_refuted: bool,
    pub(super) summary: Summary,
}

/// The summary of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Hash of all answers, models, cores and proof lines.
    pub digest: u64,
    /// Number of answers `Sat`, `Unsat`, `Unknown`, `Stopped`.
    pub answers: [u64; 4],
    /// Counters of the solver.
    pub stats: Stats,
}

/// Runs `trace` on a solver created by `make`.
///
/// # Errors
/// The first broken rule.
pub fn run<'a>(trace: &Trace, make: &dyn Fn(Options) -> Box<dyn Subject + 'a>) -> Result<Summary, Fault> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut run = Run::new(trace, make(trace.options()));
        for op in &trace.ops {
            if !op.kind.row().only_asks {
                run.last = None;
                run.flipped.clear();
            }
            (op.kind.row().run)(&mut run, op)?;
            run.check_witnesses()?;
        }
        Ok(run.finish())
    }));
    result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(Fault { rule: Rule::Panics, what: text.unwrap_or("without words").to_owned() })
    })
}

/// Runs `trace` on two solvers created by `make`, which must behave identically.
///
/// # Errors
/// The first broken rule.
pub fn twice<'a>(trace: &Trace, make: &dyn Fn(Options) -> Box<dyn Subject + 'a>) -> Result<Summary, Fault> {
    let (first, second) = (run(trace, make)?, run(trace, make)?);
    if first != second {
        return Err(Fault { rule: Rule::Repeats, what: format!("{first:?} and then {second:?}") });
    }
    Ok(first)
}

impl<'a> Run<'a> {
    fn new(trace: &Trace, mut subject: Box<dyn Subject + 'a>) -> Self {
        let listener = Listener::new(trace.rigor);
        if trace.rigor != Rigor::Off {
            subject.set_proof(Box::new(listener.clone()));
        }
        Self {
            subject,
            rigor: trace.rigor,
            theory: Lazy::new(trace.temper.clone(), listener.clone()),
            listener,
            vars: BTreeMap::new(),
            given: Vec::new(),
            temporary: Vec::new(),
            removable: Vec::new(),
            domain: Vec::new(),
            is_confined: trace.options().is_confined(),
            unsure: false,
            last: None,
            flipped: BTreeSet::new(),
            heard: 0,
            scopes: Vec::new(),
            fixed: BTreeSet::new(),
            is_refuted: false,
            summary: Summary::default(),
        }
    }

    fn finish(mut self) -> Summary {
        self.summary.stats = *self.subject.stats();
        let told = self.listener.log().digest;
        self.note(told);
        self.summary
    }

    pub(super) fn note(&mut self, word: u64) {
        self.summary.digest = mix(self.summary.digest, word);
    }

    /// Returns the complaints of the listener and the theory as an error.
    fn check_witnesses(&mut self) -> Checked {
        if let Some(what) = self.listener.log().wrong.take() {
            return fault(Rule::Proof, what);
        }
        match self.theory.wrong.take() {
            Some(what) => fault(Rule::Manners, what),
            None => Ok(()),
        }
    }

    pub(super) fn lits(&self, op: &Op) -> Vec<Lit> {
        let lit = |var: &Var, is_positive: bool| if is_positive { var.positive() } else { var.negative() };
        op.names.iter().filter_map(|name| Some(lit(self.vars.get(&name.var())?, name.0 > 0))).collect()
    }

    fn new_var(&mut self, by: DecidedBy) -> Var {
        let var = self.subject.new_var(by);
        self.theory.meet(var, by);
        var
    }

    pub(super) fn declare(&mut self, op: &Op, by: DecidedBy) -> Checked {
        for name in &op.names {
            let var = self.new_var(by);
            self.vars.insert(name.var(), var);
        }
        Ok(())
    }

    fn give(&mut self, clause: Vec<Lit>) {
        self.listener.give(TAG, &clause);
        self.subject.add_clause(TAG, &clause);
        self.given.push(clause);
    }

    /// The clause of the operation. In a scope it gets the negated guard, so that it holds only while the scope
    /// is open.
    fn guarded(&self, op: &Op) -> Vec<Lit> {
        self.lits(op).into_iter().chain(self.scopes.last().map(|&guard| !guard)).collect()
    }

    pub(super) fn add_clause(&mut self, op: &Op) -> Checked {
        let clause = self.guarded(op);
        self.give(clause);
        Ok(())
    }

    pub(super) fn hide(&mut self, op: &Op) -> Checked {
        self.theory.hide(self.lits(op));
        Ok(())
    }

    pub(super) fn push(&mut self) -> Checked {
        let guard = self.new_var(DecidedBy::Host).positive();
        self.scopes.push(guard);
        Ok(())
    }

    pub(super) fn pop(&mut self) -> Checked {
        if let Some(guard) = self.scopes.pop() {
            self.give(vec![!guard]);
        }
        Ok(())
    }

    /// The assumptions of the operation, and those that keep scopes open.
    fn assumptions(&self, op: &Op) -> Vec<Lit> {
        self.scopes.iter().copied().chain(self.lits(op)).collect()
    }

    pub(super) fn add_temporary(&mut self, op: &Op) -> Checked {
        let clause = self.lits(op);
        self.listener.give_temporary(TAG, &clause);
        self.subject.add_temporary(TAG, &clause);
        self.temporary.push(clause);
        Ok(())
    }

    pub(super) fn drop_temporaries(&mut self) -> Checked {
        self.subject.drop_temporaries();
        self.temporary.clear();
        Ok(())
    }

    /// Adds a removable clause, but only if it follows from the permanent clauses. The caller of `remove` must
    /// guarantee that the clauses learnt from it still hold, and then they do.
    pub(super) fn add_removable(&mut self, op: &Op) -> Checked {
        let clause = self.guarded(op);
        let against: Vec<Lit> = clause.iter().map(|&lit| !lit).collect();
        if is_satisfiable(&self.given, &against) != Some(false) {
            return Ok(());
        }
        self.listener.give(TAG, &clause);
        let id = self.subject.add_removable(TAG, &clause);
        if self.rigor != Rigor::Off && !self.listener.log().calls(id, &clause) {
            return fault(Rule::Proof, format!("{clause:?} is added as {}, and not logged so", id.0));
        }
        self.removable.push((id, clause));
        Ok(())
    }

    pub(super) fn remove(&mut self, op: &Op) -> Checked {
        if !self.removable.is_empty() {
            let at = (op.number % self.removable.len() as u64) as usize;
            let (id, _) = self.removable.remove(at);
            self.subject.remove(id);
            self.subject.remove(id);
        }
        Ok(())
    }

    pub(super) fn set_domain(&mut self, op: &Op) -> Checked {
        self.domain = self.lits(op).iter().map(|lit| lit.var()).collect();
        Ok(())
    }

    pub(super) fn solve(&mut self, op: &Op) -> Checked {
        let assumed = self.assumptions(op);
        let answer = self.subject.solve(&assumed);
        self.answered(answer, Scope::Clauses, assumed, &Limits::default())
    }

    /// Repeats the query until it is answered.
    pub(super) fn solve_with(&mut self, op: &Op) -> Checked {
        self.until_answered(op, Scope::Theory)
    }

    pub(super) fn solve_within(&mut self, op: &Op) -> Checked {
        self.until_answered(op, Scope::Clauses)
    }

    pub(super) fn solve_in(&mut self, op: &Op) -> Checked {
        self.until_answered(op, Scope::Domain)
    }

    /// Makes the query once. If it stops, its state is kept for the next operations.
    pub(super) fn try_with(&mut self, op: &Op) -> Checked {
        let assumed = self.assumptions(op);
        self.query(Scope::Theory, &assumed, &limits(op.number.checked_sub(1))).map(drop)
    }

    pub(super) fn try_within(&mut self, op: &Op) -> Checked {
        let assumed = self.assumptions(op);
        self.query(Scope::Clauses, &assumed, &limits(op.number.checked_sub(1))).map(drop)
    }

    /// Makes a query with a stop flag that is already set.
    pub(super) fn raised(&mut self, op: &Op) -> Checked {
        let assumed = self.assumptions(op);
        let stop = Some(Arc::new(AtomicBool::new(true)));
        self.query(Scope::Theory, &assumed, &Limits { conflicts: None, stop }).map(drop)
    }

    fn until_answered(&mut self, op: &Op, scope: Scope) -> Checked {
        let assumed = self.assumptions(op);
        let mut allowed = op.number.checked_sub(1);
        for _ in 0..PATIENCE {
            if self.query(scope, &assumed, &limits(allowed))? != SolveResult::Stopped {
                return Ok(());
            }
            self.check_witnesses()?;
            allowed = allowed.map(|conflicts| conflicts.saturating_mul(2).saturating_add(1));
        }
        fault(Rule::Ends, format!("told to go on {PATIENCE} times, and still no answer"))
    }

    fn query(&mut self, scope: Scope, assumed: &[Lit], limits: &Limits) -> Result<SolveResult, Fault> {
        (self.theory.has_stopped, self.theory.was_incomplete) = (false, false);
        let answer = match scope {
            Scope::Clauses => self.subject.solve_within(assumed, limits),
            Scope::Domain => self.subject.solve_in(&self.domain, assumed, limits),
            Scope::Theory => self.subject.solve_with(&mut self.theory, assumed, limits),
        };
        self.answered(answer, scope, assumed.to_vec(), limits)?;
        Ok(answer)
    }

    /// Checks that the solver had a reason if it answered `Stopped` or `Unknown`, and that the answer is right.
    fn answered(&mut self, answer: SolveResult, scope: Scope, assumed: Vec<Lit>, limits: &Limits) -> Checked {
        // The theory's lemmas are clauses like any others.
        self.given.extend_from_slice(&self.theory.said[self.heard..]);
        self.heard = self.theory.said.len();
        let listens = scope == Scope::Theory;
        let has_reason = match answer {
            SolveResult::Sat => !(listens && self.theory.was_incomplete),
            SolveResult::Unsat => true,
            SolveResult::Unknown => listens && (self.theory.was_incomplete || self.unsure),
            SolveResult::Stopped => {
                listens && self.theory.has_stopped || limits.conflicts.is_some() || limits.stop.is_some()
            }
        };
        if !has_reason {
            let what = format!("{answer:?}, and the theory was incomplete: {}", self.theory.was_incomplete);
            return fault(Rule::Ends, what);
        }
        if listens {
            self.unsure = answer == SolveResult::Stopped && (self.unsure || self.theory.was_incomplete);
        }
        self.summary.answers[answer as usize] += 1;
        self.note(answer as u64);
        self.judge(answer, scope, &assumed)?;
        if !listens && answer != SolveResult::Stopped {
            self.last = Some(Query { answer, scope, assumed });
        }
        Ok(())
    }
}
