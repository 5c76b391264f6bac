//! Operands of expressions, and what goes wrong when they are evaluated.

use super::symbols::Symbol;
use formats::error::Span;
use model::ExprId;
use model::reactive::{Binary, Unary};

/// An operand during parsing. A number gets a node only when it is needed, because operations on two numbers are
/// folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// A number.
    Constant(i32),
    /// The value of a `const int`, or a value computed from one. A compiler without optimisation does not treat
    /// it as a known constant.
    Named(i32),
    /// `-2147483648`, which is of type `long`.
    Lowest,
    /// `2147483648`, which is of type `long`, too.
    Beyond,
    /// Anything else.
    Node(ExprId),
}

impl Operand {
    /// Returns the value, if it is a number of 32 bits.
    pub(super) fn number(self) -> Option<i32> {
        match self {
            Operand::Constant(value) | Operand::Named(value) => Some(value),
            Operand::Lowest => Some(i32::MIN),
            Operand::Beyond | Operand::Node(_) => None,
        }
    }
}

/// An operator that waits for its right operand, or a bracket that waits for its end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
    /// `(`
    Parenthesis(Span),
    /// `a[`
    Index(Symbol, Span),
    Unary(Unary),
    Binary(Binary),
}

/// The way in which the evaluation of an expression may go wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hazard {
    /// The condition under which it goes wrong. The evaluation of this condition never goes wrong.
    pub(super) when: ExprId,
    /// True if only traps that the compiler keeps are possible.
    pub(super) is_sure: bool,
    /// True if the expression is the trapping operation itself. A compiler does not know the range of its
    /// value.
    pub(super) is_bare: bool,
}
