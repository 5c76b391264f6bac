//! Checks answers: models, cores, fixed literals, minimised cores, and values removed from a model.

use std::collections::BTreeSet;

use super::Rule;
use super::listener::Rigor;
use super::op::Op;
use super::oracle::is_satisfiable;
use super::run::{Checked, Query, Run, Scope, fault};
use crate::lit::{Lit, Var};
use crate::options::Limits;
use crate::query::SolveResult;
use crate::theory::DecidedBy;

impl Run<'_> {
    pub(super) fn judge(&mut self, answer: SolveResult, scope: Scope, assumed: &[Lit]) -> Checked {
        match answer {
            SolveResult::Sat | SolveResult::Unknown => {
                for var in self.vars() {
                    self.note(self.subject.value(var.positive()).map_or(2, u64::from));
                }
                self.check_model(scope, assumed)
            }
            SolveResult::Unsat => {
                let core = self.subject.core().to_vec();
                core.iter().for_each(|lit| self.note(u64::from(lit.0)));
                self.check_core(&core, assumed)?;
                self.check_last_derived(&core)
            }
            SolveResult::Stopped => Ok(()),
        }
    }

    fn vars(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.theory.decided_by.len()).map(Var::new)
    }

    fn is_true(&self, lit: Lit) -> bool {
        self.subject.value(lit) == Some(true)
    }

    /// The clauses that the solver was given and that hold now.
    fn live(&self) -> impl Iterator<Item = &Vec<Lit>> {
        self.given.iter().chain(&self.temporary).chain(self.removable.iter().map(|(_, clause)| clause))
    }

    /// Checks a model. Variables that only the theory decides, and those outside a domain, may be unassigned,
    /// so a clause need not be true. But then it has at least two unassigned literals: a clause with one
    /// unassigned literal and no true one would have implied that literal.
    fn check_model(&self, scope: Scope, assumed: &[Lit]) -> Checked {
        if let Some(lit) = assumed.iter().find(|&&lit| !self.is_true(lit)) {
            let value = self.subject.value(*lit);
            return fault(Rule::Model, format!("the assumption {lit:?} is {value:?} in the model"));
        }
        let must_be_known = |var: &Var| match scope {
            Scope::Domain => self.domain.contains(var),
            Scope::Clauses | Scope::Theory => self.theory.decided_by[var.index()] == DecidedBy::Host,
        };
        if let Some(var) = self.vars().filter(must_be_known).find(|var| self.subject.value(var.positive()).is_none()) {
            return fault(Rule::Model, format!("{var:?} is not in the model"));
        }
        for clause in self.live() {
            let open: BTreeSet<Lit> = clause.iter().copied().filter(|&lit| self.subject.value(lit).is_none()).collect();
            // Queries with `Options::confined` may skip a clause with one unassigned literal, if it is outside
            // the domain.
            let enough = if scope == Scope::Domain && self.is_confined { 1 } else { 2 };
            if open.len() < enough && !clause.iter().any(|&lit| self.is_true(lit)) {
                return fault(Rule::Model, format!("{clause:?} does not hold in the model"));
            }
        }
        if scope == Scope::Domain {
            self.check_nothing_else(assumed)?;
        }
        let asks_theory = scope == Scope::Theory;
        let holds = |clause: &&Vec<Lit>| clause.iter().any(|&lit| self.is_true(lit));
        match self.theory.hidden.iter().find(|clause| asks_theory && !holds(clause)) {
            Some(clause) => fault(Rule::Model, format!("{clause:?} of the theory does not hold in the model")),
            None => Ok(()),
        }
    }

    /// Checks that outside the domain only literals that follow from the domain and the assumptions have a
    /// value.
    fn check_nothing_else(&self, assumed: &[Lit]) -> Checked {
        let (mut decided, mut implied) = (assumed.to_vec(), Vec::new());
        for var in self.vars().filter(|var| !self.theory.internal.contains(var)) {
            let lit = if self.is_true(var.positive()) { var.positive() } else { var.negative() };
            if self.is_true(lit) && !assumed.contains(&lit) {
                if self.domain.contains(&var) { decided.push(lit) } else { implied.push(lit) }
            }
        }
        let clauses = [&self.given[..], &self.temporary[..], &self.theory.hidden[..]].concat();
        for lit in implied {
            decided.push(!lit);
            if is_satisfiable(&clauses, &decided) == Some(true) {
                return fault(Rule::Domain, format!("{lit:?} is true, and neither in the domain nor implied"));
            }
            decided.pop();
        }
        Ok(())
    }

    fn check_core(&mut self, core: &[Lit], assumed: &[Lit]) -> Checked {
        if let Some(lit) = core.iter().find(|lit| !assumed.contains(lit)) {
            return fault(Rule::Core, format!("{lit:?} of the core {core:?} is not among the assumptions {assumed:?}"));
        }
        if self.is_refuted {
            return Ok(());
        }
        let clauses = [&self.given[..], &self.temporary[..], &self.theory.hidden[..]].concat();
        let is_possible = is_satisfiable(&clauses, core);
        if is_possible == Some(true) {
            let is_wrong = is_satisfiable(&clauses, assumed) == Some(true);
            let rule = if is_wrong { Rule::Refutes } else { Rule::Core };
            return fault(rule, format!("{core:?} of the assumptions {assumed:?} refuted, but there is a model"));
        }
        // `is_refuted` is permanent, because the clauses that refute the formula here are never removed.
        self.is_refuted = is_possible == Some(false) && core.is_empty() && self.temporary.is_empty();
        Ok(())
    }

    /// Checks that the last derived clause says that the core is contradictory. While there are temporary
    /// clauses, it may contain the negation of their guard.
    fn check_last_derived(&self, core: &[Lit]) -> Checked {
        if self.rigor == Rigor::Off {
            return Ok(());
        }
        let log = self.listener.log();
        let Some(last) = &log.last_derived else { return fault(Rule::Proof, "refuted, and nothing was derived") };
        let is_guard = |lit: &Lit| !self.temporary.is_empty() && log.guards.contains(lit);
        if !last.iter().all(|lit| core.contains(&!*lit) || is_guard(lit)) {
            return fault(Rule::Proof, format!("the last derived clause {last:?} is not about the core {core:?}"));
        }
        Ok(())
    }

    /// True if the host decides all variables except those that the solver created for itself.
    fn decides_all(&self) -> bool {
        let is_hosts = |var: Var| self.theory.decided_by[var.index()] == DecidedBy::Host;
        self.vars().all(|var| is_hosts(var) || self.theory.internal.contains(&var))
    }

    /// Minimises the last core. Checks that a core reported as minimal is minimal, unless a theory or a domain
    /// makes that undecidable here.
    pub(super) fn minimize_core(&mut self, op: &Op) -> Checked {
        let Some(Query { answer: SolveResult::Unsat, scope, assumed }) = self.last.clone() else { return Ok(()) };
        let before = self.subject.core().to_vec();
        let is_minimal = self.subject.minimize_core(&Limits { conflicts: op.number.checked_sub(1), stop: None });
        let core = self.subject.core().to_vec();
        core.iter().for_each(|lit| self.note(u64::from(lit.0)));
        self.check_core(&core, &before)?;
        self.check_core(&core, &assumed)?;
        if self.rigor != Rigor::Off && !self.listener.log().refutes(&core) {
            return fault(Rule::Proof, format!("nothing in the log refutes the core {core:?}"));
        }
        if !is_minimal && op.number == 0 {
            return fault(Rule::Core, format!("{core:?} is not minimal, and there was no limit"));
        }
        if is_minimal && scope == Scope::Clauses && self.decides_all() {
            let clauses = [&self.given[..], &self.temporary[..]].concat();
            for at in 0..core.len() {
                let mut fewer = core.clone();
                let lit = fewer.remove(at);
                if is_satisfiable(&clauses, &fewer) == Some(false) {
                    return fault(Rule::Core, format!("{core:?} is not minimal, it can do without {lit:?}"));
                }
            }
        }
        Ok(())
    }

    /// Removes values from the last model. Checks that every clause is true whatever the removed values are. If
    /// the query need not assign all variables, a clause may instead have two literals that were unassigned
    /// from the beginning.
    pub(super) fn flip(&mut self, op: &Op) -> Checked {
        let Some(Query { answer: SolveResult::Sat, assumed, scope }) = self.last.clone() else { return Ok(()) };
        let is_total = scope == Scope::Clauses && self.decides_all();
        for var in self.lits(op).iter().map(|lit| lit.var()) {
            let before = self.subject.value(var.positive());
            let is_free = self.subject.flip_to_none(var);
            self.note(u64::from(is_free));
            let after = self.subject.value(var.positive());
            if after != before.filter(|_| !is_free) {
                return fault(Rule::Flip, format!("{var:?} was {before:?} and is {after:?}, free: {is_free}"));
            }
            let Some(value) = before.filter(|_| is_free) else { continue };
            self.flipped.insert(var);
            let lit = if value { var.positive() } else { var.negative() };
            if assumed.contains(&lit) {
                return fault(Rule::Flip, format!("{lit:?} is taken out, but assumed"));
            }
            let is_tautology = |clause: &[Lit]| clause.iter().any(|&other| clause.contains(&!other));
            let is_open = |other: Lit| !self.flipped.contains(&other.var()) && self.subject.value(other).is_none();
            let needs = |clause: &&Vec<Lit>| {
                let open: BTreeSet<Lit> = clause.iter().copied().filter(|&other| is_open(other)).collect();
                let is_left_open = !is_total && open.len() >= 2;
                let holds = is_left_open || is_tautology(clause) || clause.iter().any(|&other| self.is_true(other));
                clause.contains(&lit) && !holds
            };
            if let Some(clause) = self.live().find(needs) {
                return fault(Rule::Flip, format!("{lit:?} is taken out, but {clause:?} needs it"));
            }
        }
        Ok(())
    }

    /// Reads all values and fixed literals, and checks them.
    pub(super) fn look(&mut self) -> Checked {
        let clauses = [&self.given[..], &self.theory.hidden[..]].concat();
        for var in self.vars().filter(|var| !self.theory.internal.contains(var)) {
            let (lit, value) = (var.positive(), self.subject.value(var.positive()));
            if self.subject.value(!lit) != value.map(|value| !value) {
                return fault(Rule::Model, format!("{lit:?} and its negation are {value:?}"));
            }
            for lit in [lit, !lit] {
                let is_fixed = self.subject.is_fixed(lit);
                if !is_fixed && self.fixed.contains(&lit) {
                    return fault(Rule::Fixed, format!("{lit:?} was fixed and no longer is"));
                }
                if is_fixed
                    && self.fixed.insert(lit)
                    && !self.is_refuted
                    && is_satisfiable(&clauses, &[!lit]) == Some(true)
                {
                    return fault(Rule::Fixed, format!("{lit:?} is fixed but does not follow"));
                }
            }
        }
        Ok(())
    }
}
