//! Finds runs that repeat inside of finite runs.

use crate::Simulation;
use model::circuit::pack;
use model::{Circuit, CircuitRun, Reset, Signal, Trace};
use std::collections::HashMap;

/// Number of bits in a slot of a trace.
const SLOT: usize = 32;

/// Returns a run that repeats and makes each of the signals true infinitely often. It consists of the first frames of
/// `trace`, a run of this circuit or of one that has more inputs and more latches with a reset value. Returns `None` if
/// no state occurs twice with all signals true in between, or if the trace does not fit the circuit.
pub(super) fn find(circuit: &Circuit, signals: &[Signal], trace: &Trace) -> Option<Trace> {
    let observed = circuit.cone_latches(signals.iter().copied());
    let open = circuit.latches().iter().filter(|latch| latch.reset == Reset::Open).count();
    let mut frames = Simulation::new(circuit, bits(&trace.start, open));
    let mut run = CircuitRun { start: frames.latches().to_vec(), inputs: Vec::new() };
    // For each state: the first frame with this state.
    let mut first: HashMap<Box<[u32]>, usize> = HashMap::new();
    // For each signal: the number of frames up to the last one in which it was true.
    let mut last = vec![0; signals.len()];
    let steps = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
    for step in steps.map(Some).chain([None]) {
        let now = run.inputs.len();
        let held = observed.iter().map(|latch| frames.latches()[latch.index()]);
        let from = *first.entry(pack(held)).or_insert(now);
        if from < now && last.iter().all(|&last| last > from) {
            let mut trace = run.trace(circuit);
            trace.repeats_from = Some(from as u64);
            return Some(trace);
        }
        let slots = step?.choice.map_or(&[][..], |choice| trace.choice(choice));
        let inputs: Vec<bool> = bits(slots, circuit.inputs().len()).collect();
        if !frames.frame(&inputs) {
            return None;
        }
        for (last, signal) in last.iter_mut().zip(signals) {
            if frames.value(*signal) {
                *last = now + 1;
            }
        }
        run.inputs.push(inputs);
        frames.step();
    }
    None
}

/// Returns the first `count` bits of the slots. Bits beyond the slots are 0.
fn bits(slots: &[u32], count: usize) -> impl Iterator<Item = bool> {
    (0..count).map(|at| slots.get(at / SLOT).is_some_and(|slot| slot >> (at % SLOT) & 1 == 1))
}
