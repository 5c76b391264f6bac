//! Adds proofs to claims that state which clauses hold, but not why.
//!
//! The checker states its obligations: formulas that must have no model. The SAT solver refutes them, and the
//! checker then checks each derivation. Answers do not depend on this module being correct: if a formula has
//! a model or is too hard, the claim gets no proof.
//!
//! The last clause of a formula is often long, because it says that one of the clauses of an invariant is
//! violated. Its literals are cases, and each case is refuted separately, as an assumption. A query then
//! involves only a small part of the formula, and what the solver learns from it helps the next query. Clauses of two
//! literals become lemmas when their case is refuted: equalities of signals are proven one from another.
//! Variables that occur only in such cases are not decided: if such a variable is false, it satisfies every
//! other clause that contains it.

mod data;
#[cfg(test)]
mod tests;

use certify::Proved;
use model::cnf::Cnf;
use model::{
    Certificate, Claim, Clausal, Clauses, Derivation, Exclusion, InvariantCertificate, NetInvariant, Problem, Reason,
    Stop,
};
use sat::{ClauseId, DecidedBy, Limits, Lit, Proof, SolveResult, Solver, Tag};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// If the last clause has more literals than this, its literals are treated as cases.
const CASES: usize = 2;

/// Number of conflicts between two checks of the stop flag.
const CONFLICTS: u64 = 1000;

/// Tag of a clause that the log already contains: the clause that was derived last.
const AGAIN: Tag = Tag(u32::MAX);

/// Adds the derivations that the checker requires and the claim does not contain yet. Does nothing for claims
/// without clauses. A claim about a program with unbounded data becomes unknown if a proof is not found.
pub fn complete(problem: &Problem, claim: &mut Claim, options: &certify::Options, stop: &Stop) {
    if let (Some(program), Claim::Safe { goals, certificate }) = (problem.system().as_data(), &mut *claim) {
        let is_proved = match certificate {
            Certificate::Data(of) => Some(data::complete(program, goals, of, stop)),
            Certificate::DataProjections(parts) => {
                Some(parts.iter_mut().all(|part| match program.projected(&part.kept, &part.targets) {
                    Ok(projected) => data::complete(&projected, goals, &mut part.invariant, stop),
                    Err(_) => false,
                }))
            }
            _ => None,
        };
        match is_proved {
            Some(true) => return,
            Some(false) => {
                *claim = Claim::Unknown { goals: std::mem::take(goals), reason: Reason::Uncertified };
                return;
            }
            None => {}
        }
    }
    if !clauses_in(claim).is_some_and(|clauses| clauses.need_proof()) {
        return;
    }
    // If the claim is invalid, the checker reports it later.
    let Ok(formulas) = certify::obligations(problem, claim, options, stop) else { return };
    for (what, cnf) in formulas {
        let Some(place) = clauses_in(claim).and_then(|clauses| clauses.place(what)) else { continue };
        if place.is_none() {
            *place = refute(&cnf, stop);
        }
    }
}

/// The part of a claim that has clauses.
enum InClaim<'c> {
    OfCircuit(&'c mut Clauses),
    OfNet(&'c mut InvariantCertificate),
}

fn clauses_in(claim: &mut Claim) -> Option<InClaim<'_>> {
    let certificate = match claim {
        Claim::Safe { certificate, .. } => certificate,
        Claim::Within { invariant, .. } => return Some(InClaim::OfNet(invariant)),
        Claim::Unsafe { .. } | Claim::Branching { .. } | Claim::Bound { .. } | Claim::Unknown { .. } => return None,
    };
    match certificate {
        Certificate::Clauses(clauses) => Some(InClaim::OfCircuit(clauses)),
        Certificate::Justice(proof) => Some(InClaim::OfCircuit(&mut proof.clauses)),
        Certificate::Tracking(proof) => Some(InClaim::OfCircuit(&mut proof.clauses)),
        Certificate::Invariant(invariant) => Some(InClaim::OfNet(invariant)),
        Certificate::Restricted(_, inner) => match &mut **inner {
            Certificate::Clauses(clauses) => Some(InClaim::OfCircuit(clauses)),
            _ => None,
        },
        _ => None,
    }
}

impl<'c> InClaim<'c> {
    fn need_proof(&self) -> bool {
        let Self::OfNet(of) = self else { return true };
        of.invariants.iter().any(|i| matches!(i, NetInvariant::Clauses(_)))
            || of.exclusions.iter().any(|(_, why)| matches!(why, Exclusion::Refuted(_)))
    }

    /// Returns the place where a derivation belongs.
    fn place(self, what: Proved) -> Option<&'c mut Option<Derivation>> {
        match (self, what) {
            (Self::OfCircuit(clauses), Proved::Initial(_)) => Some(&mut clauses.invariant.initial),
            (Self::OfCircuit(clauses), Proved::Step(_)) => Some(&mut clauses.invariant.step),
            (Self::OfCircuit(clauses), Proved::First) => clauses.induction.as_mut().map(|of| &mut of.first),
            (Self::OfCircuit(clauses), Proved::Excluded(at)) => clauses.exclusions.get_mut(at).map(|(_, why)| why),
            (Self::OfNet(of), Proved::Initial(at)) => clausal(of, at).map(|clausal| &mut clausal.initial),
            (Self::OfNet(of), Proved::Step(at)) => clausal(of, at).map(|clausal| &mut clausal.step),
            (Self::OfNet(of), Proved::Excluded(at)) => match of.exclusions.get_mut(at)? {
                (_, Exclusion::Refuted(why)) => Some(why),
                _ => None,
            },
            (Self::OfNet(_), Proved::First) => None,
        }
    }
}

fn clausal(of: &mut InvariantCertificate, number: usize) -> Option<&mut Clausal> {
    if let NetInvariant::Clauses(clausal) = of.invariants.get_mut(number)? { Some(clausal) } else { None }
}

/// Returns a refutation of the formula. `None` if the formula has a model or work must stop.
pub(crate) fn refute(cnf: &Cnf, stop: &Stop) -> Option<Derivation> {
    let log = Log::default();
    let mut solver = Solver::new(sat::Options::default());
    solver.set_proof(Box::new(log.clone()));
    let cases: &[i32] = cnf.clauses.last().filter(|last| last.len() > CASES).map_or(&[], |last| last);
    let is_case = only_cases(cnf, cases);
    for is_case in is_case {
        solver.new_var(if is_case { DecidedBy::Theory } else { DecidedBy::Host });
    }
    let mut literals: Vec<Lit> = Vec::new();
    for (number, clause) in cnf.clauses.iter().enumerate() {
        literals.clear();
        literals.extend(clause.iter().map(|&literal| Lit::from_dimacs(literal)));
        solver.add_clause(Tag(u32::try_from(number).ok()?), &literals);
    }
    let implied = implied_by(cnf, cases);
    for (number, &case) in cases.iter().enumerate() {
        let case = Lit::from_dimacs(case);
        if let Some([a, b]) = implied.get(number).copied().flatten() {
            if !is_refuted(&mut solver, &[a, b], stop) {
                return None;
            }
            if !solver.core().is_empty() {
                let lemma: Vec<Lit> = solver.core().iter().map(|&literal| !literal).collect();
                solver.add_clause(AGAIN, &lemma);
            }
        }
        if !is_refuted(&mut solver, &[case], stop) {
            return None;
        }
        if solver.core().is_empty() {
            break;
        }
        solver.add_clause(AGAIN, &[!case]);
    }
    if !is_refuted(&mut solver, &[], stop) {
        return None;
    }
    drop(solver);
    log.derivation(cnf.clauses.len())
}

/// For each case that implies exactly two literals by clauses of two literals: these two. Such a case says that a
/// clause like `a = b` is broken. The clause is derived in place of the case, because later proofs need it.
fn implied_by(cnf: &Cnf, cases: &[i32]) -> Vec<Option<[Lit; 2]>> {
    let numbers: HashMap<i32, usize> = cases.iter().enumerate().map(|(number, &case)| (case, number)).collect();
    let mut implied: Vec<Vec<i32>> = vec![Vec::new(); cases.len()];
    for clause in &cnf.clauses {
        if let [a, b] = clause[..] {
            for (case, other) in [(-a, b), (-b, a)] {
                if let Some(&number) = numbers.get(&case) {
                    implied[number].push(other);
                }
            }
        }
    }
    let two = |implied: Vec<i32>| match implied[..] {
        [a, b] => Some([Lit::from_dimacs(a), Lit::from_dimacs(b)]),
        _ => None,
    };
    implied.into_iter().map(two).collect()
}

/// Returns, for each variable, true if it occurs unnegated in the last clause and only negated in all other
/// clauses. If such a variable is false, it satisfies each of the other clauses in which it occurs.
fn only_cases(cnf: &Cnf, cases: &[i32]) -> Vec<bool> {
    let mut only = vec![false; cnf.vars as usize];
    for &case in cases.iter().filter(|case| **case > 0) {
        only[case as usize - 1] = true;
    }
    if !cases.is_empty() {
        let others = &cnf.clauses[..cnf.clauses.len() - 1];
        for &literal in others.iter().flatten().chain(cases.iter().filter(|case| **case < 0)).filter(|l| **l > 0) {
            only[literal as usize - 1] = false;
        }
    }
    only
}

fn is_refuted(solver: &mut Solver, assumptions: &[Lit], stop: &Stop) -> bool {
    let limits = Limits { conflicts: Some(CONFLICTS), stop: None };
    loop {
        match solver.solve_within(assumptions, &limits) {
            SolveResult::Unsat => return true,
            SolveResult::Sat | SolveResult::Unknown => return false,
            SolveResult::Stopped if stop.raised().is_some() || !stop.may_allocate(0) => return false,
            SolveResult::Stopped => {}
        }
    }
}

/// The log of a solver, shared with the solver.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Steps>>);

/// The logged steps. The literals and hints of all steps are stored in two common vectors.
#[derive(Default)]
struct Steps {
    steps: Vec<ProofLine>,
    literals: Vec<i32>,
    hints: Vec<u32>,
    /// For each clause id: the number of its step.
    step_of: Vec<u32>,
    /// Number of the step that derived a clause last.
    latest: Option<u32>,
    /// Number of the step with the first empty clause.
    empty: Option<u32>,
}

enum ProofLine {
    /// The clause of the formula at this position.
    Given(u32),
    /// A derived clause. The fields say where its literals and hints end.
    Derived { literals: usize, hints: usize },
}

impl Steps {
    fn add(&mut self, id: ClauseId, step: ProofLine, is_empty: bool) {
        let number = u32::try_from(self.steps.len()).expect("fewer than 2^32 steps");
        self.steps.push(step);
        self.name(id, number);
        if is_empty {
            self.empty.get_or_insert(number);
        }
    }

    fn name(&mut self, id: ClauseId, number: u32) {
        let id = usize::try_from(id.0).expect("clause ids are counted from 1");
        if id >= self.step_of.len() {
            self.step_of.resize(id + 1, u32::MAX);
        }
        self.step_of[id] = number;
    }
}

impl Log {
    /// Returns the steps that the empty clause depends on. Clauses are numbered as in the checker: first the
    /// `given` clauses of the formula, then the derived clauses.
    fn derivation(&self, given: usize) -> Option<Derivation> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = log.empty? as usize;
        let mut needed = vec![false; empty + 1];
        needed[empty] = true;
        let (mut starts, mut start) = (Vec::with_capacity(empty + 1), (0, 0));
        for step in &log.steps[..=empty] {
            starts.push(start);
            if let ProofLine::Derived { literals, hints } = *step {
                start = (literals, hints);
            }
        }
        for (number, step) in log.steps[..=empty].iter().enumerate().rev() {
            if let (true, ProofLine::Derived { hints, .. }) = (needed[number], step) {
                log.hints[starts[number].1..*hints].iter().for_each(|hint| needed[*hint as usize] = true);
            }
        }
        let mut numbers = vec![0u64; empty + 1];
        let mut derivation = Derivation::default();
        for (number, step) in log.steps[..=empty].iter().enumerate().filter(|(number, _)| needed[*number]) {
            match *step {
                ProofLine::Given(position) => numbers[number] = u64::from(position) + 1,
                ProofLine::Derived { literals, hints } => {
                    let (first_literal, first_hint) = starts[number];
                    let named = log.hints[first_hint..hints].iter().map(|hint| numbers[*hint as usize]).collect();
                    derivation.steps.push((log.literals[first_literal..literals].to_vec(), named));
                    numbers[number] = (given + derivation.steps.len()) as u64;
                }
            }
        }
        Some(derivation)
    }
}

impl Proof for Log {
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match log.latest {
            Some(latest) if tag == AGAIN => log.name(id, latest),
            _ => log.add(id, ProofLine::Given(tag.0), clause.is_empty()),
        }
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for hint in hints {
            let step = log.step_of[usize::try_from(hint.0).expect("clause ids are counted from 1")];
            log.hints.push(step);
        }
        log.literals.extend(clause.iter().map(|literal| literal.to_dimacs()));
        let step = ProofLine::Derived { literals: log.literals.len(), hints: log.hints.len() };
        log.latest = u32::try_from(log.steps.len()).ok();
        log.add(id, step, clause.is_empty());
    }

    fn delete(&mut self, _: ClauseId) {
        // The hints show which clauses are needed, so deletions do not matter.
    }
}
