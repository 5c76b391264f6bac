//! Intervals of 32-bit numbers, and operators on them. They are used by the decision tree of calls and by
//! engines on abstract states. (The checker has its own implementation.)
//!
//! Results are at least as coarse as [`model::Valuations`] requires. Bounds are computed in 64 bits. If they
//! exceed 32 bits, the result is the interval of all numbers, because a wrapped interval would have two parts.

use model::reactive::{Binary, Unary};

/// The numbers from `lo` to `hi`, both included; never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Least number.
    pub lo: i32,
    /// Greatest number.
    pub hi: i32,
}

impl Interval {
    /// All numbers.
    pub const ALL: Self = Self { lo: i32::MIN, hi: i32::MAX };
    /// The value of a true condition.
    pub const TRUE: Self = Self { lo: 1, hi: 1 };
    /// The value of a false condition.
    pub const FALSE: Self = Self { lo: 0, hi: 0 };
    /// The values of a condition that may be true or false.
    pub const EITHER: Self = Self { lo: 0, hi: 1 };

    /// Returns the interval of one number.
    #[must_use]
    pub fn point(value: i32) -> Self {
        Self { lo: value, hi: value }
    }

    /// Returns the number if the interval has only one.
    #[must_use]
    pub fn single(self) -> Option<i32> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Returns the truth value of all numbers in the interval, or `None` if it contains 0 and other numbers.
    #[must_use]
    pub fn truth(self) -> Option<bool> {
        match (self.lo, self.hi) {
            (0, 0) => Some(false),
            (lo, hi) if lo <= 0 && hi >= 0 => None,
            _ => Some(true),
        }
    }

    /// Returns true if the interval contains `value`.
    #[must_use]
    pub fn contains(self, value: i32) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// Returns the intersection, or `None` if it is empty.
    #[must_use]
    pub fn meet(self, other: Self) -> Option<Self> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Self { lo, hi })
    }

    fn of_bounds(lo: i64, hi: i64) -> Self {
        match (i32::try_from(lo), i32::try_from(hi)) {
            (Ok(lo), Ok(hi)) => Self { lo, hi },
            _ => Self::ALL,
        }
    }

    fn of_truth(truth: Option<bool>) -> Self {
        match truth {
            Some(true) => Self::TRUE,
            Some(false) => Self::FALSE,
            None => Self::EITHER,
        }
    }

    fn corners(self, other: Self, f: impl Fn(i64, i64) -> i64) -> Self {
        let (a, b) = (i64::from(self.lo), i64::from(self.hi));
        let (c, d) = (i64::from(other.lo), i64::from(other.hi));
        let all = [f(a, c), f(a, d), f(b, c), f(b, d)];
        Self::of_bounds(all.into_iter().min().expect("four"), all.into_iter().max().expect("four"))
    }
}

/// Applies an operator to all numbers of an interval.
#[must_use]
pub fn unary(op: Unary, a: Interval) -> Interval {
    match op {
        Unary::Neg => Interval::of_bounds(-i64::from(a.hi), -i64::from(a.lo)),
        Unary::Not => Interval::of_truth(a.truth().map(|t| !t)),
    }
}

/// Applies an operator to all numbers of two intervals. Returns `None` if it always crashes. `And` and `Or`
/// evaluate both sides; callers handle short circuits.
#[must_use]
pub fn binary(op: Binary, a: Interval, b: Interval) -> Option<Interval> {
    Some(match op {
        Binary::Add => Interval::of_bounds(i64::from(a.lo) + i64::from(b.lo), i64::from(a.hi) + i64::from(b.hi)),
        Binary::Sub => Interval::of_bounds(i64::from(a.lo) - i64::from(b.hi), i64::from(a.hi) - i64::from(b.lo)),
        Binary::Mul => a.corners(b, |x, y| x * y),
        Binary::Div | Binary::Rem if b == Interval::FALSE || is_lowest_by_minus_one(a, b) => return None,
        Binary::Div if b.contains(0) => Interval::ALL,
        Binary::Div => a.corners(b, |x, y| x / y),
        Binary::Rem => remainder(a, b),
        Binary::Eq => equal(a, b),
        Binary::Ne => unary(Unary::Not, equal(a, b)),
        Binary::Lt => less(a, b),
        Binary::Ge => unary(Unary::Not, less(a, b)),
        Binary::Gt => less(b, a),
        Binary::Le => unary(Unary::Not, less(b, a)),
        Binary::And => logic(a.truth(), b.truth(), false),
        Binary::Or => logic(a.truth(), b.truth(), true),
    })
}

/// Returns true if the quotient is `i32::MIN / -1`, which overflows.
fn is_lowest_by_minus_one(a: Interval, b: Interval) -> bool {
    (a, b) == (Interval::point(i32::MIN), Interval::point(-1))
}

/// Combines truth values by `And` (`decides` is false) or `Or` (`decides` is true).
fn logic(a: Option<bool>, b: Option<bool>, decides: bool) -> Interval {
    Interval::of_truth(match (a, b) {
        (Some(x), _) | (_, Some(x)) if x == decides => Some(decides),
        (Some(_), Some(_)) => Some(!decides),
        _ => None,
    })
}

fn equal(a: Interval, b: Interval) -> Interval {
    Interval::of_truth(match (a.single(), b.single()) {
        (Some(x), Some(y)) => Some(x == y),
        _ if a.meet(b).is_none() => Some(false),
        _ => None,
    })
}

fn less(a: Interval, b: Interval) -> Interval {
    Interval::of_truth(if a.hi < b.lo {
        Some(true)
    } else if a.lo >= b.hi {
        Some(false)
    } else {
        None
    })
}

/// Returns the remainders. A remainder has the sign of the dividend. As long as the quotient stays the same, the
/// remainder is the dividend less a constant.
fn remainder(a: Interval, b: Interval) -> Interval {
    let Some(divisor) = b.single() else {
        let most = (i64::from(b.lo).abs()).max(i64::from(b.hi).abs()) - 1;
        return signed(a, most);
    };
    let (lo, hi, n) = (i64::from(a.lo), i64::from(a.hi), i64::from(divisor).abs());
    if lo / n == hi / n && (lo >= 0 || hi <= 0) {
        return Interval::of_bounds(lo % n, hi % n);
    }
    signed(a, n - 1)
}

/// Returns an interval of the remainders of numbers in `a`. A remainder has the sign of its dividend. Its
/// absolute value is at most `most`, and at most the absolute value of the dividend.
fn signed(a: Interval, most: i64) -> Interval {
    let lo = if a.lo < 0 { (-most).max(i64::from(a.lo)) } else { 0 };
    let hi = if a.hi > 0 { most.min(i64::from(a.hi)) } else { 0 };
    Interval::of_bounds(lo, hi)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apply(op: Binary, x: i32, y: i32) -> Option<i32> {
        Some(match op {
            Binary::Add => x.wrapping_add(y),
            Binary::Sub => x.wrapping_sub(y),
            Binary::Mul => x.wrapping_mul(y),
            Binary::Div => return x.checked_div(y),
            Binary::Rem => return x.checked_rem(y),
            Binary::Eq => i32::from(x == y),
            Binary::Ne => i32::from(x != y),
            Binary::Lt => i32::from(x < y),
            Binary::Le => i32::from(x <= y),
            Binary::Gt => i32::from(x > y),
            Binary::Ge => i32::from(x >= y),
            Binary::And => i32::from(x != 0 && y != 0),
            Binary::Or => i32::from(x != 0 || y != 0),
        })
    }

    const OPERATORS: [Binary; 13] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Rem,
        Binary::Eq,
        Binary::Ne,
        Binary::Lt,
        Binary::Le,
        Binary::Gt,
        Binary::Ge,
        Binary::And,
        Binary::Or,
    ];

    /// Small intervals, near the middle and near both ends of the numbers.
    fn interval() -> impl Strategy<Value = Interval> {
        let near = prop_oneof![-9_i64..9, Just(i64::from(i32::MIN)), Just(i64::from(i32::MAX) - 9)];
        (near, 0_i64..9).prop_map(|(lo, width)| {
            let clamp = |n: i64| i32::try_from(n).expect("chosen so");
            Interval { lo: clamp(lo), hi: clamp(lo + width) }
        })
    }

    proptest! {
        #[test]
        fn operators_contain_all_results(op in prop::sample::select(&OPERATORS[..]), a in interval(), b in interval()) {
            let result = binary(op, a, b);
            for x in a.lo..=a.hi {
                for y in b.lo..=b.hi {
                    if let Some(value) = apply(op, x, y) {
                        prop_assert!(result.is_some_and(|r| r.contains(value)), "{x} {op:?} {y}");
                    }
                }
            }
        }

        #[test]
        fn larger_intervals_never_have_smaller_results(
            op in prop::sample::select(&OPERATORS[..]), a in interval(), b in interval(), more in 0..9,
        ) {
            let wider = Interval { hi: a.hi.saturating_add(more), ..a };
            if let Some(small) = binary(op, a, b) {
                let large = binary(op, wider, b).expect("it crashes less");
                prop_assert!(large.lo <= small.lo && small.hi <= large.hi);
            }
        }

        #[test]
        fn unary_operators_contain_all_results(a in interval()) {
            for x in a.lo..=a.hi {
                prop_assert!(unary(Unary::Neg, a).contains(x.wrapping_neg()));
                prop_assert!(unary(Unary::Not, a).contains(i32::from(x == 0)));
            }
        }
    }
}
