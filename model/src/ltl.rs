//! Formulas of linear temporal logic over the input and output letters of a reactive program.
//!
//! A run is a sequence of letters: the input of each call, followed by the output of the call if it has one.
//! Exactly one proposition holds at each position, and only infinite runs count. (This is the definition of the
//! RERS challenges, as described in the corpus notes `RERS_FORMAT.md`, section 3.)

use crate::ids::LtlId;

/// A letter: the proposition that holds at one position of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Letter {
    /// An input, by its number (1 for A).
    Input(i32),
    /// An output, by its number.
    Output(i32),
}

/// A subformula, evaluated at a position of a run. "Some position" and "all positions" mean this position and
/// later ones. Operands have smaller ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LtlNode {
    /// `true` or `false`
    Constant(bool),
    /// The letter at the current position is this one.
    Letter(Letter),
    /// `! a`
    Not(LtlId),
    /// `a & b`
    And(LtlId, LtlId),
    /// `a | b`
    Or(LtlId, LtlId),
    /// `X a`: a holds at the next position.
    Next(LtlId),
    /// `a U b`: b holds at some position, and a holds at all positions before it.
    Until(LtlId, LtlId),
    /// `a WU b`: `a U b` holds, or a holds at all positions.
    WeakUntil(LtlId, LtlId),
    /// `a R b`: b holds up to and including the first position where a holds, or b holds at all positions.
    Release(LtlId, LtlId),
    /// `G a`: a holds at all positions.
    Globally(LtlId),
    /// `F a`: a holds at some position.
    Finally(LtlId),
}

/// A temporal formula, as the list of its subformulas. The last one is the formula itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ltl {
    nodes: Vec<LtlNode>,
}

impl Ltl {
    /// Creates a formula from its subformulas. The last one is the root.
    ///
    /// # Panics
    /// Panics if the list is empty, or if an operand does not come before its operator.
    #[must_use]
    pub fn new(nodes: Vec<LtlNode>) -> Self {
        assert!(!nodes.is_empty(), "a formula has a root");
        for (i, node) in nodes.iter().enumerate() {
            assert!(node.operands().all(|a| a.index() < i), "operands come first");
        }
        Self { nodes }
    }

    /// All subformulas, operands first. The last one is the formula itself.
    #[must_use]
    pub fn nodes(&self) -> &[LtlNode] {
        &self.nodes
    }

    /// Returns the id of the formula itself.
    #[must_use]
    pub fn root(&self) -> LtlId {
        LtlId::new(self.nodes.len() - 1)
    }

    /// Returns a subformula.
    #[must_use]
    pub fn node(&self, id: LtlId) -> LtlNode {
        self.nodes[id.index()]
    }
}

impl LtlNode {
    /// Iterates over the operands.
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
