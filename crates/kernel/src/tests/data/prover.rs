//! A small prover, by the public interface: Fourier and Motzkin's elimination, and splits.

use super::var;
use crate::Work;
use crate::data::{Invariant, Open, Status};
use model::data::{Control, DataCertificate, DataProgram, Linear, Proof, ProofStep, Symbol};
use model::{EventId, Goal};
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::BTreeMap;

/// Returns the certificate with proofs, if they are found.
pub(super) fn certificate(
    program: &DataProgram,
    goals: &[Goal],
    controls: &[Control],
    work: &mut Work<'_>,
) -> Option<DataCertificate> {
    let invariant = Invariant::new(program, goals, controls, work).ok()?;
    let mut proofs = Vec::new();
    for obligation in invariant.obligations() {
        let mut steps = Vec::new();
        prove(program, &invariant.open(obligation, work).ok()?, 0, &mut steps, work)?;
        proofs.push(Proof { steps });
    }
    Some(DataCertificate { controls: controls.to_vec(), proofs })
}

/// Instances that are tried one after the other.
fn instances(program: &DataProgram) -> Vec<ProofStep> {
    let mut all = Vec::new();
    for (number, event) in program.events().iter().enumerate() {
        for argument in [Linear::number(0), Linear::number(1), super::plus(&var(0), 1)] {
            let arguments = vec![argument; event.arity()];
            all.push(ProofStep::Instance { event: EventId::new(number), arguments });
        }
    }
    all
}

fn prove(
    program: &DataProgram,
    open: &Open<'_>,
    tried: usize,
    steps: &mut Vec<ProofStep>,
    work: &mut Work<'_>,
) -> Option<()> {
    let (mut step, mut tried) = (None, tried);
    if let Some(multipliers) = contradiction(open) {
        step = Some(ProofStep::Contradiction(multipliers));
    } else {
        match open.status() {
            Status::Done => step = Some(ProofStep::Done),
            Status::Decide => step = open.pending().next().map(|deciding| ProofStep::Decide(deciding.thread)),
            Status::Step => step = Some(ProofStep::Step),
            Status::Instance => {
                step = instances(program).get(tried).cloned();
                tried += 1;
            }
            Status::Facts => {}
        }
        step = step.or_else(|| open.clauses().next().map(|(number, _)| ProofStep::Clause(number)));
    }
    let step = step?;
    let parts = open.parts(&step, work).ok()?;
    steps.push(step);
    parts.iter().try_for_each(|part| prove(program, part, tried, steps, work))
}

/// A sum of facts.
type Sum = (Linear, BTreeMap<u32, BigInt>);

fn contradiction(open: &Open<'_>) -> Option<Vec<(u32, BigInt)>> {
    let fact = |(number, fact): (u32, &std::sync::Arc<model::data::Constraint>)| {
        (fact.term().clone(), BTreeMap::from([(number, BigInt::from(1))]))
    };
    let mut sums: Vec<Sum> = (0..).zip(open.facts()).map(fact).collect();
    loop {
        if let Some((_, multipliers)) = sums.iter().find(|(sum, _)| sum.as_number().is_some_and(BigInt::is_positive)) {
            return Some(multipliers.clone().into_iter().collect());
        }
        let symbol = sums.iter().flat_map(|(sum, _)| sum.terms()).map(|term| term.0).next()?;
        sums = eliminated(&sums, symbol);
        if sums.len() > 400 {
            return None;
        }
    }
}

fn eliminated(sums: &[Sum], symbol: Symbol) -> Vec<Sum> {
    let factor = |sum: &Sum| sum.0.terms().iter().find(|term| term.0 == symbol).map(|term| term.1.clone());
    let (mut kept, mut above, mut below) = (Vec::new(), Vec::new(), Vec::new());
    for sum in sums {
        match factor(sum) {
            None => kept.push(sum.clone()),
            Some(factor) if factor.is_positive() => above.push((sum, factor)),
            Some(factor) => below.push((sum, -factor)),
        }
    }
    for (a, m) in &above {
        for (b, n) in &below {
            let mut multipliers: BTreeMap<u32, BigInt> = a.1.iter().map(|(fact, by)| (*fact, by * n)).collect();
            for (fact, by) in &b.1 {
                *multipliers.entry(*fact).or_default() += by * m;
            }
            kept.push((a.0.scaled(n).plus(m, &b.0), multipliers));
        }
    }
    kept
}
