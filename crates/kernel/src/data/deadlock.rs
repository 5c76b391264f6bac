//! Decides whether an event is possible in a state, with any arguments.
//!
//! The values of the variables are numbers. What stays open are the arguments and free inputs. A *case* has an
//! interval for each of them, and says whether a thread requests the event. The threads decide one after the other.
//! Each thread turns each case into the cases at the ends of its decision where it does not block the event:
//!
//! * A test in which one symbol is open has the form `x <= n` or `x >= n`, because constraints have no common
//!   divisor. It splits the interval of x in two. Empty intervals are dropped.
//! * A symbol with an interval of one number is not open.
//! * A choice goes on by all its ways.
//! * A division of a number defines two numbers. A division with open symbols makes quotient and remainder *unclear*.
//! * If a test has several open symbols, or an unclear one, the answer is [`Refusal::Unknown`].
//!
//! 1. The event is possible if and only if a case is left after all threads in which a thread requests the event.
//!    Proof: an end of a decision is reached by exactly those numbers that satisfy the tests on the way. These are
//!    the numbers in the intervals, in any combination, because each test on the way is about one symbol. The
//!    intervals are not empty. So each case stands for at least one list of arguments and draws, and each list
//!    belongs to the cases of its ways.
//! 2. Inputs can be dropped at the end of a decision. Proof: no other thread uses them, and each case has a number
//!    for them, independent of the arguments.
//! 3. Only some threads need to decide: first those that may request the event, and then those that may block it.
//!    Cases without request are dropped in between. Proof: the order does not matter, as the threads decide by the
//!    same numbers. Threads after the first group do not request the event. A thread without ends that block or
//!    request the event changes no answer.

use super::arithmetic;
use super::state::{DataState, after, decisions};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::data::{Constraint, DataProgram, Decision, Linear, Outcome, Symbol};
use model::{DecisionId, EventId, ThreadId};
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::{BTreeMap, BTreeSet};

/// What is known about a symbol.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Known {
    /// It is any number of this interval, which is not empty. `None` is no bound.
    Between(Option<BigInt>, Option<BigInt>),
    /// It is a quotient or remainder of what is open.
    Unclear,
}

type Numbers = BTreeMap<Symbol, Known>;

/// A case: what is known about the arguments, and true if a thread requests the event.
type Case = (Numbers, bool);

/// Checks that no event is possible in a state without a bad location.
///
/// # Errors
/// If an event is possible, or if this cannot be decided, or if a resource limit is exceeded.
pub(super) fn no_event(program: &DataProgram, state: &DataState, work: &mut Work<'_>) -> Check<()> {
    for (number, event) in program.events().iter().enumerate() {
        work.spend((1 + program.threads().len() + event.arity()) as u64)?;
        let id = EventId::new(number);
        let threads: Vec<(ThreadId, DecisionId)> = decisions(program, state.locations(), id).collect();
        if let Some(case) = (Search { program, state }).possible(id, &threads, work)? {
            let arguments = example(&case);
            let is_short = arguments.iter().all(|argument| arithmetic::words(argument) == 1);
            let name = if is_short { event.name(&arguments) } else { event.name(&[]) + ".." };
            return reject(format!("`{name}` is possible"));
        }
    }
    Ok(())
}

/// One list of arguments of a case.
fn example(case: &Numbers) -> Vec<BigInt> {
    let number = |known: &Known| match known {
        Known::Between(Some(bound), _) | Known::Between(None, Some(bound)) => bound.clone(),
        _ => BigInt::ZERO,
    };
    case.values().map(number).collect()
}

struct Search<'s> {
    program: &'s DataProgram,
    state: &'s DataState,
}

impl Search<'_> {
    fn decision(&self, thread: ThreadId, at: DecisionId) -> &Decision {
        &self.program.threads()[thread.index()].decisions[at.index()]
    }

    /// Returns a case in which the event is possible, if there is one.
    fn possible(
        &self,
        event: EventId,
        threads: &[(ThreadId, DecisionId)],
        work: &mut Work<'_>,
    ) -> Check<Option<Numbers>> {
        let (mut requesting, mut blocking) = (Vec::new(), Vec::new());
        for &(thread, at) in threads {
            let (may_request, may_block) = self.may(thread, at, work)?;
            if may_request {
                requesting.push((thread, at));
            } else if may_block {
                blocking.push((thread, at));
            }
        }
        let arguments = 0..u32::try_from(self.program.events()[event.index()].arity()).unwrap_or(u32::MAX);
        let start = arguments.map(|number| (Symbol::Argument(number), Known::Between(None, None))).collect();
        let mut cases = BTreeSet::from([(start, false)]);
        for &(thread, at) in &requesting {
            cases = self.decide(thread, at, cases, work)?;
        }
        cases.retain(|(_, is_requested)| *is_requested);
        for &(thread, at) in &blocking {
            cases = self.decide(thread, at, cases, work)?;
        }
        Ok(cases.pop_first().map(|(numbers, _)| numbers))
    }

    /// Returns whether the decision has an end that requests the event, and whether it has one that blocks it.
    fn may(&self, thread: ThreadId, at: DecisionId, work: &mut Work<'_>) -> Check<(bool, bool)> {
        let (mut may_request, mut may_block) = (false, false);
        let (mut seen, mut stack) = (BTreeSet::from([at]), vec![at]);
        while let Some(at) = stack.pop() {
            let decision = self.decision(thread, at);
            let parts = decision.parts();
            work.spend(1 + parts.len() as u64)?;
            stack.extend(parts.into_iter().filter(|part| seen.insert(*part)));
            if let Decision::End(Outcome { requests, blocks, .. }) = decision {
                may_request |= requests;
                may_block |= blocks;
            }
        }
        Ok((may_request, may_block))
    }

    /// Returns the cases after the decision of a thread.
    fn decide(
        &self,
        thread: ThreadId,
        at: DecisionId,
        cases: BTreeSet<Case>,
        work: &mut Work<'_>,
    ) -> Check<BTreeSet<Case>> {
        let mut decided = BTreeSet::new();
        for (numbers, is_requested) in cases {
            let mut stack = vec![(at, numbers)];
            while let Some((at, mut numbers)) = stack.pop() {
                work.spend(1 + numbers.values().map(size).sum::<u64>())?;
                work.grow(numbers.len() * size_of::<(Symbol, Known)>())?;
                match self.decision(thread, at) {
                    Decision::End(outcome) if outcome.blocks => {}
                    Decision::End(outcome) => {
                        numbers.retain(|symbol, _| matches!(symbol, Symbol::Argument(_)));
                        decided.insert((numbers, is_requested || outcome.requests));
                    }
                    decision => stack.extend(self.parts(thread, decision, numbers, work)?),
                }
            }
        }
        Ok(decided)
    }

    /// Returns the parts of a decision with what is known at them.
    fn parts(
        &self,
        thread: ThreadId,
        decision: &Decision,
        mut numbers: Numbers,
        work: &mut Work<'_>,
    ) -> Check<Vec<(DecisionId, Numbers)>> {
        match decision {
            Decision::Test { constraint, yes, no } => {
                let term = self.seen(constraint.term(), &numbers, work)?;
                let constraint = arithmetic::at_most_zero(&term, work)?;
                let [holds, fails] =
                    [restricted(&numbers, &constraint)?, restricted(&numbers, &constraint.negation())?];
                Ok([(*yes, holds), (*no, fails)].into_iter().filter_map(|(part, n)| Some((part, n?))).collect())
            }
            Decision::Divide { term, by, quotient, then } => {
                let results = match self.seen(term, &numbers, work)?.as_number() {
                    Some(number) => {
                        let (quotient, remainder) = arithmetic::divide(number, by, work)?;
                        [quotient, remainder].map(|number| Known::Between(Some(number.clone()), Some(number)))
                    }
                    None => [Known::Unclear, Known::Unclear],
                };
                let inputs = [*quotient, after(*quotient)?].map(|input| Symbol::Input(thread, input));
                numbers.extend(inputs.into_iter().zip(results));
                Ok(vec![(*then, numbers)])
            }
            Decision::Any { input, then } => {
                numbers.insert(Symbol::Input(thread, *input), Known::Between(None, None));
                Ok(vec![(*then, numbers)])
            }
            Decision::Choose(ways) => Ok(ways.iter().map(|way| (*way, numbers.clone())).collect()),
            Decision::End(_) => Ok(Vec::new()),
        }
    }

    /// Returns the term with numbers for the symbols that are not open.
    fn seen(&self, term: &Linear, numbers: &Numbers, work: &mut Work<'_>) -> Check<Linear> {
        let of = |symbol| match (symbol, numbers.get(&symbol)) {
            (Symbol::Variable(id), _) => Ok(Some(Linear::number(self.state.value(id).clone()))),
            (_, Some(Known::Between(Some(least), Some(most)))) if least == most => {
                Ok(Some(Linear::number(least.clone())))
            }
            (_, Some(_)) => Ok(None),
            (_, None) => reject(format!("a decision uses {symbol} before it is defined")),
        };
        arithmetic::substitute(term, of, work)
    }
}

/// The number of words that are compared or copied.
fn size(known: &Known) -> u64 {
    match known {
        Known::Between(least, most) => 1 + [least, most].into_iter().flatten().map(arithmetic::words).sum::<u64>(),
        Known::Unclear => 1,
    }
}

/// Returns the numbers that satisfy the constraint, if there are any.
fn restricted(numbers: &Numbers, constraint: &Constraint) -> Check<Option<Numbers>> {
    let unknown = || {
        Err(Refusal::Unknown(format!("no rule for deadlocks decides {} <= 0", arithmetic::shown(constraint.term()))))
    };
    let (symbol, factor) = match (constraint.as_truth(), constraint.term().terms()) {
        (Some(holds), _) => return Ok(holds.then(|| numbers.clone())),
        (None, [(symbol, factor)]) => (symbol, factor),
        (None, _) => return unknown(),
    };
    let Some(Known::Between(least, most)) = numbers.get(symbol) else { return unknown() };
    let constant = constraint.term().constant();
    assert_eq!(*factor.magnitude(), 1u8.into(), "constraints have no common divisor");
    // x + constant <= 0, or -x + constant <= 0.
    let (least, most) = if factor.is_positive() {
        let bound = -constant;
        (least.clone(), Some(most.clone().map_or(bound.clone(), |most| most.min(bound))))
    } else {
        (Some(least.clone().map_or(constant.clone(), |least| least.max(constant.clone()))), most.clone())
    };
    if let (Some(least), Some(most)) = (&least, &most)
        && least > most
    {
        return Ok(None);
    }
    let mut restricted = numbers.clone();
    restricted.insert(*symbol, Known::Between(least, most));
    Ok(Some(restricted))
}
