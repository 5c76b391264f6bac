//! Initial formulas that take a few hundred conflicts. Without these formulas, nearly all random traces would
//! be decided by propagation alone.

use super::op::Name;
use crate::rng::Rng;

/// Clauses over the variables from 1 to `vars`.
pub(super) fn body(rng: &mut Rng, vars: usize) -> Vec<Vec<Name>> {
    match rng.below(5) {
        0..3 => threshold(rng, vars),
        3 => parities(rng, vars),
        _ => pigeons(rng, vars),
    }
}

fn name(var: usize, is_positive: bool) -> Name {
    let number = var as i32 + 1;
    Name(if is_positive { number } else { -number })
}

/// Three different variables, or all variables if there are fewer.
fn triple(rng: &mut Rng, vars: usize) -> Vec<usize> {
    let mut triple: Vec<usize> = Vec::new();
    while triple.len() < vars.min(3) {
        let var = rng.below(vars);
        if !triple.contains(&var) {
            triple.push(var);
        }
    }
    triple
}

/// Random 3-SAT at the threshold, where about half of all formulas have a model. One formula in three has a
/// planted model.
fn threshold(rng: &mut Rng, vars: usize) -> Vec<Vec<Name>> {
    let planted = rng.chance(3).then(|| rng.next());
    let count = vars * (38 + rng.below(8)) / 10;
    let clause = |_| {
        let mut clause: Vec<Name> = triple(rng, vars).into_iter().map(|var| name(var, rng.chance(2))).collect();
        if let Some(planted) = planted {
            let holds = |name: &Name| (planted >> (name.var() % 64) & 1 == 1) == (name.0 > 0);
            if !clause.iter().any(holds) {
                clause[0] = Name(-clause[0].0);
            }
        }
        clause
    };
    (0..count).map(clause).collect()
}

/// Equations modulo 2 of the forms `a + b + c = 0` and `a + b + c = 1`. There are about as many equations as
/// variables.
fn parities(rng: &mut Rng, vars: usize) -> Vec<Vec<Name>> {
    let vars = vars.min(20);
    let mut clauses = Vec::new();
    for _ in 0..vars * (8 + rng.below(4)) / 10 {
        let (triple, is_odd) = (triple(rng, vars), rng.chance(2));
        for signs in 0..1u32 << triple.len() {
            if (signs.count_ones() % 2 == 1) == is_odd {
                clauses.push((0..triple.len()).map(|at| name(triple[at], signs >> at & 1 == 1)).collect());
            }
        }
    }
    clauses
}

/// Pigeonhole formulas with one more pigeon than holes, or with the same number.
fn pigeons(rng: &mut Rng, vars: usize) -> Vec<Vec<Name>> {
    let most = (1..6).rev().find(|holes| holes * (holes + 1) <= vars).unwrap_or(1);
    let holes = 1 + rng.below(most);
    let pigeons = holes + usize::from(!rng.chance(3));
    let at = |pigeon: usize, hole: usize| (pigeon * holes + hole) % vars;
    let mut clauses: Vec<Vec<Name>> =
        (0..pigeons).map(|pigeon| (0..holes).map(|hole| name(at(pigeon, hole), true)).collect()).collect();
    for hole in 0..holes {
        for a in 0..pigeons {
            clauses.extend((0..a).map(|b| vec![name(at(a, hole), false), name(at(b, hole), false)]));
        }
    }
    clauses
}
