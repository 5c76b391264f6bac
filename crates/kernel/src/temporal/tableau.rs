//! A tableau: an automaton that reads positions of a run and accepts the runs that violate a formula.
//!
//! An *obligation* is a subformula or its negation. A state of the automaton is a set of obligations. The initial state
//! has one obligation, the negation of the formula. A subformula without temporal operators is *plain*, and a position
//! determines whether it holds. The other obligations have these rules, where `x'` is `x` at the next position:
//!
//! | Obligation | Rule |
//! |---|---|
//! | `a & b` | `a` and `b` |
//! | `a \| b` | `a`, or `b` |
//! | `X a` | `a'` |
//! | `G a` | `a` and `(G a)'` |
//! | `a U b` | `b`, or `a` and `(a U b)'` |
//! | `a WU b` | `b`, or `a` and `(a WU b)'` |
//! | `a R b` | `b` and: `a`, or `(a R b)'` |
//!
//! A negation is first moved inside by the duality of operators. A rule with "or" is a *fork* with two ways. `a U b`,
//! `F a`, `! G a`, `! (a R b)` and `! (a WU b)` are *eventualities*: on a run on which they hold, the first way holds
//! at some later position or now. The second way of an eventuality postpones it.
//!
//! The steps of a state at a position are found by applying the rules to its obligations, and to what they lead to.
//! Each fork gives both ways, but if the condition of its first way is plain, only the way that this position
//! determines. A choice of ways in which a plain obligation is false gives no step.
//! 1. Let a run satisfy all obligations of a state from some position on. Then the state has a step at this position
//!    such that the run satisfies all obligations of the next state from the next position on. Proof: choose the first
//!    way of a fork if its condition holds here, and the second way otherwise. By the meaning of the operators all
//!    obligations that arise hold. If the first condition is plain, the chosen way is the one that is given.
//! 2. Claim 1 still holds if obligations are left out of the next state. They are left out if another obligation of the
//!    state repeats them at its next position in any case (`F a` beside `G F a`). If two steps lead to the same state,
//!    one that postpones more than the other is left out: a run of the automaton that postpones less postpones no
//!    eventuality for ever that it did not postpone before.
//! 3. Each violating run has a run of the automaton that postpones no eventuality from some point on for ever. Proof:
//!    the run violates the formula, so it satisfies the obligation of the initial state. Take the steps of claim 1.
//!    Where they postpone an eventuality, it holds, and the condition of its first way does not. If it is postponed at
//!    all positions from some point on, the condition holds at none of them. But the eventuality holds at the first of
//!    them, so the condition holds at some of them.

use crate::work::Work;
use crate::{Check, Refusal};
use hashbrown::HashMap;
use model::{Letter, LtlId, LtlNode};
use std::rc::Rc;

/// An obligation: twice the number of a subformula, and one more for its negation.
type Obligation = u32;

/// The largest number of eventualities of a formula.
const MOST_EVENTUALITIES: u32 = u64::BITS;

/// A step of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// The next state.
    pub to: u32,
    /// The eventualities that the step postpones, one bit each.
    pub postponed: u64,
}

/// The rule for an obligation that is not plain.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Both hold.
    Both(Obligation, Obligation),
    /// It holds at the next position.
    Next(Obligation),
    /// It holds, and the obligation of the rule holds again at the next position.
    Keep(Obligation),
    Fork(Fork),
}

/// A rule with two ways.
#[derive(Clone, Copy, Debug)]
struct Fork {
    /// Holds in both ways.
    both: Option<Obligation>,
    first: Obligation,
    second: Option<Obligation>,
    /// True if in the second way the obligation of the rule holds again at the next position.
    again: bool,
    /// The bit of the eventuality, if it is one.
    eventuality: u64,
}

/// An automaton. Its states and steps are computed on demand.
#[derive(Debug)]
pub struct Tableau<'f> {
    nodes: &'f [LtlNode],
    is_plain: Vec<bool>,
    /// The plain subformulas that are operands of others, and the formula itself if it is plain.
    watched: Vec<u32>,
    /// For each obligation; `None` if it is plain.
    rules: Vec<Option<Rule>>,
    eventualities: u32,
    states: Vec<Rc<[Obligation]>>,
    numbers: HashMap<Rc<[Obligation]>, u32>,
    /// The different truths of the watched subformulas.
    truths: Vec<Rc<[bool]>>,
    truth_numbers: HashMap<Rc<[bool]>, u32>,
    /// For each state and truth.
    steps: HashMap<(u32, u32), Rc<[Step]>>,
    /// The truth of plain subformulas at the current position.
    now: Vec<bool>,
    /// The truth of the watched subformulas there.
    current: Vec<bool>,
}

impl<'f> Tableau<'f> {
    /// Creates the automaton that accepts the runs which violate `formula`.
    ///
    /// # Errors
    /// If the formula has too many eventualities.
    pub fn new(formula: &'f model::Ltl) -> Check<Self> {
        let (nodes, is_plain) = (formula.nodes(), formula.propositional());
        let mut is_watched = vec![false; nodes.len()];
        is_watched[formula.root().index()] = true;
        for (node, _) in nodes.iter().zip(&is_plain).filter(|(_, plain)| !**plain) {
            node.operands().for_each(|a| is_watched[a.index()] = true);
        }
        let watched = (0..nodes.len()).filter(|i| is_plain[*i] && is_watched[*i]).map(|i| i as u32).collect();
        let mut tableau = Self {
            nodes,
            watched,
            rules: Vec::with_capacity(2 * nodes.len()),
            eventualities: 0,
            states: Vec::new(),
            numbers: HashMap::new(),
            truths: Vec::new(),
            truth_numbers: HashMap::new(),
            steps: HashMap::new(),
            now: vec![false; nodes.len()],
            current: Vec::new(),
            is_plain,
        };
        for (id, &node) in nodes.iter().enumerate() {
            for negated in [false, true] {
                let rule = if tableau.is_plain[id] { None } else { Some(tableau.rule(node, negated)) };
                tableau.rules.push(rule);
            }
        }
        if tableau.eventualities > MOST_EVENTUALITIES {
            return Err(Refusal::ResourceLimit);
        }
        tableau.state(vec![2 * formula.root().0 + 1]);
        Ok(tableau)
    }

    fn rule(&mut self, node: LtlNode, negated: bool) -> Rule {
        let of = |a: LtlId| 2 * a.0 + u32::from(negated);
        let fork = |first, second| Fork { both: None, first, second, again: true, eventuality: 0 };
        match (node, negated) {
            (LtlNode::Constant(_) | LtlNode::Letter(_), _) => unreachable!("it is plain"),
            (LtlNode::Not(a), _) => Rule::Both(of(a) ^ 1, of(a) ^ 1),
            (LtlNode::And(a, b), false) | (LtlNode::Or(a, b), true) => Rule::Both(of(a), of(b)),
            (LtlNode::And(a, b), true) | (LtlNode::Or(a, b), false) => {
                // The order of the ways does not matter here, and a plain first condition leaves one way.
                let (a, b) = if self.is_plain[b.index()] { (b, a) } else { (a, b) };
                Rule::Fork(Fork { again: false, ..fork(of(a), Some(of(b))) })
            }
            (LtlNode::Next(a), _) => Rule::Next(of(a)),
            (LtlNode::Globally(a), false) | (LtlNode::Finally(a), true) => Rule::Keep(of(a)),
            (LtlNode::Globally(a), true) | (LtlNode::Finally(a), false) => self.eventually(fork(of(a), None)),
            (LtlNode::Until(a, b), false) => self.eventually(fork(of(b), Some(of(a)))),
            (LtlNode::WeakUntil(a, b), false) => Rule::Fork(fork(of(b), Some(of(a)))),
            // ! (a U b) is ! a R ! b, and ! (a R b) is ! a U ! b.
            (LtlNode::Until(a, b), true) => Rule::Fork(Fork { both: Some(of(b)), ..fork(of(a), None) }),
            (LtlNode::Release(a, b), false) => Rule::Fork(Fork { both: Some(of(b)), ..fork(of(a), None) }),
            (LtlNode::Release(a, b), true) => self.eventually(fork(of(b), Some(of(a)))),
            // ! (a WU b) is ! b U (! a & ! b).
            (LtlNode::WeakUntil(a, b), true) => self.eventually(Fork { both: Some(of(b)), ..fork(of(a), None) }),
        }
    }

    fn eventually(&mut self, fork: Fork) -> Rule {
        let eventuality = 1u64.checked_shl(self.eventualities).unwrap_or(0);
        self.eventualities += 1;
        Rule::Fork(Fork { eventuality, ..fork })
    }

    /// Returns all eventualities, one bit each.
    #[must_use]
    pub fn all(&self) -> u64 {
        if self.eventualities == 0 { 0 } else { u64::MAX >> (MOST_EVENTUALITIES - self.eventualities) }
    }

    fn state(&mut self, mut obligations: Vec<Obligation>) -> u32 {
        obligations.sort_unstable();
        obligations.dedup();
        let (next, states) = (self.states.len() as u32, &mut self.states);
        *self.numbers.entry(obligations.into()).or_insert_with_key(|state| {
            states.push(Rc::clone(state));
            next
        })
    }

    /// Returns the number of what a position says about the formula. `holds` is the truth of letters there.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn read(&mut self, holds: impl Fn(Letter) -> bool, work: &mut Work<'_>) -> Check<u32> {
        for (id, node) in self.nodes.iter().enumerate().filter(|(id, _)| self.is_plain[*id]) {
            work.spend(1)?;
            let of = |a: &LtlId| self.now[a.index()];
            self.now[id] = match node {
                LtlNode::Constant(value) => *value,
                LtlNode::Letter(letter) => holds(*letter),
                LtlNode::Not(a) => !of(a),
                LtlNode::And(a, b) => of(a) && of(b),
                LtlNode::Or(a, b) => of(a) || of(b),
                _ => unreachable!("it is not plain"),
            };
        }
        self.current.clear();
        self.current.extend(self.watched.iter().map(|id| self.now[*id as usize]));
        if let Some(number) = self.truth_numbers.get(&self.current[..]) {
            return Ok(*number);
        }
        let (number, truth) = (self.truths.len() as u32, Rc::from(&self.current[..]));
        self.truths.push(Rc::clone(&truth));
        self.truth_numbers.insert(truth, number);
        Ok(number)
    }

    /// Returns the steps of a state at a position of which [`Tableau::read`] returned the number `truth`.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn steps(&mut self, state: u32, truth: u32, work: &mut Work<'_>) -> Check<Rc<[Step]>> {
        if let Some(steps) = self.steps.get(&(state, truth)) {
            return Ok(Rc::clone(steps));
        }
        let values = Rc::clone(&self.truths[truth as usize]);
        self.watched.iter().zip(values.iter()).for_each(|(id, value)| self.now[*id as usize] = *value);
        let mut steps = self.expand(state, work)?;
        steps.sort_unstable();
        steps.dedup();
        let beats = |a: &Step, b: &Step| a != b && a.to == b.to && a.postponed & !b.postponed == 0;
        let least: Rc<[Step]> = steps.iter().filter(|b| !steps.iter().any(|a| beats(a, b))).copied().collect();
        self.steps.insert((state, truth), Rc::clone(&least));
        Ok(least)
    }

    fn expand(&mut self, state: u32, work: &mut Work<'_>) -> Check<Vec<Step>> {
        let todo = self.states[state as usize].to_vec();
        let mut ways = vec![Way { todo, ..Way::default() }];
        let mut steps = Vec::new();
        while let Some(mut way) = ways.pop() {
            let mut is_possible = true;
            while let Some(obligation) = way.todo.pop() {
                work.spend(1)?;
                let Err(at) = way.done.binary_search(&obligation) else { continue };
                way.done.insert(at, obligation);
                match self.rules[obligation as usize] {
                    None => is_possible = self.is_true(obligation),
                    Some(Rule::Both(a, b)) => way.todo.extend([a, b]),
                    Some(Rule::Next(a)) => way.next.push(a),
                    Some(Rule::Keep(a)) => {
                        way.todo.push(a);
                        way.next.push(obligation);
                    }
                    Some(Rule::Fork(fork)) => self.fork(obligation, fork, &mut way, &mut ways, work)?,
                }
                if !is_possible {
                    break;
                }
            }
            if is_possible {
                let to = self.next_state(way.next, work)?;
                steps.push(Step { to, postponed: way.postponed });
            }
        }
        Ok(steps)
    }

    /// Continues with the second way if the first one is not possible, otherwise with the first way. If both are
    /// possible, the second way is put aside.
    fn fork(
        &self,
        obligation: Obligation,
        fork: Fork,
        way: &mut Way,
        ways: &mut Vec<Way>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        way.todo.extend(fork.both);
        let is_plain = self.rules[fork.first as usize].is_none();
        let is_first = !is_plain || self.is_true(fork.first);
        let second = |way: &mut Way| {
            way.todo.extend(fork.second);
            way.next.extend(fork.again.then_some(obligation));
            way.postponed |= fork.eventuality;
        };
        if !is_plain {
            work.spend((way.todo.len() + way.done.len() + way.next.len()) as u64)?;
            let mut other = way.clone();
            second(&mut other);
            ways.push(other);
        }
        match is_first {
            true => way.todo.push(fork.first),
            false => second(way),
        }
        Ok(())
    }

    /// Returns the truth of a plain obligation at the current position.
    fn is_true(&self, obligation: Obligation) -> bool {
        self.now[obligation as usize / 2] != (obligation % 2 == 1)
    }

    /// Returns the state with these obligations, without those that others repeat in any case.
    fn next_state(&mut self, mut next: Vec<Obligation>, work: &mut Work<'_>) -> Check<u32> {
        let repeats = |of: &Obligation| match self.rules[*of as usize] {
            Some(Rule::Keep(a)) => Some(a),
            Some(Rule::Fork(fork)) => fork.both,
            _ => None,
        };
        let repeated: Vec<Obligation> = next.iter().filter_map(repeats).collect();
        work.spend(1 + (next.len() * repeated.len()) as u64)?;
        next.retain(|obligation| !repeated.contains(obligation));
        Ok(self.state(next))
    }
}

/// A choice of ways that is not completed yet.
#[derive(Clone, Default, Debug)]
struct Way {
    todo: Vec<Obligation>,
    /// The obligations to which rules were applied, ascending.
    done: Vec<Obligation>,
    next: Vec<Obligation>,
    postponed: u64,
}
