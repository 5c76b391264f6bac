//! Runs of programs with unbounded data, replayed by the definition of a step in `model::data`.
//!
//! A trace contains what the program leaves open. Each number of a trace is an integer of 64 bits in two slots, the
//! low 32 bits first.
//!
//! * The start: for each thread in order, the *draws* of its initial decision.
//! * The choice of a step: the arguments of the event, then for each thread in order the draws of its decision about
//!   the event. A thread without a decision about the event at its location draws nothing. A step without arguments and
//!   draws may be recorded without a choice.
//!
//! A decision draws in the order in which it meets them: for `Any` the value, for `Choose` the number of the way.
//! `Test` and `Divide` draw nothing. All slots must be used.
//!
//! All variables are 0 before the initial decisions. The values of variables may grow beyond 64 bits.

use super::state::{DataState, after, decisions};
use super::{arithmetic, deadlock};
use crate::trace::Semantics;
use crate::work::Work;
use crate::{Check, reject};
use model::data::{DataProgram, Decision, LocationKind, Outcome, Symbol};
use model::{DecisionId, EventId, Goal, LocationId, ThreadId};
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::BTreeMap;

/// The semantics of a program with unbounded data for runs.
#[derive(Debug)]
pub struct Runs<'p> {
    program: &'p DataProgram,
}

/// Returns true if all threads may end at these locations.
pub(super) fn is_proper_end(program: &DataProgram, locations: &[LocationId]) -> bool {
    kinds(program, locations).all(|kind| kind == LocationKind::Final)
}

/// Returns true if one of these locations is bad.
pub(super) fn is_bad(program: &DataProgram, locations: &[LocationId]) -> bool {
    kinds(program, locations).any(|kind| kind == LocationKind::Bad)
}

fn kinds(program: &DataProgram, locations: &[LocationId]) -> impl Iterator<Item = LocationKind> {
    program.threads().iter().zip(locations).map(|(thread, at)| thread.locations[at.index()].kind)
}

/// The slots of a choice that are not yet read.
struct Slots<'s>(std::slice::Iter<'s, u32>);

impl Slots<'_> {
    fn next(&mut self) -> Check<i64> {
        match (self.0.next(), self.0.next()) {
            (Some(low), Some(high)) => Ok((u64::from(*high) << 32 | u64::from(*low)).cast_signed()),
            _ => reject("the trace records fewer choices than there are"),
        }
    }

    fn end(&self) -> Check<()> {
        if self.0.as_slice().is_empty() { Ok(()) } else { reject("the trace records more choices than there are") }
    }
}

/// The known numbers while a thread decides.
struct Scope<'s> {
    thread: ThreadId,
    values: &'s [BigInt],
    arguments: &'s [BigInt],
    inputs: BTreeMap<u32, BigInt>,
}

impl Scope<'_> {
    fn get(&self, symbol: Symbol) -> Check<&BigInt> {
        let found = match symbol {
            Symbol::Variable(id) => self.values.get(id.index()),
            Symbol::Argument(number) => self.arguments.get(number as usize),
            Symbol::Input(thread, number) if thread == self.thread => self.inputs.get(&number),
            Symbol::Input(..) => None,
        };
        found.map_or_else(|| reject(format!("a decision uses {symbol} before it is defined")), Ok)
    }
}

impl<'p> Runs<'p> {
    /// Creates the semantics of this program.
    #[must_use]
    pub fn new(program: &'p DataProgram) -> Self {
        Self { program }
    }

    /// Returns the arguments of the event in a step.
    ///
    /// # Errors
    /// If there is no such event, or if the choice is too short.
    pub fn arguments(&self, label: u32, choice: Option<&[u32]>) -> Check<Vec<BigInt>> {
        self.read_arguments(label, &mut Slots(choice.unwrap_or_default().iter()))
    }

    /// Returns the threads that request the event in a step from this state.
    ///
    /// # Errors
    /// If the choice is no choice of this step, or if a resource limit is exceeded.
    pub fn requesters(
        &self,
        state: &DataState,
        label: u32,
        choice: Option<&[u32]>,
        work: &mut Work<'_>,
    ) -> Check<Vec<ThreadId>> {
        let mut slots = Slots(choice.unwrap_or_default().iter());
        let arguments = self.read_arguments(label, &mut slots)?;
        let mut requesters = Vec::new();
        for (thread, decision) in decisions(self.program, &state.locations, EventId(label)) {
            let mut scope = Scope { thread, values: &state.values, arguments: &arguments, inputs: BTreeMap::new() };
            if self.decide(decision, &mut scope, &mut slots, work)?.requests {
                requesters.push(thread);
            }
        }
        Ok(requesters)
    }

    fn read_arguments(&self, label: u32, slots: &mut Slots<'_>) -> Check<Vec<BigInt>> {
        let Some(event) = self.program.events().get(label as usize) else {
            return reject(format!("there is no event number {label}"));
        };
        (0..event.arity()).map(|_| slots.next().map(BigInt::from)).collect()
    }

    /// Follows a decision to its end.
    fn decide(
        &self,
        mut at: DecisionId,
        scope: &mut Scope<'_>,
        slots: &mut Slots<'_>,
        work: &mut Work<'_>,
    ) -> Check<&'p Outcome> {
        let program: &'p DataProgram = self.program;
        let all = &program.threads()[scope.thread.index()].decisions;
        loop {
            work.spend(1)?;
            at = match &all[at.index()] {
                Decision::Test { constraint, yes, no } => {
                    let value = arithmetic::value(constraint.term(), |symbol| scope.get(symbol), work)?;
                    if value.is_positive() { *no } else { *yes }
                }
                Decision::Divide { term, by, quotient, then } => {
                    let value = arithmetic::value(term, |symbol| scope.get(symbol), work)?;
                    let (result, remainder) = arithmetic::divide(&value, by, work)?;
                    scope.inputs.insert(*quotient, result);
                    scope.inputs.insert(after(*quotient)?, remainder);
                    *then
                }
                Decision::Any { input, then } => {
                    scope.inputs.insert(*input, slots.next()?.into());
                    *then
                }
                Decision::Choose(ways) => match usize::try_from(slots.next()?).ok().and_then(|way| ways.get(way)) {
                    Some(way) => *way,
                    None => return reject("the trace records a choice that does not exist"),
                },
                Decision::End(outcome) => return Ok(outcome),
            };
        }
    }

    /// Lets one thread decide. Writes its next location and the new values of its variables to `next`.
    fn act(
        &self,
        at: DecisionId,
        scope: &mut Scope<'_>,
        slots: &mut Slots<'_>,
        next: &mut DataState,
        work: &mut Work<'_>,
    ) -> Check<&'p Outcome> {
        let outcome = self.decide(at, scope, slots, work)?;
        if let Some((location, updates)) = &outcome.go {
            next.locations[scope.thread.index()] = *location;
            for (variable, term) in updates {
                next.values[variable.index()] = arithmetic::value(term, |symbol| scope.get(symbol), work)?;
            }
        }
        Ok(outcome)
    }
}

impl Semantics for Runs<'_> {
    type State = DataState;

    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<DataState> {
        let (threads, variables) = (self.program.threads(), self.program.variables().len());
        work.spend((threads.len() + variables) as u64)?;
        work.grow(2 * variables * size_of::<BigInt>())?;
        let zeros = vec![BigInt::ZERO; variables];
        let mut state = DataState { locations: vec![LocationId(0); threads.len()], values: zeros.clone() };
        let mut slots = Slots(start.iter());
        for (number, thread) in threads.iter().enumerate() {
            let id = ThreadId::new(number);
            let mut scope = Scope { thread: id, values: &zeros, arguments: &[], inputs: BTreeMap::new() };
            let outcome = self.act(thread.initial, &mut scope, &mut slots, &mut state, work)?;
            assert!(outcome.go.is_some(), "`DataProgram::new` has looked: each initial outcome goes somewhere");
        }
        slots.end()?;
        Ok(state)
    }

    fn step(&mut self, state: &mut DataState, label: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()> {
        work.spend(state.locations.len() as u64 + state.values.iter().map(arithmetic::words).sum::<u64>())?;
        if is_bad(self.program, &state.locations) {
            return reject("a state with a bad location has no steps");
        }
        let mut slots = Slots(choice.unwrap_or_default().iter());
        let arguments = self.read_arguments(label, &mut slots)?;
        let mut next = state.clone();
        let (mut is_requested, mut blocked_by) = (false, None);
        for (thread, decision) in decisions(self.program, &state.locations, EventId(label)) {
            let mut scope = Scope { thread, values: &state.values, arguments: &arguments, inputs: BTreeMap::new() };
            let outcome = self.act(decision, &mut scope, &mut slots, &mut next, work)?;
            is_requested |= outcome.requests;
            if outcome.blocks {
                blocked_by = Some(thread);
            }
        }
        slots.end()?;
        let name = || self.program.events()[label as usize].name(&arguments);
        match blocked_by {
            Some(id) => reject(format!("`{}` blocks `{}`", self.program.threads()[id.index()].name, name())),
            None if !is_requested => reject(format!("no thread requests `{}`", name())),
            None => {
                *state = next;
                Ok(())
            }
        }
    }

    fn reached(&mut self, state: &DataState, goal: Goal, work: &mut Work<'_>) -> Check<()> {
        let is_bad = is_bad(self.program, &state.locations);
        match goal {
            Goal::Bad if is_bad => Ok(()),
            Goal::Bad => reject("no thread is at a bad location"),
            Goal::Deadlock if is_bad => reject("a state with a bad location is not a deadlock"),
            Goal::Deadlock if is_proper_end(self.program, &state.locations) => reject("all threads may end here"),
            Goal::Deadlock => deadlock::no_event(self.program, state, work),
            _ => reject(format!("the program has no goal `{goal}`")),
        }
    }
}
