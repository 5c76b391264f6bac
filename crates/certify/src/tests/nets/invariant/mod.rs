//! Tests of invariants against brute force. What a literal reading of the definitions computes is accepted.
//! What is accepted is true of all reachable markings, whatever was damaged.

mod concurrency;
mod linear;
mod never;
mod world;

use super::*;
use model::{ConcurrencyRelation, Exclusion, InvariantCertificate, NetInvariant};
use world::World;

fn claim(goals: &[Goal], invariants: Vec<NetInvariant>, why: &Exclusion) -> Claim {
    let exclusions = goals.iter().map(|goal| (*goal, why.clone())).collect();
    let certificate = Certificate::Invariant(Box::new(InvariantCertificate { invariants, exclusions }));
    Claim::Safe { goals: goals.to_vec(), certificate }
}

/// Asks whether the invariants are accepted by themselves, with a goal that never holds.
fn accepts(system: &SystemModel, invariants: Vec<NetInvariant>) -> Result<Confirmed, Refusal> {
    let mut builder = FormulaBuilder::default();
    let never = builder.any(Vec::new());
    let problem = problem(system.clone(), vec![builder.finish(never)]);
    asked(&problem, &claim(&[first()], invariants, &Exclusion::Minimal))
}

/// Asks whether the goal is excluded as well.
fn excludes(system: &SystemModel, invariants: Vec<NetInvariant>, goal: Formula) -> Result<Confirmed, Refusal> {
    asked(&problem(system.clone(), vec![goal]), &claim(&[first()], invariants, &Exclusion::Minimal))
}

/// True if the invariant holds in this marking, by definition.
fn is_true(invariant: &NetInvariant, m: &[u32]) -> bool {
    let covers = |v: &[(PlaceId, BigUint)]| v.iter().all(|(q, n)| BigUint::from(m[q.index()]) >= *n);
    match invariant {
        NetInvariant::PotentiallyMarked(places) => m.iter().zip(places).all(|(n, can_be)| *n == 0 || *can_be),
        NetInvariant::ConcurrencyRelation(pairs) => {
            let places = pairs.places();
            (0..places.len()).all(|a| {
                (0..places.len()).all(|b| {
                    let (x, y) = (m[places[a].index()], m[places[b].index()]);
                    let together = if a == b { x >= 2 } else { x >= 1 && y >= 1 };
                    !together || pairs.allows(a, b)
                })
            })
        }
        NetInvariant::AtMost(bound) => {
            bound.terms.iter().map(|(q, w)| w * m[q.index()]).sum::<BigInt>() <= bound.at_most
        }
        NetInvariant::SomeMarked(places) => places.iter().any(|q| m[q.index()] > 0),
        NetInvariant::NeverCovered(vectors) => !vectors.iter().any(|v| covers(v)),
        NetInvariant::Clauses(_) => panic!("checked elsewhere"),
    }
}

fn formula_without_negative_weights(rng: &mut Rng, places: usize) -> Formula {
    loop {
        let formula = random_formula(rng, places);
        if formula.is_upward_closed() {
            return formula;
        }
    }
}
