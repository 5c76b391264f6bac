//! Internal signals as latches (Dureja, Gurfinkel, Ivrii and Vizel 2021: IC3 with internal signals).
//!
//! A clause over latches cannot say in short that two words differ: it takes 2^n clauses for words of n bits. A gate
//! may have this value. So for some gates that depend on latches only, the circuit gets a further latch, the *name*
//! of the gate. Its next function is the gate on the next functions of the latches, and in each frame it has the
//! value of the gate. Cubes and lemmas then speak of names as of any other latch. Evidence has the gate in the place
//! of its name.

use hashbrown::HashMap;
use model::{Circuit, CircuitBuilder, Gate, LatchId, Reset, Signal};
use std::sync::Arc;

/// The largest number of gates that get a name.
const MOST: usize = 200;
/// The largest number of gates that are added, for each gate of the circuit.
const GROWTH: usize = 2;
/// Gates of fewer latches get no name: a cube of these latches is short, too.
const LATCHES: usize = 3;
/// A gate that feeds this many others decides about a word.
const USES: usize = 4;

/// A circuit with names of gates.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// The circuit as read, with further latches and gates.
    pub(super) circuit: Arc<Circuit>,
    /// The names and their gates.
    pub(super) names: Arc<[(LatchId, Signal)]>,
}

/// Gives names to gates of the circuit.
pub(super) fn named(circuit: &Arc<Circuit>) -> Named {
    let gates = candidates(circuit);
    let most = circuit.gates().len() * (1 + GROWTH);
    let mut builder = CircuitBuilder::from(Circuit::clone(circuit));
    let mut after = HashMap::new();
    let mut names = Vec::new();
    for gate in gates {
        if builder.circuit().gates().len() > most {
            break;
        }
        let next = next_of(circuit, &mut builder, &mut after, gate);
        let name = builder.circuit_mut().latch(Reset::Open, None);
        builder.circuit_mut().set_next(name, next);
        names.push((name, Signal::new(gate, false)));
    }
    Named { circuit: Arc::new(builder.finish()), names: names.into() }
}

/// Returns the gates that get a name: those that depend on latches only, and that meet inputs, decide about words, or
/// feed no gate. The gates that feed most others come first.
fn candidates(circuit: &Circuit) -> Vec<usize> {
    let gates = circuit.gates();
    // True if the node depends on latches and not on inputs.
    let mut is_steady = vec![true; gates.len()];
    let mut uses = vec![0; gates.len()];
    let mut meets_input = vec![false; gates.len()];
    for (node, gate) in gates.iter().enumerate() {
        match *gate {
            Gate::False | Gate::Latch(_) => {}
            Gate::Input(_) => is_steady[node] = false,
            Gate::And(a, b) => {
                is_steady[node] = is_steady[a.node()] && is_steady[b.node()];
                for operand in [a, b] {
                    uses[operand.node()] += 1;
                    meets_input[operand.node()] |= !is_steady[node];
                }
            }
        }
    }
    let is_named = |node: &usize| {
        let is_wanted = meets_input[*node] || uses[*node] >= USES || uses[*node] == 0;
        matches!(gates[*node], Gate::And(..)) && is_steady[*node] && is_wanted
    };
    let mut found: Vec<usize> = (0..gates.len()).filter(is_named).collect();
    found.sort_by_key(|&node| std::cmp::Reverse(uses[node]));
    found.truncate(4 * MOST);
    found.retain(|&node| has_latches(circuit, node));
    found.truncate(MOST);
    found
}

/// True if the gate depends on at least [`LATCHES`] latches in the same frame.
fn has_latches(circuit: &Circuit, gate: usize) -> bool {
    let (mut open, mut seen, mut latches) = (vec![gate], hashbrown::HashSet::new(), 0);
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        match circuit.gates()[node] {
            Gate::And(a, b) => open.extend([a.node(), b.node()]),
            Gate::Latch(_) => latches += 1,
            Gate::False | Gate::Input(_) => {}
        }
        if latches >= LATCHES {
            return true;
        }
    }
    false
}

/// Returns the signal that has the value which the gate has in the next frame. `after` has those of other nodes.
fn next_of(circuit: &Circuit, builder: &mut CircuitBuilder, after: &mut HashMap<usize, Signal>, gate: usize) -> Signal {
    let mut open = vec![gate];
    while let Some(&node) = open.last() {
        if after.contains_key(&node) {
            open.pop();
            continue;
        }
        let signal = match circuit.gates()[node] {
            Gate::False => Signal::FALSE,
            Gate::Input(_) => unreachable!("the gate depends on latches only"),
            Gate::Latch(latch) => circuit.latches()[latch.index()].next.expect("the circuit is complete"),
            Gate::And(a, b) => {
                let missing: Vec<usize> =
                    [a, b].iter().map(|s| s.node()).filter(|node| !after.contains_key(node)).collect();
                if !missing.is_empty() {
                    open.extend(missing);
                    continue;
                }
                let of = |signal: Signal| after[&signal.node()].negated_if(signal.is_negated());
                let (a, b) = (of(a), of(b));
                builder.and(a, b)
            }
        };
        after.insert(node, signal);
        open.pop();
    }
    after[&gate]
}
