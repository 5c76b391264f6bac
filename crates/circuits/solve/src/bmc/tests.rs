//! Compares the engine with brute force on random small circuits.

use super::Bmc;
use model::{Budget, CircuitTask, Claim, Engine, Goal, OutputId, Turn};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::circuit::{circuit, is_violation, truth};
use testkit::count;

/// The frames of a run that visits no state twice are at most 256, the number of states of a test circuit.
const STATES: usize = 256;

#[test]
fn runs_are_shortest_runs_and_none_is_missed() {
    let mut found = 0;
    for seed in 0..count(4_000) {
        let circuit = Arc::new(circuit(seed));
        let truth = truth(&circuit, STATES).expect("it has few states");
        let outputs = (0..circuit.outputs().len()).map(OutputId::new);
        let task = CircuitTask::new(Arc::clone(&circuit), outputs.map(Goal::Output));
        let mut engine = Bmc::new(&task);
        let mut shortest = BTreeMap::new();
        let limit = truth.states.len() as u64 + 2;
        while engine.stats().more["frames"] < limit {
            match engine.run(&mut Budget::new(20, Arc::default())) {
                Turn::Claims(Claim::Unsafe { goal: Goal::Output(output), trace, candidate: false }) => {
                    assert!(is_violation(&circuit, &trace, output), "seed {seed}: {output:?} is violated");
                    assert!(engine.claims_shortest(Goal::Output(output)));
                    assert_eq!(shortest.insert(output, trace.len().expect("it is short")), None, "seed {seed}");
                }
                Turn::Claims(claim) => panic!("seed {seed}: {claim:?}"),
                Turn::More => {}
                Turn::Done => break,
            }
        }
        assert_eq!(shortest, truth.shortest, "seed {seed}");
        found += shortest.len();
    }
    assert!(found > 100, "{found} violations say little");
}

#[test]
fn settled_outputs_are_left_out() {
    let mut left = 0;
    for seed in 0..count(1_000) {
        let circuit = Arc::new(circuit(seed));
        let truth = truth(&circuit, STATES).expect("it has few states");
        let goals: Vec<Goal> = (0..circuit.outputs().len()).map(|i| Goal::Output(OutputId::new(i))).collect();
        let mut engine = Bmc::new(&CircuitTask::new(Arc::clone(&circuit), goals.iter().copied()));
        // The first claim settles the output before it, too.
        let first = engine.run(&mut Budget::new(10_000, Arc::default()));
        let Turn::Claims(Claim::Unsafe { goal, .. }) = first else { continue };
        let others: Vec<Goal> = goals.iter().copied().filter(|other| *other != goal).collect();
        engine.settled(&others);
        assert!(matches!(engine.run(&mut Budget::new(10_000, Arc::default())), Turn::Done), "seed {seed}");
        left += usize::from(truth.shortest.len() > 1);
    }
    assert!(left > 10, "{left} circuits with a second violation say little");
}
