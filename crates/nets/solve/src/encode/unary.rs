//! Arithmetic on thermometers: vectors in which bit `k` (counted from 1) means that the number is at least `k`.
//!
//! The sum of two numbers with m and n bits takes about 2mn gates (the merging step of a totalizer: Bailleux,
//! Boufkhad 2003), and so does the difference. Only transfers, resets under a bound on all tokens, and other
//! effects that are no constant change need these gates.

use circuits::encode::CannotEncode;
use model::circuit::{CircuitBuilder, Signal};

fn get(number: &[Signal], k: usize) -> Signal {
    if k == 0 { Signal::TRUE } else { number.get(k - 1).copied().unwrap_or(Signal::FALSE) }
}

/// Returns the first `most` bits of the sum. A greater sum is cut off there.
pub(crate) fn add(
    b: &mut CircuitBuilder,
    (x, y): (&[Signal], &[Signal]),
    most: usize,
    limit: usize,
) -> Result<Vec<Signal>, CannotEncode> {
    if x.is_empty() || y.is_empty() {
        let all = if x.is_empty() { y } else { x };
        return Ok(all[..all.len().min(most)].to_vec());
    }
    let mut sum = Vec::new();
    for k in 1..=x.len().saturating_add(y.len()).min(most) {
        let parts: Vec<Signal> =
            (k.saturating_sub(y.len())..=k.min(x.len())).map(|i| b.and(get(x, i), get(y, k - i))).collect();
        sum.push(b.any(&parts));
        within(b, limit)?;
    }
    Ok(sum)
}

/// Returns the difference, and the signal that it is valid: the second number is not greater than the first.
pub(crate) fn subtract(
    b: &mut CircuitBuilder,
    x: &[Signal],
    y: &[Signal],
    limit: usize,
) -> Result<(Vec<Signal>, Signal), CannotEncode> {
    let mut difference = Vec::new();
    for k in 1..=x.len() {
        let parts: Vec<Signal> = (0..=y.len().min(x.len() - k)).map(|j| b.and(!get(y, j + 1), get(x, k + j))).collect();
        difference.push(b.any(&parts));
        within(b, limit)?;
    }
    let covered: Vec<Signal> = (1..=y.len()).map(|j| !b.and(get(y, j), !get(x, j))).collect();
    Ok((difference, b.all(&covered)))
}

/// Returns the number plus a constant, and the signal that the result is not below zero.
pub(crate) fn shift(number: Vec<Signal>, by: i64) -> (Vec<Signal>, Signal) {
    let distance = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
    if by >= 0 {
        return (std::iter::repeat_n(Signal::TRUE, distance).chain(number).collect(), Signal::TRUE);
    }
    let enough = get(&number, distance);
    (number.into_iter().skip(distance).collect(), enough)
}

/// Returns the `width` lowest binary digits of the number, the lowest first. Costs about two gates per bit of
/// the number.
pub(crate) fn digits(b: &mut CircuitBuilder, number: &[Signal], width: usize) -> Vec<Signal> {
    let digit = |b: &mut CircuitBuilder, i: usize| {
        let block = 1usize << i.min(40);
        let odd = (1..).step_by(2).map(|odd| odd * block).take_while(|&k| k <= number.len());
        let parts: Vec<Signal> = odd.map(|k| b.and(get(number, k), !get(number, k + block))).collect();
        b.any(&parts)
    };
    (0..width).map(|i| digit(b, i)).collect()
}

/// Checks that the circuit has at most `limit` nodes.
pub(crate) fn within(b: &CircuitBuilder, limit: usize) -> Result<(), CannotEncode> {
    if b.circuit().gates().len() > limit { Err(CannotEncode::TooLarge) } else { Ok(()) }
}
