//! The truth of formulas of computation tree logic and the largest values of sums, by brute force on all markings.
//!
//! The definition is that of `model::ctl`, written down naively: fixpoints are computed by repetition.

use super::successors;
use crate::Random;
use crate::net::{self, Marking};
use crate::threads;
use model::{Ctl, CtlBuilder, CtlId, CtlNode, Formula, FormulaId, Marked, NetTask, Sum, SystemModel};
use num_bigint::BigUint;
use std::collections::HashMap;
use std::sync::Arc;

/// All reachable markings of a net or thread-transition system, with their next markings.
#[derive(Debug)]
pub struct Graph {
    /// The markings. The first `initial` ones are the initial ones.
    pub markings: Vec<Marking>,
    /// Number of initial markings.
    pub initial: usize,
    /// For each marking: the numbers of its next markings, one for each step.
    pub next: Vec<Vec<usize>>,
}

impl Graph {
    /// Explores a system. `None` if it has more than `most` markings, a marking with more than `most` tokens on a
    /// place, or infinitely many initial markings.
    #[must_use]
    pub fn of(system: &SystemModel, most: usize) -> Option<Self> {
        let start = initial(system)?;
        let mut numbers: HashMap<Marking, usize> = HashMap::new();
        let mut markings: Vec<Marking> = Vec::new();
        let mut number = |marking: Marking, markings: &mut Vec<Marking>| {
            *numbers.entry(marking.clone()).or_insert_with(|| {
                markings.push(marking);
                markings.len() - 1
            })
        };
        start.into_iter().for_each(|marking| _ = number(marking, &mut markings));
        let (initial, mut next) = (markings.len(), Vec::new());
        while next.len() < markings.len() {
            let steps: Vec<Marking> = successors(system, &markings[next.len()]);
            if markings.len() > most || steps.iter().flatten().any(|tokens| *tokens > most.into()) {
                return None;
            }
            next.push(steps.into_iter().map(|step| number(step, &mut markings)).collect());
        }
        Some(Self { markings, initial, next })
    }

    /// True if the formula holds in all initial markings. Its letters are among `formulas`.
    #[must_use]
    pub fn holds(&self, formulas: &[Arc<Formula>], formula: &Ctl) -> bool {
        let truth = self.truth(formulas, formula.nodes());
        let root = truth.last().expect("a formula has a root");
        root[..self.initial].iter().all(|value| *value)
    }

    /// Returns the truth of subformulas, operands first, in each marking.
    #[must_use]
    pub fn truth(&self, formulas: &[Arc<Formula>], nodes: &[CtlNode]) -> Vec<Vec<bool>> {
        let size = self.markings.len();
        let mut truth: Vec<Vec<bool>> = Vec::new();
        for node in nodes {
            let of = |id: &model::CtlId, at: usize| truth[id.index()][at];
            let next = |at: usize| self.next[at].iter();
            truth.push(match node {
                CtlNode::Constant(value) => vec![*value; size],
                CtlNode::Letter(letter) => {
                    let letter = &formulas[letter.index()];
                    self.markings.iter().map(|marking| crate::formula::holds(letter, marking)).collect()
                }
                CtlNode::Not(a) => (0..size).map(|at| !of(a, at)).collect(),
                CtlNode::All(parts) => (0..size).map(|at| parts.iter().all(|a| of(a, at))).collect(),
                CtlNode::Any(parts) => (0..size).map(|at| parts.iter().any(|a| of(a, at))).collect(),
                CtlNode::ExistsNext(a) => (0..size).map(|at| next(at).any(|to| of(a, *to))).collect(),
                CtlNode::ExistsUntil(a, b) => {
                    self.least(|at, set| of(b, at) || of(a, at) && next(at).any(|to| set[*to]))
                }
                CtlNode::AllUntil(a, b) => self.least(|at, set| {
                    of(b, at) || of(a, at) && !self.next[at].is_empty() && next(at).all(|to| set[*to])
                }),
            });
        }
        truth
    }

    /// Returns the least set that contains each marking of which `is_in` says that it follows from the set.
    fn least(&self, is_in: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![false; self.markings.len()];
        loop {
            let more: Vec<bool> = (0..set.len()).map(|at| is_in(at, &set)).collect();
            if more == set {
                return set;
            }
            set = more;
        }
    }

    /// Returns the largest value of the sum in a marking.
    #[must_use]
    pub fn most(&self, sum: &Sum) -> BigUint {
        let value = |marking: &Marking| sum.iter().map(|(p, factor)| &marking[p.index()] * factor).sum();
        self.markings.iter().map(value).max().expect("there is an initial marking")
    }
}

/// Returns the initial markings. `None` if there are infinitely many.
fn initial(system: &SystemModel) -> Option<Vec<Marking>> {
    match system.as_marked().expect("it has markings") {
        Marked::Net(net) => {
            let (start, is_cut) = net::initial(&NetTask::plain(Arc::clone(net), Vec::new(), Vec::new()), 0);
            (!is_cut).then_some(start)
        }
        Marked::Threads(system) => system.initial().any.is_empty().then(|| vec![threads::least(system)]),
    }
}

/// Returns a random formula with these letters, and about `size` operators.
///
/// # Panics
/// If there are no letters.
#[must_use]
pub fn formula(random: &mut Random, letters: usize, size: usize) -> Ctl {
    let mut builder = CtlBuilder::default();
    let letter = |random: &mut Random, builder: &mut CtlBuilder| builder.letter(FormulaId::new(random.below(letters)));
    let mut parts: Vec<CtlId> = (0..2).map(|_| letter(random, &mut builder)).collect();
    for _ in 0..size {
        let a = parts.swap_remove(random.below(parts.len()));
        let b = if parts.is_empty() { letter(random, &mut builder) } else { parts[random.below(parts.len())] };
        let exists = random.below(2) == 0;
        parts.push(match random.below(14) {
            0 | 1 => builder.not(a),
            2 => builder.join(true, vec![a, b]),
            3 => builder.join(false, vec![a, b]),
            4 => builder.exists_next(a),
            5 => builder.all_next(a),
            6 | 7 => builder.exists_finally(a),
            8 => builder.all_finally(a),
            9 | 10 => builder.all_globally(a),
            11 => builder.exists_globally(a),
            12 if exists => builder.exists_until(a, b),
            12 => builder.all_until(a, b),
            _ if random.below(2) == 0 => builder.weak_until(exists, a, b),
            _ => builder.release(exists, a, b),
        });
    }
    let root = *parts.last().expect("there is one");
    builder.finish(root)
}
