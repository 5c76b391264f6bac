//! What expressions may be worth when of each variable only an interval is known: the arithmetic of [`model::Valuations`] with
//! cells. Every number that an operator gives for operands in the intervals lies in its interval; bounds are the exact ones for
//! `+ - * /` and comparisons, and for `%` by a number.

use crate::Check;
use kernel::Work;
use model::reactive::{Binary, Expr, Unary};
use model::{ExprId, Reactive, VarId};

/// The numbers from `lo` to `hi`, both included; at least one.
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

    /// The only number in it, if there is but one.
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

    /// The least one with both.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The numbers of `self` from `lo` to `hi`.
    pub(crate) fn within(self, other: Self) -> Option<Self> {
        let both = Self { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) };
        (both.lo <= both.hi).then_some(both)
    }

    /// Bounds computed without wrapping; all numbers if one does not fit.
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

/// Over all pairs that do not crash; none if all do. `And` and `Or` are not computed here.
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

/// The divisors below and above 0.
fn divisors(b: Interval) -> [Option<Interval>; 2] {
    [b.within(Interval { lo: i32::MIN, hi: -1 }), b.within(Interval { lo: 1, hi: i32::MAX })]
}

/// For divisors of one sign truncating division is monotone in both operands as long as the other keeps its sign, so its
/// extremes are at corners, or 0 where the dividend changes sign, which lies between theirs.
fn divided(a: Interval, b: Interval) -> Option<Interval> {
    let [al, ah] = [a.lo, a.hi].map(i64::from);
    let quotient = |b: Interval| {
        let [bl, bh] = [b.lo, b.hi].map(i64::from);
        corners([al / bl, al / bh, ah / bl, ah / bh])
    };
    divisors(b).into_iter().flatten().map(quotient).reduce(Interval::hull)
}

/// May a quotient be no number of 32 bits?
fn may_trap((a, b): (Interval, Interval)) -> bool {
    b.contains(0) || (a.contains(i32::MIN) && b.contains(-1))
}

/// `%` has the sign of the dividend and is below the divisor's absolute value. By a number m, without its sign: from one multiple of m to just
/// before the next it counts up; across a multiple both 0 and m - 1 occur.
fn remainder(a: Interval, b: Interval) -> Option<Interval> {
    let largest = divisors(b).into_iter().flatten().map(|b| i64::from(b.lo).abs().max(i64::from(b.hi).abs())).max()?;
    let exactly = b.single().is_some();
    // Of dividends from l to h, not negative.
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

/// What intervals are known of variables.
pub(crate) trait Ranges {
    /// The interval of a variable; none if nobody may look at it.
    fn range(&self, var: VarId) -> Option<Interval>;
}

/// What an expression may be worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    /// Where it does not crash; none if it always does.
    pub(crate) value: Option<Interval>,
    /// Can it crash?
    pub(crate) may_crash: bool,
    /// A variable that it may look at and that nobody may look at. Then the rest means nothing.
    pub(crate) poison: Option<VarId>,
}

#[derive(Clone, Copy)]
enum Task {
    Value(ExprId),
    Unary(Unary),
    Binary(Binary),
    Right(Binary, ExprId),
    /// The right side of `And` or `Or` is there; could the left side decide alone?
    Truth(Binary, bool),
}

/// How many arrays a pointer may point to before its elements count as any number.
const POINTED: u32 = 64;

/// Evaluates expressions over intervals. Keeps its stacks for the next time.
#[derive(Default)]
pub(crate) struct Ranging {
    tasks: Vec<Task>,
    values: Vec<Option<Interval>>,
}

impl Ranging {
    /// What `root` may be worth. A unit per operator or operand.
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

/// The elements that a pointer may point to.
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
