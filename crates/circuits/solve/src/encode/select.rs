//! Selects one of several alternatives in a frame. Inputs give the number of the alternative in binary.
//!
//! Two other designs have one input for each of the T alternatives. Either a chain of gates selects the
//! alternative of the first true input (2T gates), or a constraint allows at most one true input (3T gates).
//! The binary code needs T gates and about 4 sqrt(T) more, log T inputs instead of T, and no constraint. Two
//! alternatives are never selected at once, whatever the inputs are.

use model::circuit::{CircuitBuilder, Signal};

/// Creates inputs that select one of `things` alternatives, and returns for each alternative the signal that it
/// is selected. No two signals are true in the same frame, and each signal is true in some frame. Input numbers
/// from `things` on select nothing.
pub fn one_of(builder: &mut CircuitBuilder, things: usize, name: &str) -> Vec<Signal> {
    let width = things.next_power_of_two().trailing_zeros() as usize;
    let bits: Vec<Signal> = (0..width).map(|i| builder.circuit_mut().input(Some(format!("{name}.{i}")))).collect();
    decode(builder, &bits, things)
}

/// Returns for each number below `count` the signal that `bits` (lowest bit first) are this number.
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
