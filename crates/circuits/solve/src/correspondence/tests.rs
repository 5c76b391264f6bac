//! Compares classes with brute force on random small circuits, and merged circuits with the circuits as read.

use super::{Corresponding, Induction, Merged, Progress, candidates};
use crate::Bmc;
use model::{Budget, Circuit, CircuitTask, Claim, Engine, Goal, OutputId, Signal, Turn};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::circuit::{Frame, circuit, is_violation, truth};
use testkit::count;

const STATES: usize = 256;

fn task(circuit: &Arc<Circuit>) -> CircuitTask {
    CircuitTask::new(Arc::clone(circuit), (0..circuit.outputs().len()).map(|i| Goal::Output(OutputId::new(i))))
}

/// The classes of all nodes.
fn induction(circuit: &Arc<Circuit>) -> Induction {
    let nodes: Vec<usize> = (0..circuit.gates().len()).collect();
    let classes = candidates(circuit, &nodes);
    let mut induction = Induction::new(circuit, nodes, classes);
    assert_eq!(induction.run(&mut Budget::unlimited(Arc::default())), Progress::Done);
    induction
}

/// In each frame that a run enters, whether or not the constraints hold in it, the nodes of a class are equal.
#[test]
fn classes_hold_in_all_frames() {
    let (mut latches, mut gates) = (0, 0);
    for seed in 0..count(4_000) {
        let circuit = Arc::new(circuit(seed));
        let induction = induction(&circuit);
        let truth = truth(&circuit, STATES).expect("it has few states");
        for &state in &truth.entered {
            for inputs in 0..1 << circuit.inputs().len() {
                let frame = Frame::new(&circuit, state, inputs);
                for node in 0..circuit.gates().len() {
                    if let Some(first) = induction.classes().representative(node) {
                        assert!(first.node() < node, "seed {seed}");
                        let signal = Signal::new(node, false);
                        assert_eq!(frame.is(signal), frame.is(first), "seed {seed}: {signal:?} in {state:b}");
                    }
                }
            }
        }
        let is_merged = |signal: Signal| induction.classes().representative(signal.node()).is_some();
        latches += circuit.latches().iter().filter(|latch| is_merged(latch.signal)).count();
        gates += induction.classes().len();
    }
    assert!(latches > 50 && gates > 1000, "{latches} latches and {gates} nodes say little");
}

/// The merged circuit has the same shortest violations, and its runs are runs of the circuit as read.
#[test]
fn merged_circuits_have_the_same_runs() {
    let mut found = 0;
    for seed in 0..count(4_000) {
        let circuit = Arc::new(circuit(seed));
        let merged = Merged::new(&task(&circuit), &induction(&circuit));
        let truth_as_read = truth(&circuit, STATES).expect("it has few states");
        let truth_merged = truth(merged.task.circuit(), STATES).expect("it has no more states");
        assert_eq!(truth_as_read.shortest, truth_merged.shortest, "seed {seed}");
        let mut engine = Bmc::new(&merged.task);
        while engine.stats().more["frames"] <= truth_as_read.states.len() as u64 + 1 {
            match engine.run(&mut Budget::new(20, Arc::default())) {
                Turn::Claims(claim) => {
                    let Claim::Unsafe { goal: Goal::Output(output), trace, .. } = merged.lift(claim) else {
                        panic!("seed {seed}: a run")
                    };
                    assert!(is_violation(&circuit, &trace, output), "seed {seed}");
                    found += 1;
                }
                Turn::More => {}
                Turn::Done => break,
            }
        }
    }
    assert!(found > 100, "{found} violations say little");
}

/// The host works before, while and after nodes are compared, in turns of any length, and each output is claimed
/// once.
#[test]
fn claims_do_not_depend_on_turns() {
    let mut found = 0;
    for seed in 0..count(1_000) {
        let circuit = Arc::new(circuit(seed));
        let truth = truth(&circuit, STATES).expect("it has few states");
        let host = |task: &CircuitTask| -> Box<dyn Engine> { Box::new(Bmc::new(task)) };
        let mut engine = Corresponding::new(task(&circuit), Box::new(host)).after(seed % 8);
        let mut lengths = BTreeMap::new();
        for turn in 0..400 {
            match engine.run(&mut Budget::new(1 + turn % 25, Arc::default())) {
                Turn::Claims(Claim::Unsafe { goal: Goal::Output(output), trace, .. }) => {
                    assert!(is_violation(&circuit, &trace, output), "seed {seed}");
                    assert_eq!(lengths.insert(output, trace.len().expect("it is short")), None, "seed {seed}");
                }
                Turn::Claims(claim) => panic!("seed {seed}: {claim:?}"),
                Turn::More => {}
                Turn::Done => break,
            }
        }
        assert_eq!(lengths, truth.shortest, "seed {seed}");
        found += lengths.len();
    }
    assert!(found > 50, "{found} violations say little");
}
