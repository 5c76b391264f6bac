//! Exploration of all valuations that calls lead to, one by one, and of all short lassos.

use super::{Word, call};
use model::{InputId, Letter, Ltl, Outcome, Reactive};
use std::collections::{BTreeSet, HashMap};

/// The greatest number of calls in a lasso.
const CALLS: usize = 6;
/// The greatest number of lasso prefixes that are tried.
const TRIED: usize = 2_000;

/// One call of an infinite run.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The input that the call reads.
    pub input: InputId,
    /// The letter that the call outputs, if any.
    pub output: Option<i32>,
    to: usize,
}

/// The result of the exploration.
pub struct Explored {
    /// Numbers of the error labels at which some call stops. Invalid calls may come before it.
    pub errors: BTreeSet<u32>,
    /// True if `calls` describes all infinite runs. It is false if a call after valid ones outputs something
    /// other than one letter, or has undefined behaviour.
    pub all_runs: bool,
    /// For each valuation, the initial one first: the calls that infinite runs may make.
    pub calls: Vec<Vec<Call>>,
}

/// Explores a program. Returns `None` if it has more than `most` valuations.
#[must_use]
pub fn explore(program: &Reactive, most: usize) -> Option<Explored> {
    let mut valuations = vec![program.initial().to_vec()];
    let mut numbers = HashMap::from([(program.initial().to_vec(), 0)]);
    let mut found = Explored { errors: BTreeSet::new(), all_runs: true, calls: Vec::new() };
    let mut has_gap = Vec::new();
    while found.calls.len() < valuations.len() {
        let (mut calls, mut gap) = (Vec::new(), false);
        for number in 0..program.inputs().len() {
            let mut values = valuations[found.calls.len()].clone();
            let outcome = call(program, &mut values, InputId::new(number));
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
    /// Returns the valuations that infinite runs pass through.
    fn reached_by_valid_calls(&self) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            open.extend(self.calls[at].iter().map(|call| call.to).filter(|&to| reached.insert(to)));
        }
        reached
    }

    /// Returns two booleans. The first is true if a short lasso violates the formula. The second is true if the
    /// tried lassos are all infinite runs of the program. This is the case only if the program has at most one
    /// infinite run, and this run is short.
    #[must_use]
    pub fn short_lasso(&self, program: &Reactive, formula: &Ltl) -> (bool, bool) {
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
        !Word { letters: word, back: repeats_from }.satisfies(self.formula)
    }
}
