//! Circuits in both forms of AIGER: reading gives an error, or a circuit that is written and read back
//! unchanged. IC3 runs on small circuits for a while, with its invariants checked.
#![no_main]

use formats::{Limits, Source};
use readers::by_name;
use libfuzzer_sys::fuzz_target;
use model::{Budget, CircuitTask, Engine, Problem, Stop, SystemModel, Turn};
use std::sync::Arc;

/// Greatest number of gates of a circuit that is searched.
const SMALL: usize = 200;
/// Work units of a search.
const WORK: u64 = 2_000;

fn search(problem: &Problem) {
    let Some(task) = CircuitTask::of(problem) else { return };
    let mut engine = circuits::CircuitIc3::new(&task, &circuits::ic3::Options::default());
    let mut budget = Budget::new(WORK, Arc::new(Stop::default()));
    while budget.work > 0 && matches!(engine.run(&mut budget), Turn::Claims(_)) {}
}

fuzz_target!(|bytes: &[u8]| {
    let reader = by_name("aag").and_then(|f| f.read).expect("registered and readable");
    let source = Source { name: "fuzz.aag".to_owned(), bytes: bytes.to_vec() };
    let Ok(read) = reader(&source, &Limits::default()) else { return };
    for format in ["aag", "aig"] {
        let mut out = Vec::new();
        by_name(format).and_then(|f| f.write).expect("writable")(&read.problem, &mut out).expect("a whole circuit");
        let again = reader(&Source { name: "again".to_owned(), bytes: out }, &Limits::default()).expect("our own file");
        match (again.problem.system(), read.problem.system()) {
            // A circuit with gates in order is read back unchanged. The writer reorders others, so only the
            // counts are compared.
            (SystemModel::Circuit(again), SystemModel::Circuit(read)) => {
                assert_eq!((again.ands(), again.latches().len()), (read.ands(), read.latches().len()));
            }
            _ => panic!("another kind of system"),
        }
    }
    if read.problem.system().as_circuit().is_some_and(|circuit| circuit.gates().len() <= SMALL) {
        search(&read.problem);
    }
});
