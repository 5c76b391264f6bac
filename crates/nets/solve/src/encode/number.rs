//! Encodes token counts as bits: thermometer, one-hot and binary (Zhang et al., "PNPV" 2017 and "TTSCov" 2018,
//! Table 1).
//!
//! For a count of at most B, a thermometer has the bits `[count >= 1]` .. `[count >= B]`. One-hot has the bits
//! `[count = 0]` .. `[count = B]`. Binary has ceil(log2(B + 1)) digits, the lowest first. A thermometer
//! expresses each bound of a guard by one literal, and each literal is monotone in the count. Both properties
//! suit IC3.

use super::unary;
use model::circuit::{CircuitBuilder, Reset, Signal};

/// The encoding of counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// The bits `[count >= 1]` .. `[count >= B]`.
    #[default]
    Thermometer,
    /// The bits `[count = 0]` .. `[count = B]`.
    OneHot,
    /// Binary digits, the lowest first.
    Binary,
}

impl Encoding {
    /// Returns the number of bits of a count that is at most `bound`.
    pub(crate) fn width(self, bound: u64) -> u64 {
        match self {
            Encoding::Thermometer => bound,
            Encoding::OneHot => bound.saturating_add(1),
            Encoding::Binary => u64::from(u64::BITS - bound.leading_zeros()),
        }
    }

    /// Returns the reset values of the bits of a count from `least` to `most`. If the two differ, constraints
    /// are needed too ([`super::start`]).
    pub(crate) fn resets(self, bound: u64, least: u64, most: u64) -> Vec<Reset> {
        let fixed = |value: bool| if value { Reset::One } else { Reset::Zero };
        let of = |bit: u64| match self {
            Encoding::Thermometer if least <= bit && bit < most => Reset::Open,
            Encoding::Thermometer => fixed(bit < least),
            Encoding::OneHot if least < most && (least..=most).contains(&bit) => Reset::Open,
            Encoding::OneHot => fixed(bit == least && least == most),
            Encoding::Binary if least == most => fixed(least >> bit & 1 == 1),
            Encoding::Binary => Reset::Open,
        };
        (0..self.width(bound)).map(of).collect()
    }

    /// Returns the name of a bit.
    pub(crate) fn name(self, place: &str, bit: u64) -> String {
        match self {
            Encoding::Thermometer => format!("{place}>={}", bit + 1),
            Encoding::OneHot => format!("{place}={bit}"),
            Encoding::Binary => format!("{place}.{bit}"),
        }
    }

    /// Returns the count that these bits mean. For a thermometer it is the number of true bits. For one-hot
    /// bits it is the position of the first true bit, or 0 if no bit is true.
    pub(crate) fn read(self, bits: impl Iterator<Item = bool>) -> u64 {
        let mut places = bits.enumerate().filter(|(_, bit)| *bit).map(|(i, _)| i as u64);
        match self {
            Encoding::Thermometer => places.count() as u64,
            Encoding::OneHot => places.next().unwrap_or(0),
            Encoding::Binary => places.map(|i| 1 << i).sum(),
        }
    }
}

/// A count in a circuit.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) encoding: Encoding,
    /// The greatest value of the count.
    pub(crate) bound: u64,
    /// The bits of the count; there are [`Encoding::width`] of them.
    pub(crate) bits: Vec<Signal>,
}

impl Number {
    /// Returns the signal that the count is `count` or more. Costs no gate for a thermometer, and at most one
    /// gate per bit for one-hot and binary.
    pub(crate) fn at_least(&self, b: &mut CircuitBuilder, count: u64) -> Signal {
        if count == 0 || count > self.bound {
            return Signal::constant(count == 0);
        }
        let at = usize::try_from(count).unwrap_or(usize::MAX);
        match self.encoding {
            Encoding::Thermometer => self.bits[at - 1],
            // Chains instead of trees, because different thresholds share them.
            Encoding::OneHot if at > self.bits.len() / 2 => {
                self.bits[at..].iter().rev().fold(Signal::FALSE, |above, &bit| b.or(above, bit))
            }
            Encoding::OneHot => !self.bits[..at].iter().fold(Signal::FALSE, |below, &bit| b.or(below, bit)),
            Encoding::Binary => at_least(b, &self.bits, count),
        }
    }

    /// Returns the signal that the count is in the range. The ends must be within the bound, or the lower end
    /// must be 0.
    pub(crate) fn within(&self, b: &mut CircuitBuilder, least: u64, most: u64) -> Signal {
        if self.encoding == Encoding::OneHot && least == most {
            return usize::try_from(least).ok().and_then(|at| self.bits.get(at)).copied().unwrap_or(Signal::FALSE);
        }
        let (from, above) = (self.at_least(b, least), self.at_least(b, most.saturating_add(1)));
        b.and(from, !above)
    }

    /// Returns the bits of this count plus `by`, valid if the result is from 0 to the bound. Costs no gates,
    /// except four per digit for binary.
    pub(crate) fn plus(&self, b: &mut CircuitBuilder, by: i64) -> Vec<Signal> {
        let distance = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        let (len, fill) = (self.bits.len(), Signal::constant(self.encoding == Encoding::Thermometer));
        match self.encoding {
            Encoding::Binary => add_constant(b, &self.bits, by),
            _ if by < 0 => (0..len)
                .map(|i| i.checked_add(distance).and_then(|from| self.bits.get(from)))
                .map(|s| s.copied().unwrap_or(Signal::FALSE))
                .collect(),
            _ => (0..len).map(|i| i.checked_sub(distance).map_or(fill, |from| self.bits[from])).collect(),
        }
    }

    /// Returns the bits `[count >= 1]`, `[count >= 2]`, .. up to the bound.
    pub(crate) fn thermometer(&self, b: &mut CircuitBuilder) -> Vec<Signal> {
        (1..=self.bound).map(|count| self.at_least(b, count)).collect()
    }

    /// Returns the bits, in this number's encoding, of a count given as a thermometer, valid if the count is
    /// within the bound.
    pub(crate) fn written(&self, b: &mut CircuitBuilder, count: &[Signal]) -> Vec<Signal> {
        let get = |k: usize| if k == 0 { Signal::TRUE } else { count.get(k - 1).copied().unwrap_or(Signal::FALSE) };
        match self.encoding {
            Encoding::Thermometer => (1..=self.bits.len()).map(get).collect(),
            Encoding::OneHot => (0..self.bits.len()).map(|k| b.and(get(k), !get(k + 1))).collect(),
            Encoding::Binary => unary::digits(b, count, self.bits.len()),
        }
    }
}

/// Returns the signal that these digits are `count` or more, where `count` is at least 1. Costs at most one
/// gate per digit.
pub(crate) fn at_least(b: &mut CircuitBuilder, digits: &[Signal], count: u64) -> Signal {
    let below = count - 1;
    if digits.len() < 64 && below >> digits.len() != 0 {
        return Signal::FALSE;
    }
    digits.iter().enumerate().fold(Signal::FALSE, |greater, (i, &digit)| match below >> i & 1 {
        1 => b.and(digit, greater),
        _ => b.or(digit, greater),
    })
}

/// Returns these digits plus a constant, modulo their range. Costs a half adder (four gates) per digit, from
/// the lowest set digit of the constant on.
fn add_constant(b: &mut CircuitBuilder, digits: &[Signal], by: i64) -> Vec<Signal> {
    let mut carry = Signal::FALSE;
    let mut sum = Vec::with_capacity(digits.len());
    for (i, &digit) in digits.iter().enumerate() {
        let one = by >> i.min(63) & 1 == 1;
        sum.push(b.xor(digit, carry).negated_if(one));
        carry = if one { b.or(digit, carry) } else { b.and(digit, carry) };
    }
    sum
}
