//! Shifts, products, quotients and overflow, with the meaning of SMT-LIB (theory `FixedSizeBitVectors`, logic
//! `QF_BV`).

use super::gates::{Bits, Gates, extended, not, sign, zeros};
use model::Signal;

/// A direction, and what is shifted in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    Left,
    Right,
    RightSigned,
}

impl Gates {
    /// Shifts by a number of bits that is itself a word: one row of choices for each bit of the number that can
    /// matter. If a higher bit is set, everything is shifted out.
    pub(super) fn shift(&mut self, a: &[Signal], by: &[Signal], shift: Shift) -> Bits {
        let width = a.len();
        let fill = if shift == Shift::RightSigned { sign(a) } else { Signal::FALSE };
        let mut bits = a.to_vec();
        // The bits of a number below the width.
        let rows = (width - 1).checked_ilog2().map_or(0, |highest| highest as usize + 1);
        for (row, &bit) in by[..rows].iter().enumerate() {
            if !self.charge(width) {
                return bits;
            }
            let distance = 1usize << row;
            let shifted: Bits = (0..width)
                .map(|at| match shift {
                    Shift::Left => at.checked_sub(distance).map_or(fill, |from| bits[from]),
                    Shift::Right | Shift::RightSigned => bits.get(at + distance).copied().unwrap_or(fill),
                })
                .collect();
            bits = self.choose(bit, &shifted, &bits);
        }
        let is_far = self.builder.any(&by[rows..]);
        self.choose(is_far, &vec![fill; width], &bits)
    }

    /// Rotates to the left, or to the right. The bit `2^k` of the number rotates by `2^k` modulo the width.
    pub(super) fn rotate(&mut self, a: &[Signal], by: &[Signal], is_left: bool) -> Bits {
        let width = a.len();
        let (mut bits, mut distance) = (a.to_vec(), 1 % width);
        for &bit in by {
            if distance == 0 || !self.charge(width) {
                break;
            }
            let offset = if is_left { width - distance } else { distance };
            let rotated: Bits = (0..width).map(|at| bits[(at + offset) % width]).collect();
            bits = self.choose(bit, &rotated, &bits);
            distance = 2 * distance % width;
        }
        bits
    }

    /// Multiplies, modulo the power of two: adds the first factor, shifted, for each bit of the second. The factors
    /// are ordered, so that both orders of a product give the same gates.
    pub(super) fn multiply(&mut self, a: &[Signal], b: &[Signal]) -> Bits {
        let (a, b) = if a <= b { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = zeros(width);
        for (at, &bit) in b.iter().enumerate() {
            if bit == Signal::FALSE {
                continue;
            }
            if !self.charge(width - at) {
                break;
            }
            let row: Bits = a[..width - at].iter().map(|a| self.builder.and(*a, bit)).collect();
            let high = self.add(&sum[at..], &row, Signal::FALSE).0;
            sum.truncate(at);
            sum.extend(high);
        }
        sum
    }

    /// Returns quotient and remainder of natural numbers, by subtraction from the highest bit on. Division by zero
    /// subtracts zero in each step: the quotient has all bits set, and the remainder is the dividend, as SMT-LIB
    /// defines.
    pub(super) fn divide(&mut self, a: &[Signal], b: &[Signal]) -> (Bits, Bits) {
        let width = a.len();
        let divisor = extended(b, 1, Signal::FALSE);
        let (mut quotient, mut rest) = (zeros(width), zeros(width));
        for at in (0..width).rev() {
            if !self.charge(width) {
                break;
            }
            // The rest is less than the divisor, or the divisor is zero and the rest has few bits. So one more bit
            // is enough.
            let shifted: Bits = std::iter::once(a[at]).chain(rest.iter().copied()).collect();
            let (difference, fits) = self.subtract(&shifted, &divisor);
            quotient[at] = fits;
            rest = self.choose(fits, &difference[..width], &shifted[..width]);
        }
        (quotient, rest)
    }

    /// Returns quotient and remainder of the absolute values.
    fn divide_absolute(&mut self, a: &[Signal], b: &[Signal]) -> (Bits, Bits) {
        let (a, b) = (self.negate_if(sign(a), a), self.negate_if(sign(b), b));
        self.divide(&a, &b)
    }

    /// The quotient rounded towards zero.
    pub(super) fn divide_signed(&mut self, a: &[Signal], b: &[Signal]) -> Bits {
        let quotient = self.divide_absolute(a, b).0;
        let differ = self.builder.xor(sign(a), sign(b));
        self.negate_if(differ, &quotient)
    }

    /// The remainder with the sign of the dividend.
    pub(super) fn remainder_signed(&mut self, a: &[Signal], b: &[Signal]) -> Bits {
        let rest = self.divide_absolute(a, b).1;
        self.negate_if(sign(a), &rest)
    }

    /// The remainder with the sign of the divisor: the signed remainder, plus the divisor if the signs of dividend and
    /// divisor differ and the remainder is not zero.
    pub(super) fn modulo_signed(&mut self, a: &[Signal], b: &[Signal]) -> Bits {
        let rest = self.remainder_signed(a, b);
        let differ = self.builder.xor(sign(a), sign(b));
        let is_some = self.builder.any(&rest);
        let adds = self.builder.and(differ, is_some);
        let moved = self.add(&rest, b, Signal::FALSE).0;
        self.choose(adds, &moved, &rest)
    }

    /// True if the signed sum does not fit: both operands have one sign, and the sum has the other.
    pub(super) fn sum_overflows(&mut self, a: &[Signal], b: &[Signal], sum: &[Signal]) -> Signal {
        let [changes_a, changes_b] = [a, b].map(|word| self.builder.xor(sign(word), sign(sum)));
        self.builder.and(changes_a, changes_b)
    }

    /// True if the signed difference does not fit: the operands have different signs, and the difference has not the
    /// sign of the first.
    pub(super) fn difference_overflows(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let difference = self.subtract(a, b).0;
        self.sum_overflows(a, &not(b), &difference)
    }

    /// True if the product does not fit, computed in twice the width.
    pub(super) fn product_overflows(&mut self, a: &[Signal], b: &[Signal], is_signed: bool) -> Signal {
        let width = a.len();
        let [a, b] = [a, b].map(|word| extended(word, width, if is_signed { sign(word) } else { Signal::FALSE }));
        let product = self.multiply(&a, &b);
        if is_signed {
            let differ: Bits = product[width..].iter().map(|bit| self.builder.xor(*bit, product[width - 1])).collect();
            self.builder.any(&differ)
        } else {
            self.builder.any(&product[width..])
        }
    }

    /// True if the signed quotient does not fit: the least number divided by -1.
    pub(super) fn quotient_overflows(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let (low, high) = a.split_at(a.len() - 1);
        let is_least = [high.to_vec(), not(low), b.to_vec()].concat();
        self.builder.all(&is_least)
    }
}
