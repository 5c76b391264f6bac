//! Formulas in negation normal form, over sets of letters.
//!
//! Each position of a word belongs to exactly one class of an [`Alphabet`]. So a Boolean combination of letters is a
//! *set* of classes, its negation is the complement, and there are no literals.
//!
//! Rewriting follows Etessami and Holzmann ("Optimizing Büchi automata", CONCUR 2000): it uses their pure
//! eventualities and pure universalities, and the obvious rules for constants.

use crate::alphabet::{Alphabet, Letters};
use hashbrown::HashMap;
use model::{Ltl, LtlId, LtlNode};

/// The number of a [`Node`] in its [`Normal`].
pub(crate) type NodeId = u32;

/// A formula in negation normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// The class of the current position is in this set.
    Letters(Letters),
    /// All of these operands hold. There are at least two, in ascending order.
    And(Vec<NodeId>),
    /// At least one of these operands holds. There are at least two, in ascending order.
    Or(Vec<NodeId>),
    /// The operand holds at the next letter.
    Next(NodeId),
    /// The second operand holds at some position, and the first at all positions before it.
    Until(NodeId, NodeId),
    /// The second operand holds up to and including the first position where the first operand holds, or for
    /// ever.
    Release(NodeId, NodeId),
}

/// Formulas in negation normal form that share their parts. Operands come first.
#[derive(Debug)]
pub(crate) struct Normal {
    pub(crate) alphabet: Alphabet,
    nodes: Vec<Node>,
    ids: HashMap<Node, NodeId>,
    /// For each node: true if the formula holds for a word whenever it holds for a suffix, like `F a`.
    eventual: Vec<bool>,
    /// For each node: true if the formula holds for all suffixes of a word whenever it holds for the word, like
    /// `G a`.
    universal: Vec<bool>,
}

impl Normal {
    /// Returns the negation of `formula`. For subformulas without temporal operators `given` may return the classes
    /// in which they hold. It must do so for letters.
    pub(crate) fn negation(
        formula: &Ltl,
        alphabet: Alphabet,
        given: impl Fn(LtlId) -> Option<Letters>,
    ) -> (Self, NodeId) {
        let mut normal =
            Self { alphabet, nodes: Vec::new(), ids: HashMap::new(), eventual: Vec::new(), universal: Vec::new() };
        let sets: Vec<Option<Letters>> = (0..formula.nodes().len()).map(|i| given(LtlId::new(i))).collect();
        let wanted = polarities(formula, &sets);
        // For each subformula: the nodes of the subformula and of its negation, where they are needed, and 0
        // elsewhere.
        let mut made: Vec<[NodeId; 2]> = Vec::with_capacity(formula.nodes().len());
        for (i, &node) in formula.nodes().iter().enumerate() {
            let mut both = [0; 2];
            for negated in [false, true] {
                if wanted[i][usize::from(negated)] {
                    both[usize::from(negated)] = match &sets[i] {
                        Some(set) => normal.letters(if negated { set.complement() } else { set.clone() }),
                        None => normal.convert(node, negated, &made),
                    };
                }
            }
            made.push(both);
        }
        let root = made[formula.root().index()][1];
        (normal, root)
    }

    /// Returns the nodes, operands first.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    fn convert(&mut self, node: LtlNode, negated: bool, made: &[[NodeId; 2]]) -> NodeId {
        let of = |id: LtlId| made[id.index()][usize::from(negated)];
        let all = self.alphabet.all();
        let none = self.alphabet.none();
        match node {
            LtlNode::Constant(value) => self.letters(if value == negated { none } else { all }),
            LtlNode::Letter(_) => unreachable!("sets are given for letters"),
            LtlNode::Not(a) => made[a.index()][usize::from(!negated)],
            LtlNode::And(a, b) if !negated => self.and(vec![of(a), of(b)]),
            LtlNode::And(a, b) => self.or(vec![of(a), of(b)]),
            LtlNode::Or(a, b) if !negated => self.or(vec![of(a), of(b)]),
            LtlNode::Or(a, b) => self.and(vec![of(a), of(b)]),
            LtlNode::Next(a) => self.next(of(a)),
            LtlNode::Until(a, b) if !negated => self.until(of(a), of(b)),
            LtlNode::Until(a, b) => self.release(of(a), of(b)),
            LtlNode::Release(a, b) if !negated => self.release(of(a), of(b)),
            LtlNode::Release(a, b) => self.until(of(a), of(b)),
            LtlNode::WeakUntil(a, b) if !negated => {
                // a WU b = b R (a | b)
                let either = self.or(vec![of(a), of(b)]);
                self.release(of(b), either)
            }
            LtlNode::WeakUntil(a, b) => {
                let neither = self.and(vec![of(a), of(b)]);
                self.until(of(b), neither)
            }
            LtlNode::Globally(a) | LtlNode::Finally(a) => {
                if matches!(node, LtlNode::Globally(_)) != negated {
                    let never = self.letters(none);
                    self.release(never, of(a))
                } else {
                    let always = self.letters(all);
                    self.until(always, of(a))
                }
            }
        }
    }

    fn add(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = NodeId::try_from(self.nodes.len()).expect("formulas have 32-bit ids, and few nodes come from each");
        let all_of = |flags: &[bool], parts: &[NodeId]| parts.iter().all(|&p| flags[p as usize]);
        let at = |flags: &[bool], part: NodeId| flags[part as usize];
        let (eventual, universal) = match &node {
            Node::Letters(set) => (set.is_constant(), set.is_constant()),
            Node::And(parts) | Node::Or(parts) => (all_of(&self.eventual, parts), all_of(&self.universal, parts)),
            Node::Next(a) => (at(&self.eventual, *a), at(&self.universal, *a)),
            Node::Until(a, b) => {
                (self.is_true(*a) || at(&self.eventual, *b), at(&self.universal, *a) && at(&self.universal, *b))
            }
            Node::Release(a, b) => {
                (at(&self.eventual, *a) && at(&self.eventual, *b), self.is_false(*a) || at(&self.universal, *b))
            }
        };
        self.nodes.push(node.clone());
        self.eventual.push(eventual);
        self.universal.push(universal);
        self.ids.insert(node, id);
        id
    }

    fn letters(&mut self, set: Letters) -> NodeId {
        self.add(Node::Letters(set))
    }

    fn is_true(&self, id: NodeId) -> bool {
        matches!(&self.nodes[id as usize], Node::Letters(set) if set.is_all())
    }

    fn is_false(&self, id: NodeId) -> bool {
        matches!(&self.nodes[id as usize], Node::Letters(set) if set.is_none())
    }

    fn and(&mut self, parts: Vec<NodeId>) -> NodeId {
        let mut set = self.alphabet.all();
        let mut rest = Vec::new();
        for part in parts {
            match &self.nodes[part as usize] {
                Node::Letters(more) => set.intersect(more),
                Node::And(inner) => rest.extend_from_slice(inner),
                _ => rest.push(part),
            }
        }
        // A nested conjunction may have a set of letters among its parts. This set is merged into `set`, too.
        rest.retain(|&part| match &self.nodes[part as usize] {
            Node::Letters(more) => {
                set.intersect(more);
                false
            }
            _ => true,
        });
        rest.sort_unstable();
        rest.dedup();
        let shared = |inner: &[NodeId]| inner.iter().any(|i| rest.contains(i));
        let absorbed = |part: &NodeId| matches!(&self.nodes[*part as usize], Node::Or(inner) if shared(inner));
        let mut kept: Vec<NodeId> = rest.iter().copied().filter(|part| !absorbed(part)).collect();
        if set.is_none() {
            return self.letters(set);
        }
        if !set.is_all() {
            kept.push(self.letters(set.clone()));
            kept.sort_unstable();
        }
        match kept[..] {
            [] => self.letters(set),
            [one] => one,
            _ => self.add(Node::And(kept)),
        }
    }

    fn or(&mut self, parts: Vec<NodeId>) -> NodeId {
        let mut set = self.alphabet.none();
        let mut rest = Vec::new();
        for part in parts {
            match &self.nodes[part as usize] {
                Node::Letters(more) => set.join(more),
                Node::Or(inner) => rest.extend_from_slice(inner),
                _ => rest.push(part),
            }
        }
        rest.retain(|&part| match &self.nodes[part as usize] {
            Node::Letters(more) => {
                set.join(more);
                false
            }
            _ => true,
        });
        rest.sort_unstable();
        rest.dedup();
        let shared = |inner: &[NodeId]| inner.iter().any(|i| rest.contains(i));
        let absorbed = |part: &NodeId| matches!(&self.nodes[*part as usize], Node::And(inner) if shared(inner));
        let mut kept: Vec<NodeId> = rest.iter().copied().filter(|part| !absorbed(part)).collect();
        if set.is_all() {
            return self.letters(set);
        }
        if !set.is_none() {
            kept.push(self.letters(set.clone()));
            kept.sort_unstable();
        }
        match kept[..] {
            [] => self.letters(set),
            [one] => one,
            _ => self.add(Node::Or(kept)),
        }
    }

    fn next(&mut self, a: NodeId) -> NodeId {
        if self.is_true(a) || self.is_false(a) { a } else { self.add(Node::Next(a)) }
    }

    fn until(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is_false(a) || a == b || self.eventual[b as usize] {
            return b;
        }
        match (&self.nodes[a as usize], &self.nodes[b as usize]) {
            (Node::Letters(before), Node::Letters(then)) if before.is_within(then) => return b,
            _ => {}
        }
        if let (true, Node::Or(parts)) = (self.is_true(a), &self.nodes[b as usize]) {
            // F (b | c) = F b | F c
            let each: Vec<NodeId> = parts.clone();
            let each = each.into_iter().map(|part| self.until(a, part)).collect();
            return self.or(each);
        }
        self.add(Node::Until(a, b))
    }

    fn release(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is_true(a) || a == b || self.universal[b as usize] {
            return b;
        }
        match (&self.nodes[a as usize], &self.nodes[b as usize]) {
            (Node::Letters(end), Node::Letters(until)) if until.is_within(end) => return b,
            _ => {}
        }
        if let (true, Node::And(parts)) = (self.is_false(a), &self.nodes[b as usize]) {
            let each: Vec<NodeId> = parts.clone();
            let each = each.into_iter().map(|part| self.release(a, part)).collect();
            return self.and(each);
        }
        self.add(Node::Release(a, b))
    }
}

/// Returns two values for each subformula: whether the negation of the whole formula needs the subformula as it
/// is, and whether it needs the subformula's negation. Operands of subformulas with a given set are not needed.
fn polarities(formula: &Ltl, given: &[Option<Letters>]) -> Vec<[bool; 2]> {
    let mut wanted = vec![[false; 2]; formula.nodes().len()];
    wanted[formula.root().index()][1] = true;
    for i in (0..formula.nodes().len()).rev() {
        let node = formula.nodes()[i];
        for operand in node.operands().filter(|_| given[i].is_none()) {
            for negated in [false, true] {
                let inner = negated != matches!(node, LtlNode::Not(_));
                wanted[operand.index()][usize::from(inner)] |= wanted[i][usize::from(negated)];
            }
        }
    }
    wanted
}
