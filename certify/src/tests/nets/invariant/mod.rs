//! Facts about all markings against brute force: what a literal reading of the definitions computes is accepted, and what is
//! accepted is true of all reachable markings, whatever was damaged.

mod linear;
mod never;
mod pairs;
mod world;

use super::*;
use model::{Exclusion, Invariant, NetFact, Pairs};
use world::World;

fn claim(goals: &[Goal], facts: Vec<NetFact>, why: &Exclusion) -> Claim {
    let exclusions = goals.iter().map(|goal| (*goal, why.clone())).collect();
    let certificate = Certificate::Invariant(Box::new(Invariant { facts, exclusions }));
    Claim::Safe { goals: goals.to_vec(), certificate }
}

/// Are the facts accepted by themselves? Asked with a goal that never holds.
fn accepts(system: &SystemModel, facts: Vec<NetFact>) -> Result<Confirmed, Refusal> {
    let mut builder = FormulaBuilder::default();
    let never = builder.any(Vec::new());
    let problem = problem(system.clone(), vec![builder.finish(never)]);
    asked(&problem, &claim(&[first()], facts, &Exclusion::Minimal))
}

/// Is the goal excluded as well?
fn excludes(system: &SystemModel, facts: Vec<NetFact>, goal: Formula) -> Result<Confirmed, Refusal> {
    asked(&problem(system.clone(), vec![goal]), &claim(&[first()], facts, &Exclusion::Minimal))
}

/// Does the fact hold in this marking? From the definition.
fn is_true(fact: &NetFact, m: &[u32]) -> bool {
    let covers = |v: &[(PlaceId, BigUint)]| v.iter().all(|(q, n)| BigUint::from(m[q.index()]) >= *n);
    match fact {
        NetFact::Markable(places) => m.iter().zip(places).all(|(n, can_be)| *n == 0 || *can_be),
        NetFact::Pairs(pairs) => {
            let places = pairs.places();
            (0..places.len()).all(|a| {
                (0..places.len()).all(|b| {
                    let (x, y) = (m[places[a].index()], m[places[b].index()]);
                    let together = if a == b { x >= 2 } else { x >= 1 && y >= 1 };
                    !together || pairs.allows(a, b)
                })
            })
        }
        NetFact::AtMost(bound) => bound.terms.iter().map(|(q, w)| w * m[q.index()]).sum::<BigInt>() <= bound.at_most,
        NetFact::SomeMarked(places) => places.iter().any(|q| m[q.index()] > 0),
        NetFact::NeverCovered(vectors) => !vectors.iter().any(|v| covers(v)),
        NetFact::Clauses(_) => panic!("checked elsewhere"),
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
