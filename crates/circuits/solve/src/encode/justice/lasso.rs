//! Finds runs that repeat inside of finite runs.

use crate::encode::Simulation;
use model::circuit::{pack, unpack};
use model::{Circuit, CircuitRun, Signal, Trace};
use std::collections::HashMap;

/// Returns a run that repeats and makes each of the signals true infinitely often. It consists of the first frames of
/// `trace`, a run of this circuit or of one that has more inputs and more latches with a reset value. Returns `None` if
/// no state occurs twice with all signals true in between, or if the trace does not fit the circuit.
pub(super) fn find(circuit: &Circuit, signals: &[Signal], trace: &Trace) -> Option<Trace> {
    let observed = circuit.cone_latches(signals.iter().copied());
    let mut frames = Simulation::new(circuit, unpack(&trace.start, circuit.open_latches().count()));
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
        let inputs: Vec<bool> = unpack(slots, circuit.inputs().len());
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
