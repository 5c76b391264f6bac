//! DIMACS CNF: reading gives an error, or a formula within the numbers of its header. Small formulas are
//! solved, with the solver's invariants checked.
#![no_main]

use formats::{Limits, Source, read_cnf};
use libfuzzer_sys::fuzz_target;
use model::cnf::Cnf;
use sat::{SolveResult, DecidedBy, Lit, Options, Solver, Tag};

/// Greatest numbers of clauses and variables of a formula that is solved. The checks visit all of them
/// repeatedly.
const SMALL: usize = 200;

/// Options for which rare steps of the solver happen after few conflicts.
fn options() -> Options {
    let restarts = Options { restart_margin: 0.5, restart_reluctant: 3, mode_first: 10, ..Options::default() };
    Options { reduce_interval: 3, inprocess_interval: 1, ..restarts }
}

fn solve(cnf: &Cnf) {
    let mut solver = Solver::new(options());
    assert!(options().check_invariants, "the feature is on");
    for _ in 0..cnf.vars {
        solver.new_var(DecidedBy::Host);
    }
    let clauses: Vec<Vec<Lit>> =
        cnf.clauses.iter().map(|clause| clause.iter().map(|&lit| Lit::from_dimacs(lit)).collect()).collect();
    clauses.iter().for_each(|clause| solver.add_clause(Tag(0), clause));
    let limits = sat::Limits { conflicts: Some(200), stop: None };
    if solver.solve_within(&[], &limits) == SolveResult::Sat {
        let is_true = |lit: &Lit| solver.value(*lit) == Some(true);
        assert!(clauses.iter().all(|clause| clause.iter().any(is_true)), "a model makes every clause true");
    }
}

fuzz_target!(|bytes: &[u8]| {
    let source = Source { name: "fuzz.cnf".to_owned(), bytes: bytes.to_vec() };
    let Ok((cnf, _)) = read_cnf(source, &Limits::default()) else { return };
    assert!(cnf.clauses.iter().flatten().all(|l| *l != 0 && l.unsigned_abs() <= cnf.vars));
    if cnf.vars as usize <= SMALL && cnf.clauses.len() <= SMALL {
        solve(&cnf);
    }
});
