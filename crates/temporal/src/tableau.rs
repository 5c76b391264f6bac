//! An automaton of the violations of a formula that is computed while it is used. It reads *truths*: lists of the
//! truth of the watched subformulas at a position ([`crate::program::watched`]).
//!
//! A state is a set of obligations: subformulas or their negations. The steps of a state follow the fixpoints of the
//! operators, where a subformula that is no longer needed leaves two ways: `a U b` is `b`, or `a` and `X (a U b)`. If
//! the first way is a watched subformula, its truth decides. A step has the mark of an eventuality unless it
//! postpones the eventuality. (Gerth, Peled, Vardi, Wolper: "Simple on-the-fly automatic verification of linear
//! temporal logic", 1995.)
//!
//! Formulas are not simplified beyond this, and automata are not reduced: a step ends where the checker's tableau
//! ends it, so that the states that a search has visited are those that the checker needs.

use crate::automaton::Edge;
use hashbrown::HashMap;
use model::{Ltl, LtlId, LtlNode};
use std::sync::Arc;

/// Twice the number of a subformula, and one more for its negation.
type Obligation = u32;

/// The largest number of sets that a step may lead to, and of states.
const MOST_WAYS: usize = 1 << 12;
const MOST_STATES: usize = 1 << 16;

/// Why there are no steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLarge;

/// What an obligation that is not watched stands for, with its part for the next position.
struct Ways {
    /// Obligations here in both ways.
    both: Option<Obligation>,
    first: Option<Obligation>,
    /// The second way: an obligation here, if there is one, and whether the obligation is repeated.
    second: Option<(Option<Obligation>, bool)>,
    /// The first way repeats the obligation, as `G a` does.
    keeps: bool,
    is_eventuality: bool,
}

#[derive(Debug)]
pub(crate) struct Tableau {
    formula: Ltl,
    is_plain: Vec<bool>,
    /// For each obligation that is an eventuality: its mark.
    marks: HashMap<Obligation, u64>,
    all: u64,
    states: Vec<Arc<[Obligation]>>,
    numbers: HashMap<Arc<[Obligation]>, u32>,
    /// For each state and the number of a truth.
    edges: HashMap<(u32, u32), Arc<[Edge]>>,
}

/// A set of obligations that is being expanded.
#[derive(Clone, Default)]
struct Way {
    todo: Vec<Obligation>,
    done: Vec<Obligation>,
    next: Vec<Obligation>,
    postponed: u64,
}

impl Tableau {
    /// Returns the automaton; its initial state is 0. `None` if the formula has too many eventualities.
    pub(crate) fn new(formula: Ltl) -> Option<Self> {
        let (is_plain, root) = (formula.propositional(), 2 * formula.root().0 + 1);
        let count = 2 * is_plain.len() as u32;
        let (marks, edges, numbers) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut tableau = Self { formula, is_plain, marks, all: 0, states: Vec::new(), numbers, edges };
        for obligation in (0..count).filter(|o| !tableau.is_plain[*o as usize / 2]) {
            if tableau.ways(obligation).is_eventuality {
                let mark = 1u64.checked_shl(tableau.marks.len() as u32)?;
                tableau.marks.insert(obligation, mark);
                tableau.all |= mark;
            }
        }
        tableau.state(vec![root]);
        Some(tableau)
    }

    /// Returns all marks.
    pub(crate) fn all(&self) -> u64 {
        self.all
    }

    fn state(&mut self, mut obligations: Vec<Obligation>) -> u32 {
        obligations.sort_unstable();
        obligations.dedup();
        let next = self.states.len() as u32;
        let states = &mut self.states;
        *self.numbers.entry(obligations.into()).or_insert_with_key(|state| {
            states.push(Arc::clone(state));
            next
        })
    }

    fn ways(&self, obligation: Obligation) -> Ways {
        let (node, negated) = (self.formula.node(LtlId(obligation / 2)), obligation % 2);
        let of = |a: LtlId| Some(2 * a.0 + negated);
        let plain = Ways { both: None, first: None, second: None, keeps: false, is_eventuality: false };
        let fork = |both, first, second| Ways { both, first, second: Some((second, true)), ..plain };
        let eventually = |ways| Ways { is_eventuality: true, ..ways };
        match (node, negated == 1) {
            (LtlNode::Constant(_) | LtlNode::Letter(_), _) => plain,
            (LtlNode::Not(a), _) => Ways { both: Some(2 * a.0 + 1 - negated), ..plain },
            (LtlNode::And(a, b), false) | (LtlNode::Or(a, b), true) => Ways { both: of(a), first: of(b), ..plain },
            (LtlNode::And(a, b), true) | (LtlNode::Or(a, b), false) => {
                let (a, b) = if self.is_plain[b.index()] { (b, a) } else { (a, b) };
                Ways { first: of(a), second: Some((of(b), false)), ..plain }
            }
            (LtlNode::Next(_), _) => plain,
            (LtlNode::Globally(a), false) | (LtlNode::Finally(a), true) => Ways { both: of(a), keeps: true, ..plain },
            (LtlNode::Globally(a), true) | (LtlNode::Finally(a), false) => eventually(fork(None, of(a), None)),
            (LtlNode::Until(a, b), false) => eventually(fork(None, of(b), of(a))),
            (LtlNode::WeakUntil(a, b), false) => fork(None, of(b), of(a)),
            (LtlNode::Until(a, b), true) | (LtlNode::Release(a, b), false) => fork(of(b), of(a), None),
            (LtlNode::Release(a, b), true) => eventually(fork(None, of(b), of(a))),
            (LtlNode::WeakUntil(a, b), true) => eventually(fork(of(b), of(a), None)),
        }
    }

    /// Returns the steps of a state where the watched subformulas have these truths. `truth` is the number of the list.
    pub(crate) fn edges(
        &mut self,
        state: u32,
        truth: u32,
        holds: impl Fn(LtlId) -> bool,
    ) -> Result<Arc<[Edge]>, TooLarge> {
        if let Some(edges) = self.edges.get(&(state, truth)) {
            return Ok(Arc::clone(edges));
        }
        let is_true = |obligation: Obligation| holds(LtlId(obligation / 2)) != (obligation % 2 == 1);
        let mut ways = vec![Way { todo: self.states[state as usize].to_vec(), ..Way::default() }];
        let mut found: Vec<(Vec<Obligation>, u64)> = Vec::new();
        while let Some(mut way) = ways.pop() {
            if ways.len() + found.len() > MOST_WAYS {
                return Err(TooLarge);
            }
            if self.finish(&mut way, &mut ways, &is_true) {
                way.next.sort_unstable();
                way.next.dedup();
                found.push((way.next, self.all & !way.postponed));
            }
        }
        found.sort_unstable();
        found.dedup();
        // A step to more obligations with no more marks is not needed.
        let is_within = |a: &[Obligation], b: &[Obligation]| a.iter().all(|o| b.binary_search(o).is_ok());
        let beats = |a: &(Vec<_>, u64), b: &(Vec<_>, u64)| a != b && b.1 & !a.1 == 0 && is_within(&a.0, &b.0);
        let kept: Vec<(Vec<Obligation>, u64)> =
            found.iter().filter(|b| !found.iter().any(|a| beats(a, b))).cloned().collect();
        let edges: Arc<[Edge]> = kept.into_iter().map(|(to, marks)| Edge { to: self.state(to), marks }).collect();
        if self.states.len() > MOST_STATES {
            return Err(TooLarge);
        }
        self.edges.insert((state, truth), Arc::clone(&edges));
        Ok(edges)
    }

    /// Expands a way, and puts others aside. Returns false if it is impossible.
    fn finish(&self, way: &mut Way, others: &mut Vec<Way>, is_true: &impl Fn(Obligation) -> bool) -> bool {
        while let Some(obligation) = way.todo.pop() {
            let Err(at) = way.done.binary_search(&obligation) else { continue };
            way.done.insert(at, obligation);
            if self.is_plain[obligation as usize / 2] {
                if !is_true(obligation) {
                    return false;
                }
                continue;
            }
            if let LtlNode::Next(a) = self.formula.node(LtlId(obligation / 2)) {
                way.next.push(2 * a.0 + obligation % 2);
                continue;
            }
            let ways = self.ways(obligation);
            way.todo.extend(ways.both);
            if ways.keeps {
                way.next.push(obligation);
            }
            let Some((second, repeats)) = ways.second else {
                way.todo.extend(ways.first);
                continue;
            };
            let first = ways.first.expect("a fork has two ways");
            let decided = self.is_plain[first as usize / 2].then(|| is_true(first));
            let go_on = |way: &mut Way| {
                way.todo.extend(second);
                way.next.extend(repeats.then_some(obligation));
                way.postponed |= self.marks.get(&obligation).copied().unwrap_or(0);
            };
            match decided {
                Some(true) => {}
                Some(false) => go_on(way),
                None => {
                    let mut other = way.clone();
                    go_on(&mut other);
                    others.push(other);
                    way.todo.push(first);
                }
            }
        }
        true
    }
}
