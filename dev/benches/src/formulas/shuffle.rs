//! Copies of formulas with variables and clauses in other orders (`impasse-bench sat --shuffles N`).
//!
//! On satisfiable formulas, luck decides: a change that means nothing makes a solver five times faster or slower. Means
//! over copies say more. Variables and clauses move a little, so that what belongs together stays together, as in real
//! files (Biere and Heule 2019: The effect of scrambling CNFs). The literals of a clause get any order. Signs stay,
//! because encodings choose them with care.

use super::instance::{self, Instance};
use model::cnf::Cnf;
use std::io;
use std::path::Path;
use testkit::Random;

/// The part of all positions by which an item moves at most.
const WINDOW: f64 = 0.01;

/// What separates the name of a formula from the number of a copy.
pub(super) const COPY: char = '~';

/// Returns this number of copies of each formula, as files in the folder. Without copies, returns the formulas.
///
/// # Errors
///
/// If a file cannot be read or written.
pub(super) fn copies(all: Vec<Instance>, count: u32, folder: &Path) -> io::Result<Vec<Instance>> {
    if count == 0 {
        return Ok(all);
    }
    let mut copies = Vec::new();
    for instance in &all {
        let cnf = instance::read(&instance.path)?;
        for seed in 1..=count {
            let name = format!("{}{COPY}{seed}", instance.name);
            let copy = instance::put(folder, &name, &shuffled(&cnf, seed.into()), instance.truth)?;
            copies.push(Instance { minisat_seconds: instance.minisat_seconds, ..copy });
        }
    }
    Ok(copies)
}

/// Returns the formula with its variables, its clauses and their literals in another order.
fn shuffled(cnf: &Cnf, seed: u64) -> Cnf {
    let mut random = Random::new(seed);
    let mut names = vec![0; cnf.vars as usize];
    for (new, old) in (1i32..).zip(order(names.len(), &mut random)) {
        names[old] = new;
    }
    let renamed = |literal: &i32| literal.signum() * names[literal.unsigned_abs() as usize - 1];
    let clauses = order(cnf.clauses.len(), &mut random).into_iter().map(|at| {
        let clause = &cnf.clauses[at];
        let mut literals: Vec<i32> = clause.iter().map(renamed).collect();
        random.shuffle(&mut literals);
        literals
    });
    Cnf { vars: cnf.vars, clauses: clauses.collect() }
}

/// Returns the numbers up to `count` in an order in which none moves far.
fn order(count: usize, random: &mut Random) -> Vec<usize> {
    let window = (count as f64 * WINDOW).ceil() as usize + 1;
    let mut keys: Vec<(usize, usize)> = (0..count).map(|at| (at + random.below(window + 1), at)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_same_models_under_other_names() {
        let cnf = Cnf { vars: 3, clauses: vec![vec![1, -2], vec![2, 3], vec![-1, -3], vec![2]] };
        let models = |cnf: &Cnf| {
            let holds = |model: u32| move |literal: &i32| (model >> (literal.abs() - 1) & 1 == 1) == (*literal > 0);
            (0..8u32).filter(|&model| cnf.clauses.iter().all(|clause| clause.iter().any(holds(model)))).count()
        };
        let copies: Vec<Cnf> = (1..20).map(|seed| shuffled(&cnf, seed)).collect();
        assert!(copies.iter().any(|copy| *copy != cnf));
        for copy in copies {
            assert_eq!(models(&copy), models(&cnf));
            let lengths = |cnf: &Cnf| {
                let mut all: Vec<usize> = cnf.clauses.iter().map(Vec::len).collect();
                all.sort_unstable();
                all
            };
            assert_eq!(lengths(&copy), lengths(&cnf));
        }
    }

    #[test]
    fn items_move_a_little() {
        let order = order(1000, &mut Random::new(7));
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1000).collect::<Vec<_>>());
        assert!(order.iter().enumerate().all(|(now, then)| now.abs_diff(*then) <= 12));
        assert!(order.iter().enumerate().any(|(now, then)| now != *then));
    }
}
