//! Random clauses, and packages with random dependencies.

use super::super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

/// `clauses` random clauses of `length` different variables. Nothing is planted.
pub(super) fn uniform(length: usize, vars: usize, clauses: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let mut formula = Formula::default();
    let all = formula.vars(vars);
    for _ in 0..clauses {
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < length {
            let next = rng.below(vars);
            if !chosen.contains(&next) {
                chosen.push(next);
            }
        }
        let clause: Vec<Lit> = chosen.into_iter().map(|v| if rng.chance(50) { all[v] } else { -all[v] }).collect();
        formula.clause(&clause);
    }
    formula.finish()
}

/// A set of packages to install: each of `packages` packages has `versions` versions, of which at most one is
/// installed. Each version needs `needs` other packages, each in one of some neighbouring versions. All of the first
/// `roots` packages are wanted.
pub(super) fn packages(packages: usize, versions: usize, needs: usize, roots: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let mut formula = Formula::default();
    let installed = formula.grid(packages, versions);
    for package in 0..packages {
        formula.at_most(&installed[package], 1);
        if package < roots {
            formula.clause(&installed[package]);
        }
        for version in 0..versions {
            for _ in 0..needs {
                let other = rng.below(packages);
                let from = rng.below(versions);
                let count = 1 + rng.below(versions / 2);
                let allowed = &installed[other][from..(from + count).min(versions)];
                if other != package {
                    formula.implies(&[installed[package][version]], allowed);
                }
            }
        }
    }
    formula.finish()
}
