//! Generated formulas of kinds that the corpus does not contain, so that heuristics are not tuned to the
//! corpus. They are computed from seeds and are the same on every machine. Each family is one function. minisat
//! takes roughly 0.3 to 15 seconds for each formula.

#![expect(clippy::needless_range_loop, reason = "grids are read best by their coordinates")]

mod ciphers;
mod circuits;
mod combinatorics;
mod formula;
mod fresh;
mod graphs;
mod numbers;
mod planning;
mod random;

use super::instance::{self, Instance, Truth};
use model::cnf::Cnf;
use std::io;
use std::path::Path;

/// A named formula that can be generated.
pub(crate) struct Recipe {
    name: &'static str,
    truth: Truth,
    /// Seconds that minisat 2.2.1 took once. They are a rough guide for the choice of formulas in a quick
    /// check.
    minisat_seconds: f64,
    make: fn() -> Cnf,
}

const fn recipe(name: &'static str, truth: Truth, minisat_seconds: f64, make: fn() -> Cnf) -> Recipe {
    Recipe { name, truth, minisat_seconds, make }
}

use Truth::{Sat, Unsat};
pub(crate) use fresh::ALL as FRESH;

/// The formulas that heuristics may be tuned on.
pub(crate) const FIRST: &[Recipe] = &[
    recipe("board-12x12", Unsat, 5.4, || combinatorics::mutilated_board(12, 12)),
    recipe("communities-80-1830", Unsat, 3.4, || random::communities(80, 1830, 3, 50, 2)),
    recipe("costas-15", Sat, 1.2, || combinatorics::costas(15)),
    recipe("cycle-40", Sat, 1.4, || graphs::hidden_cycle(40, 60, 1)),
    recipe("golfers-5-3-7", Sat, 0.8, || combinatorics::golfers(5, 3, 7)),
    recipe("hanoi-7-127", Sat, 0.9, || planning::hanoi(7, 127)),
    recipe("hash-16-8", Sat, 0.7, || ciphers::hash_preimage(16, 8, 1)),
    recipe("independent-100-17", Unsat, 1.2, || graphs::independent_set(100, 30, 17, 1)),
    recipe("langford-10", Unsat, 0.8, || combinatorics::langford(10)),
    recipe("life-26", Sat, 1.2, || ciphers::life_before(26, 40, 1)),
    recipe("packing-14", Unsat, 1.6, || planning::packing(30, 30, 14, 1, 1)),
    recipe("petersen-11", Unsat, 0.7, || graphs::petersen_cycle(11)),
    recipe("queues-7-14", Unsat, 2.6, || circuits::queues(7, 2, 14)),
    recipe("schur-4-45", Unsat, 6.6, || combinatorics::schur(4, 45)),
    recipe("sliding-24", Sat, 1.6, || planning::sliding_puzzle(24, 24, 1)),
    recipe("sorters-40", Unsat, 2.1, || circuits::sorting_networks(40)),
    recipe("still-8-37", Unsat, 0.8, || ciphers::still_life(8, 37)),
    recipe("subgraph-36-12", Unsat, 4.1, || graphs::subgraph(36, 12, 50, false, 1)),
    recipe("subgraph-44-13", Sat, 5.5, || graphs::subgraph(44, 13, 45, true, 1)),
    recipe("vdw-3-10-97", Unsat, 0.9, || combinatorics::van_der_waerden(3, 10, 97)),
];

/// Writes the chosen ones of the formulas into `folder`.
///
/// # Errors
///
/// If a file cannot be written.
pub(crate) fn write(folder: &Path, recipes: &[Recipe], is_chosen: &dyn Fn(&str) -> bool) -> io::Result<Vec<Instance>> {
    std::fs::create_dir_all(folder)?;
    let mut all = Vec::new();
    for recipe in recipes.iter().filter(|r| is_chosen(r.name)) {
        let instance = instance::put(folder, recipe.name, &(recipe.make)(), Some(recipe.truth))?;
        all.push(Instance { minisat_seconds: Some(recipe.minisat_seconds), ..instance });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat::{DecidedBy, Options, SolveResult, Solver, Tag};

    pub(super) fn truth(cnf: &Cnf) -> Truth {
        let mut solver = Solver::new(Options::default());
        for _ in 0..cnf.vars {
            solver.new_var(DecidedBy::Host);
        }
        for clause in &cnf.clauses {
            solver.add_clause(Tag(0), &clause.iter().map(|&l| sat::Lit::from_dimacs(l)).collect::<Vec<_>>());
        }
        if solver.solve(&[]) == SolveResult::Sat { Sat } else { Unsat }
    }

    /// Small members of the families have the answers that are known from the literature.
    #[test]
    fn small_members_are_as_known() {
        let known = [
            ("board 4 x 4 has too many of a colour", combinatorics::mutilated_board(4, 4), Unsat),
            ("board 3 x 4 has not", combinatorics::mutilated_board(4, 3), Sat),
            ("vdW(3, 3) is 9", combinatorics::van_der_waerden(3, 3, 8), Sat),
            ("vdW(3, 3) is 9", combinatorics::van_der_waerden(3, 3, 9), Unsat),
            ("vdW(3, 5) is 22", combinatorics::van_der_waerden(3, 5, 21), Sat),
            ("vdW(3, 5) is 22", combinatorics::van_der_waerden(3, 5, 22), Unsat),
            ("S(3) is 13", combinatorics::schur(3, 13), Sat),
            ("S(3) is 13", combinatorics::schur(3, 14), Unsat),
            ("Langford 7", combinatorics::langford(7), Sat),
            ("Langford 6", combinatorics::langford(6), Unsat),
            ("Costas 6", combinatorics::costas(6), Sat),
            ("nine golfers, four weeks", combinatorics::golfers(3, 3, 4), Sat),
            ("nine golfers, five weeks", combinatorics::golfers(3, 3, 5), Unsat),
            ("G(5, 2), Petersen's own", graphs::petersen_cycle(5), Unsat),
            ("G(7, 2)", graphs::petersen_cycle(7), Sat),
            ("a hidden cycle", graphs::hidden_cycle(10, 4, 3), Sat),
            ("a hidden subgraph", graphs::subgraph(10, 5, 50, true, 3), Sat),
            ("Hanoi needs 7 moves for 3", planning::hanoi(3, 6), Unsat),
            ("Hanoi needs 7 moves for 3", planning::hanoi(3, 7), Sat),
            ("back as many moves as forth", planning::sliding_puzzle(6, 6, 2), Sat),
            ("parity", planning::sliding_puzzle(6, 5, 2), Unsat),
            ("pieces that fit", planning::packing(8, 8, 6, 0, 2), Sat),
            ("pieces that do not", planning::packing(8, 8, 6, 1, 2), Unsat),
            ("queues", circuits::queues(3, 1, 5), Unsat),
            ("sorters", circuits::sorting_networks(7), Unsat),
            ("a hash", ciphers::hash_preimage(6, 8, 2), Sat),
            ("life backwards", ciphers::life_before(6, 40, 2), Sat),
            ("still life of side 4 has 8 at most", ciphers::still_life(4, 8), Sat),
            ("still life of side 4 has 8 at most", ciphers::still_life(4, 9), Unsat),
        ];
        for (what, cnf, expected) in known {
            assert_eq!(truth(&cnf), expected, "{what}");
        }
    }

    /// The formulas must stay the same, so that measurements at different times are comparable.
    #[test]
    fn recipes_repeat_and_names_are_unique() {
        for (i, recipe) in FIRST.iter().enumerate() {
            assert!(FIRST[..i].iter().all(|r| r.name != recipe.name), "{}", recipe.name);
        }
        assert_eq!((FIRST[1].make)(), (FIRST[1].make)());
        assert_eq!(FIRST.len(), 20);
    }
}
