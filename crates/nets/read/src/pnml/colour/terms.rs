//! The meaning of terms: sums of colours on arcs and places, and conditions of transitions.

use super::sorts::{ClassId, VarId};
use num_bigint::BigInt;

/// A basic colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Colour {
    Constant(u32),
    /// The value of the variable, plus the shift (below the size of the class), in a circle.
    Variable(VarId, u32),
}

/// The value of a variable that has none.
pub(super) const OPEN: u32 = u32::MAX;

impl Colour {
    pub(super) fn variable(self) -> Option<VarId> {
        match self {
            Self::Variable(var, _) => Some(var),
            Self::Constant(_) => None,
        }
    }

    /// Returns the number of the colour in its class, which has this size. `None` if it depends on a variable without
    /// a value.
    pub(super) fn value(self, size: u32, values: &[u32]) -> Option<u32> {
        match self {
            Self::Constant(value) => Some(value),
            Self::Variable(var, _) if values[var] == OPEN => None,
            Self::Variable(var, shift) => Some(((u64::from(values[var]) + u64::from(shift)) % u64::from(size)) as u32),
        }
    }
}

/// A component of a tuple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Component {
    One(Colour),
    /// The sum over all colours of the class.
    All,
}

impl Component {
    pub(super) fn variable(self) -> Option<VarId> {
        self.colour().and_then(Colour::variable)
    }

    /// Returns the colour if it is a single one.
    pub(super) fn colour(self) -> Option<Colour> {
        match self {
            Self::One(colour) => Some(colour),
            Self::All => None,
        }
    }
}

/// A part of a sum: a number of tokens of a tuple of colours. A single colour is a tuple of length 1.
#[derive(Clone, Debug)]
pub(super) struct Summand {
    pub(super) count: BigInt,
    pub(super) parts: Vec<(ClassId, Component)>,
}

/// A comparison of two colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Relation {
    pub(super) fn holds(self, left: u32, right: u32) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Greater => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

/// A part of a condition. Operands stand before their operators.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// A comparison of two colours of this class, or of their parts in a partition.
    Compare(Relation, ClassId, Option<usize>, [Colour; 2]),
    Not(usize),
    /// All operands (true) or at least one of them (false).
    Join(bool, Vec<usize>),
}
