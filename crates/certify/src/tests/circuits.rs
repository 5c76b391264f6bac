//! Tests of runs of circuits, valid ones and hostile ones.

use super::rejected;
use crate::{Confirmed, Options, Refusal, confirm};
use model::{
    Certificate, Circuit, CircuitBuilder, Claim, Clausal, Clauses, EventId, Goal, JusticeId, JusticeProof, OutputId,
    Problem, Property, Reset, Stop, Trace, Translation,
};
use std::sync::Arc;

/// The bits of a counter that counts when its input is true. The output is that all bits are true. With `open`,
/// the lowest bit has any initial value.
fn counter(bits: usize, open: bool, with_input: bool) -> Circuit {
    let mut b = CircuitBuilder::default();
    let mut carry = if with_input { b.circuit_mut().input(None) } else { model::Signal::TRUE };
    let mut all = Vec::new();
    for bit in 0..bits {
        let reset = if open && bit == 0 { Reset::Open } else { Reset::Zero };
        let latch = b.circuit_mut().latch(reset, None);
        let value = b.circuit().latches()[latch.index()].signal;
        let next = b.xor(value, carry);
        b.circuit_mut().set_next(latch, next);
        carry = b.and(value, carry);
        all.push(value);
    }
    let full = b.all(&all);
    b.circuit_mut().output(full, None);
    b.finish()
}

fn check(circuit: Circuit, trace: Trace) -> Result<Confirmed, Refusal> {
    let goal = Goal::Output(OutputId(0));
    let problem = Problem::of(Arc::new(circuit)).asking(vec![Property::never("full", goal)]).expect("it fits");
    let options = Options { max_steps: 100_000_000, ..Options::default() };
    confirm(&problem, &Claim::Unsafe { goal, trace, candidate: false }, &options, &Stop::default())
}

fn trace(start: &[u32], frames: &[&[u32]]) -> Trace {
    let mut trace = Trace::new(start.into());
    frames.iter().for_each(|inputs| trace.push(EventId(0), Some((*inputs).into())));
    trace
}

#[test]
fn a_run_ends_in_a_frame_with_the_output() {
    let two = || counter(2, false, true);
    let good = check(two(), trace(&[], &[&[1], &[0], &[1], &[1], &[0]])).expect("1, 1, 2, 3");
    assert!(good.verdict.is_unsafe());
    assert_eq!((good.length, good.replayed), (5, 5));
    rejected(check(two(), trace(&[], &[&[1], &[0], &[1], &[1], &[1], &[0]])), "false in the last frame");
    rejected(check(two(), trace(&[], &[])), "no frame");
    assert!(check(counter(2, true, true), trace(&[1], &[&[1], &[1], &[0]])).is_ok());
    rejected(check(counter(2, true, true), trace(&[0], &[&[1], &[1], &[0]])), "false in the last frame");
}

#[test]
fn slots_that_do_not_fit_are_rejected() {
    let two = || counter(2, true, true);
    for start in [&[][..], &[1, 0], &[2], &[u32::MAX]] {
        assert!(matches!(check(two(), trace(start, &[&[1], &[1], &[0]])), Err(Refusal::Rejected(_))), "{start:?}");
    }
    for inputs in [&[][..], &[1, 0], &[2], &[u32::MAX]] {
        assert!(matches!(check(two(), trace(&[1], &[inputs, &[1], &[0]])), Err(Refusal::Rejected(_))), "{inputs:?}");
    }
    let mut without = Trace::new(Box::from([1]));
    without.push(EventId(0), None);
    rejected(check(two(), without), "slots");
    let mut event = trace(&[1], &[&[1], &[1]]);
    event.push(EventId(1), Some(Box::from([0])));
    rejected(check(two(), event), "event 1");
}

#[test]
fn constraints_hold_in_every_frame() {
    let mut circuit = counter(2, false, true);
    let input = circuit.inputs()[0].signal;
    circuit.constrain(input);
    assert!(check(circuit.clone(), trace(&[], &[&[1], &[1], &[1], &[1]])).is_ok());
    rejected(check(circuit, trace(&[], &[&[1], &[1], &[1], &[0]])), "constraint");
}

#[test]
fn long_repetitions_are_skipped_or_too_dear() {
    let repeated = |times| {
        let mut trace = Trace::new(Box::from([]));
        trace.push_repeat(vec![EventId(0)], times);
        trace
    };
    // The counter has 8 values. It reaches 7 after 7 steps, in the eighth frame.
    let round = check(counter(3, false, false), repeated(8 * 1_000_000_000_000 + 8)).expect("a full round");
    assert!(round.replayed < 100);
    rejected(check(counter(3, false, false), repeated(8 * 1_000_000_000_000 + 7)), "false in the last frame");
    assert!(matches!(check(counter(60, false, false), repeated(1 << 62)), Err(Refusal::ResourceLimit)));
    rejected(check(counter(3, false, true), repeated(8)), "slots");
    let mut overflowing = repeated(u64::MAX);
    overflowing.push_repeat(vec![EventId(0), EventId(0)], u64::MAX);
    assert!(matches!(check(counter(3, false, false), overflowing), Err(Refusal::ResourceLimit)));
}

#[test]
fn a_latch_without_next_function_is_nothing_to_judge() {
    let mut circuit = Circuit::default();
    let latch = circuit.latch(Reset::Zero, None);
    let signal = circuit.latches()[latch.index()].signal;
    circuit.output(signal, None);
    assert!(matches!(check(circuit, trace(&[], &[&[]])), Err(Refusal::Unknown(_))));
}

#[test]
fn signals_without_node_are_rejected() {
    let mut circuit = counter(2, false, false);
    circuit.output(model::Signal::new(1000, false), None);
    assert!(matches!(check(circuit, trace(&[], &[&[]])), Err(Refusal::Rejected(_))));
}

/// A counter that counts when its input is true. On a violating run, the input is true and it is false again and again,
/// and so is the lowest bit (fairness).
fn recurring(bits: usize) -> Circuit {
    let mut circuit = counter(bits, false, true);
    let input = circuit.inputs()[0].signal;
    let low = circuit.latches()[0].signal;
    // No signal depends on this latch, which is true for ever from some frame on.
    let latch = circuit.latch(Reset::Zero, None);
    let aside = circuit.latches()[latch.index()].signal;
    let next = !circuit.and(!aside, !low);
    circuit.set_next(latch, next);
    circuit.justice(vec![input, !input], None);
    circuit.add_fairness(low);
    circuit
}

fn check_loop(circuit: Circuit, mut trace: Trace, repeats_from: Option<u64>) -> Result<Confirmed, Refusal> {
    let goal = Goal::Justice(JusticeId(0));
    let problem = Problem::of(Arc::new(circuit)).asking(vec![Property::never("j0", goal)]).expect("it fits");
    let options = Options { max_steps: 100_000_000, ..Options::default() };
    trace.repeats_from = repeats_from;
    confirm(&problem, &Claim::Unsafe { goal, trace, candidate: false }, &options, &Stop::default())
}

#[test]
fn a_run_that_repeats_meets_each_signal() {
    let one = || recurring(1);
    // The lowest bit is 0, 1, 1, 0. Then it is 0 again, but the latch aside has become true.
    let good = check_loop(one(), trace(&[], &[&[1], &[0], &[1]]), Some(0)).expect("it repeats");
    assert!(good.verdict.is_unsafe());
    assert_eq!((good.length, good.replayed, good.checked_by.id()), (3, 3, "kernel"));
    assert!(check_loop(one(), trace(&[], &[&[0], &[1], &[0], &[1]]), Some(1)).is_ok());
    let refused = |frames: &[&[u32]], from, why| rejected(check_loop(one(), trace(&[], frames), from), why);
    refused(&[&[1], &[0], &[1]], None, "does not repeat");
    refused(&[&[1], &[0], &[1]], Some(3), "does not repeat");
    refused(&[&[1], &[0], &[1]], Some(u64::MAX), "does not repeat");
    refused(&[&[1], &[0], &[1]], Some(1), "does not come back");
    refused(&[&[1], &[0]], Some(0), "does not come back");
    refused(&[&[1], &[1]], Some(0), "signal number 2");
    refused(&[&[0], &[0]], Some(0), "signal number 1");
    // All signals are true, but not all of them in the loop.
    refused(&[&[1], &[0], &[1], &[0]], Some(3), "signal number 1");
    refused(&[], Some(0), "does not repeat");
}

#[test]
fn signals_of_fairness_count_and_constraints_hold() {
    let mut without = counter(1, false, true);
    let (input, low) = (without.inputs()[0].signal, without.latches()[0].signal);
    without.justice(Vec::new(), None);
    // The property has no signal, so each infinite run violates it.
    assert!(check_loop(without.clone(), trace(&[], &[&[0]]), Some(0)).is_ok());
    let mut fair = without.clone();
    fair.add_fairness(low);
    rejected(check_loop(fair.clone(), trace(&[], &[&[0]]), Some(0)), "signal number 1");
    assert!(check_loop(fair.clone(), trace(&[], &[&[1], &[0]]), Some(1)).is_ok());
    fair.constrain(input);
    rejected(check_loop(fair.clone(), trace(&[], &[&[1], &[0]]), Some(1)), "constraint");
    assert!(check_loop(fair, trace(&[], &[&[1], &[1]]), Some(0)).is_ok());
}

/// A run to a justice property is not finite, a run to an output is not infinite, and outputs have no justice proofs.
#[test]
fn evidence_of_the_other_kind_of_goal_is_rejected() {
    let (output, justice) = (Goal::Output(OutputId(0)), Goal::Justice(JusticeId(0)));
    let mut circuit = recurring(1);
    circuit.output(model::Signal::TRUE, None);
    let problem = Problem::of_circuit(Arc::new(circuit));
    let check = |claim: Claim| confirm(&problem, &claim, &Options::default(), &Stop::default());
    let mut run = trace(&[], &[&[1], &[0], &[1]]);
    run.repeats_from = Some(0);
    assert!(check(Claim::Unsafe { goal: justice, trace: run.clone(), candidate: false }).is_ok());
    rejected(check(Claim::Unsafe { goal: output, trace: run, candidate: false }), "ends there");
    let excluded = |goal| Clauses { invariant: Clausal::default(), induction: None, exclusions: vec![(goal, None)] };
    let plain = |goal| Claim::Safe { goals: vec![goal], certificate: Certificate::Clauses(Box::new(excluded(goal))) };
    assert!(check(plain(justice)).is_err(), "clauses of the circuit say nothing about infinite runs");
    for translation in [Translation::Loop, Translation::Count(0), Translation::Count(u32::MAX)] {
        let proof = |named| JusticeProof { translation, clauses: excluded(named) };
        let claim = |goals: &[Goal], named| Claim::Safe {
            goals: goals.to_vec(),
            certificate: Certificate::Justice(Box::new(proof(named))),
        };
        rejected(check(claim(&[output], output)), "one goal, a justice property");
        rejected(check(claim(&[output, justice], justice)), "one goal, a justice property");
        if translation != Translation::Count(u32::MAX) {
            rejected(check(claim(&[justice], output)), "other goals than the claim names");
            assert!(matches!(check(claim(&[justice], justice)), Err(Refusal::Unknown(_))), "nothing is proven");
        } else {
            rejected(check(claim(&[justice], justice)), "counts further");
        }
    }
}
