//! Tests on plain formulas: models, refutations, cores and incremental use against brute force, with every
//! derivation checked.

use impasse_sat::{ClauseId, DecidedBy, Lit, Options, Proof, SolveResult, Solver, Tag};
use proptest::prelude::*;
use testkit::Random;

use crate::formula::{Formula, formula, lits, options};
use crate::rup::Checker;

/// Checks one answer against brute force.
pub(crate) fn check_answer(
    solver: &Solver,
    answer: SolveResult,
    formula: &Formula,
    assumed: &[Lit],
    checker: &Checker,
) {
    let log = checker.0.lock().unwrap();
    assert_eq!(log.wrong, Vec::<Vec<Lit>>::new(), "derived clauses follow");
    match answer {
        SolveResult::Sat => {
            assert!(assumed.iter().all(|&lit| solver.value(lit) == Some(true)), "assumptions hold in the model");
            for clause in &formula.clauses {
                assert!(clause.iter().any(|&lit| solver.value(lit) == Some(true)), "{clause:?} holds in the model");
            }
        }
        SolveResult::Unsat => {
            assert!(!formula.is_satisfiable(assumed), "refuted, but there is a model");
            let core = solver.core();
            assert!(core.iter().all(|lit| assumed.contains(lit)), "the core is made of assumptions");
            assert!(!formula.is_satisfiable(core), "the core is enough");
            let last = log.last_derived.as_ref().expect("something was derived");
            assert!(last.iter().all(|lit| core.contains(&!*lit)), "the proof ends with the core, or less");
        }
        other => panic!("{other:?} without a reason"),
    }
}

fn solver_for(options: Options, vars: usize) -> (Solver, Checker) {
    let mut solver = Solver::new(options);
    let checker = Checker::default();
    solver.set_proof(Box::new(checker.clone()));
    for _ in 0..vars {
        solver.new_var(DecidedBy::Host);
    }
    (solver, checker)
}

proptest! {
    #![proptest_config(testkit::config(600))]

    #[test]
    fn answers_are_right(formula in formula(9), options in options()) {
        let (mut solver, checker) = solver_for(options, formula.vars);
        for clause in &formula.clauses {
            solver.add_clause(Tag(7), clause);
        }
        let answer = solver.solve(&[]);
        check_answer(&solver, answer, &formula, &[], &checker);
    }

    #[test]
    fn clauses_and_assumptions_come_and_go(
        parts in prop::collection::vec((formula(8), lits(8, 4)), 1..5),
        options in options(),
    ) {
        let (mut solver, checker) = solver_for(options, 8);
        let mut known = Formula { vars: 8, clauses: Vec::new() };
        for (part, assumed) in parts {
            for clause in part.clauses.iter().take(20) {
                solver.add_clause(Tag(0), clause);
                known.clauses.push(clause.clone());
            }
            let answer = solver.solve(&assumed);
            check_answer(&solver, answer, &known, &assumed, &checker);
            let answer = solver.solve(&[]);
            check_answer(&solver, answer, &known, &[], &checker);
        }
    }

    /// Each part is guarded by an activation literal, used under assumptions, and retired by a unit clause.
    #[test]
    fn guarded_parts_can_be_retired(parts in prop::collection::vec(formula(7), 1..4), options in options()) {
        let (mut solver, checker) = solver_for(options, 7);
        for part in parts {
            let guard = solver.new_var(DecidedBy::Host).positive();
            for clause in &part.clauses {
                let guarded: Vec<Lit> = clause.iter().copied().chain([!guard]).collect();
                solver.add_clause(Tag(0), &guarded);
            }
            let answer = solver.solve(&[guard]);
            prop_assert_eq!(answer == SolveResult::Sat, part.is_satisfiable(&[]));
            prop_assert!(checker.0.lock().unwrap().wrong.is_empty());
            solver.add_clause(Tag(0), &[!guard]);
            prop_assert_eq!(solver.solve(&[]), SolveResult::Sat);
        }
    }
}

/// Random formulas at the threshold, large enough for restarts, reductions and inprocessing, with fixed
/// literals.
#[test]
fn a_listener_of_the_log_does_not_change_the_search() {
    let mut random = Random::new(7);
    for _ in 0..6 {
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..660 {
            clauses.push(
                (0..3)
                    .map(|_| Lit::from_dimacs((random.below(150) as i32 + 1) * if random.one_in(2) { 1 } else { -1 }))
                    .collect(),
            );
        }
        let [silent, logged] = [false, true].map(|logs| {
            let options = Options { inprocess_interval: 100, bump_reasons_most: 1, ..Options::default() };
            let mut solver = Solver::new(options);
            if logs {
                solver.set_proof(Box::new(Listener));
            }
            (0..150).for_each(|_| _ = solver.new_var(DecidedBy::Host));
            clauses.iter().for_each(|clause| solver.add_clause(Tag(0), clause));
            solver.solve(&[]);
            *solver.stats()
        });
        assert_eq!(silent, logged);
    }
}

/// A listener that requests hints and ignores them.
struct Listener;

impl Proof for Listener {
    fn axiom(&mut self, _: ClauseId, _: Tag, _: &[Lit]) {}
    fn derived(&mut self, _: ClauseId, _: &[Lit], _: &[ClauseId]) {}
    fn delete(&mut self, _: ClauseId) {}
}

#[test]
fn no_variables_no_clauses() {
    let mut solver = Solver::new(Options::default());
    assert_eq!(solver.solve(&[]), SolveResult::Sat);
    solver.add_clause(Tag(0), &[]);
    assert_eq!(solver.solve(&[]), SolveResult::Unsat);
    assert_eq!(solver.core(), &[]);
}

/// n + 1 pigeons in n holes: long enough for restarts, reductions and collections.
#[test]
fn pigeons_do_not_fit() {
    let holes = 6;
    let (mut solver, checker) = (Solver::new(Options { reduce_interval: 10, ..Options::default() }), ());
    let at = |pigeon: usize, hole: usize| impasse_sat::Var::new(pigeon * holes + hole).positive();
    for _ in 0..(holes + 1) * holes {
        solver.new_var(DecidedBy::Host);
    }
    for pigeon in 0..=holes {
        solver.add_clause(Tag(0), &(0..holes).map(|hole| at(pigeon, hole)).collect::<Vec<_>>());
    }
    for hole in 0..holes {
        for a in 0..=holes {
            for b in 0..a {
                solver.add_clause(Tag(0), &[!at(a, hole), !at(b, hole)]);
            }
        }
    }
    let () = checker;
    assert_eq!(solver.solve(&[at(0, 0)]), SolveResult::Unsat);
    assert_eq!(solver.solve(&[]), SolveResult::Unsat);
    let stats = solver.stats();
    assert!(stats.restarts > 0 && stats.reductions > 3 && stats.deleted > 50, "{stats:?}");
}
