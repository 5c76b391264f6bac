//! Compares the engine with brute force on random small circuits, and runs it on a pipeline.

use super::KInduction;
use model::{Budget, Certificate, Circuit, CircuitBuilder, CircuitTask, Claim, Engine, Goal, OutputId, Reset, Turn};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::circuit::{circuit, is_violation, truth};
use testkit::count;

/// The frames of a run that visits no state twice are at most 256, the number of states of a test circuit.
const STATES: usize = 256;

fn task(circuit: &Arc<Circuit>) -> CircuitTask {
    let outputs = (0..circuit.outputs().len()).map(|output| Goal::Output(OutputId::new(output)));
    CircuitTask::new(Arc::clone(circuit), outputs)
}

#[test]
fn what_is_proven_never_occurs_and_runs_are_shortest_runs() {
    let (mut proven, mut several) = (0, 0);
    for seed in 0..count(4_000) {
        let circuit = Arc::new(circuit(seed));
        let truth = truth(&circuit, STATES).expect("it has few states");
        let mut engine = KInduction::new(&task(&circuit));
        let mut shortest = BTreeMap::new();
        let mut safe = BTreeSet::new();
        for _ in 0..100 {
            match engine.run(&mut Budget::new(20, Arc::default())) {
                Turn::Claims(Claim::Unsafe { goal: Goal::Output(output), trace, candidate: false }) => {
                    assert!(is_violation(&circuit, &trace, output), "seed {seed}: {output:?} is violated");
                    assert_eq!(shortest.insert(output, trace.len().expect("it is short")), None, "seed {seed}");
                }
                Turn::Claims(Claim::Safe { goals, certificate: Certificate::Clauses(clauses) }) => {
                    let [Goal::Output(output)] = goals[..] else { panic!("seed {seed}: {goals:?}") };
                    assert!(safe.insert(output), "seed {seed}: {output:?} is proven once");
                    several += usize::from(clauses.induction.is_some_and(|induction| induction.frames > 1));
                }
                Turn::Claims(claim) => panic!("seed {seed}: {claim:?}"),
                Turn::More => {}
                Turn::Done => break,
            }
        }
        for output in safe {
            assert!(!truth.shortest.contains_key(&output), "seed {seed}: {output:?} occurs");
            proven += 1;
        }
        for (output, length) in shortest {
            assert_eq!(truth.shortest.get(&output), Some(&length), "seed {seed}: {output:?}");
        }
    }
    assert!(proven > 150, "{proven} proofs say little");
    assert!(several > 2, "{several} proofs by several frames say little");
}

/// A chain of latches, and the input delayed as often by a second chain. The ends are equal because they forget what
/// was in the chains at the start.
fn delayed_twice(length: usize) -> Circuit {
    let mut builder = CircuitBuilder::default();
    let input = builder.circuit_mut().input(None);
    let ends = [(); 2].map(|()| {
        (0..length).fold(input, |next, _| {
            let circuit = builder.circuit_mut();
            let latch = circuit.latch(Reset::Zero, None);
            circuit.set_next(latch, next);
            circuit.latches()[latch.index()].signal
        })
    });
    let (more, less) = (builder.and(ends[0], !ends[1]), builder.and(!ends[0], ends[1]));
    let equal = builder.and(!more, !less);
    builder.circuit_mut().output(!equal, None);
    builder.circuit().clone()
}

#[test]
fn equal_delays_need_as_many_frames_as_they_have_latches() {
    for length in [1, 4, 9] {
        let circuit = Arc::new(delayed_twice(length));
        let turn = KInduction::new(&task(&circuit)).run(&mut Budget::unlimited(Arc::default()));
        let Turn::Claims(Claim::Safe { certificate: Certificate::Clauses(clauses), .. }) = turn else {
            panic!("{turn:?}")
        };
        assert_eq!(clauses.induction.expect("frames are needed").frames as usize, length);
    }
}

#[test]
fn settled_outputs_are_left_out() {
    let mut left = 0;
    for seed in 0..count(2_000) {
        let circuit = Arc::new(circuit(seed));
        let task = task(&circuit);
        let mut engine = KInduction::new(&task);
        let goals: Vec<Goal> = task.goals().collect();
        let Some((_, others)) = goals.split_last() else { continue };
        engine.settled(others);
        let mut budget = Budget::new(200, Arc::default());
        if let Turn::Claims(claim) = engine.run(&mut budget) {
            assert_eq!(claim.goals(), &goals[others.len()..], "seed {seed}");
            left += 1;
        }
    }
    assert!(left > 50, "{left} claims say little");
}

/// A latch that becomes true in the third frame, which the constraint forbids: all runs have two frames.
#[test]
fn constraints_that_allow_short_runs_only_do_not_end_the_proof() {
    let mut builder = CircuitBuilder::default();
    let mut signal = model::Signal::TRUE;
    for _ in 0..3 {
        let latch = builder.circuit_mut().latch(Reset::Zero, None);
        builder.circuit_mut().set_next(latch, signal);
        signal = builder.circuit().latches()[latch.index()].signal;
    }
    let second = builder.circuit().latches()[1].signal;
    builder.circuit_mut().constrain(!second);
    builder.circuit_mut().output(signal, None);
    let circuit = Arc::new(builder.circuit().clone());
    let turn = KInduction::new(&task(&circuit)).run(&mut Budget::unlimited(Arc::default()));
    assert!(matches!(turn, Turn::Claims(Claim::Safe { .. })), "{turn:?}");
}

/// Without latches and with a constraint that is never true, no frame exists.
#[test]
fn without_frames_everything_is_proven() {
    let mut circuit = Circuit::default();
    let input = circuit.input(None);
    circuit.output(input, None);
    circuit.constrain(model::Signal::FALSE);
    let turn = KInduction::new(&task(&Arc::new(circuit))).run(&mut Budget::unlimited(Arc::default()));
    assert!(matches!(turn, Turn::Claims(Claim::Safe { .. })), "{turn:?}");
}
