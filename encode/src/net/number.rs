//! Token counts as bits: thermometer, one-hot and binary (Zhang et al., "PNPV" 2017 and "TTSCov" 2018, Table 1).
//!
//! Of a count that is at most B, a thermometer has the bits [count >= 1] .. [count >= B]; one-hot has [count = 0] .. [count = B],
//! and binary has ceil(log2(B + 1)) digits, the lowest first. A thermometer makes guards literals and clauses over it monotone; that is why IC3
//! likes it.

use super::unary;
use model::circuit::{CircuitBuilder, Reset, Signal};

/// How counts are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// [count >= 1] .. [count >= B].
    #[default]
    Thermometer,
    /// [count = 0] .. [count = B].
    OneHot,
    /// Digits, the lowest first.
    Binary,
}

impl Encoding {
    /// Bits of a count that is at most `bound`.
    pub(crate) fn width(self, bound: u64) -> u64 {
        match self {
            Encoding::Thermometer => bound,
            Encoding::OneHot => bound.saturating_add(1),
            Encoding::Binary => u64::from(u64::BITS - bound.leading_zeros()),
        }
    }

    /// The reset values of counts from `least` to `most`. Where they differ, more is to be said ([`super::start`]).
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

    /// The name of a bit.
    pub(crate) fn name(self, place: &str, bit: u64) -> String {
        match self {
            Encoding::Thermometer => format!("{place}>={}", bit + 1),
            Encoding::OneHot => format!("{place}={bit}"),
            Encoding::Binary => format!("{place}.{bit}"),
        }
    }

    /// The count that these bits are. Of a thermometer, as many as are true; of one-hot bits the first; 0 where there is none.
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
    /// It is never more.
    pub(crate) bound: u64,
    /// [`Encoding::width`] of them.
    pub(crate) bits: Vec<Signal>,
}

impl Number {
    /// Is it `count` or more? Free for a thermometer; one-hot and binary pay a gate per bit, at most.
    pub(crate) fn at_least(&self, b: &mut CircuitBuilder, count: u64) -> Signal {
        if count == 0 || count > self.bound {
            return Signal::constant(count == 0);
        }
        let at = usize::try_from(count).unwrap_or(usize::MAX);
        match self.encoding {
            Encoding::Thermometer => self.bits[at - 1],
            // Chains, not trees: thresholds share them.
            Encoding::OneHot if at > self.bits.len() / 2 => {
                self.bits[at..].iter().rev().fold(Signal::FALSE, |above, &bit| b.or(above, bit))
            }
            Encoding::OneHot => !self.bits[..at].iter().fold(Signal::FALSE, |below, &bit| b.or(below, bit)),
            Encoding::Binary => at_least(b, &self.bits, count),
        }
    }

    /// Is it in the range? The ends are within the bound, or the lower one is 0.
    pub(crate) fn within(&self, b: &mut CircuitBuilder, least: u64, most: u64) -> Signal {
        if self.encoding == Encoding::OneHot && least == most {
            return usize::try_from(least).ok().and_then(|at| self.bits.get(at)).copied().unwrap_or(Signal::FALSE);
        }
        let (from, above) = (self.at_least(b, least), self.at_least(b, most.saturating_add(1)));
        b.and(from, !above)
    }

    /// The bits of this count plus `by`, where that is from 0 to the bound. Free but for binary, which pays four gates a digit.
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

    /// [count >= 1], [count >= 2], .. up to its bound.
    pub(crate) fn thermometer(&self, b: &mut CircuitBuilder) -> Vec<Signal> {
        (1..=self.bound).map(|count| self.at_least(b, count)).collect()
    }

    /// The bits, in this number's encoding, of a count given as a thermometer, where it is within the bound.
    pub(crate) fn written(&self, b: &mut CircuitBuilder, count: &[Signal]) -> Vec<Signal> {
        let get = |k: usize| if k == 0 { Signal::TRUE } else { count.get(k - 1).copied().unwrap_or(Signal::FALSE) };
        match self.encoding {
            Encoding::Thermometer => (1..=self.bits.len()).map(get).collect(),
            Encoding::OneHot => (0..self.bits.len()).map(|k| b.and(get(k), !get(k + 1))).collect(),
            Encoding::Binary => unary::digits(b, count, self.bits.len()),
        }
    }
}

/// Are these digits `count` (at least 1) or more? A gate per digit, at most.
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

/// These digits plus a constant, modulo their range. A half adder, four gates, per digit from the constant's lowest one on.
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
