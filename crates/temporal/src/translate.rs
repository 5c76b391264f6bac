//! Translates a formula to an automaton that accepts the words that violate it.
//!
//! The translation uses the very weak alternating automaton (Gastin and Oddoux, "Fast LTL to Büchi automata
//! translation", CAV 2001). Its states are the subformulas that are no conjunctions or disjunctions. A letter
//! turns each state into a disjunction of conjunctions of states. A state of the automaton constructed here is
//! such a conjunction: all conditions that the rest of the word must still satisfy. Since each position has
//! exactly one letter, transitions are computed letter by letter, without literals. Each subformula `a U b` has
//! a mark. A transition has the mark of a subformula unless it postpones the subformula.

use crate::alphabet::{Alphabet, Class, Letters};
use crate::automaton::{Automaton, Edge, Marks};
use crate::normal::{Node, NodeId, Normal};
use crate::reduce;
use hashbrown::HashMap;
use model::{Ltl, LtlId, LtlNode};

/// Conditions on the rest of the word, all of which must hold. Ascending.
type Conjunction = Vec<NodeId>;
/// Alternatives, none of which contains another one.
type Choices = Vec<Conjunction>;

/// The largest number of subformulas of a formula that is translated.
const MOST_NODES: usize = 1 << 14;
/// The largest number of letters that a formula about a reactive program may name.
const MOST_LETTERS: usize = 126;
/// The largest number of states of an automaton. The number of conjunctions may be exponential in the formula.
const MOST_STATES: usize = 1 << 12;
/// The largest number of states times classes of an automaton.
const MOST_ROWS: usize = 1 << 22;
/// The largest number of conjunctions that one letter may lead to.
const MOST_CHOICES: usize = 1 << 12;

/// Returns the automaton of the words that violate `formula`, among those that alternate inputs and outputs as
/// runs do. Returns `None` if it would be too large.
///
/// Cost: exponential in the formula at worst, within a second.
pub(crate) fn violations(formula: &Ltl) -> Option<Automaton> {
    let alphabet = Alphabet::of(formula);
    if alphabet.len() > MOST_LETTERS + 2 {
        return None;
    }
    let set = |id: LtlId| match formula.node(id) {
        LtlNode::Letter(letter) => Some(alphabet.one(alphabet.class(letter))),
        _ => None,
    };
    violations_over(formula, alphabet.clone(), set)
}

/// Returns the automaton of the words over an alphabet that violate `formula`, where `given` returns the classes in
/// which subformulas hold ([`Normal::negation`]). Returns `None` if it would be too large.
pub(crate) fn violations_over(
    formula: &Ltl,
    alphabet: Alphabet,
    given: impl Fn(LtlId) -> Option<Letters>,
) -> Option<Automaton> {
    if formula.nodes().len() > MOST_NODES {
        return None;
    }
    let (normal, root) = Normal::negation(formula, alphabet, given);
    let automaton = Translation::new(&normal)?.run(root)?;
    automaton.check_invariants();
    Some(reduce::reduce(automaton))
}

struct Translation<'n> {
    normal: &'n Normal,
    /// For each node: the disjunction of conjunctions of states of the alternating automaton that it stands
    /// for.
    now: Vec<Choices>,
    /// For each node and class, in this order: the conditions left after a letter of the class.
    after: Vec<Choices>,
    /// For each node: its mark, if it is an `Until`.
    marks: Vec<Option<u32>>,
    numbers: HashMap<Conjunction, u32>,
    /// The conjunctions, indexed by number.
    states: Vec<Conjunction>,
}

impl<'n> Translation<'n> {
    fn new(normal: &'n Normal) -> Option<Self> {
        let classes = normal.alphabet.len();
        let nodes = normal.nodes();
        let mut now: Vec<Choices> = Vec::with_capacity(nodes.len());
        let mut after: Vec<Choices> = Vec::with_capacity(nodes.len() * classes);
        let mut marks = Vec::with_capacity(nodes.len());
        let mut untils = 0;
        for (id, node) in (0..).zip(nodes) {
            let at = |part: NodeId| now[part as usize].clone();
            now.push(match node {
                Node::And(parts) => product(parts.iter().map(|&p| at(p)))?,
                Node::Or(parts) => union(parts.iter().map(|&p| at(p)))?,
                // `true` has no condition.
                Node::Letters(set) if set.is_all() => vec![Vec::new()],
                Node::Letters(set) if set.is_none() => Vec::new(),
                _ => vec![vec![id]],
            });
            for class in 0..classes {
                let then = |part: NodeId| after[part as usize * classes + class].clone();
                let choices = match node {
                    Node::Letters(set) if set.contains(class) => vec![Vec::new()],
                    Node::Letters(_) => Vec::new(),
                    Node::And(parts) => product(parts.iter().map(|&p| then(p)))?,
                    Node::Or(parts) => union(parts.iter().map(|&p| then(p)))?,
                    Node::Next(a) => now[*a as usize].clone(),
                    Node::Until(a, b) => {
                        union([then(*b), product([then(*a), vec![vec![id]]].into_iter())?].into_iter())?
                    }
                    Node::Release(a, b) => {
                        product([then(*b), union([then(*a), vec![vec![id]]].into_iter())?].into_iter())?
                    }
                };
                after.push(choices);
            }
            marks.push(matches!(node, Node::Until(..)).then(|| {
                untils += 1;
                untils - 1
            }));
        }
        (untils <= Marks::BITS).then_some(Self {
            normal,
            now,
            after,
            marks,
            numbers: HashMap::new(),
            states: Vec::new(),
        })
    }

    fn run(mut self, root: NodeId) -> Option<Automaton> {
        let untils = self.marks.iter().flatten().count();
        let all = if untils == 0 { 0 } else { Marks::MAX >> (Marks::BITS as usize - untils) };
        let mut automaton = Automaton::new(self.normal.alphabet.clone(), all);
        let first = self.now[root as usize].clone();
        automaton.initial = first.into_iter().map(|conjunction| self.number(conjunction)).collect();
        automaton.initial.sort_unstable();
        let mut next = 0;
        while next < self.states.len() {
            if self.states.len() > MOST_STATES || self.states.len() * self.normal.alphabet.len() > MOST_ROWS {
                return None;
            }
            let state = self.states[next].clone();
            let classes = 0..self.normal.alphabet.len();
            let row: Option<Vec<Vec<Edge>>> = classes.map(|class| self.edges(&state, class, all)).collect();
            automaton.push(row?);
            next += 1;
        }
        Some(automaton)
    }

    fn number(&mut self, conjunction: Conjunction) -> u32 {
        let next = u32::try_from(self.states.len()).expect("there is a limit");
        *self.numbers.entry(conjunction).or_insert_with_key(|conjunction| {
            self.states.push(conjunction.clone());
            next
        })
    }

    /// Returns the transitions of a conjunction with a letter of `class`. A transition is left out if another
    /// one requires no more and has at least the same marks.
    fn edges(&mut self, state: &Conjunction, class: Class, all: Marks) -> Option<Vec<Edge>> {
        let parts = state.iter().map(|&id| self.choices(id, class).clone());
        let targets = product_of_all(parts)?;
        let marked: Vec<(Conjunction, Marks)> = targets
            .into_iter()
            .map(|to| {
                let marks = self.marks_of(state, class, &to, all);
                (to, marks)
            })
            .collect();
        let is_dominated = |i: usize| {
            let (to, marks) = &marked[i];
            marked.iter().enumerate().any(|(j, (other, more))| {
                j != i && marks & !more == 0 && contains(to, other) && (to != other || marks != more || j < i)
            })
        };
        let kept: Vec<usize> = (0..marked.len()).filter(|&i| !is_dominated(i)).collect();
        Some(kept.into_iter().map(|i| Edge { to: self.number(marked[i].0.clone()), marks: marked[i].1 }).collect())
    }

    fn choices(&self, node: NodeId, class: Class) -> &Choices {
        &self.after[node as usize * self.normal.alphabet.len() + class]
    }

    /// Returns the marks of a transition. It has the mark of an until if `from` does not contain the until, if
    /// `to` does not contain it, or if the until may count as fulfilled while `to` contains it for another
    /// reason.
    fn marks_of(&self, from: &Conjunction, class: Class, to: &Conjunction, all: Marks) -> Marks {
        let mut marks = all;
        for id in to {
            let Some(mark) = self.marks[*id as usize] else { continue };
            let is_paid = || self.choices(*id, class).iter().any(|way| !way.contains(id) && contains(to, way));
            if from.contains(id) && !is_paid() {
                marks &= !(1 << mark);
            }
        }
        marks
    }
}

/// Returns true if `larger` contains all of `smaller`. Both are ascending.
fn contains(larger: &Conjunction, smaller: &Conjunction) -> bool {
    smaller.iter().all(|id| larger.binary_search(id).is_ok())
}

fn join(a: &Conjunction, b: &Conjunction) -> Conjunction {
    let mut both = [&a[..], &b[..]].concat();
    both.sort_unstable();
    both.dedup();
    both
}

fn without_larger(mut choices: Choices) -> Choices {
    choices.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let mut kept: Choices = Vec::new();
    for choice in choices {
        if !kept.iter().any(|smaller| contains(&choice, smaller)) {
            kept.push(choice);
        }
    }
    kept
}

fn union(parts: impl Iterator<Item = Choices>) -> Option<Choices> {
    let choices = without_larger(parts.flatten().collect());
    (choices.len() <= MOST_CHOICES).then_some(choices)
}

fn product(parts: impl Iterator<Item = Choices>) -> Option<Choices> {
    Some(without_larger(product_of_all(parts)?))
}

/// Returns all conjunctions of one alternative from each part. One conjunction may contain another.
fn product_of_all(parts: impl Iterator<Item = Choices>) -> Option<Choices> {
    let mut choices: Choices = vec![Vec::new()];
    for part in parts {
        if choices.len().saturating_mul(part.len()) > MOST_CHOICES {
            return None;
        }
        choices = choices.iter().flat_map(|a| part.iter().map(move |b| join(a, b))).collect();
        choices.sort_unstable();
        choices.dedup();
    }
    Some(choices)
}
