//! Formulas over markings: Boolean combinations, without negation, of linear inequalities `c1 p1 + .. + cn
//! pn >= k`.
//!
//! The negation of such an inequality is again such an inequality, so formulas can express negation without a
//! negation node. Nodes are in one list, children before parents. Evaluation is therefore one pass over the
//! list and needs no recursion.

use crate::ids::PlaceId;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{Signed, Zero};

/// The number of a node in a formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// Returns the position of the node in [`Formula::nodes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A linear inequality: the weighted sum of token counts is at least `at_least`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Linear {
    /// Places with their weights: ascending, each place once, no weight is zero; not empty.
    pub terms: Vec<(PlaceId, BigInt)>,
    /// The right side of the inequality.
    pub at_least: BigInt,
}

impl Linear {
    /// Returns `sum of c * p >= at_least` in normal form. `terms` may contain a place several times; the
    /// weights add up.
    ///
    /// # Errors
    /// Returns the truth value as the error if the inequality is true in every marking, or false in every
    /// marking, because token counts are never negative.
    pub fn new(terms: impl IntoIterator<Item = (PlaceId, BigInt)>, at_least: BigInt) -> Result<Self, bool> {
        let mut terms: Vec<(PlaceId, BigInt)> = terms.into_iter().collect();
        terms.sort_by_key(|t| t.0);
        terms.dedup_by(|next, first| {
            let same = next.0 == first.0;
            if same {
                first.1 += &next.1;
            }
            same
        });
        terms.retain(|(_, c)| !c.is_zero());
        if !at_least.is_positive() && terms.iter().all(|(_, c)| c.is_positive()) {
            return Err(true);
        }
        if at_least.is_positive() && terms.iter().all(|(_, c)| c.is_negative()) {
            return Err(false);
        }
        Ok(Self { terms, at_least })
    }
}

/// A node of a formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// Conjunction of the children; true if there are no children.
    All(Vec<NodeId>),
    /// Disjunction of the children; false if there are no children.
    Any(Vec<NodeId>),
    /// An inequality.
    AtLeast(Linear),
}

/// A formula over markings. [`FormulaBuilder`] builds formulas.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Formula {
    nodes: Vec<Node>,
}

impl Formula {
    /// Returns the truth of the formula if it follows from the truth of inequalities, as far as `value` knows it.
    /// Linear.
    #[must_use]
    pub fn truth(&self, value: impl Fn(&Linear) -> Option<bool>) -> Option<bool> {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let has = |parts: &[NodeId], value| parts.iter().any(|part| values[part.index()] == Some(value));
            let are = |parts: &[NodeId], value| parts.iter().all(|part| values[part.index()] == Some(value));
            let truth = match node {
                Node::AtLeast(sum) => value(sum),
                Node::All(parts) if has(parts, false) => Some(false),
                Node::Any(parts) if has(parts, true) => Some(true),
                Node::All(parts) => are(parts, true).then_some(true),
                Node::Any(parts) => are(parts, false).then_some(false),
            };
            values.push(truth);
        }
        values.last().copied().flatten()
    }

    /// Returns the truth of the formula if it is the same in all markings in which the places with `is_empty` are
    /// empty, as far as its inequalities show one by one. Linear.
    #[must_use]
    pub fn truth_without(&self, is_empty: &[bool]) -> Option<bool> {
        self.truth(|sum| {
            let has = |sign: Sign| sum.terms.iter().any(|(p, factor)| !is_empty[p.index()] && factor.sign() == sign);
            // Without negative factors the sum is at least 0, and without positive ones at most 0.
            match sum.at_least <= BigInt::ZERO {
                true => (!has(Sign::Minus)).then_some(true),
                false => (!has(Sign::Plus)).then_some(false),
            }
        })
    }

    /// The nodes. Children come before their parents, and the last node is the root.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Iterates over the ids of the nodes, in order.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Returns the root: the node of the whole formula.
    #[must_use]
    pub fn root(&self) -> &Node {
        self.nodes.last().expect("a formula has a root")
    }

    /// Returns true if no weight is negative. The set of markings is then upward-closed, and reaching the set
    /// is a coverability question. (Some upward-closed formulas have negative weights; for these the result is
    /// false.)
    #[must_use]
    pub fn is_upward_closed(&self) -> bool {
        let mut sums = self.nodes.iter().filter_map(|n| if let Node::AtLeast(sum) = n { Some(sum) } else { None });
        sums.all(|sum| sum.terms.iter().all(|(_, c)| c.is_positive()))
    }

    /// Returns the formula that holds exactly in the markings that cover `marking`, which is given as places
    /// with token counts. Counts of zero have no effect.
    #[must_use]
    pub fn cover(marking: &[(PlaceId, BigUint)]) -> Self {
        let mut builder = FormulaBuilder::default();
        let root = builder.cover(marking);
        builder.finish(root)
    }
}

/// Builds a formula bottom up. [`FormulaBuilder::finish`] drops all nodes that the root does not need.
#[derive(Clone, Debug, Default)]
pub struct FormulaBuilder {
    nodes: Vec<Node>,
}

impl FormulaBuilder {
    /// Adds the inequality `sum of c * p >= at_least` in the normal form of [`Linear::new`].
    pub fn at_least(&mut self, terms: impl IntoIterator<Item = (PlaceId, BigInt)>, at_least: BigInt) -> NodeId {
        match Linear::new(terms, at_least) {
            Ok(sum) => self.linear(sum),
            Err(true) => self.all(Vec::new()),
            Err(false) => self.any(Vec::new()),
        }
    }

    /// Adds an inequality.
    pub fn linear(&mut self, sum: Linear) -> NodeId {
        self.push(Node::AtLeast(sum))
    }

    /// Adds the inequality `p >= count`.
    pub fn place_at_least(&mut self, place: PlaceId, count: &BigUint) -> NodeId {
        self.at_least([(place, BigInt::from(1))], BigInt::from(count.clone()))
    }

    /// Adds the inequality `p <= count`.
    pub fn place_at_most(&mut self, place: PlaceId, count: &BigUint) -> NodeId {
        self.at_least([(place, BigInt::from(-1))], -BigInt::from(count.clone()))
    }

    /// Adds the formula that holds exactly in the markings that cover `marking`.
    pub fn cover(&mut self, marking: &[(PlaceId, BigUint)]) -> NodeId {
        let parts = marking.iter().map(|(p, n)| self.place_at_least(*p, n)).collect();
        self.all(parts)
    }

    /// Adds a copy of an existing formula.
    pub fn copy(&mut self, formula: &Formula) -> NodeId {
        let mut copies: Vec<NodeId> = Vec::with_capacity(formula.nodes.len());
        for node in &formula.nodes {
            let copied = |parts: &[NodeId]| parts.iter().map(|p| copies[p.index()]).collect();
            let node = match node {
                Node::All(parts) => Node::All(copied(parts)),
                Node::Any(parts) => Node::Any(copied(parts)),
                sum @ Node::AtLeast(_) => sum.clone(),
            };
            let copy = self.push(node);
            copies.push(copy);
        }
        *copies.last().expect("a formula has a root")
    }

    /// Adds the conjunction of `parts`.
    pub fn all(&mut self, parts: Vec<NodeId>) -> NodeId {
        match parts.as_slice() {
            [one] => *one,
            _ => self.push(Node::All(parts)),
        }
    }

    /// Adds the disjunction of `parts`.
    pub fn any(&mut self, parts: Vec<NodeId>) -> NodeId {
        match parts.as_slice() {
            [one] => *one,
            _ => self.push(Node::Any(parts)),
        }
    }

    /// Adds the negation of `node`. The cost is linear in the number of nodes built so far.
    pub fn negate(&mut self, node: NodeId) -> NodeId {
        let mut needed = vec![false; node.index() + 1];
        needed[node.index()] = true;
        for i in (0..=node.index()).rev() {
            if let (true, Node::All(parts) | Node::Any(parts)) = (needed[i], &self.nodes[i]) {
                parts.iter().for_each(|p| needed[p.index()] = true);
            }
        }
        let mut negated: Vec<Option<NodeId>> = vec![None; node.index() + 1];
        for i in (0..=node.index()).filter(|&i| needed[i]) {
            let of = |parts: &[NodeId]| parts.iter().map(|p| negated[p.index()].expect("children first")).collect();
            let new = match &self.nodes[i] {
                Node::All(parts) => Node::Any(of(parts)),
                Node::Any(parts) => Node::All(of(parts)),
                Node::AtLeast(sum) => {
                    let terms: Vec<_> = sum.terms.iter().map(|(p, c)| (*p, -c)).collect();
                    let at_least = BigInt::from(1) - &sum.at_least;
                    negated[i] = Some(self.at_least(terms, at_least));
                    continue;
                }
            };
            negated[i] = Some(self.push(new));
        }
        negated[node.index()].expect("the root was negated last")
    }

    /// Returns the formula with this root, without the nodes that the root does not need.
    #[must_use]
    pub fn finish(self, root: NodeId) -> Formula {
        self.finish_with(root).0
    }

    /// Does the same as [`FormulaBuilder::finish`], and also returns the new id of each node up to `root`;
    /// `None` for a dropped node.
    #[must_use]
    pub fn finish_with(self, root: NodeId) -> (Formula, Vec<Option<NodeId>>) {
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for i in (0..=root.index()).rev() {
            if let (true, Node::All(parts) | Node::Any(parts)) = (needed[i], &self.nodes[i]) {
                parts.iter().for_each(|p| needed[p.index()] = true);
            }
        }
        let mut new_id = vec![None; root.index() + 1];
        let mut nodes = Vec::new();
        for (i, node) in self.nodes.into_iter().take(root.index() + 1).enumerate().filter(|(i, _)| needed[*i]) {
            let moved = |parts: Vec<NodeId>| {
                parts.into_iter().map(|p| new_id[p.index()].expect("children are needed")).collect()
            };
            let node = match node {
                Node::All(parts) => Node::All(moved(parts)),
                Node::Any(parts) => Node::Any(moved(parts)),
                sum @ Node::AtLeast(_) => sum,
            };
            new_id[i] = Some(NodeId(u32::try_from(nodes.len()).expect("readers limit formulas")));
            nodes.push(node);
        }
        (Formula { nodes }, new_id)
    }

    fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("readers limit formulas"));
        self.nodes.push(node);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(i: u32) -> PlaceId {
        PlaceId(i)
    }

    #[test]
    fn a_cover_is_upward_closed_and_its_negation_is_not() {
        let mut b = FormulaBuilder::default();
        let cover = b.cover(&[(p(0), 2u8.into()), (p(1), 1u8.into()), (p(2), 0u8.into())]);
        let not = b.negate(cover);
        let back = b.negate(not);
        assert!(b.clone().finish(cover).is_upward_closed());
        assert!(!b.clone().finish(not).is_upward_closed());
        let back = b.finish(back);
        assert!(back.is_upward_closed());
        let Node::All(parts) = back.root() else { panic!("a conjunction again") };
        assert_eq!(parts.len(), 3);
    }

    #[test]
    fn what_counts_cannot_violate_is_true() {
        let mut b = FormulaBuilder::default();
        let void = b.at_least([(p(0), 1.into()), (p(0), 1.into())], 0.into());
        assert_eq!(b.clone().finish(void).root(), &Node::All(vec![]));
        let never = b.at_least([(p(0), (-1).into())], 1.into());
        assert_eq!(b.clone().finish(never).root(), &Node::Any(vec![]));
        let cancelled = b.at_least([(p(0), 1.into()), (p(0), (-1).into())], 1.into());
        assert_eq!(b.finish(cancelled).root(), &Node::Any(vec![]));
    }
}
