//! Runs the solver's own invariant checks on formulas that are large enough for reductions and collections.

use impasse_sat::{DecidedBy, Limits, Lit, Modes, Options, SolveResult, Solver, Tag, Var};
use testkit::Random;

const FORMULAS: u64 = 1_000;
const VARS: usize = 70;

fn literal(random: &mut Random) -> Lit {
    let var = Var::new(random.below(VARS));
    if random.chance(50) { var.positive() } else { var.negative() }
}

fn clause(random: &mut Random) -> Vec<Lit> {
    let length = if random.chance(4) { 2 } else { 3 };
    (0..length).map(|_| literal(random)).collect()
}

fn options(random: &mut Random) -> Options {
    Options {
        check_invariants: true,
        modes: *random.pick(&[Modes::Focused, Modes::Stable, Modes::Both]),
        mode_first: 10,
        chrono: *random.pick(&[0, 2, 100]),
        restart_margin: 0.5,
        restart_reluctant: 3,
        reduce_interval: 3,
        reduce_fraction: 0.9,
        inprocess_interval: random.below(3) as u64,
        shrink: random.chance(50),
        tier1: 1,
        tier2: 2,
        ..Options::default()
    }
}

/// Adds clauses and makes queries. Adds clauses of all kinds between the queries.
fn search(random: &mut Random) -> Solver {
    let mut solver = Solver::new(options(random));
    let vars: Vec<Var> = (0..VARS).map(|_| solver.new_var(DecidedBy::Host)).collect();
    let count = VARS * 4 + random.below(VARS / 3);
    (0..count).for_each(|_| solver.add_clause(Tag(0), &clause(random)));
    let limits = Limits { conflicts: Some(60), stop: None };
    for _ in 0..3 {
        solver.add_temporary(Tag(1), &clause(random));
        let assumed: Vec<Lit> = (0..random.below(4)).map(|_| literal(random)).collect();
        let answer = match random.below(3) {
            0 => solver.solve_in(&vars[..VARS / 2], &assumed, &limits),
            _ => solver.solve_within(&assumed, &limits),
        };
        match answer {
            SolveResult::Unsat => assert!(solver.core().iter().all(|lit| assumed.contains(lit))),
            SolveResult::Sat => {
                vars.iter().for_each(|&var| {
                    solver.flip_to_none(var);
                });
            }
            SolveResult::Stopped | SolveResult::Unknown => {}
        }
        solver.drop_temporaries();
        solver.add_clause(Tag(0), &clause(random));
    }
    solver
}

#[test]
fn nothing_is_found_on_random_formulas() {
    let (mut reductions, mut collections, mut inprocessed) = (0, 0, 0);
    for seed in 0..FORMULAS {
        let solver = search(&mut Random::new(seed));
        let stats = solver.stats();
        reductions += stats.reductions;
        collections += stats.collections;
        inprocessed += stats.inprocessed;
    }
    let counts = [reductions, collections, inprocessed];
    assert!(reductions > FORMULAS && collections > FORMULAS / 10 && inprocessed > FORMULAS, "too easy: {counts:?}");
}
