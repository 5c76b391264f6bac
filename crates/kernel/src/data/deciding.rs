//! How threads go through their decisions in a proof.
//!
//! A thread stops at a test with symbols, at a choice (not in instances) and at an end. It passes all other places at
//! once:
//!
//! * A test without symbols goes on by its truth value.
//! * A division defines quotient q and remainder r, with four facts in this order: `term - by*q - r <= 0`, `by*q + r
//!   - term <= 0`, `-r <= 0`, `r - by + 1 <= 0`.
//! * A free input is defined, without facts.
//! * A choice in an instance goes on by its first way.
//!
//! At the beginning, the threads do this in ascending order.
//!
//! The symbols of a decision are replaced when they are met. In proofs of `Initial`, variables are 0. In instances,
//! arguments are terms over variables, and the input i is renamed to i + 2^20 * the number of the instance, from 0.

use super::arithmetic;
use super::invariant::Obligation;
use super::open::{Deciding, INPUTS, MOST_INSTANCES, Open};
use super::state::after;
use crate::work::Work;
use crate::{Check, reject};
use model::data::{Constraint, Decision, Linear, Outcome, Symbol};
use model::{DecisionId, ThreadId};
use num_bigint::BigInt;
use std::sync::Arc;

impl<'a> Open<'a> {
    /// Lets these threads begin to decide. No other thread has a decision.
    pub(super) fn begin(
        &mut self,
        threads: impl Iterator<Item = (ThreadId, DecisionId)>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let all: Vec<Deciding> = threads.map(|(thread, at)| Deciding { thread, at, test: None, ways: 0 }).collect();
        let places: Vec<DecisionId> = all.iter().map(|deciding| deciding.at).collect();
        self.threads = Some(all);
        for (number, at) in places.into_iter().enumerate() {
            self.advance(number, at, work)?;
        }
        Ok(())
    }

    /// Lets the thread at this position of the list go on from `at`, up to the next place where it stops.
    pub(super) fn advance(&mut self, number: usize, mut at: DecisionId, work: &mut Work<'_>) -> Check<()> {
        let thread = self.threads.as_ref().expect("threads decide")[number].thread;
        let program = self.invariant.program;
        let (test, ways) = loop {
            work.spend(1)?;
            at = match &program.threads()[thread.index()].decisions[at.index()] {
                Decision::Test { constraint, yes, no } => {
                    let term = self.seen(constraint.term(), work)?;
                    let test = arithmetic::at_most_zero(&term, work)?;
                    match test.as_truth() {
                        Some(true) => *yes,
                        Some(false) => *no,
                        None => break (Some(Arc::new(test)), 2),
                    }
                }
                Decision::Divide { term, by, quotient, then } => {
                    self.divide(thread, term, by, *quotient, work)?;
                    *then
                }
                Decision::Any { input, then } => {
                    self.define(thread, *input)?;
                    *then
                }
                Decision::Choose(ways) if self.instances > 0 => ways[0],
                Decision::Choose(ways) => break (None, ways.len()),
                Decision::End(_) => break (None, 0),
            };
        };
        self.threads.as_mut().expect("threads decide")[number] = Deciding { thread, at, test, ways };
        Ok(())
    }

    /// Adds the facts about quotient and remainder.
    fn divide(
        &mut self,
        thread: ThreadId,
        term: &Linear,
        by: &BigInt,
        quotient: u32,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let term = self.seen(term, work)?;
        let [q, r] = [self.define(thread, quotient)?, self.define(thread, after(quotient)?)?];
        work.spend(4 * arithmetic::words(by))?;
        let [one, minus] = [1, -1].map(BigInt::from);
        let product = Linear::new([(q, by.clone()), (r, one.clone())], BigInt::ZERO);
        let r = Linear::of(r);
        let below = Linear::number(by - &one);
        for (left, right) in [(&term, &product), (&product, &term), (&Linear::default(), &r), (&r, &below)] {
            let difference = arithmetic::sum([(&one, left), (&minus, right)], work)?;
            self.facts.push(Arc::new(arithmetic::at_most_zero(&difference, work)?));
        }
        Ok(())
    }

    /// Defines an input. Returns its symbol.
    fn define(&mut self, thread: ThreadId, input: u32) -> Check<Symbol> {
        let symbol = self.renamed(thread, input)?;
        if self.inputs.insert(symbol) { Ok(symbol) } else { reject(format!("{symbol} is defined twice")) }
    }

    /// Returns the symbol of an input in the proof.
    fn renamed(&self, thread: ThreadId, input: u32) -> Check<Symbol> {
        let Some(instance) = self.instances.checked_sub(1) else { return Ok(Symbol::Input(thread, input)) };
        if input >= INPUTS || instance >= MOST_INSTANCES {
            return reject("the number of an input is too large");
        }
        Ok(Symbol::Input(thread, instance * INPUTS + input))
    }

    /// Returns a term of a decision with the symbols of the proof.
    pub(super) fn seen(&self, linear: &Linear, work: &mut Work<'_>) -> Check<Linear> {
        let is_initial = self.obligation == Obligation::Initial;
        let of = |symbol| match symbol {
            Symbol::Variable(_) if is_initial => Ok(Some(Linear::default())),
            Symbol::Variable(_) => Ok(None),
            Symbol::Argument(_) if self.instances == 0 => Ok(None),
            Symbol::Argument(number) => match self.arguments.get(number as usize) {
                Some(term) => Ok(Some(term.clone())),
                None => reject(format!("there is no argument {number}")),
            },
            Symbol::Input(thread, input) => self.renamed(thread, input).map(|symbol| Some(Linear::of(symbol))),
        };
        let seen = arithmetic::substitute(linear, of, work)?;
        self.are_defined(&seen, work)?;
        Ok(seen)
    }

    /// Checks that all inputs in a term are defined.
    pub(super) fn are_defined(&self, linear: &Linear, work: &mut Work<'_>) -> Check<()> {
        work.spend(arithmetic::size(linear))?;
        let is_open = |symbol: &Symbol| matches!(symbol, Symbol::Input(..)) && !self.inputs.contains(symbol);
        match linear.terms().iter().map(|term| term.0).find(is_open) {
            Some(symbol) => reject(format!("{symbol} is used before it is defined")),
            None => Ok(()),
        }
    }

    /// Returns a copy with more facts.
    pub(super) fn with(&self, facts: impl IntoIterator<Item = Constraint>, work: &mut Work<'_>) -> Check<Self> {
        let threads = self.threads.as_ref().map_or(0, Vec::len);
        let size = self.facts.len() + self.inputs.len() + self.split.len() + threads;
        work.spend(1 + size as u64)?;
        work.grow(size.saturating_mul(size_of::<Deciding>()))?;
        let mut copy = self.clone();
        for fact in facts {
            work.spend(arithmetic::size(fact.term()))?;
            copy.facts.push(Arc::new(fact));
        }
        Ok(copy)
    }

    /// The clauses of the control.
    pub(super) fn clauses_of_control(&self) -> &'a [Vec<Constraint>] {
        match self.obligation {
            Obligation::Initial => &[],
            Obligation::Event(control, _) | Obligation::NoDeadlock(control) => {
                &self.invariant.controls[control].clauses
            }
        }
    }

    /// The step of the decision at which a thread is.
    pub(super) fn decision(&self, deciding: &Deciding) -> &'a Decision {
        &self.invariant.program.threads()[deciding.thread.index()].decisions[deciding.at.index()]
    }

    /// The outcome, if the thread has decided.
    pub(super) fn outcome(&self, deciding: &Deciding) -> Option<&'a Outcome> {
        match self.decision(deciding) {
            Decision::End(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Returns true if a thread has decided for such an outcome.
    pub(super) fn is(&self, such: impl Fn(&Outcome) -> bool) -> bool {
        let outcomes = self.threads.iter().flatten().filter_map(|deciding| self.outcome(deciding));
        outcomes.into_iter().any(such)
    }

    /// Returns true if `Done` is possible.
    pub(super) fn is_done(&self) -> bool {
        let have_decided = self.threads.is_some() && self.pending().next().is_none();
        let [blocked, requested] = [self.is(|outcome| outcome.blocks), self.is(|outcome| outcome.requests)];
        match self.obligation {
            Obligation::Initial => false,
            Obligation::Event(..) => blocked || have_decided && !requested,
            Obligation::NoDeadlock(_) => have_decided && !blocked && requested,
        }
    }
}
