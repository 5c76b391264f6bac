//! Formulas of computation tree logic (CTL) over the markings of a net or thread-transition system.
//!
//! Paths are maximal: a path is infinite, or ends in a marking in which no transition is enabled. (This is the
//! definition of the Model Checking Contest.) In such a marking `EX a` is false, whatever `a` is, and `E (a U b)` and
//! `A (a U b)` are true iff `b` is.
//!
//! Three operators suffice: `EX`, `EU` and `AU`. The others are abbreviations:
//! `AX a = !EX !a`, `EF a = E (true U a)`, `AF a = A (true U a)`, `AG a = !EF !a`, `EG a = !AF !a`.

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

    /// Returns the truth of the formula in a marking, as far as `happens` determines it: it returns true if a marking in
    /// which this letter holds can be reached. Linear.
    #[must_use]
    pub fn initially(&self, happens: impl Fn(FormulaId) -> bool) -> Option<bool> {
        let truths = self.truths(|node, _| match node {
            CtlNode::ExistsUntil(a, b) => match (self.node(*a), self.node(*b)) {
                (CtlNode::Constant(true), CtlNode::Letter(letter)) => happens(*letter).then_some(true),
                _ => None,
            },
            _ => None,
        });
        truths.last().copied().flatten()
    }

    /// Returns the truth of each subformula, as far as it follows from the truth of others. `value` returns the truth of
    /// a letter, or of a subformula with a temporal operator; it is given what is known about the operands.
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

/// Builds a formula bottom up. Each method returns the id of a subformula with the meaning that its name says, and
/// simplifies where an operand is constant.
#[derive(Clone, Default, Debug)]
pub struct CtlBuilder {
    nodes: Vec<CtlNode>,
}

impl CtlBuilder {
    /// The number of subformulas so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there are no subformulas.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn push(&mut self, node: CtlNode) -> CtlId {
        self.nodes.push(node);
        CtlId::new(self.nodes.len() - 1)
    }

    fn value(&self, id: CtlId) -> Option<bool> {
        if let CtlNode::Constant(value) = self.nodes[id.index()] { Some(value) } else { None }
    }

    /// `true` or `false`.
    pub fn constant(&mut self, value: bool) -> CtlId {
        self.push(CtlNode::Constant(value))
    }

    /// The letter of a formula of the problem.
    pub fn letter(&mut self, letter: FormulaId) -> CtlId {
        self.push(CtlNode::Letter(letter))
    }

    /// `! a`
    pub fn not(&mut self, a: CtlId) -> CtlId {
        match self.nodes[a.index()] {
            CtlNode::Constant(value) => self.constant(!value),
            CtlNode::Not(inner) => inner,
            _ => self.push(CtlNode::Not(a)),
        }
    }

    /// The conjunction of `parts` (if `all`), or their disjunction.
    pub fn join(&mut self, all: bool, parts: Vec<CtlId>) -> CtlId {
        if parts.iter().any(|a| self.value(*a) == Some(!all)) {
            return self.constant(!all);
        }
        let mut parts = parts;
        parts.retain(|a| self.value(*a).is_none());
        match parts.as_slice() {
            [] => self.constant(all),
            [one] => *one,
            _ if all => self.push(CtlNode::All(parts)),
            _ => self.push(CtlNode::Any(parts)),
        }
    }

    /// `EX a`. (`EX true` is no constant: it is false where no transition is enabled.)
    pub fn exists_next(&mut self, a: CtlId) -> CtlId {
        match self.value(a) {
            Some(false) => a,
            _ => self.push(CtlNode::ExistsNext(a)),
        }
    }

    /// `AX a`
    pub fn all_next(&mut self, a: CtlId) -> CtlId {
        let not = self.not(a);
        let next = self.exists_next(not);
        self.not(next)
    }

    /// `E (a U b)`
    pub fn exists_until(&mut self, a: CtlId, b: CtlId) -> CtlId {
        match (self.value(a), self.value(b)) {
            (_, Some(_)) | (Some(false), _) => b,
            _ => self.push(CtlNode::ExistsUntil(a, b)),
        }
    }

    /// `A (a U b)`
    pub fn all_until(&mut self, a: CtlId, b: CtlId) -> CtlId {
        match (self.value(a), self.value(b)) {
            (_, Some(_)) | (Some(false), _) => b,
            _ => self.push(CtlNode::AllUntil(a, b)),
        }
    }

    /// `EF a`
    pub fn exists_finally(&mut self, a: CtlId) -> CtlId {
        let all = self.constant(true);
        self.exists_until(all, a)
    }

    /// `AF a`
    pub fn all_finally(&mut self, a: CtlId) -> CtlId {
        let all = self.constant(true);
        self.all_until(all, a)
    }

    /// `EG a`
    pub fn exists_globally(&mut self, a: CtlId) -> CtlId {
        let not = self.not(a);
        let finally = self.all_finally(not);
        self.not(finally)
    }

    /// `AG a`
    pub fn all_globally(&mut self, a: CtlId) -> CtlId {
        let not = self.not(a);
        let finally = self.exists_finally(not);
        self.not(finally)
    }

    /// `E (b R a)` or `A (b R a)`: `a` holds up to and including the first marking in which `b` holds, or always.
    pub fn release(&mut self, exists: bool, b: CtlId, a: CtlId) -> CtlId {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let until = if exists { self.all_until(not_b, not_a) } else { self.exists_until(not_b, not_a) };
        self.not(until)
    }

    /// `E (a W b)` or `A (a W b)`: `a` holds in all markings before the first one in which `b` holds, or always.
    pub fn weak_until(&mut self, exists: bool, a: CtlId, b: CtlId) -> CtlId {
        let either = self.join(false, vec![a, b]);
        self.release(exists, b, either)
    }

    /// Returns the formula with this root, without the subformulas that the root does not need.
    #[must_use]
    pub fn finish(self, root: CtlId) -> Ctl {
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for i in (0..=root.index()).rev() {
            if needed[i] {
                self.nodes[i].operands().for_each(|a| needed[a.index()] = true);
            }
        }
        let mut new = vec![CtlId::new(0); root.index() + 1];
        let mut nodes = Vec::new();
        for (i, node) in self.nodes.into_iter().enumerate().take(root.index() + 1).filter(|(i, _)| needed[*i]) {
            let of = |a: CtlId| new[a.index()];
            let node = match node {
                node @ (CtlNode::Constant(_) | CtlNode::Letter(_)) => node,
                CtlNode::Not(a) => CtlNode::Not(of(a)),
                CtlNode::All(parts) => CtlNode::All(parts.into_iter().map(of).collect()),
                CtlNode::Any(parts) => CtlNode::Any(parts.into_iter().map(of).collect()),
                CtlNode::ExistsNext(a) => CtlNode::ExistsNext(of(a)),
                CtlNode::ExistsUntil(a, b) => CtlNode::ExistsUntil(of(a), of(b)),
                CtlNode::AllUntil(a, b) => CtlNode::AllUntil(of(a), of(b)),
            };
            new[i] = CtlId::new(nodes.len());
            nodes.push(node);
        }
        Ctl { nodes }
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
