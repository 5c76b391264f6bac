//! Proofs for invariants of programs with unbounded data.
//!
//! The checker says what is to be proved, and what a step of a proof leaves to be proved ([`Open`]). The prover takes
//! steps and never takes one back:
//! 1. Facts that contradict each other end a part (simplex).
//! 2. Otherwise the threads decide, one after the other. A part in which the event is not possible is done.
//! 3. When all have decided, the event happens, and a clause of the next control must not hold.
//! 4. In proofs about deadlocks, an event is looked at that is possible for the values that the simplex method found.
//! 5. What is left is split by a clause of the control that does not hold for the values: the one with the fewest
//!    constraints that fit the facts.
//! 6. If only fractions satisfy the facts, one of them is rounded, down or up.
//!
//! Each proof has a limit. If a step is not found, the claim gets no proof, and is not accepted.

use certify::Work;
use certify::data::{Invariant, Obligation, Open, Status};
use linear::Rational;
use model::data::{Constraint, Control, DataProgram, Linear, Proof, ProofStep, Symbol};
use model::{DataCertificate, Goal, Stop};
use num_bigint::BigInt;
use programs::symbolic::contradiction::{Answer, solve};
use programs::symbolic::witness::{Candidate, candidates, is_possible};
use std::collections::BTreeMap;

/// The largest number of steps of a proof.
const MOST_STEPS: usize = 1 << 16;

/// Adds proofs to a certificate that has none. Returns false if a proof is not found.
pub(super) fn complete(program: &DataProgram, goals: &[Goal], certificate: &mut DataCertificate, stop: &Stop) -> bool {
    if certificate.proofs.is_empty() {
        let Some(found) = proofs(program, goals, &certificate.controls, stop) else { return false };
        certificate.proofs = found;
    }
    true
}

fn proofs(program: &DataProgram, goals: &[Goal], controls: &[Control], stop: &Stop) -> Option<Vec<Proof>> {
    let mut work = Work::new(u64::MAX, stop);
    let invariant = Invariant::new(program, goals, controls, &mut work).ok()?;
    let obligations: Vec<_> = invariant.obligations().collect();
    let mut proofs = Vec::with_capacity(obligations.len());
    for obligation in obligations {
        let open = invariant.open(obligation, &mut work).ok()?;
        let candidates = match obligation {
            Obligation::NoDeadlock(control) => candidates(program, &controls[control].locations),
            Obligation::Initial | Obligation::Event(..) => Vec::new(),
        };
        let prover = Prover { program, invariant: &invariant, controls, candidates, stop };
        proofs.push(prover.prove(open, &mut work)?);
    }
    Some(proofs)
}

/// Values for the symbols of the facts.
type Values = BTreeMap<Symbol, Rational>;

struct Prover<'p> {
    program: &'p DataProgram,
    invariant: &'p Invariant<'p>,
    controls: &'p [Control],
    /// For proofs about deadlocks: events that may be possible.
    candidates: Vec<Candidate>,
    stop: &'p Stop,
}

impl Prover<'_> {
    fn prove(&self, open: Open<'_>, work: &mut Work<'_>) -> Option<Proof> {
        let mut proof = Proof::default();
        let mut stack = vec![open];
        while let Some(open) = stack.pop() {
            if proof.steps.len() > MOST_STEPS || self.stop.raised().is_some() {
                return None;
            }
            let step = self.step(&open, work)?;
            stack.extend(open.parts(&step, work).ok()?.into_iter().rev());
            proof.steps.push(step);
        }
        Some(proof)
    }

    /// Returns the next step. `None` if none is known.
    fn step(&self, open: &Open<'_>, work: &mut Work<'_>) -> Option<ProofStep> {
        let status = open.status();
        if status == Status::Done {
            return Some(ProofStep::Done);
        }
        let facts: Vec<Constraint> = open.facts().iter().map(|fact| (**fact).clone()).collect();
        let values = match solve(&facts) {
            Answer::Contradiction(sum) => return Some(ProofStep::Contradiction(sum)),
            Answer::Model(values) => values,
        };
        match status {
            Status::Decide => return open.pending().next().map(|deciding| ProofStep::Decide(deciding.thread)),
            Status::Step => {
                // A control that is not listed is unreachable, so the facts must contradict each other.
                let after = open.after(work).ok()??;
                let invariant = self.invariant;
                if invariant.number(&after.locations).is_some() || invariant.is_exempt(&after.locations) {
                    return Some(ProofStep::Step);
                }
            }
            Status::Done | Status::Instance | Status::Facts => {}
        }
        if status == Status::Instance
            && values.values().all(Rational::is_integer)
            && let Some(step) = self.instance(open, &values)
        {
            return Some(step);
        }
        if let Some(clause) = Self::clause(open, &facts, &values) {
            return Some(ProofStep::Clause(clause));
        }
        if let Some((symbol, value)) = values.iter().find(|(_, value)| !value.is_integer()) {
            let floor = Linear::number(value.floor());
            return Some(ProofStep::Cut(Constraint::at_most(&Linear::of(*symbol), &floor)));
        }
        None
    }

    /// Returns a clause of the control that does not hold for these values, with the fewest constraints that fit the
    /// facts.
    fn clause(open: &Open<'_>, facts: &[Constraint], values: &Values) -> Option<u32> {
        let holds = |constraint: &Constraint| {
            let term = constraint.term();
            let value = |(symbol, factor): &(Symbol, BigInt)| match values.get(symbol) {
                Some(value) => value.times(&Rational::from(factor)),
                None => Rational::ZERO,
            };
            let sum = term.terms().iter().map(value).fold(Rational::from(term.constant()), |a, b| a.plus(&b));
            !sum.is_positive()
        };
        let fitting = |clause: &[Constraint]| {
            let fits = |constraint: &&Constraint| {
                let with: Vec<Constraint> = facts.iter().chain([*constraint]).cloned().collect();
                matches!(solve(&with), Answer::Model(_))
            };
            clause.iter().filter(fits).count()
        };
        let violated = open.clauses().filter(|(_, clause)| !clause.iter().any(holds));
        violated.map(|(number, clause)| (fitting(clause), number)).min().map(|(_, number)| number)
    }

    /// Returns an event that is possible for these values, which are integers.
    fn instance(&self, open: &Open<'_>, values: &Values) -> Option<ProofStep> {
        let Obligation::NoDeadlock(control) = open.obligation() else { return None };
        let locations = &self.controls[control].locations;
        let value = |symbol: Symbol| values.get(&symbol).map_or(BigInt::ZERO, |value| value.floor());
        let is_found = |candidate: &&Candidate| is_possible(self.program, locations, candidate, &value);
        let (event, arguments) = self.candidates.iter().find(is_found)?.clone();
        Some(ProofStep::Instance { event, arguments })
    }
}
