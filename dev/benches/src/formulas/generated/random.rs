//! Random clauses with structure.

use super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

/// Clauses of five literals. In `percent` percent of them all variables belong to one of `communities`
/// communities (Giráldez-Cru and Levy 2015).
pub(super) fn communities(vars: usize, clauses: usize, communities: usize, percent: usize, seed: u64) -> Cnf {
    const LENGTH: usize = 5;
    let mut rng = Random::new(seed);
    let mut formula = Formula::default();
    let all = formula.vars(vars);
    let size = vars / communities;
    for _ in 0..clauses {
        let chosen: Vec<usize> = if rng.chance(percent) {
            let first = rng.below(communities) * size;
            rng.sample(size, LENGTH).into_iter().map(|i| first + i).collect()
        } else {
            rng.sample(vars, LENGTH)
        };
        let clause: Vec<Lit> = chosen.iter().map(|&v| if rng.chance(50) { all[v] } else { -all[v] }).collect();
        formula.clause(&clause);
    }
    formula.finish()
}
