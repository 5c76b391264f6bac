//! Removes what has turned out not to matter. A word may be among the operands of a property although no bit of it
//! influences the property: files of Yosys initialise each element of a memory by `write` on a state with any value.
//!
//! Gates stay if something depends on them. Inputs and latches stay if something depends on a bit of their word, so
//! that reports and witnesses have whole words. If a value that is read from a memory stays, all that is written to
//! memories stays.

use model::circuit::Word;
use model::circuit::memory::{Array, Memories};
use model::{Circuit, Gate, LatchId, Signal};

/// Returns the circuit without what does not matter. `states` are the latches of each state, and `words` the words of
/// which bits are chosen.
pub(super) fn pruned(circuit: &Circuit, states: &[Vec<LatchId>], words: Vec<Word>) -> Circuit {
    let latch = |id: &LatchId| circuit.latches()[id.index()].signal;
    let states = states.iter().map(|state| state.iter().map(latch).collect::<Vec<Signal>>());
    let groups: Vec<Vec<Signal>> = states.chain(words.iter().map(|word| word.bits.clone())).collect();
    let stays = needed(circuit, &groups);
    copy(circuit, &stays, words)
}

/// Returns for each node whether a property or a constraint depends on it, or on a bit of its group.
fn needed(circuit: &Circuit, groups: &[Vec<Signal>]) -> Vec<bool> {
    let mut group = vec![None; circuit.gates().len()];
    for (number, bits) in groups.iter().enumerate() {
        bits.iter().for_each(|bit| group[bit.node()] = Some(number));
    }
    let mut needed = vec![false; circuit.gates().len()];
    needed[0] = true;
    let memories = circuit.memories();
    let mut port = vec![None; circuit.gates().len()];
    for (number, of) in memories.ports.iter().enumerate() {
        of.value.iter().for_each(|bit| port[bit.node()] = Some(number));
    }
    let mut is_port_needed = vec![false; memories.ports.len()];
    let mut are_memories_needed = false;
    let outputs = circuit.outputs().iter().map(|output| output.signal);
    let justice = circuit.justices().iter().flat_map(|justice| &justice.signals);
    let others = circuit.constraints().iter().chain(justice).chain(circuit.fairness()).copied();
    let mut open: Vec<usize> = outputs.chain(others).map(Signal::node).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut needed[node], true) {
            continue;
        }
        match circuit.gates()[node] {
            Gate::False | Gate::Input(_) => {}
            Gate::Latch(latch) => open.extend(circuit.latches()[latch.index()].next.map(Signal::node)),
            Gate::And(a, b) => open.extend([a.node(), b.node()]),
        }
        // The first bit of a port that is needed brings all others, the address, and what is written to memories.
        if let Some(number) = port[node]
            && !std::mem::replace(&mut is_port_needed[number], true)
        {
            let port = &memories.ports[number];
            open.extend(port.value.iter().chain(&port.address).map(|bit| bit.node()));
            if !std::mem::replace(&mut are_memories_needed, true) {
                open.extend(memories.arrays.iter().flat_map(Array::signals).map(Signal::node));
            }
        }
        // The first bit of a group that is needed brings all others.
        if let Some(number) = group[node].take() {
            let others = groups[number].iter().map(|bit| bit.node());
            for other in others.filter(|other| group[*other].take().is_some()) {
                open.push(other);
            }
        }
    }
    needed
}

/// Copies the nodes that stay. Operands and next functions of nodes that stay do so, too.
fn copy(circuit: &Circuit, stays: &[bool], words: Vec<Word>) -> Circuit {
    let (mut copy, mut signals, mut latches) = (Circuit::default(), vec![Signal::FALSE; stays.len()], Vec::new());
    let mut nodes = circuit.gates().iter().enumerate();
    nodes.next();
    for (node, gate) in nodes.filter(|(node, _)| stays[*node]) {
        let of = |signal: Signal| signals[signal.node()].negated_if(signal.is_negated());
        signals[node] = match *gate {
            Gate::False => Signal::FALSE,
            Gate::Input(input) => copy.input(circuit.inputs()[input as usize].name.clone()),
            Gate::Latch(id) => {
                let latch = &circuit.latches()[id.index()];
                let own = copy.latch(latch.reset, latch.name.clone());
                latches.push((own, latch.next));
                copy.latches()[own.index()].signal
            }
            Gate::And(a, b) => copy.and(of(a), of(b)),
        };
    }
    let of = |signal: Signal| signals[signal.node()].negated_if(signal.is_negated());
    for (latch, next) in latches {
        if let Some(next) = next {
            copy.set_next(latch, of(next));
        }
    }
    let mut memories = Memories::clone(circuit.memories());
    memories.ports.retain(|port| port.value.iter().all(|bit| stays[bit.node()]));
    if !memories.ports.is_empty() {
        copy.set_memories(memories.map(of));
    }
    for output in circuit.outputs() {
        copy.output(of(output.signal), output.name.clone());
    }
    circuit.constraints().iter().for_each(|constraint| copy.constrain(of(*constraint)));
    for justice in circuit.justices() {
        copy.justice(justice.signals.iter().map(|signal| of(*signal)).collect(), justice.name.clone());
    }
    circuit.fairness().iter().for_each(|signal| copy.add_fairness(of(*signal)));
    let words = words.into_iter().filter(|word| word.bits.iter().all(|bit| stays[bit.node()]));
    copy.set_words(words.map(|word| Word { bits: word.bits.iter().map(|bit| of(*bit)).collect(), ..word }).collect());
    copy
}
