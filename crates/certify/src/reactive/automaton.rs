//! A Büchi automaton for the words that violate a formula: the tableau in which each transition reads a letter
//! (Couvreur 1999, after Gerth et al. 1995).
//!
//! A state is a set of formulas that the rest of the word must satisfy. To read a letter, each formula is
//! rewritten: `a U b` becomes b, or a now and `a U b` next. `a R b` becomes b and a, or b now and `a R b` next.
//! A proposition is true or false of the letter. Each combination of choices gives a successor: the set of the
//! formulas that the word must satisfy from the next letter on. A choice that postpones an until marks it as
//! postponed. A run is accepting iff no until is postponed at every step from some point on.
//!
//! 1. Every word that satisfies the formulas of a set has an accepting run from this set. So if no accepting run
//!    exists in the product, no run of the program violates the formula; this is what `safe` rests on. Proof:
//!    at each letter make each choice by what the rest of the word satisfies: for `a U b` choose b as soon as b
//!    holds, otherwise a and `a U b` next; for `a R b` choose b and a if both hold, otherwise b and `a R b`
//!    next; for `a or b` a formula that holds. The word from the next letter on satisfies the chosen successor.
//!    An until is postponed only while its b does not hold, and b holds after finitely many letters.
//! 2. Conversely, the word of an accepting run satisfies the formulas of the first set. (Nothing wrong is
//!    accepted without this claim: a violation is evaluated on its word.) Proof: each until is fulfilled after
//!    finitely many letters, because it is not postponed for ever, and all other choices hold step by step.
//! 3. A successor may be left out if another successor requires a subset of its formulas and postpones only
//!    untils that it postpones too. Proof: every word that is accepted from a set is accepted from each subset.
//!    A run from the subset makes the same choices, step by step with no less progress.

use crate::{Check, Refusal};
use hashbrown::HashMap;
use kernel::Work;
use model::{Letter, Ltl, LtlNode};
use std::rc::Rc;

/// Largest number of states of an automaton.
const STATES: usize = 20_000;

/// Largest number of ways to read one letter.
const CHOICES: usize = 1 << 13;

type Id = u32;

/// Negation normal form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Constant(bool),
    /// The current letter is of this class (true), or is not (false).
    Letter(u32, bool),
    And(Id, Id),
    Or(Id, Id),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// Formulas in negation normal form, each stored once.
#[derive(Default)]
struct Forms {
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
}

impl Forms {
    fn add(&mut self, node: Node) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    fn constant(&mut self, value: bool) -> Id {
        self.add(Node::Constant(value))
    }

    fn and(&mut self, a: Id, b: Id) -> Id {
        match (self.nodes[a as usize], self.nodes[b as usize]) {
            (Node::Constant(true), _) | (_, Node::Constant(false)) => b,
            (_, Node::Constant(true)) | (Node::Constant(false), _) => a,
            _ if a == b => a,
            _ => self.add(Node::And(a.min(b), a.max(b))),
        }
    }

    fn or(&mut self, a: Id, b: Id) -> Id {
        match (self.nodes[a as usize], self.nodes[b as usize]) {
            (Node::Constant(false), _) | (_, Node::Constant(true)) => b,
            (_, Node::Constant(false)) | (Node::Constant(true), _) => a,
            _ if a == b => a,
            _ => self.add(Node::Or(a.min(b), a.max(b))),
        }
    }
}

/// A step of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Transition {
    pub(crate) to: u32,
    /// The untils that are not postponed, one bit each.
    pub(crate) kept: u64,
}

/// An automaton. Its states and transitions are computed on demand.
pub(crate) struct Automaton {
    forms: Forms,
    /// The letters that the formula names. Every other letter is in the class after the last one.
    letters: Vec<Letter>,
    /// For each [`Id`] of an until: the number of the until.
    untils: HashMap<Id, u32>,
    states: Vec<Rc<[Id]>>,
    numbers: HashMap<Rc<[Id]>, u32>,
    /// Transitions by state and class of the letter.
    steps: HashMap<(u32, u32), Rc<[Transition]>>,
    /// Transitions by state, class of the input, and class of the output.
    calls: HashMap<(u32, u32, Option<u32>), Rc<[Transition]>>,
}

impl Automaton {
    /// Builds the automaton that accepts the words which violate `formula`.
    pub(crate) fn violating(formula: &Ltl) -> Check<Self> {
        let mut letters = Vec::new();
        for node in formula.nodes() {
            if let LtlNode::Letter(letter) = *node
                && !letters.contains(&letter)
            {
                letters.push(letter);
            }
        }
        let mut forms = Forms::default();
        let violated = negated(formula, &letters, &mut forms);
        let untils: HashMap<Id, u32> = (0..)
            .zip(&forms.nodes)
            .filter(|(_, node)| matches!(node, Node::Until(..)))
            .zip(0..)
            .map(|((id, _), number)| (id, number))
            .collect();
        if untils.len() > 64 {
            return Err(Refusal::Unknown("a formula with more than 64 untils".to_owned()));
        }
        let (states, numbers) = (Vec::new(), HashMap::new());
        let mut automaton =
            Self { forms, letters, untils, states, numbers, steps: HashMap::new(), calls: HashMap::new() };
        automaton.state(vec![violated])?;
        Ok(automaton)
    }

    /// The state that reads the first letter of a word.
    pub(crate) fn initial() -> u32 {
        0
    }

    /// The set of all untils. A run is accepting iff each of them is kept by infinitely many of its
    /// transitions.
    pub(crate) fn all(&self) -> u64 {
        (0..self.untils.len()).fold(0, |all, until| all | 1 << until)
    }

    /// The class of a letter. The automaton does not distinguish the letters of one class.
    pub(crate) fn class(&self, letter: Letter) -> u32 {
        self.letters.iter().position(|&named| named == letter).unwrap_or(self.letters.len()) as u32
    }

    fn state(&mut self, mut forms: Vec<Id>) -> Check<u32> {
        forms.sort_unstable();
        forms.dedup();
        let forms: Rc<[Id]> = forms.into();
        if let Some(&number) = self.numbers.get(&forms) {
            return Ok(number);
        }
        if self.states.len() == STATES {
            return Err(Refusal::Unknown(format!("a formula whose automaton has more than {STATES} states")));
        }
        let number = self.states.len() as u32;
        self.states.push(Rc::clone(&forms));
        self.numbers.insert(forms, number);
        Ok(number)
    }

    /// Returns the transitions from a state on the letters of a call: an input, then the output if there is
    /// one.
    pub(crate) fn call(
        &mut self,
        state: u32,
        input: u32,
        output: Option<u32>,
        work: &mut Work<'_>,
    ) -> Check<Rc<[Transition]>> {
        if let Some(known) = self.calls.get(&(state, input, output)) {
            return Ok(Rc::clone(known));
        }
        let mut transitions = Vec::new();
        for first in self.step(state, input, work)?.iter() {
            match output {
                None => transitions.push(*first),
                Some(output) => {
                    for second in self.step(first.to, output, work)?.iter() {
                        transitions.push(Transition { to: second.to, kept: first.kept | second.kept });
                    }
                }
            }
        }
        transitions.sort_unstable();
        transitions.dedup();
        let transitions: Rc<[Transition]> = transitions.into();
        self.calls.insert((state, input, output), Rc::clone(&transitions));
        Ok(transitions)
    }

    /// Returns the transitions from a state on a letter of this class.
    fn step(&mut self, state: u32, class: u32, work: &mut Work<'_>) -> Check<Rc<[Transition]>> {
        if let Some(known) = self.steps.get(&(state, class)) {
            return Ok(Rc::clone(known));
        }
        let found = self.rewrite(state, class, work)?;
        let mut transitions = Vec::with_capacity(found.len());
        for (i, (next, kept)) in found.iter().enumerate() {
            work.spend(found.len() as u64)?;
            let asks_less = |(j, (other, also)): (usize, &(Vec<Id>, u64))| {
                let dominates = other.iter().all(|id| next.binary_search(id).is_ok()) && also & kept == *kept;
                dominates && (j < i || other != next || also != kept)
            };
            if !found.iter().enumerate().any(asks_less) {
                transitions.push(Transition { to: self.state(next.clone())?, kept: *kept });
            }
        }
        let transitions: Rc<[Transition]> = transitions.into();
        self.steps.insert((state, class), Rc::clone(&transitions));
        Ok(transitions)
    }

    /// Returns for each combination of choices: the formulas of the next state, ascending, and the untils that
    /// are not postponed.
    fn rewrite(&self, state: u32, class: u32, work: &mut Work<'_>) -> Check<Vec<(Vec<Id>, u64)>> {
        let begin =
            Choice { todo: self.states[state as usize].to_vec(), done: Vec::new(), next: Vec::new(), kept: self.all() };
        let (mut open, mut found) = (vec![begin], Vec::new());
        while let Some(mut choice) = open.pop() {
            let mut is_possible = true;
            while let Some(id) = choice.todo.pop() {
                work.spend(1 + choice.done.len() as u64)?;
                if choice.done.contains(&id) {
                    continue;
                }
                choice.done.push(id);
                match self.forms.nodes[id as usize] {
                    Node::Constant(true) => {}
                    Node::Constant(false) => is_possible = false,
                    Node::Letter(letter, stands) => is_possible = (letter == class) == stands,
                    Node::And(a, b) => choice.todo.extend([a, b]),
                    Node::Next(a) => choice.next.push(a),
                    Node::Or(a, b) => {
                        open.push(choice.with(&[b]));
                        choice.todo.push(a);
                    }
                    Node::Until(a, b) => {
                        let mut later = choice.with(&[a]);
                        later.next.push(id);
                        later.kept &= !(1 << self.untils[&id]);
                        open.push(later);
                        choice.todo.push(b);
                    }
                    Node::Release(a, b) => {
                        let mut later = choice.with(&[b]);
                        later.next.push(id);
                        open.push(later);
                        choice.todo.extend([a, b]);
                    }
                }
                if !is_possible {
                    break;
                }
            }
            if is_possible {
                if found.len() == CHOICES {
                    return Err(Refusal::Unknown(format!(
                        "a formula with more than {CHOICES} ways to read one letter"
                    )));
                }
                choice.next.retain(|&id| self.forms.nodes[id as usize] != Node::Constant(true));
                choice.next.sort_unstable();
                choice.next.dedup();
                found.push((choice.next, choice.kept));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

#[derive(Clone)]
struct Choice {
    todo: Vec<Id>,
    done: Vec<Id>,
    next: Vec<Id>,
    kept: u64,
}

impl Choice {
    fn with(&self, also: &[Id]) -> Self {
        let mut other = self.clone();
        other.todo.extend(also);
        other
    }
}

/// Returns the negation of a formula. Each subformula is translated twice, as it stands and negated.
fn negated(formula: &Ltl, letters: &[Letter], forms: &mut Forms) -> Id {
    let mut both: Vec<[Id; 2]> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let of = |id: model::LtlId| both[id.index()];
        both.push(match node {
            LtlNode::Constant(value) => [forms.constant(value), forms.constant(!value)],
            LtlNode::Letter(letter) => {
                let class = letters.iter().position(|&named| named == letter).unwrap_or(letters.len()) as u32;
                [forms.add(Node::Letter(class, true)), forms.add(Node::Letter(class, false))]
            }
            LtlNode::Not(a) => [of(a)[1], of(a)[0]],
            LtlNode::And(a, b) => [forms.and(of(a)[0], of(b)[0]), forms.or(of(a)[1], of(b)[1])],
            LtlNode::Or(a, b) => [forms.or(of(a)[0], of(b)[0]), forms.and(of(a)[1], of(b)[1])],
            LtlNode::Next(a) => of(a).map(|a| forms.add(Node::Next(a))),
            LtlNode::Until(a, b) => [(Node::Until as fn(Id, Id) -> Node, 0), (Node::Release, 1)]
                .map(|(node, side)| forms.add(node(of(a)[side], of(b)[side]))),
            LtlNode::Release(a, b) => [(Node::Release as fn(Id, Id) -> Node, 0), (Node::Until, 1)]
                .map(|(node, side)| forms.add(node(of(a)[side], of(b)[side]))),
            LtlNode::WeakUntil(a, b) => {
                // a WU b = b R (a | b). Its negation is (!b) U (!a & !b).
                let either = forms.or(of(a)[0], of(b)[0]);
                let neither = forms.and(of(a)[1], of(b)[1]);
                [forms.add(Node::Release(of(b)[0], either)), forms.add(Node::Until(of(b)[1], neither))]
            }
            LtlNode::Globally(a) => {
                let (no, yes) = (forms.constant(false), forms.constant(true));
                [forms.add(Node::Release(no, of(a)[0])), forms.add(Node::Until(yes, of(a)[1]))]
            }
            LtlNode::Finally(a) => {
                let (no, yes) = (forms.constant(false), forms.constant(true));
                [forms.add(Node::Until(yes, of(a)[0])), forms.add(Node::Release(no, of(a)[1]))]
            }
        });
    }
    both.last().map_or(0, |root| root[1])
}
