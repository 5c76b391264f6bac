//! Which of several things happens in a frame: inputs that name it by a number, in binary.
//!
//! The alternatives, with T things: an input for each and a chain that lets the first one through (2T gates), or a constraint
//! that at most one is true (3T). A code needs T gates and about 4 sqrt(T) more, log T inputs instead of T, no constraint, and two
//! things never happen at once whatever the inputs are.

use model::circuit::{CircuitBuilder, Signal};

/// New inputs, and for each of `things` the signal that it is chosen: never two at a time, and some frame chooses it. Numbers
/// beyond choose nothing.
pub(crate) fn one_of(builder: &mut CircuitBuilder, things: usize, name: &str) -> Vec<Signal> {
    let width = things.next_power_of_two().trailing_zeros() as usize;
    let bits: Vec<Signal> = (0..width).map(|i| builder.circuit_mut().input(Some(format!("{name}.{i}")))).collect();
    decode(builder, &bits, things)
}

/// For each number below `count` the signal that `bits`, the lowest first, are that number.
pub(crate) fn decode(builder: &mut CircuitBuilder, bits: &[Signal], count: usize) -> Vec<Signal> {
    let (low, high) = bits.split_at(bits.len() / 2);
    let (low, high) = (minterms(builder, low), minterms(builder, high));
    (0..count).map(|n| builder.and(high[n / low.len()], low[n % low.len()])).collect()
}

fn minterms(builder: &mut CircuitBuilder, bits: &[Signal]) -> Vec<Signal> {
    let mut terms = vec![Signal::TRUE];
    for &bit in bits {
        let zero: Vec<Signal> = terms.iter().map(|&term| builder.and(term, !bit)).collect();
        let one: Vec<Signal> = terms.iter().map(|&term| builder.and(term, bit)).collect();
        terms = zero.into_iter().chain(one).collect();
    }
    terms
}
