//! Which values a last step needs: in a run to an error of a reactive program or to an output of a circuit, the
//! changes of variables or latches that are to blame.
//!
//! The last step is taken again, with some values as they were at the start. Values that can be reset together without
//! losing the error are left out, in ever smaller groups, until each value that is left is needed (Zeller and
//! Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE 2002). What is said holds by execution, and
//! no value of the list can be left out alone.

use crate::letters::{self, PATIENCE};
use crate::steps::frames::{self, Frame, Ports};
use certify::Player;
use model::circuit::{bit, pack};
use model::{Circuit, Goal, InputId, Reactive, Signal, Trace, VarId};
use std::ops::Range;

/// Most executions of the last step.
const TRIES: usize = 4_000;
/// Most work for the executions, in gates or variables.
const WORK: usize = 20_000_000;
/// Most values that are named. A longer list explains nothing.
const MOST: usize = 8;

/// Returns some of `all` such that `holds` is true for these, and false when any one of them is left out. `None` if
/// this takes more than `tries` calls. `holds` is true for `all`.
fn needed(all: Vec<usize>, tries: usize, mut holds: impl FnMut(&[usize]) -> bool) -> Option<Vec<usize>> {
    let (mut kept, mut left) = (all, tries);
    let mut size = kept.len();
    while size > 0 {
        let (mut at, mut has_fewer) = (0, false);
        while at < kept.len() {
            left = left.checked_sub(1)?;
            let fewer: Vec<usize> = [&kept[..at], &kept[kept.len().min(at + size)..]].concat();
            if holds(&fewer) {
                (kept, has_fewer) = (fewer, true);
            } else {
                at += size;
            }
        }
        // A value may become needless when a later one has gone.
        if size > 1 || !has_fewer {
            size /= 2;
        }
    }
    Some(kept)
}

/// Takes the new values over, and notes the time for those that differ.
fn note<T: Copy + PartialEq>(values: &mut [T], since: &mut [u64], new: &[T], time: u64) {
    for ((value, since), new) in values.iter_mut().zip(since).zip(new) {
        if value != new {
            (*value, *since) = (*new, time);
        }
    }
}

/// Returns how many executions of a step with this cost are affordable.
fn tries(cost: usize) -> usize {
    (WORK / cost.max(1)).min(TRIES)
}

/// Returns which variables the last call of a run to an error needs, and since when they have their values. Empty if
/// the run is longer than what is executed, or if the call needs many.
pub(crate) fn by_call(program: &Reactive, trace: &Trace) -> String {
    let calls: Vec<InputId> = letters::inputs(trace).take(PATIENCE + 1).collect();
    let Some((last, before)) = calls.split_last().filter(|_| calls.len() <= PATIENCE) else { return String::new() };
    let mut player = Player::new(program);
    let first = player.values().to_vec();
    let (mut values, mut since) = (first.clone(), vec![0; first.len()]);
    for (number, input) in before.iter().enumerate() {
        player.call(*input);
        note(&mut values, &mut since, player.values(), number as u64 + 1);
    }
    let outcome = player.call(*last);
    let changed = (0..first.len()).filter(|at| values[*at] != first[*at]).collect();
    let kept = needed(changed, tries(first.len() + program.exprs().len()), |kept| {
        let mut tried = first.clone();
        kept.iter().for_each(|at| tried[*at] = values[*at]);
        player.restore(&tried);
        player.call(*last) == outcome
    });
    let Some(kept) = kept.filter(|kept| kept.len() <= MOST) else { return String::new() };
    let number = calls.len();
    if kept.is_empty() {
        return format!("    Call {number} would end like this in the first state, too.\n");
    }
    let value =
        |at: &usize| format!("{} is {} (since call {})", program.name(VarId::new(*at)), values[*at], since[*at]);
    let all: Vec<String> = kept.iter().map(value).collect();
    let others = if kept.len() < first.len() { "; all else could be as at the start" } else { "" };
    format!("    Call {number} ends like this because {}{others}.\n", joined(&all))
}

/// Returns which latches and inputs the last frame of a run to an output needs, and since when the latches have their
/// values. Empty if the run is about no output, or if the frame needs many.
pub(crate) fn by_frame(circuit: &Circuit, trace: &Trace, goal: Goal) -> String {
    let (Goal::Output(output), Some(frames)) = (goal, trace.len()) else { return String::new() };
    let cost = circuit.gates().len() + circuit.inputs().len();
    if frames == 0 || frames.saturating_mul(cost as u64) > WORK as u64 {
        return String::new();
    }
    let signal = circuit.outputs()[output.index()].signal;
    let Some(last) = Last::of(circuit, trace, signal) else { return String::new() };
    last.words(frames - 1)
}

/// The last frame of a run, with what it needs. Words are needed as a whole.
struct Last<'c> {
    circuit: &'c Circuit,
    /// The bits of the latches that are needed.
    latches: Vec<usize>,
    held: Vec<bool>,
    /// For each latch: the first frame from which on it has its value.
    since: Vec<u64>,
    /// The bits of the inputs that are needed, as far as they are true.
    inputs: Vec<usize>,
}

impl<'c> Last<'c> {
    fn of(circuit: &'c Circuit, trace: &Trace, signal: Signal) -> Option<Self> {
        let mut frame = Frame::first(circuit, &trace.start);
        let first = frame.latches();
        let (mut since, mut before) = (vec![0; first.len()], first.clone());
        let mut words: &[u32] = &[];
        for (number, chosen) in (0u64..).zip(frames::inputs(trace)) {
            if number > 0 {
                frame.step();
            }
            note(&mut before, &mut since, &frame.latches(), number);
            words = chosen;
            frame.compute(words);
        }
        let (start, held) = (frame.held(), before);
        // Values of ports of memories are no choices.
        let is_free: Vec<bool> = circuit.ports_of_inputs().iter().map(Option::is_none).collect();
        let [of_latches, of_inputs] =
            [Ports::latches(circuit), Ports::inputs(circuit)].map(|ports| ports.all().map(|port| port.1).collect());
        let (of_latches, of_inputs): (Vec<Range<usize>>, Vec<Range<usize>>) = (of_latches, of_inputs);
        let mut holds = |latches: &[usize], inputs: &[usize]| {
            frame.go_back(&start);
            let mut tried = first.clone();
            latches.iter().flat_map(|port| of_latches[*port].clone()).for_each(|at| tried[at] = held[at]);
            frame.restore(&tried);
            let mut chosen: Vec<bool> = is_free.iter().enumerate().map(|(at, free)| !free && bit(words, at)).collect();
            inputs.iter().flat_map(|port| of_inputs[*port].clone()).for_each(|at| chosen[at] = bit(words, at));
            frame.compute(&pack(chosen.into_iter()));
            frame.is_true(signal) && frame.counts()
        };
        let has = |ports: &[Range<usize>], is: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..ports.len()).filter(|port| ports[*port].clone().any(is)).collect()
        };
        let changed = has(&of_latches, &|at| first[at] != held[at]);
        let given = has(&of_inputs, &|at| is_free[at] && bit(words, at));
        let tries = tries(circuit.gates().len());
        let latches = needed(changed, tries, |kept| holds(kept, &given))?;
        let inputs = needed(given, tries, |kept| holds(&latches, kept))?;
        let latches = latches.iter().flat_map(|port| of_latches[*port].clone()).collect();
        let inputs = inputs.iter().flat_map(|port| of_inputs[*port].clone()).filter(|at| bit(words, *at)).collect();
        Some(Self { circuit, latches, held, since, inputs })
    }

    fn words(&self, last: u64) -> String {
        let ports = Ports::latches(self.circuit).with(&self.latches, |at| self.held[at]);
        let latches = ports.into_iter().map(|(text, bits)| {
            let since = bits.map(|at| self.since[at]).max().unwrap_or(0);
            format!("{text} (since frame {since})")
        });
        let inputs = Ports::inputs(self.circuit).with(&self.inputs, |at| self.inputs.contains(&at));
        let inputs = inputs.into_iter().map(|(text, _)| format!("{text} (an input)"));
        let all: Vec<String> = latches.chain(inputs).collect();
        let others = "with other latches as at the start and other inputs false";
        match all.len() {
            0 if last == 0 => String::new(),
            0 => format!("    Frame {last} would be like this at the start, too, with all inputs false.\n"),
            1..=MOST => format!("    This is so because {}, also {others}.\n", joined(&all)),
            _ => String::new(),
        }
    }
}

/// Returns `a, b and c`.
fn joined(all: &[String]) -> String {
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_needed() {
        let wanted = [3, 17, 60];
        let kept = needed((0..64).collect(), 1000, |kept| wanted.iter().all(|w| kept.contains(w)));
        assert_eq!(kept, Some(wanted.to_vec()));
        assert_eq!(needed((0..64).collect(), 1000, |_| true), Some(Vec::new()));
        assert_eq!(needed((0..64).collect(), 10, |kept| kept.len() > 60), None, "too many calls");
    }
}
