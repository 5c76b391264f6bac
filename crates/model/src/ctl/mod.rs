//! Formulas of computation tree logic (CTL) over the markings of a net or thread-transition system.
//!
//! Paths are maximal: a path is infinite, or ends in a marking in which no transition is enabled. (This is the
//! definition of the Model Checking Contest.) In such a marking `EX a` is false, whatever `a` is, and `E (a U b)` and
//! `A (a U b)` are true iff `b` is.
//!
//! Three operators suffice: `EX`, `EU` and `AU`. The others are abbreviations:
//! `AX a = !EX !a`, `EF a = E (true U a)`, `AF a = A (true U a)`, `AG a = !EF !a`, `EG a = !AF !a`.

mod builder;

pub use builder::CtlBuilder;

use crate::formula::{Formula, Node};
use crate::ids::{CtlId, FormulaId};

/// A subformula. It is true or false in each marking. Operands have smaller ids.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CtlNode {
    /// `true` or `false`.
    Constant(bool),
    /// The marking satisfies this formula of the problem ([`crate::Questions::formulas`]).
    Letter(FormulaId),
    /// `! a`
    Not(CtlId),
    /// All operands hold.
    All(Vec<CtlId>),
    /// Some operand holds.
    Any(Vec<CtlId>),
    /// `EX a`: `a` holds in some next marking.
    ExistsNext(CtlId),
    /// `E (a U b)`: some path leads to a marking in which `b` holds, and `a` holds in all markings before it.
    ExistsUntil(CtlId, CtlId),
    /// `A (a U b)`: each path leads to a marking in which `b` holds, and `a` holds in all markings before it.
    AllUntil(CtlId, CtlId),
}

impl CtlNode {
    /// Iterates over the operands.
    pub fn operands(&self) -> impl Iterator<Item = CtlId> + '_ {
        let (list, pair): (&[CtlId], [Option<CtlId>; 2]) = match self {
            CtlNode::Constant(_) | CtlNode::Letter(_) => (&[], [None; 2]),
            CtlNode::All(parts) | CtlNode::Any(parts) => (parts, [None; 2]),
            CtlNode::Not(a) | CtlNode::ExistsNext(a) => (&[], [Some(*a), None]),
            CtlNode::ExistsUntil(a, b) | CtlNode::AllUntil(a, b) => (&[], [Some(*a), Some(*b)]),
        };
        list.iter().copied().chain(pair.into_iter().flatten())
    }
}

/// A formula, as the list of its subformulas. The last one is the formula itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ctl {
    nodes: Vec<CtlNode>,
}

impl Ctl {
    /// All subformulas, operands first. The last one is the formula itself.
    #[must_use]
    pub fn nodes(&self) -> &[CtlNode] {
        &self.nodes
    }

    /// Returns the formula that is true, or false, in all markings.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        Self { nodes: vec![CtlNode::Constant(value)] }
    }

    /// Returns the id of the formula itself.
    #[must_use]
    pub fn root(&self) -> CtlId {
        CtlId::new(self.nodes.len() - 1)
    }

    /// Returns a subformula.
    #[must_use]
    pub fn node(&self, id: CtlId) -> &CtlNode {
        &self.nodes[id.index()]
    }

    /// Iterates over the letters, each as often as it occurs.
    pub fn letters(&self) -> impl Iterator<Item = FormulaId> + '_ {
        self.nodes.iter().filter_map(|node| if let CtlNode::Letter(letter) = node { Some(*letter) } else { None })
    }

    /// Returns true if each temporal operator is `EF a` for a letter `a`. The answers to the questions whether the
    /// letters are reachable then decide the formula.
    #[must_use]
    pub fn is_about_reachability(&self) -> bool {
        self.nodes.iter().all(|node| match node {
            CtlNode::ExistsUntil(a, b) => {
                *self.node(*a) == CtlNode::Constant(true) && matches!(self.node(*b), CtlNode::Letter(_))
            }
            CtlNode::ExistsNext(_) | CtlNode::AllUntil(..) => false,
            _ => true,
        })
    }

    /// Returns the formula in which letters are replaced by constants where `value` knows one, with all
    /// simplifications of [`CtlBuilder`]. If the letters have these values in all reachable markings, both formulas
    /// have the same truth in each of them.
    #[must_use]
    pub fn with(&self, value: impl Fn(FormulaId) -> Option<bool>) -> Self {
        self.simplified(value, |_| false)
    }

    /// Returns the formula in which also `EF a` is replaced by true for each letter a with `recurs`. If from each
    /// reachable marking one is reachable in which these letters hold, both formulas have the same truth in each
    /// reachable marking.
    #[must_use]
    pub fn simplified(&self, value: impl Fn(FormulaId) -> Option<bool>, recurs: impl Fn(FormulaId) -> bool) -> Self {
        let is_recurring = |a: &CtlId, b: &CtlId| match (self.node(*a), self.node(*b)) {
            (CtlNode::Constant(true), CtlNode::Letter(letter)) => recurs(*letter),
            _ => false,
        };
        let mut builder = CtlBuilder::default();
        let mut new: Vec<CtlId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |a: &CtlId| new[a.index()];
            let id = match node {
                CtlNode::Constant(value) => builder.constant(*value),
                CtlNode::Letter(letter) => match value(*letter) {
                    Some(value) => builder.constant(value),
                    None => builder.letter(*letter),
                },
                CtlNode::Not(a) => builder.not(of(a)),
                CtlNode::All(parts) => builder.join(true, parts.iter().map(of).collect()),
                CtlNode::Any(parts) => builder.join(false, parts.iter().map(of).collect()),
                CtlNode::ExistsNext(a) => builder.exists_next(of(a)),
                CtlNode::ExistsUntil(a, b) if is_recurring(a, b) => builder.constant(true),
                CtlNode::ExistsUntil(a, b) => builder.exists_until(of(a), of(b)),
                CtlNode::AllUntil(a, b) => builder.all_until(of(a), of(b)),
            };
            new.push(id);
        }
        let root = *new.last().expect("a formula has a root");
        builder.finish(root)
    }
}

impl Ctl {
    /// Returns the truth of each subformula in a marking, as far as the letters determine it. `value` returns the truth
    /// of a letter if it is the same in this marking and in all markings that are reachable from it. Linear.
    #[must_use]
    pub fn lasting(&self, value: impl Fn(FormulaId) -> Option<bool>) -> Vec<Option<bool>> {
        self.truths(|node, known| match node {
            CtlNode::Letter(letter) => value(*letter),
            // There may be no next marking.
            CtlNode::ExistsNext(a) => known[a.index()].filter(|value| !value),
            CtlNode::ExistsUntil(_, b) | CtlNode::AllUntil(_, b) => known[b.index()],
            _ => None,
        })
    }

    /// Returns the truth of the formula in a marking, as far as `happens` and `is_lost` determine it. `happens` returns
    /// true if a marking in which this letter holds can be reached, and `is_lost` if one can be reached from which no
    /// marking with this letter can be reached. Linear.
    #[must_use]
    pub fn initially(&self, happens: impl Fn(FormulaId) -> bool, is_lost: impl Fn(FormulaId) -> bool) -> Option<bool> {
        let truths = self.truths(|node, _| {
            let is_true = match self.reached(node)? {
                CtlNode::Letter(letter) => happens(*letter),
                CtlNode::Not(a) => match self.reached(self.node(*a))? {
                    CtlNode::Letter(letter) => is_lost(*letter),
                    _ => false,
                },
                _ => false,
            };
            is_true.then_some(true)
        });
        truths.last().copied().flatten()
    }

    /// Returns the subformula a if this one is `EF a`.
    #[must_use]
    pub fn reached(&self, node: &CtlNode) -> Option<&CtlNode> {
        match node {
            CtlNode::ExistsUntil(a, b) if *self.node(*a) == CtlNode::Constant(true) => Some(self.node(*b)),
            _ => None,
        }
    }

    /// Returns the truth of each subformula, as far as it follows from the truth of others. `value` returns the truth
    /// of a letter, or of a subformula with a temporal operator; it is given what is known about the operands.
    fn truths(&self, value: impl Fn(&CtlNode, &[Option<bool>]) -> Option<bool>) -> Vec<Option<bool>> {
        let mut known: Vec<Option<bool>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |a: &CtlId| known[a.index()];
            let truth = match node {
                CtlNode::Constant(value) => Some(*value),
                CtlNode::Not(a) => of(a).map(|value| !value),
                CtlNode::All(parts) if parts.iter().any(|part| of(part) == Some(false)) => Some(false),
                CtlNode::Any(parts) if parts.iter().any(|part| of(part) == Some(true)) => Some(true),
                CtlNode::All(parts) => parts.iter().all(|part| of(part) == Some(true)).then_some(true),
                CtlNode::Any(parts) => parts.iter().all(|part| of(part) == Some(false)).then_some(false),
                _ => value(node, &known),
            };
            known.push(truth);
        }
        known
    }
}

/// Returns the truth of a formula over places that is the same in all markings.
#[must_use]
pub fn constant(formula: &Formula) -> Option<bool> {
    match formula.root() {
        Node::All(parts) if parts.is_empty() => Some(true),
        Node::Any(parts) if parts.is_empty() => Some(false),
        _ => None,
    }
}
