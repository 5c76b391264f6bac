//! Formulas as formats write them: a list of operators, with operands before their operators, so that no function
//! recurses.

use model::{PlaceId, TransitionId};
use num_bigint::BigInt;

/// The position of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OperandId(pub(super) u32);

/// A comparison of a sum with 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    Less,
    AtMost,
    Equal,
    NotEqual,
    AtLeast,
    Greater,
}

/// A sum of token counts and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) terms: Vec<(PlaceId, BigInt)>,
    pub(crate) constant: BigInt,
}

/// An operator with its operands, or a statement.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Constant(bool),
    /// The comparison of the sum with 0 holds.
    Compare(Box<Sum>, Compare),
    /// One of these transitions is enabled.
    Fireable(Vec<TransitionId>),
    /// No transition is enabled.
    Deadlock,
    Not(OperandId),
    All(Vec<OperandId>),
    Any(Vec<OperandId>),
    /// Both operands hold, or neither does.
    Same(OperandId, OperandId),
    Next(OperandId),
    Globally(OperandId),
    Finally(OperandId),
    Until(OperandId, OperandId),
    WeakUntil(OperandId, OperandId),
    Release(OperandId, OperandId),
}

impl Op {
    pub(super) fn operands(&self) -> &[OperandId] {
        match self {
            Op::All(parts) | Op::Any(parts) => parts,
            Op::Not(a) | Op::Next(a) | Op::Globally(a) | Op::Finally(a) => std::slice::from_ref(a),
            Op::Constant(_) | Op::Compare(..) | Op::Fireable(_) | Op::Deadlock => &[],
            Op::Same(..) | Op::Until(..) | Op::WeakUntil(..) | Op::Release(..) => &[],
        }
    }

    /// Returns the operands of an operator that has exactly two.
    pub(super) fn pair(&self) -> Option<[OperandId; 2]> {
        match self {
            Op::Same(a, b) | Op::Until(a, b) | Op::WeakUntil(a, b) | Op::Release(a, b) => Some([*a, *b]),
            _ => None,
        }
    }

    pub(super) fn is_temporal(&self) -> bool {
        matches!(self, Op::Next(_) | Op::Globally(_) | Op::Finally(_) | Op::Until(..) | Op::WeakUntil(..))
            || matches!(self, Op::Release(..))
    }
}

/// A combination of statements about a marking, perhaps with temporal operators. The last element is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phi {
    pub(super) ops: Vec<Op>,
}

impl Phi {
    pub(crate) fn push(&mut self, op: Op) -> OperandId {
        self.ops.push(op);
        OperandId(u32::try_from(self.ops.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Returns for each part whether it has no temporal operator.
    pub(super) fn plain(&self) -> Vec<bool> {
        let mut plain: Vec<bool> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let mut operands = op.operands().iter().copied().chain(op.pair().into_iter().flatten());
            let is_plain = !op.is_temporal() && operands.all(|a| plain[a.0 as usize]);
            plain.push(is_plain);
        }
        plain
    }

    /// If the formula is `F phi` (if `is_finally`) or `G phi`, without other temporal operators, returns phi.
    pub(crate) fn inside(&self, is_finally: bool) -> Option<Self> {
        let inner = match self.ops.last()? {
            Op::Finally(a) if is_finally => *a,
            Op::Globally(a) if !is_finally => *a,
            _ => return None,
        };
        let phi = Self { ops: self.ops[..=inner.0 as usize].to_vec() };
        (!phi.ops.iter().any(Op::is_temporal)).then_some(phi)
    }

    /// Negates the formula.
    pub(crate) fn negate(&mut self) {
        let root = OperandId(self.ops.len() as u32 - 1);
        self.push(Op::Not(root));
    }

    /// If the formula is `G phi` or `NOT F phi` without other temporal operators, returns what holds in all markings.
    pub(super) fn invariant(&self) -> Option<Self> {
        let Op::Not(inner) = self.ops.last()? else { return self.inside(false) };
        let inner = Self { ops: self.ops[..=inner.0 as usize].to_vec() };
        let mut phi = inner.inside(true)?;
        phi.negate();
        Some(phi)
    }

    /// Returns the operator `a and b` (if `all`) or `a or b`. If `a` is a list of the same kind, its operands
    /// are moved into the result, so nothing else may use `a`.
    pub(crate) fn chain(&mut self, a: OperandId, b: OperandId, all: bool) -> Op {
        let parts = match (&mut self.ops[a.0 as usize], all) {
            (Op::All(parts), true) | (Op::Any(parts), false) => {
                let mut parts = std::mem::take(parts);
                parts.push(b);
                parts
            }
            _ => vec![a, b],
        };
        if all { Op::All(parts) } else { Op::Any(parts) }
    }
}
