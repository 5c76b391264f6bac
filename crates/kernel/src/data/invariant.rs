//! Inductive invariants of programs with unbounded data.
//!
//! The invariant lists controls. A *control* is a location for each thread, with clauses over the variables. No
//! listed control has a bad location. A state *satisfies* the invariant if its control is listed and all clauses of
//! the control hold. The proofs are about these obligations, in this order:
//!
//! * [`Obligation::Initial`]: every initial state satisfies the invariant.
//! * [`Obligation::Event`], for each control in order and each event in ascending order about which a thread has a
//!   decision at its location: every state that an event of the family leads to from a state of the control that
//!   satisfies the invariant satisfies it too.
//! * [`Obligation::NoDeadlock`], if the deadlock is claimed unreachable, for each control in order that is no proper
//!   end: every state of the control that satisfies the invariant has a possible event.
//!
//! If only the deadlock is claimed unreachable, states with a bad location need not satisfy the invariant.
//!
//! 1. Every reachable state satisfies the invariant, or has a bad location and bad locations are not claimed
//!    unreachable. Proof: by induction over the run. The first state satisfies this by `Initial`. A step begins in a
//!    state without a bad location, so in a state that satisfies the invariant. Some thread requests the event of the
//!    step, so it has a decision about the event. So there is an obligation `Event` for the step.
//! 2. Bad locations are unreachable if this is claimed. Proof: claim 1, and no listed control has a bad location.
//! 3. Deadlocks are unreachable if this is claimed. Proof: a deadlock has no bad location, so it satisfies the
//!    invariant by claim 1. It is no proper end, so `NoDeadlock` is about it, and it has a possible event.
//!
//! `open.rs` says what a proof of an obligation is.

use super::arithmetic;

use super::runs::{is_bad, is_proper_end};
use crate::work::Work;
use crate::{Check, reject, within};
use model::data::{Constraint, Control, DataProgram, Symbol};
use model::{EventId, Goal, LocationId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// A claimed invariant of a program.
#[derive(Debug)]
pub struct Invariant<'a> {
    pub(super) program: &'a DataProgram,
    pub(super) controls: &'a [Control],
    numbers: BTreeMap<&'a [LocationId], usize>,
    /// For each control: the clauses of one constraint, in order.
    pub(super) units: Vec<Vec<Arc<Constraint>>>,
    is_bad_claimed: bool,
    is_deadlock_claimed: bool,
}

/// What has to be proved about an invariant. Controls are given by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Obligation {
    /// Initial states satisfy the invariant.
    Initial,
    /// Steps by events of this family from states of this control lead to states that satisfy the invariant.
    Event(usize, EventId),
    /// States of this control have a possible event.
    NoDeadlock(usize),
}

impl fmt::Display for Obligation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obligation::Initial => write!(f, "initial states satisfy the invariant"),
            Obligation::Event(control, event) => {
                write!(f, "event {} keeps the invariant at control {control}", event.0)
            }
            Obligation::NoDeadlock(control) => write!(f, "control {control} has no deadlock"),
        }
    }
}

impl<'a> Invariant<'a> {
    /// Creates the claim that this invariant holds and makes the goals unreachable.
    ///
    /// # Errors
    /// If a goal is neither [`Goal::Bad`] nor [`Goal::Deadlock`], or if the controls are no controls of the program,
    /// or are listed twice, or have a bad location, or have clauses with other symbols than variables.
    pub fn new(program: &'a DataProgram, goals: &[Goal], controls: &'a [Control], work: &mut Work<'_>) -> Check<Self> {
        if let Some(goal) = goals.iter().find(|goal| !matches!(goal, Goal::Bad | Goal::Deadlock)) {
            return reject(format!("the program has no goal `{goal}`"));
        }
        let (mut numbers, mut units) = (BTreeMap::new(), Vec::with_capacity(controls.len()));
        for (number, control) in controls.iter().enumerate() {
            within(check_control(program, control, work), || format!("control {number}"))?;
            if numbers.insert(control.locations.as_slice(), number).is_some() {
                return reject(format!("control {number} is listed twice"));
            }
            let unit = |clause: &Vec<Constraint>| match clause.as_slice() {
                [constraint] => Some(Arc::new(constraint.clone())),
                _ => None,
            };
            units.push(control.clauses.iter().filter_map(unit).collect());
        }
        let [is_bad_claimed, is_deadlock_claimed] = [Goal::Bad, Goal::Deadlock].map(|goal| goals.contains(&goal));
        Ok(Self { program, controls, numbers, units, is_bad_claimed, is_deadlock_claimed })
    }

    /// Iterates over the obligations, in the order of their proofs in a certificate.
    pub fn obligations(&self) -> impl Iterator<Item = Obligation> {
        let events = (0..self.controls.len())
            .flat_map(|control| self.events(control).into_iter().map(move |event| Obligation::Event(control, event)));
        let is_obliged = |control: &usize| {
            self.is_deadlock_claimed && !is_proper_end(self.program, &self.controls[*control].locations)
        };
        let ends = (0..self.controls.len()).filter(is_obliged).map(Obligation::NoDeadlock);
        [Obligation::Initial].into_iter().chain(events).chain(ends)
    }

    /// Returns the number of the control with these locations, if it is listed.
    #[must_use]
    pub fn number(&self, locations: &[LocationId]) -> Option<usize> {
        self.numbers.get(locations).copied()
    }

    /// Returns true if states with these locations need not satisfy the invariant: they have a bad location, and bad
    /// locations are not claimed unreachable.
    #[must_use]
    pub fn is_exempt(&self, locations: &[LocationId]) -> bool {
        !self.is_bad_claimed && is_bad(self.program, locations)
    }

    /// The events about which some thread has a decision at the control, in ascending order.
    fn events(&self, control: usize) -> BTreeSet<EventId> {
        let locations = self.program.threads().iter().zip(&self.controls[control].locations);
        locations.flat_map(|(thread, at)| thread.locations[at.index()].on.keys().copied()).collect()
    }
}

fn check_control(program: &DataProgram, control: &Control, work: &mut Work<'_>) -> Check<()> {
    let threads = program.threads();
    work.spend(1 + threads.len() as u64)?;
    let mut pairs = threads.iter().zip(&control.locations);
    if control.locations.len() != threads.len() || pairs.any(|(thread, at)| at.index() >= thread.locations.len()) {
        return reject("it does not fit the threads of the program");
    }
    if is_bad(program, &control.locations) {
        return reject("it has a bad location");
    }
    for constraint in control.clauses.iter().flatten() {
        work.spend(arithmetic::size(constraint.term()))?;
        let is_known = |symbol| matches!(symbol, Symbol::Variable(id) if id.index() < program.variables().len());
        if let Some((symbol, _)) = constraint.term().terms().iter().find(|term| !is_known(term.0)) {
            return reject(format!("a clause contains {symbol}, which is not a variable"));
        }
    }
    Ok(())
}
