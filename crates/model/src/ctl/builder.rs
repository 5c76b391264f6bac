//! Builds formulas, and simplifies them. The checker uses it, too, so each rule is proven here.
//!
//! Let "here" be the marking in which a formula is evaluated. A path begins here, and is maximal, so there is one.
//!
//! 1. Constants: `E (a U b)` and `A (a U b)` are `b` if `b` is a constant, or `a` is false, or `a` and `b` are the
//!    same.
//! 2. `E (a U EF b)` and `A (a U EF b)` are `EF b`: if `EF b` holds in some marking that can be reached, it holds
//!    here, and if it holds here, nothing is needed before it. `E (E (a U b) U b)` is `E (a U b)`, `A (A (a U b) U b)`
//!    is `A (a U b)`: if `b` does not hold here, the operand does; and it holds in each marking of a path before `b`
//!    if it holds here. (For the path that `E (a U b)` promises, and for each path if `A (a U b)` holds.)
//!    `E (a U E (a U b))` is `E (a U b)`, and the same for `A`: paths are put together.
//!    `EF E (a U b)` and `EF A (a U b)` are `EF b`, and `AF A (a U b)` is `AF b`: `b` implies what is inside, and what
//!    is inside implies `EF b`, or `AF b`.
//! 3. `E (a U (b | EF c))` is `E (a U b) | EF c`, and the same for `A`: if `EF c` holds in a marking that can be
//!    reached, it holds here; and if it does not hold here, it does not hold later, so that `b` has to. `EF (b | c)`
//!    is `EF b | EF c`. `EF EX a` is `EX EF a`: both say that `a` can be reached by at least one step.
//! 4. `b` implies `E (a U b)` and `A (a U b)`. `A (a U b)` implies `E (a U b)`, since there is a path. `E (a U b)`
//!    implies `EF b`. In a conjunction, of two operands the weaker one is left out, and an operand with the negation
//!    of a weaker one makes it false; in a disjunction, the stronger one is left out, and an operand with the negation
//!    of a stronger one makes it true.
//!
//! (Rules of this kind: Bønneland et al., "Simplification of CTL formulae for efficient model checking of Petri nets",
//! PETRI NETS 2018.)

use super::{Ctl, CtlNode};
use crate::ids::{CtlId, FormulaId};
use std::collections::{HashMap, HashSet};

/// The most rules that are applied one inside the other. It bounds the cost of an operator, and the stack.
const DEEPEST: usize = 32;

/// Builds a formula bottom up. Each method returns the id of a subformula with the meaning that its name says, and
/// simplifies ([`self`]). Equal subformulas have one id.
#[derive(Clone, Default, Debug)]
pub struct CtlBuilder {
    nodes: Vec<CtlNode>,
    ids: HashMap<CtlNode, CtlId>,
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
        let next = CtlId::new(self.nodes.len());
        let id = *self.ids.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            next
        });
        debug_assert!(self.nodes[id.index()].operands().all(|a| a < id), "operands come first");
        id
    }

    fn node(&self, id: CtlId) -> &CtlNode {
        &self.nodes[id.index()]
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
        let mut list: Vec<CtlId> = Vec::with_capacity(parts.len());
        let mut known: HashSet<CtlId> = HashSet::with_capacity(parts.len());
        for part in parts {
            let inner = match self.node(part) {
                CtlNode::All(inner) if all => inner.clone(),
                CtlNode::Any(inner) if !all => inner.clone(),
                CtlNode::Constant(value) if *value == all => continue,
                CtlNode::Constant(_) => return part,
                _ => vec![part],
            };
            list.extend(inner.into_iter().filter(|part| known.insert(*part)));
        }
        let has = |id: Option<CtlId>| id.is_some_and(|id| known.contains(&id));
        let mut implied: HashSet<CtlId> = HashSet::new();
        for &part in &list {
            if has(self.negation(part)) {
                return self.constant(!all);
            }
            for (strong, weak) in self.implications(part) {
                let negations = (self.negation(strong), self.negation(weak));
                let opposite = if all { (Some(strong), negations.1) } else { (negations.0, Some(weak)) };
                if has(opposite.0) && has(opposite.1) {
                    return self.constant(!all);
                }
                if known.contains(&strong) && known.contains(&weak) {
                    implied.insert(if all { weak } else { strong });
                }
                if let (Some(not_strong), Some(not_weak)) = negations
                    && known.contains(&not_strong)
                    && known.contains(&not_weak)
                {
                    implied.insert(if all { not_strong } else { not_weak });
                }
            }
        }
        list.retain(|part| !implied.contains(part));
        match list.as_slice() {
            [] => self.constant(all),
            [one] => *one,
            _ if all => self.push(CtlNode::All(list)),
            _ => self.push(CtlNode::Any(list)),
        }
    }

    /// Returns the negation of a subformula, if there is one.
    fn negation(&self, a: CtlId) -> Option<CtlId> {
        if let CtlNode::Not(inner) = self.node(a) { Some(*inner) } else { self.ids.get(&CtlNode::Not(a)).copied() }
    }

    /// Returns pairs of subformulas of which the first implies the second (4), with the operand or its negation.
    fn implications(&self, part: CtlId) -> Vec<(CtlId, CtlId)> {
        let part = if let CtlNode::Not(inner) = self.node(part) { *inner } else { part };
        let id = |node: CtlNode| self.ids.get(&node).copied();
        let weaker = |a: CtlId, b: CtlId| {
            let all = id(CtlNode::Constant(true))?;
            id(CtlNode::ExistsUntil(all, b)).filter(|_| a != all)
        };
        match *self.node(part) {
            CtlNode::ExistsUntil(a, b) => {
                [Some((b, part)), weaker(a, b).map(|weak| (part, weak))].into_iter().flatten().collect()
            }
            CtlNode::AllUntil(a, b) => {
                let weak = id(CtlNode::ExistsUntil(a, b));
                [Some((b, part)), weak.map(|weak| (part, weak)), weaker(a, b).map(|weak| (part, weak))]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            _ => Vec::new(),
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
        self.until(false, a, b)
    }

    /// `A (a U b)`
    pub fn all_until(&mut self, a: CtlId, b: CtlId) -> CtlId {
        self.until(true, a, b)
    }

    /// `A (a U b)` if `all`, else `E (a U b)`.
    fn until(&mut self, all: bool, a: CtlId, b: CtlId) -> CtlId {
        self.until_within(DEEPEST, all, a, b)
    }

    /// The same, with at most this many rules one inside the other.
    fn until_within(&mut self, depth: usize, all: bool, a: CtlId, b: CtlId) -> CtlId {
        let is_always = self.value(a) == Some(true);
        if self.value(b).is_some() || self.value(a) == Some(false) || a == b || self.is_reach(b) {
            return b;
        }
        if self.is_until(a, |_, same, end| same == all && end == b) {
            return a;
        }
        let made = if all { CtlNode::AllUntil } else { CtlNode::ExistsUntil };
        let Some(depth) = depth.checked_sub(1) else { return self.push(made(a, b)) };
        match self.node(b) {
            CtlNode::ExistsUntil(_, end) | CtlNode::AllUntil(_, end) if !all && is_always => {
                let end = *end;
                self.until_within(depth, all, a, end)
            }
            CtlNode::AllUntil(_, end) if is_always => {
                let end = *end;
                self.until_within(depth, all, a, end)
            }
            CtlNode::ExistsUntil(first, _) if !all && *first == a => b,
            CtlNode::AllUntil(first, _) if all && *first == a => b,
            CtlNode::ExistsNext(next) if !all && is_always => {
                let next = *next;
                let reach = self.until_within(depth, all, a, next);
                self.exists_next(reach)
            }
            CtlNode::Any(parts) => {
                let moves_out =
                    |part: &CtlId| self.is_reach(*part) || !all && is_always && self.is_until(*part, |_, _, _| true);
                let (out, rest): (Vec<CtlId>, Vec<CtlId>) = parts.iter().partition(|part| moves_out(part));
                if out.is_empty() {
                    return self.push(made(a, b));
                }
                let mut parts: Vec<CtlId> =
                    out.into_iter().map(|part| self.until_within(depth, all, a, part)).collect();
                let rest = self.join(false, rest);
                parts.push(self.until_within(depth, all, a, rest));
                self.join(false, parts)
            }
            _ => self.push(made(a, b)),
        }
    }

    /// Returns true if a subformula is `E (c U d)` or `A (c U d)` (then the second argument is true) with this
    /// condition.
    fn is_until(&self, a: CtlId, is_meant: impl Fn(CtlId, bool, CtlId) -> bool) -> bool {
        match self.node(a) {
            CtlNode::ExistsUntil(c, d) => is_meant(*c, false, *d),
            CtlNode::AllUntil(c, d) => is_meant(*c, true, *d),
            _ => false,
        }
    }

    /// Returns true if a subformula is `EF c`.
    fn is_reach(&self, a: CtlId) -> bool {
        self.is_until(a, |c, all, _| !all && self.value(c) == Some(true))
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
