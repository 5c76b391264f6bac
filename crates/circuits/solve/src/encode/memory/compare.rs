//! Comparisons of words that proofs about memories need, and that the circuit does not make.
//!
//! If a circuit compares a word with two others, a proof may compare these two with each other: a place that is read
//! is the place that is followed, and the place that was written. Such comparisons are added as gates, which nothing
//! uses. IC3 may then speak of them (`crates/circuits/solve/src/ic3/signals.rs`).

use model::{Circuit, CircuitBuilder, Gate, Signal};
use std::collections::BTreeSet;

/// Comparisons of fewer bits are not added.
const FEWEST: usize = 2;
/// The largest number of comparisons that are looked at.
const MOST: usize = 128;

/// Bits that are compared: pairs of signals, the smaller one first and not negated.
type Comparison = Vec<(Signal, Signal)>;

/// Returns the circuit with gates for further comparisons of words that depend on latches only, and these gates.
pub(super) fn with_comparisons(circuit: Circuit) -> (Circuit, Vec<(Signal, Signal)>) {
    let is_steady = steady(&circuit);
    let mut found = comparisons(&circuit);
    let made: BTreeSet<Comparison> = found.iter().cloned().collect();
    let mut known = made.clone();
    let mut at = 0;
    while at < found.len() && found.len() < MOST {
        for other in 0..at {
            let joined = joined(&found[at], &found[other]);
            if joined.len() >= FEWEST && known.insert(joined.clone()) {
                found.push(joined);
            }
        }
        at += 1;
    }
    let before = circuit.gates().len();
    let mut builder = CircuitBuilder::from(circuit);
    for pairs in found.iter().filter(|pairs| !made.contains(*pairs)) {
        if pairs.iter().all(|(a, b)| is_steady[a.node()] && is_steady[b.node()]) {
            let same: Vec<Signal> = pairs.iter().map(|&(a, b)| !builder.xor(a, b)).collect();
            builder.all(&same);
        }
    }
    let circuit = builder.finish();
    let added = circuit.gates()[before..].iter().map(|gate| match *gate {
        Gate::And(a, b) => (a, b),
        _ => unreachable!("comparisons are made of conjunctions"),
    });
    let added = added.collect();
    (circuit, added)
}

/// Returns for each node whether it depends on no input.
fn steady(circuit: &Circuit) -> Vec<bool> {
    let mut steady: Vec<bool> = Vec::with_capacity(circuit.gates().len());
    for gate in circuit.gates() {
        steady.push(match *gate {
            Gate::False | Gate::Latch(_) => true,
            Gate::Input(_) => false,
            Gate::And(a, b) => steady[a.node()] && steady[b.node()],
        });
    }
    steady
}

/// Returns the comparisons that the circuit makes: conjunctions, with the pairs of bits that must be equal.
fn comparisons(circuit: &Circuit) -> Vec<Comparison> {
    let gates = circuit.gates();
    // Conjunctions that are operands of another one are parts of it.
    let mut is_part = vec![false; gates.len()];
    for gate in gates {
        if let Gate::And(a, b) = *gate {
            for operand in [a, b].iter().filter(|operand| !operand.is_negated()) {
                is_part[operand.node()] = true;
            }
        }
    }
    let mut found = BTreeSet::new();
    let tops = (0..gates.len()).filter(|&node| matches!(gates[node], Gate::And(..)) && !is_part[node]);
    for top in tops {
        let (mut pairs, mut open, mut left) = (Comparison::new(), vec![top], gates.len());
        while let Some(node) = open.pop() {
            left = left.saturating_sub(1);
            match (equal_bits(circuit, node), gates[node]) {
                (Some(pair), _) => pairs.push(pair),
                (None, Gate::And(a, b)) if left > 0 => {
                    open.extend([a, b].iter().filter(|operand| !operand.is_negated()).map(|operand| operand.node()));
                }
                _ => {}
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.len() >= FEWEST && found.len() < MOST {
            found.insert(pairs);
        }
    }
    found.into_iter().collect()
}

/// Returns the two signals that are equal if the gate is true, if it is the negation of an exclusive or.
fn equal_bits(circuit: &Circuit, node: usize) -> Option<(Signal, Signal)> {
    let operands = |signal: Signal| match circuit.gates()[signal.node()] {
        Gate::And(a, b) if signal.is_negated() => Some((a, b)),
        _ => None,
    };
    let Gate::And(a, b) = circuit.gates()[node] else { return None };
    let ((a, b), (c, d)) = (operands(a)?, operands(b)?);
    if (a == !c && b == !d) || (a == !d && b == !c) { Some(ordered(a, !b)) } else { None }
}

/// Returns the pair with the smaller signal first, which is not negated.
fn ordered(a: Signal, b: Signal) -> (Signal, Signal) {
    let (a, b) = if a.node() <= b.node() { (a, b) } else { (b, a) };
    (a.negated_if(a.is_negated()), b.negated_if(a.is_negated()))
}

/// Returns the comparison of what two comparisons compare with the same bits.
fn joined(one: &Comparison, other: &Comparison) -> Comparison {
    let mut pairs = Comparison::new();
    let sides = |&(a, b): &(Signal, Signal)| [(a, b), (b, a)];
    for (bit, first) in one.iter().flat_map(sides) {
        for (same, second) in other.iter().flat_map(sides) {
            if bit.node() == same.node() && first.node() != second.node() {
                pairs.push(ordered(first, second.negated_if(bit.is_negated() != same.is_negated())));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
