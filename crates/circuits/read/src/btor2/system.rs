//! A system as nodes over words, in the order of the file. Operands stand before the nodes that use them.

use super::ops::Op;
use super::sorts::Sort;
use std::ops::Range;

/// A node or, if the file writes `-ID`, the bitwise negation of its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operand(u32);

impl Operand {
    /// The operand of nodes that have fewer.
    pub(super) const NONE: Self = Self(0);

    /// Returns the operand for the node with this position. There are fewer than 2^31 nodes ([`super::parse`]).
    pub(super) fn new(node: usize, is_negated: bool) -> Self {
        Self(u32::try_from(node << 1).expect("fewer than 2^31 nodes") | u32::from(is_negated))
    }

    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// What computes the value of a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A constant. Its bits begin at this position of [`System::constants`].
    Constant(u32),
    /// The input with this number.
    Input(u32),
    /// The state with this number.
    State(u32),
    /// An operation on other nodes. The numbers are those of `slice`, `sext` and `uext`.
    Operation { op: Op, operands: [Operand; 3], count: u8, numbers: [u32; 2] },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) sort: Sort,
    /// The place of its line in the text.
    pub(super) at: (u32, u32),
    /// True if the value depends on an input of the same frame.
    pub(super) reads_input: bool,
}

impl Node {
    pub(super) fn place(&self) -> Range<usize> {
        self.at.0 as usize..self.at.1 as usize
    }
}

/// An input.
pub(super) struct Input<'a> {
    /// The number of its line, which names it if there is no symbol.
    pub(super) id: u64,
    pub(super) symbol: Option<&'a str>,
}

/// A state.
pub(super) struct StateLine<'a> {
    pub(super) id: u64,
    pub(super) symbol: Option<&'a str>,
    pub(super) init: Option<Operand>,
    pub(super) next: Option<Operand>,
}

#[derive(Default)]
pub(super) struct System<'a> {
    pub(super) nodes: Vec<Node>,
    /// The bits of all constants, lowest first.
    pub(super) constants: Vec<bool>,
    pub(super) inputs: Vec<Input<'a>>,
    pub(super) states: Vec<StateLine<'a>>,
    pub(super) bad: Vec<(Operand, Option<&'a str>)>,
    pub(super) constraints: Vec<Operand>,
    pub(super) justice: Vec<(Vec<Operand>, Option<&'a str>)>,
    pub(super) fairness: Vec<Operand>,
    /// The place of the first fairness constraint.
    pub(super) fairness_at: Option<Range<usize>>,
}

impl System<'_> {
    /// Returns the operands of properties and constraints. What they do not depend on has no influence.
    pub(super) fn ends(&self) -> impl Iterator<Item = Operand> {
        let justice = self.justice.iter().flat_map(|(operands, _)| operands);
        let others = self.constraints.iter().chain(justice).chain(&self.fairness).copied();
        self.bad.iter().map(|(operand, _)| *operand).chain(others)
    }

    /// Returns the sort of an operand.
    pub(super) fn sort(&self, operand: Operand) -> Sort {
        self.nodes[operand.node()].sort
    }
}
