//! Formulas of linear temporal logic over the letters that runs of a reactive program spell.
//!
//! A run spells one letter per position, the input of a call and then its output, if it has one: exactly one proposition holds at
//! each position. Only infinite runs count. (RERS challenges; the reading is that of the corpus notes, `RERS_FORMAT.md`, section 3.)

use crate::ids::LtlId;

/// A letter: the proposition that holds at one position of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Letter {
    /// An input, by its number (A is 1).
    Input(i32),
    /// An output.
    Output(i32),
}

/// A subformula; operands have smaller ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LtlNode {
    /// `true` or `false`
    Constant(bool),
    /// This letter stands here.
    Letter(Letter),
    /// `! a`
    Not(LtlId),
    /// `a & b`
    And(LtlId, LtlId),
    /// `a | b`
    Or(LtlId, LtlId),
    /// `X a`: at the next letter.
    Next(LtlId),
    /// `a U b`: b some time, and a until then.
    Until(LtlId, LtlId),
    /// `a WU b`: as `a U b`, or a for ever.
    WeakUntil(LtlId, LtlId),
    /// `a R b`: b up to and including the first a, or for ever.
    Release(LtlId, LtlId),
    /// `G a`: always.
    Globally(LtlId),
    /// `F a`: some time.
    Finally(LtlId),
}

/// A formula: its subformulas, the last of which is the formula itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ltl {
    nodes: Vec<LtlNode>,
}

impl Ltl {
    /// The formula with these subformulas; the last is the root.
    ///
    /// # Panics
    /// If there is none, or an operand does not come before its operator.
    #[must_use]
    pub fn new(nodes: Vec<LtlNode>) -> Self {
        assert!(!nodes.is_empty(), "a formula has a root");
        for (i, node) in nodes.iter().enumerate() {
            assert!(node.operands().all(|a| a.index() < i), "operands come first");
        }
        Self { nodes }
    }

    /// All subformulas, operands first; the last is the formula.
    #[must_use]
    pub fn nodes(&self) -> &[LtlNode] {
        &self.nodes
    }

    /// The formula itself.
    #[must_use]
    pub fn root(&self) -> LtlId {
        LtlId::new(self.nodes.len() - 1)
    }

    /// A subformula.
    #[must_use]
    pub fn node(&self, id: LtlId) -> LtlNode {
        self.nodes[id.index()]
    }
}

impl LtlNode {
    /// Its operands.
    pub fn operands(self) -> impl Iterator<Item = LtlId> {
        let (a, b) = match self {
            LtlNode::Constant(_) | LtlNode::Letter(_) => (None, None),
            LtlNode::Not(a) | LtlNode::Next(a) | LtlNode::Globally(a) | LtlNode::Finally(a) => (Some(a), None),
            LtlNode::And(a, b)
            | LtlNode::Or(a, b)
            | LtlNode::Until(a, b)
            | LtlNode::WeakUntil(a, b)
            | LtlNode::Release(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}
