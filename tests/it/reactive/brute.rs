//! All valuations that calls lead to, one by one, and all short lassos. Slow and obvious.

use super::random;
use impasse::model::{InputId, Letter, Ltl, LtlId, LtlNode, Outcome, Reactive};
use std::collections::{BTreeSet, HashMap};

/// Lassos have at most so many calls.
const CALLS: usize = 6;
/// At most so many beginnings of lassos are tried.
const TRIED: usize = 2_000;

/// One call of an infinite run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) input: InputId,
    pub(crate) output: Option<i32>,
    to: usize,
}

/// What is reachable.
pub(crate) struct Explored {
    /// Numbers of the labels that some call stops at, invalid ones before it or not.
    pub(crate) errors: BTreeSet<u32>,
    /// Are these all infinite runs, or is there a call after valid ones that shows something else than one letter, or does what is
    /// not defined?
    pub(crate) all_runs: bool,
    /// By number of the valuation, initial one first: the calls that infinite runs may make.
    pub(crate) calls: Vec<Vec<Call>>,
}

/// Explores a program; none if it has more than `most` valuations.
pub(crate) fn explore(program: &Reactive, most: usize) -> Option<Explored> {
    let mut valuations = vec![program.initial().to_vec()];
    let mut numbers = HashMap::from([(program.initial().to_vec(), 0)]);
    let mut found = Explored { errors: BTreeSet::new(), all_runs: true, calls: Vec::new() };
    let mut has_gap = Vec::new();
    while found.calls.len() < valuations.len() {
        let (mut calls, mut gap) = (Vec::new(), false);
        for (number, &input) in program.inputs().iter().enumerate() {
            let mut values = valuations[found.calls.len()].clone();
            let outcome = random::call(program, &mut values, input);
            match outcome {
                Outcome::Error(error) => {
                    found.errors.insert(error.0);
                    gap |= Some(error) == program.undefined();
                    continue;
                }
                Outcome::Crash => continue,
                Outcome::Output(_) | Outcome::Silent | Outcome::Invalid => {}
                Outcome::Unspelt => gap = true,
            }
            let new = valuations.len();
            let to = *numbers.entry(values.clone()).or_insert(new);
            if to == new {
                valuations.push(values);
            }
            match outcome {
                Outcome::Output(letter) => calls.push(Call { input: InputId::new(number), output: Some(letter), to }),
                Outcome::Silent => calls.push(Call { input: InputId::new(number), output: None, to }),
                _ => {}
            }
        }
        found.calls.push(calls);
        has_gap.push(gap);
        if valuations.len() > most {
            return None;
        }
    }
    found.all_runs = !found.reached_by_valid_calls().into_iter().any(|at| has_gap[at]);
    Some(found)
}

impl Explored {
    /// The valuations that infinite runs pass.
    fn reached_by_valid_calls(&self) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            open.extend(self.calls[at].iter().map(|call| call.to).filter(|&to| reached.insert(to)));
        }
        reached
    }

    /// Does a short lasso violate the formula? And are these all infinite runs (there is at most one, and it is short)?
    pub(crate) fn short_lasso(&self, program: &Reactive, formula: &Ltl) -> (bool, bool) {
        let mut lassos =
            Lassos { explored: self, program, formula, path: Vec::new(), left: TRIED, is_violated: false, cut: false };
        lassos.go(0);
        let one_way = self.calls.iter().all(|calls| calls.len() <= 1);
        (lassos.is_violated, one_way && !lassos.cut)
    }
}

struct Lassos<'a> {
    explored: &'a Explored,
    program: &'a Reactive,
    formula: &'a Ltl,
    path: Vec<(usize, Call)>,
    left: usize,
    is_violated: bool,
    cut: bool,
}

impl Lassos<'_> {
    fn go(&mut self, at: usize) {
        for from in 0..self.path.len() {
            if self.path[from].0 == at {
                self.is_violated |= self.violates(from);
                if self.explored.calls[at].len() == 1 {
                    return;
                }
            }
        }
        if self.path.len() == CALLS || self.left == 0 || self.is_violated {
            self.cut = true;
            return;
        }
        self.left -= 1;
        for &call in &self.explored.calls[at] {
            self.path.push((at, call));
            self.go(call.to);
            self.path.pop();
        }
    }

    fn violates(&self, from: usize) -> bool {
        let (mut word, mut repeats_from) = (Vec::new(), 0);
        for (number, (_, call)) in self.path.iter().enumerate() {
            if number == from {
                repeats_from = word.len();
            }
            word.push(Letter::Input(self.program.input(call.input)));
            word.extend(call.output.map(Letter::Output));
        }
        !truth(self.formula, self.formula.root(), &word, repeats_from, 0)
    }
}

/// The truth of a subformula at position `i`, by the definition: what happens from there on happens within one round of the loop.
fn truth(formula: &Ltl, id: LtlId, word: &[Letter], from: usize, i: usize) -> bool {
    let next = |i: usize| if i + 1 == word.len() { from } else { i + 1 };
    let ahead: Vec<usize> = std::iter::successors(Some(i), |&i| Some(next(i))).take(2 * word.len()).collect();
    let at = |id: LtlId, i: usize| truth(formula, id, word, from, i);
    let until = |a: &dyn Fn(usize) -> bool, b: &dyn Fn(usize) -> bool| {
        ahead.iter().position(|&j| b(j)).is_some_and(|there| ahead[..there].iter().all(|&j| a(j)))
    };
    let all = |a: &dyn Fn(usize) -> bool| ahead.iter().all(|&j| a(j));
    match formula.node(id) {
        LtlNode::Constant(value) => value,
        LtlNode::Letter(letter) => word[i] == letter,
        LtlNode::Not(a) => !at(a, i),
        LtlNode::And(a, b) => at(a, i) && at(b, i),
        LtlNode::Or(a, b) => at(a, i) || at(b, i),
        LtlNode::Next(a) => at(a, next(i)),
        LtlNode::Until(a, b) => until(&|j| at(a, j), &|j| at(b, j)),
        LtlNode::WeakUntil(a, b) => until(&|j| at(a, j), &|j| at(b, j)) || all(&|j| at(a, j)),
        LtlNode::Release(a, b) => !until(&|j| !at(a, j), &|j| !at(b, j)),
        LtlNode::Globally(a) => all(&|j| at(a, j)),
        LtlNode::Finally(a) => !all(&|j| !at(a, j)),
    }
}
