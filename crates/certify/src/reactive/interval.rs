//! The possible values of expressions if only an interval is known of each variable: the arithmetic of
//! [`model::Valuations`] with cells. For operands in given intervals, the interval of an operator contains
//! every result. Its bounds are exact for `+ - * /` and comparisons, and for `%` by a single number.

use crate::Check;
use kernel::Work;
use model::reactive::{Binary, Expr, Unary};
use model::{ExprId, Reactive, VarId};

/// The numbers from `lo` to `hi`, both included. At least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) lo: i32,
    pub(crate) hi: i32,
}

impl Interval {
    pub(crate) const ALL: Self = Self { lo: i32::MIN, hi: i32::MAX };
    const TRUTH: Self = Self { lo: 0, hi: 1 };

    pub(crate) fn just(value: i32) -> Self {
        Self { lo: value, hi: value }
    }

    /// The only number in the interval, if there is only one.
    pub(crate) fn single(self) -> Option<i32> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub(crate) fn contains(self, value: i32) -> bool {
        self.lo <= value && value <= self.hi
    }

    pub(crate) fn may_be_true(self) -> bool {
        self != Self::just(0)
    }

    pub(crate) fn may_be_false(self) -> bool {
        self.contains(0)
    }

    /// The least interval that contains both.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The intersection of both intervals. `None` if it is empty.
    pub(crate) fn within(self, other: Self) -> Option<Self> {
        let both = Self { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) };
        (both.lo <= both.hi).then_some(both)
    }

    /// The interval from `lo` to `hi`, which were computed without wrapping. If `lo` or `hi` does not fit 32
    /// bits: all numbers.
    fn fitting(lo: i64, hi: i64) -> Self {
        match (i32::try_from(lo), i32::try_from(hi)) {
            (Ok(lo), Ok(hi)) => Self { lo, hi },
            _ => Self::ALL,
        }
    }

    fn truth(may_be_false: bool, may_be_true: bool) -> Self {
        match (may_be_false, may_be_true) {
            (true, true) => Self::TRUTH,
            (_, is_true) => Self::just(is_true.into()),
        }
    }
}

pub(crate) fn unary(op: Unary, a: Interval) -> Interval {
    match op {
        Unary::Neg => Interval::fitting(-i64::from(a.hi), -i64::from(a.lo)),
        Unary::Not => Interval::truth(a.may_be_true(), a.may_be_false()),
    }
}

/// Returns the results for all pairs of operands that do not crash. `None` if all pairs crash. `And` and `Or`
/// are not computed here.
pub(crate) fn binary(op: Binary, a: Interval, b: Interval) -> Option<Interval> {
    let [al, ah, bl, bh] = [a.lo, a.hi, b.lo, b.hi].map(i64::from);
    Some(match op {
        Binary::Add => Interval::fitting(al + bl, ah + bh),
        Binary::Sub => Interval::fitting(al - bh, ah - bl),
        Binary::Mul => corners([al * bl, al * bh, ah * bl, ah * bh]),
        Binary::Div | Binary::Rem if (a, b) == (Interval::just(i32::MIN), Interval::just(-1)) => return None,
        Binary::Div => return divided(a, b),
        Binary::Rem => return remainder(a, b),
        Binary::Eq => Interval::truth(a.single().is_none() || a != b, a.within(b).is_some()),
        Binary::Ne => Interval::truth(a.within(b).is_some(), a.single().is_none() || a != b),
        Binary::Lt => Interval::truth(ah >= bl, al < bh),
        Binary::Le => Interval::truth(ah > bl, al <= bh),
        Binary::Gt => Interval::truth(al <= bh, ah > bl),
        Binary::Ge => Interval::truth(al < bh, ah >= bl),
        Binary::And | Binary::Or => Interval::TRUTH,
    })
}

fn corners(of: [i64; 4]) -> Interval {
    let [a, b, c, d] = of;
    Interval::fitting(a.min(b).min(c).min(d), a.max(b).max(c).max(d))
}

/// The divisors below 0, and the divisors above 0.
fn divisors(b: Interval) -> [Option<Interval>; 2] {
    [b.within(Interval { lo: i32::MIN, hi: -1 }), b.within(Interval { lo: 1, hi: i32::MAX })]
}

/// Sound: for divisors of one sign, truncating division is monotone in each operand as long as the other one
/// keeps its sign. So its extremes are at corners, or are 0 where the dividend changes its sign. That 0 lies
/// between the values at the corners.
fn divided(a: Interval, b: Interval) -> Option<Interval> {
    let [al, ah] = [a.lo, a.hi].map(i64::from);
    let quotient = |b: Interval| {
        let [bl, bh] = [b.lo, b.hi].map(i64::from);
        corners([al / bl, al / bh, ah / bl, ah / bh])
    };
    divisors(b).into_iter().flatten().map(quotient).reduce(Interval::hull)
}

/// True if some quotient does not exist or does not fit 32 bits.
fn may_trap((a, b): (Interval, Interval)) -> bool {
    b.contains(0) || (a.contains(i32::MIN) && b.contains(-1))
}

/// A remainder has the sign of the dividend, and its absolute value is below that of the divisor. If the
/// divisor is a single number, let m be its absolute value. From one multiple of m to just before the next, the
/// remainder counts up. If the dividends cross a multiple of m, both 0 and m - 1 occur.
fn remainder(a: Interval, b: Interval) -> Option<Interval> {
    let largest = divisors(b).into_iter().flatten().map(|b| i64::from(b.lo).abs().max(i64::from(b.hi).abs())).max()?;
    let exactly = b.single().is_some();
    // The remainders of dividends from l to h, which are not negative.
    let part = |l: i64, h: i64| {
        if exactly && l / largest == h / largest { (l % largest, h % largest) } else { (0, h.min(largest - 1)) }
    };
    let positive = a.within(Interval { lo: 0, hi: i32::MAX }).map(|a| {
        let (l, h) = part(a.lo.into(), a.hi.into());
        Interval::fitting(l, h)
    });
    let negative = a.within(Interval { lo: i32::MIN, hi: -1 }).map(|a| {
        let (l, h) = part(-i64::from(a.hi), -i64::from(a.lo));
        Interval::fitting(-h, -l)
    });
    positive.into_iter().chain(negative).reduce(Interval::hull)
}

/// The known intervals of variables.
pub(crate) trait Ranges {
    /// The interval of a variable. `None` if the call must not read it yet.
    fn range(&self, var: VarId) -> Option<Interval>;
}

/// The possible values of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    /// The values where the expression does not crash. `None` if it always crashes.
    pub(crate) value: Option<Interval>,
    /// True if the expression may crash.
    pub(crate) may_crash: bool,
    /// A variable that the expression may read and that the call must not read yet. Then the other fields mean
    /// nothing.
    pub(crate) poison: Option<VarId>,
}

#[derive(Clone, Copy)]
enum Task {
    Value(ExprId),
    Unary(Unary),
    Binary(Binary),
    Right(Binary, ExprId),
    /// Combines both sides of `And` or `Or` after the right side is evaluated. The flag is true if the left
    /// side alone may decide the value.
    Truth(Binary, bool),
}

/// Largest number of arrays that are tried for one pointer. If the pointer may point to more, its elements may
/// have any value.
const POINTED: u32 = 64;

/// Evaluates expressions over intervals. Reuses its stacks.
#[derive(Default)]
pub(crate) struct Ranging {
    tasks: Vec<Task>,
    values: Vec<Option<Interval>>,
}

impl Ranging {
    /// Returns the possible values of `root`. Costs one work unit per operator or operand.
    pub(crate) fn see(
        &mut self,
        program: &Reactive,
        input: i32,
        scope: &impl Ranges,
        root: ExprId,
        work: &mut Work<'_>,
    ) -> Check<Seen> {
        self.tasks.clear();
        self.values.clear();
        self.tasks.push(Task::Value(root));
        let mut seen = Seen { value: None, may_crash: false, poison: None };
        while let Some(task) = self.tasks.pop() {
            work.spend(1)?;
            let value = match task {
                Task::Value(expr) => match program.expr(expr) {
                    Expr::Const(value) => Some(Interval::just(value)),
                    Expr::Input => Some(Interval::just(input)),
                    Expr::Var(var) => match scope.range(var) {
                        Some(range) => Some(range),
                        None => return Ok(Seen { poison: Some(var), ..seen }),
                    },
                    Expr::Element { pointer, index } => {
                        let element = element(program, scope, pointer, index, &mut seen);
                        if seen.poison.is_some() {
                            return Ok(seen);
                        }
                        element
                    }
                    Expr::Unary(op, a) => {
                        self.tasks.extend([Task::Unary(op), Task::Value(a)]);
                        continue;
                    }
                    Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                        self.tasks.extend([Task::Right(op, b), Task::Value(a)]);
                        continue;
                    }
                    Expr::Binary(op, a, b) => {
                        self.tasks.extend([Task::Binary(op), Task::Value(b), Task::Value(a)]);
                        continue;
                    }
                },
                Task::Unary(op) => self.pop().map(|a| unary(op, a)),
                Task::Binary(op) => {
                    let (b, a) = (self.pop(), self.pop());
                    seen.may_crash |= matches!(op, Binary::Div | Binary::Rem) && a.zip(b).is_some_and(may_trap);
                    a.zip(b).and_then(|(a, b)| binary(op, a, b))
                }
                Task::Right(op, right) => {
                    let left = self.pop();
                    let goes_on = |a: Interval| if op == Binary::And { a.may_be_true() } else { a.may_be_false() };
                    let decides = |a: Interval| if op == Binary::And { a.may_be_false() } else { a.may_be_true() };
                    match left {
                        Some(a) if goes_on(a) => {
                            self.tasks.extend([Task::Truth(op, decides(a)), Task::Value(right)]);
                            continue;
                        }
                        left => left.map(|_| Interval::just((op == Binary::Or).into())),
                    }
                }
                Task::Truth(op, left_may_decide) => {
                    let decided = left_may_decide.then_some(Interval::just((op == Binary::Or).into()));
                    let right = self.pop().map(|b| Interval::truth(b.may_be_false(), b.may_be_true()));
                    right.into_iter().chain(decided).reduce(Interval::hull)
                }
            };
            self.values.push(value);
        }
        seen.value = self.pop();
        debug_assert!(seen.value.is_some() || seen.may_crash, "what has no value crashes");
        Ok(seen)
    }

    fn pop(&mut self) -> Option<Interval> {
        debug_assert!(!self.values.is_empty(), "operands come first");
        self.values.pop().flatten()
    }
}

/// Returns the values of the elements that a pointer may point to.
fn element(program: &Reactive, scope: &impl Ranges, pointer: VarId, index: u32, seen: &mut Seen) -> Option<Interval> {
    let Some(pointers) = scope.range(pointer) else {
        seen.poison = Some(pointer);
        return None;
    };
    if pointers.hi.abs_diff(pointers.lo) >= POINTED {
        seen.may_crash = true;
        return Some(Interval::ALL);
    }
    let mut value: Option<Interval> = None;
    for at in pointers.lo..=pointers.hi {
        let Some(var) = program.element(at, index) else {
            seen.may_crash = true;
            continue;
        };
        let Some(range) = scope.range(var) else {
            seen.poison = Some(var);
            return None;
        };
        value = Some(value.map_or(range, |value| value.hull(range)));
    }
    value
}
