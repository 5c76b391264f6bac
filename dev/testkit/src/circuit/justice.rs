//! Justice properties by definition: brute force on the graph of all states, and random properties.

use super::{State, frames, generate, initial, start, word};
use crate::{Random, steps};
use model::{Circuit, Goal, JusticeId, Problem, Property, Signal, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Returns the random circuit for `seed` ([`super::circuit`]) with one or two justice properties of up to three
/// signals, and up to two fairness signals.
#[must_use]
pub fn circuit_with_justice(seed: u64) -> Circuit {
    let mut circuit = generate::circuit(seed);
    let random = &mut Random::new(seed.wrapping_mul(0x9fb2_1c65_1e98_df25) ^ 0x1f83_d9ab_fb41_bd6b);
    let any = |random: &mut Random| Signal::new(random.below(circuit.gates().len()), random.chance(50));
    let mut some = |most: usize| -> Vec<Signal> { (0..random.between(0, most)).map(|_| any(random)).collect() };
    let justices = [some(3), some(3)];
    let fairness = some(2);
    let both = usize::from(fairness.len() != 1);
    for signals in &justices[..=both] {
        circuit.justice(signals.clone(), None);
    }
    fairness.into_iter().for_each(|signal| circuit.add_fairness(signal));
    circuit
}

/// Returns the problem that asks only about the justice properties of the circuit.
#[must_use]
pub fn justice_problem(circuit: Circuit) -> Problem {
    let property = |i| Property::never(format!("j{i}"), Goal::Justice(JusticeId::new(i)));
    let properties = (0..circuit.justices().len()).map(property).collect();
    Problem::of(Arc::new(circuit)).asking(properties).expect("these are its properties")
}

/// A step between two states, with the truth of each recurring signal in one of its frames.
type Edge = (State, Vec<bool>);

/// Returns true if some infinite run makes all signals of the property, and all fairness signals, true infinitely
/// often. The states from which such a run may start are computed as a greatest fixpoint (Emerson and Lei 1986).
#[must_use]
pub fn has_fair_run(circuit: &Circuit, justice: JusticeId) -> bool {
    let signals = circuit.recurring(justice);
    let mut graph: BTreeMap<State, BTreeSet<Edge>> = BTreeMap::new();
    let mut open: Vec<State> = initial(circuit).collect();
    while let Some(state) = open.pop() {
        if graph.contains_key(&state) {
            continue;
        }
        let edge = |frame: super::Frame<'_>| (frame.next(), signals.iter().map(|s| frame.is(*s)).collect());
        let edges: BTreeSet<Edge> = frames(circuit, state).map(edge).collect();
        open.extend(edges.iter().map(|(to, _)| *to));
        graph.insert(state, edges);
    }
    let mut fair: BTreeSet<State> = graph.keys().copied().collect();
    loop {
        let before = fair.len();
        // Without signals, any infinite run will do.
        fair = can_reach(&graph, &fair, |_| true);
        for signal in 0..signals.len() {
            fair = can_reach(&graph, &fair, |truth| truth[signal]);
        }
        if fair.len() == before {
            return !fair.is_empty();
        }
    }
}

/// Returns the states of `within` from which a path inside of `within` ends with a step that `last` accepts.
fn can_reach(
    graph: &BTreeMap<State, BTreeSet<Edge>>,
    within: &BTreeSet<State>,
    last: impl Fn(&[bool]) -> bool,
) -> BTreeSet<State> {
    let mut found: BTreeSet<State> = BTreeSet::new();
    loop {
        let before = found.len();
        for state in within {
            let leads = |(to, truth): &Edge| within.contains(to) && (last(truth) || found.contains(to));
            if graph[state].iter().any(leads) {
                found.insert(*state);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// True if the trace is an infinite run that violates the property. The loop is repeated until the values of all
/// latches repeat.
#[must_use]
pub fn is_fair_run(circuit: &Circuit, trace: &Trace, justice: JusticeId) -> bool {
    let Some(mut state) = start(circuit, &trace.start) else { return false };
    let inputs: Option<Vec<u64>> = steps(trace)
        .map(|step| {
            let slots = step.choice.map_or(&[][..], |choice| trace.choice(choice));
            word(slots, circuit.inputs().len()).filter(|_| step.event.index() == 0)
        })
        .collect();
    let from = trace.repeats_from.and_then(|from| usize::try_from(from).ok());
    let (Some(inputs), Some(from)) = (inputs, from) else { return false };
    if from >= inputs.len() {
        return false;
    }
    let signals = circuit.recurring(justice);
    // For each pass of the loop: the state before it, and which signals are true in it.
    let mut passes: Vec<(State, Vec<bool>)> = Vec::new();
    let mut todo = &inputs[..from];
    loop {
        let mut truth = vec![false; signals.len()];
        let before = state;
        for &inputs in todo {
            let frame = super::Frame::new(circuit, state, inputs);
            if !frame.counts() {
                return false;
            }
            signals.iter().zip(&mut truth).for_each(|(signal, truth)| *truth |= frame.is(*signal));
            state = frame.next();
        }
        passes.push((before, truth));
        if let Some(first) = passes[1..].iter().position(|(before, _)| *before == state) {
            return (0..signals.len()).all(|signal| passes[1 + first..].iter().any(|(_, truth)| truth[signal]));
        }
        todo = &inputs[from..];
    }
}
