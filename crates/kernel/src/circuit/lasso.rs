//! Replays infinite runs of circuits that violate a justice property. This rule uses no translation.
//!
//! The trace lists the frames of a finite part and of one pass of a loop. It is accepted if all constraints are true in
//! each listed frame, if each signal that must be true infinitely often is true in a frame of the loop, and if the
//! *observed* latches have, after the last frame, the values that they have in the first frame of the loop. The
//! observed latches are those on which one of these signals or a constraint depends in some frame.
//!
//! 1. The frames of the loop can be repeated for ever, and each signal in question is true in every pass. Proof: the
//!    next function of an observed latch depends on inputs and on observed latches only, and so do the signals and the
//!    constraints in a frame. By induction over the passes, observed latches have the same values at the start of each
//!    pass. With the same inputs, the signals and the constraints have the same values in each frame of a pass as in
//!    the first pass.

use super::runs::{Runs, value};
use crate::trace::{Semantics, steps};
use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use model::{JusticeId, LatchId, Trace};

/// Replays an infinite run that violates the justice property. Returns the number of its frames: the finite part and
/// one pass of the loop.
///
/// # Errors
/// If the trace is no such run, or if a resource limit is exceeded.
pub fn violates(runs: &mut Runs<'_>, trace: &Trace, justice: JusticeId, work: &mut Work<'_>) -> Check<u64> {
    let circuit = runs.circuit;
    if !circuit.memories().is_empty() {
        return Err(Refusal::Unknown("the kernel has no rule for infinite runs of circuits with memories".to_owned()));
    }
    if justice.index() >= circuit.justices().len() {
        return reject("there is no such justice property");
    }
    let frames = trace.len().ok_or(Refusal::ResourceLimit)?;
    let Some(repeats_from) = trace.repeats_from.filter(|&from| from < frames) else {
        return reject("a violating run is infinite, and this run does not repeat");
    };
    let signals = circuit.recurring(justice);
    work.spend((circuit.gates().len() + signals.len()) as u64)?;
    work.grow(circuit.gates().len() + signals.len())?;
    let observed = circuit.cone_latches(signals.iter().copied());
    let held =
        |latches: &[bool]| -> Vec<bool> { observed.iter().map(|latch: &LatchId| latches[latch.index()]).collect() };
    let mut was_true = vec![false; signals.len()];
    let mut state = runs.start(&trace.start, work)?;
    let mut loop_start = None;
    for (number, step) in (0u64..).zip(steps(trace)) {
        if number == repeats_from {
            loop_start = Some(held(&state.latches));
        }
        let choice = step.choice.map(|choice| trace.choice(choice));
        let taken = runs.step(&mut state, step.event.0, choice, work);
        within(taken, || format!("frame {number}"))?;
        if number >= repeats_from {
            work.spend(signals.len() as u64)?;
            for (was_true, &signal) in was_true.iter_mut().zip(&signals) {
                *was_true |= value(&state.values, signal);
            }
        }
    }
    let Some(loop_start) = loop_start else { return reject("the run ends before the step from which it repeats") };
    if loop_start != held(&state.latches) {
        return reject("the run does not come back to the state from which it repeats");
    }
    match was_true.iter().position(|was_true| !was_true) {
        Some(number) => reject(format!("signal number {} is true in no frame of the loop", number + 1)),
        None => Ok(frames),
    }
}
