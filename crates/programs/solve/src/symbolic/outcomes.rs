//! The outcomes of a decision for known values.

use model::DecisionId;
use model::data::{DataThread, Decision, Linear, Outcome, Symbol};
use num_bigint::BigInt;
use num_integer::Integer;
use std::collections::BTreeMap;

/// The largest number of outcomes of a decision.
const MOST: usize = 64;

/// What is known when a thread decides.
pub(crate) struct Known<'a> {
    pub(crate) variable: &'a dyn Fn(Symbol) -> BigInt,
    pub(crate) arguments: &'a [BigInt],
    /// The values that may be drawn. Empty: a thread that draws a value has no outcomes.
    pub(crate) drawn: &'a [BigInt],
}

/// An outcome, with what was drawn on the way to it.
pub(crate) struct Ended<'p> {
    pub(crate) outcome: &'p Outcome,
    inputs: BTreeMap<u32, BigInt>,
    /// The draws, in the order in which runs record them.
    pub(crate) draws: Vec<BigInt>,
}

impl Known<'_> {
    fn value(&self, term: &Linear, inputs: &BTreeMap<u32, BigInt>) -> BigInt {
        term.value(&|symbol| match symbol {
            Symbol::Variable(_) => (self.variable)(symbol),
            Symbol::Argument(number) => self.arguments.get(number as usize).cloned().unwrap_or_default(),
            Symbol::Input(_, number) => inputs.get(&number).cloned().unwrap_or_default(),
        })
    }

    /// Returns the value of a term at the end of a decision.
    pub(crate) fn value_at(&self, term: &Linear, ended: &Ended<'_>) -> BigInt {
        self.value(term, &ended.inputs)
    }

    /// Returns the outcomes of a decision. `None` if there are too many, or if the thread draws a value and none may be
    /// drawn.
    pub(crate) fn outcomes<'p>(&self, thread: &'p DataThread, root: DecisionId) -> Option<Vec<Ended<'p>>> {
        let mut work = vec![(root, BTreeMap::new(), Vec::new())];
        let mut all = Vec::new();
        while let Some((id, mut inputs, mut draws)) = work.pop() {
            if work.len() + all.len() > MOST {
                return None;
            }
            match &thread.decisions[id.index()] {
                Decision::Test { constraint, yes, no } => {
                    let is_positive = self.value(constraint.term(), &inputs) > BigInt::ZERO;
                    work.push((if is_positive { *no } else { *yes }, inputs, draws));
                }
                Decision::Divide { term, by, quotient, then } => {
                    let (whole, rest) = self.value(term, &inputs).div_mod_floor(by);
                    inputs.insert(*quotient, whole);
                    inputs.insert(quotient.saturating_add(1), rest);
                    work.push((*then, inputs, draws));
                }
                Decision::Any { .. } if self.drawn.is_empty() => return None,
                Decision::Any { input, then } => {
                    for value in self.drawn.iter().rev() {
                        let (mut inputs, mut draws) = (inputs.clone(), draws.clone());
                        inputs.insert(*input, value.clone());
                        draws.push(value.clone());
                        work.push((*then, inputs, draws));
                    }
                }
                Decision::Choose(ways) => {
                    for (number, way) in ways.iter().enumerate().rev() {
                        let mut draws = draws.clone();
                        draws.push(number.into());
                        work.push((*way, inputs.clone(), draws));
                    }
                }
                Decision::End(outcome) => {
                    draws.shrink_to_fit();
                    all.push(Ended { outcome, inputs, draws });
                }
            }
        }
        Some(all)
    }
}
