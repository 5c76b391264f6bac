//! Sets of markings as evidence, as `model::Markings` stores them: one slot for each kept place, or one slot
//! for several places of which at most one is marked.
//!
//! Let R be the set of markings that are empty outside the potentially marked places and agree with a listed
//! marking on the kept places. The check shows that no run leaves R, and that R contains no marking of a goal:
//!
//! 1. Every initial marking is in R. Proof: initial markings are empty outside the potentially marked places,
//!    and what they hold on kept places is listed.
//! 2. Every step from a marking in R leads to a marking in R. Proof: let m in R agree with the listed marking s
//!    on the kept places, and let t be enabled in m and lead to m'.
//!    * The transition t is tried from s. It needs a token on no place that is never marked, and its guards on
//!      kept places hold in s.
//!    * On kept places m' equals what t makes of s, and this is listed. An effect on a kept place reads only
//!      kept places and places that are never marked (`compiled` rejects all others). A value that no slot can
//!      hold is in no listed marking, and is rejected.
//!    * If threads in x pick one of several targets and no target is kept, it does not matter where they go.
//!      That they leave x is an effect like any other. If a target is kept, x is kept or never marked, as for
//!      effects, and all ways to spread the threads that s has in x are tried.
//!    * Outside the potentially marked places m' is empty, because this set of places is closed
//!      ([`super::potentially_marked`]).
//! 3. No formula of a goal holds in a marking of R. Proof: a formula that holds in m passes the relaxed test of
//!    s in `goals`, and then s is rejected.
//! 4. If a deadlock is claimed to be unreachable, R contains no deadlock. Proof: each s enables a transition
//!    with guards only on kept places and on places that are never marked. The marking m enables this
//!    transition too.
//!
//! The set is streamed twice; the first time only determines the greatest values. If the second stream differs,
//! the states in the table count, and values that do not fit are rejected.

use super::Marked;
use super::compiled::{self, Compiled};
use super::goals::{self, Goals};
use super::potentially_marked;
use super::rules::Rules;
use super::shape::{At, SlotLayout};
use super::spread::Spread;
use crate::closed::{Change, Listed, Visit};
use crate::parts::Exchange;
use crate::work::Work;
use crate::{Check, reject};
use model::{Formula, Markings, PlaceId, StateSet};
use num_traits::ToPrimitive;
use std::ops::ControlFlow;

/// A set of markings of a system. None of them may satisfy a claimed goal.
#[derive(Debug)]
pub struct Listing<'a> {
    system: Marked<'a>,
    rules: &'a Rules<'a>,
    shape: &'a SlotLayout<'a>,
    survey: Survey,
    compiled: Compiled,
    goals: Goals,
    /// True if a deadlock is claimed to be unreachable.
    deadlock: bool,
    /// For each place: true if every possible number of its initial tokens must be in the set. For other kept
    /// places only the greatest number is looked up.
    exact: Vec<bool>,
    spread: Spread,
    changes: Vec<Change>,
}

impl<'a> Listing<'a> {
    /// Reads the listed markings once, and compiles the system and the goals for them.
    ///
    /// # Errors
    /// If the potentially marked places are not closed, a listed vector is no marking of the slots, or the
    /// contents of a kept place depend on a place that is not kept, or if a resource limit is exceeded.
    pub fn new(
        system: Marked<'a>,
        rules: &'a Rules<'a>,
        shape: &'a SlotLayout<'a>,
        markings: &'a Markings,
        (formulas, deadlock): (&[&Formula], bool),
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let survey = Survey::of(system, shape, markings.states.as_ref(), work)?;
        Self::of_survey(system, rules, shape, &markings.potentially_marked, (formulas, deadlock), survey, work)
    }

    /// Like [`Listing::new`], with what is known of the listed markings.
    ///
    /// # Errors
    /// Those of [`Listing::new`].
    pub fn of_survey(
        system: Marked<'a>,
        rules: &'a Rules<'a>,
        shape: &'a SlotLayout<'a>,
        potentially_marked: &'a [bool],
        (formulas, deadlock): (&[&Formula], bool),
        survey: Survey,
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let can_fire = potentially_marked::check(system, rules, potentially_marked, work)?;
        let source = compiled::Source {
            system,
            rules,
            can_fire: &can_fire,
            potentially_marked,
            shape,
            marked: &survey.marked,
            deadlock,
        };
        let compiled = Compiled::new(&source, work)?;
        let source = goals::Source { shape, potentially_marked, greatest: &survey.greatest, marked: &survey.marked };
        let goals = Goals::new(&source, formulas, work)?;
        let exact = vec![true; rules.initial.len()];
        let (spread, changes) = (Spread::default(), Vec::new());
        Ok(Self { system, rules, shape, survey, compiled, goals, deadlock, exact, spread, changes })
    }

    /// Restricts `exact` to these places. For other places only initial markings with the greatest number of
    /// tokens are looked up.
    #[must_use]
    pub fn with_exact(self, exact: Vec<bool>) -> Self {
        assert_eq!(exact.len(), self.rules.initial.len(), "it is said of each place");
        Self { exact, ..self }
    }

    /// Returns what the first pass over the listed markings found.
    #[must_use]
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Returns the slots.
    pub(super) fn shape(&self) -> &'a SlotLayout<'a> {
        self.shape
    }

    /// Returns true if some initial marking is among those that the listed one stands for. The ranges of initial tokens
    /// are independent, and initial markings are empty outside the potentially marked places. So an initial marking
    /// agrees with the listed one on the kept places iff the ranges of these places contain its tokens.
    pub(crate) fn is_initial(&self, state: &[u32]) -> bool {
        let starts = |(place, at): (PlaceId, At)| self.rules.initial[place.index()].contains(&at.tokens(state).into());
        self.shape.kept().all(starts)
    }

    /// Fires all rules that may be enabled, in all possible ways. `fired` gets the rule of each, after its steps were
    /// visited, and true if its transition is certainly enabled.
    pub(crate) fn fire_all(
        &mut self,
        state: &[u32],
        visit: &mut impl Visit,
        fired: &mut impl FnMut(u32, bool) -> Check<()>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        for at in 0..self.compiled.always().len() {
            self.fire(self.compiled.always()[at], state, visit, fired, work)?;
        }
        for (slot, &value) in state.iter().enumerate().filter(|(_, value)| **value != 0) {
            let literal = self.shape.marked(slot, value);
            for at in 0..self.compiled.watching(literal).len() {
                self.fire(self.compiled.watching(literal)[at], state, visit, fired, work)?;
            }
        }
        Ok(())
    }

    /// Fires a rule in all possible ways if it may be enabled.
    fn fire(
        &mut self,
        rule: u32,
        state: &[u32],
        visit: &mut impl Visit,
        fired: &mut impl FnMut(u32, bool) -> Check<()>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        work.spend(1)?;
        if !self.compiled.is_enabled(rule, state) {
            return Ok(());
        }
        self.compiled.spread(rule, state, &mut self.spread);
        loop {
            if !self.compiled.fire(rule, state, self.spread.bins(), &mut self.changes) {
                let number = self.compiled.transition(rule) + 1;
                return reject(format!("the set is not closed: transition number {number} leads to no listed marking"));
            }
            visit.visit(&self.changes, work)?;
            if !self.spread.advance() {
                return fired(rule, self.compiled.is_certain(rule));
            }
            work.spend(1 + self.spread.bins().len() as u64)?;
        }
    }
}

impl Listed for Listing<'_> {
    const ELEMENT: &'static str = "marking";

    fn sizes(&self) -> Vec<usize> {
        self.survey.greatest.iter().map(|&value| value as usize + 1).collect()
    }

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        initial(self.system, self.rules, self.shape, &self.exact, visit)
    }

    fn expand(&mut self, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()> {
        work.spend(1 + state.len() as u64 / 8)?;
        if self.goals.may_hold(state, work)? {
            return reject("the set contains a marking that may satisfy a goal");
        }
        let mut alive = false;
        let mut fired = |_, is_certain| {
            alive |= is_certain;
            Ok(())
        };
        self.fire_all(state, visit, &mut fired, work)?;
        match self.deadlock && !alive {
            true => reject("the set contains a marking that may be a deadlock"),
            false => Ok(()),
        }
    }

    fn describe(&self, state: &[u32]) -> String {
        self.shape.describe(self.system, state)
    }
}

/// The result of the first pass over the listed markings.
#[derive(Debug)]
pub struct Survey {
    /// For each slot: its greatest value.
    pub greatest: Vec<u32>,
    /// For each literal: the number of listed markings in which its place is marked.
    pub marked: Vec<u64>,
}

impl Survey {
    /// Reads the listed markings once.
    ///
    /// # Errors
    /// If a listed vector is no marking of the slots, or if a resource limit is exceeded.
    pub fn of(system: Marked<'_>, shape: &SlotLayout<'_>, set: &dyn StateSet, work: &mut Work<'_>) -> Check<Self> {
        let mut survey = Self { greatest: vec![0; shape.slots.len()], marked: vec![0; shape.literals()] };
        let mut result = Ok(());
        let _ = set.for_each(&mut |state| {
            result = work.spend(1 + state.len() as u64 / 8).and_then(|()| survey.add(system, shape, state));
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result.map(|()| survey)
    }

    /// Adds what the peers found in their shares of the set.
    ///
    /// # Errors
    /// If a connection fails.
    pub fn merge(&mut self, exchange: &mut dyn Exchange) -> Check<()> {
        let mut greatest: Vec<u64> = self.greatest.iter().map(|&value| value.into()).collect();
        exchange.greatest(&mut greatest)?;
        // A value from a peer that does not fit is none that a slot holds.
        self.greatest = greatest.into_iter().map(|value| u32::try_from(value).unwrap_or(u32::MAX)).collect();
        exchange.sum(&mut self.marked)
    }

    fn add(&mut self, system: Marked<'_>, shape: &SlotLayout<'_>, state: &[u32]) -> Check<()> {
        if !shape.knows(state) {
            let slots = shape.slots.len();
            return match state.len() == slots {
                false => reject(format!("the set has {slots} slots, and a marking has {}", state.len())),
                true => reject(format!("{} has a number out of the range of its slot", shape.describe(system, state))),
            };
        }
        for (slot, &value) in state.iter().enumerate().filter(|(_, value)| **value != 0) {
            self.greatest[slot] = self.greatest[slot].max(value);
            self.marked[shape.marked(slot, value)] += 1;
        }
        Ok(())
    }
}

/// Passes the initial contents of the kept places to `visit`: all combinations of the initial tokens of exact
/// places, with the greatest number of initial tokens on the other kept places.
///
/// # Errors
/// If a place may start with more tokens than any listed marking has; the errors of `visit`.
pub fn initial(
    system: Marked<'_>,
    rules: &Rules<'_>,
    shape: &SlotLayout<'_>,
    exact: &[bool],
    visit: &mut dyn FnMut(&[u32]) -> Check<()>,
) -> Check<()> {
    let mut tokens: Vec<(At, u32)> = Vec::new();
    let mut open: Vec<(usize, u32, u32)> = Vec::new();
    for (place, at) in shape.kept() {
        let range = &rules.initial[place.index()];
        let name = || system.name(place.index());
        let Some(most) = &range.at_most else {
            return reject(format!("`{}` may start with any number of tokens, and the set is finite", name()));
        };
        let (Some(least), Some(most)) = (range.at_least.to_u32(), most.to_u32()) else {
            return reject(format!("`{}` may start with more tokens than any listed marking has", name()));
        };
        if exact[place.index()] && least < most {
            open.push((tokens.len(), least, most));
            tokens.push((at, least));
        } else {
            tokens.push((at, most));
        }
    }
    let mut state = vec![0; shape.slots.len()];
    loop {
        if !write(&tokens, &mut state) {
            let state = shape.describe(system, &state);
            return reject(format!("an initial marking near {state} is missing from the set"));
        }
        visit(&state)?;
        let mut wheel = 0;
        loop {
            let Some(&(at, least, most)) = open.get(wheel) else { return Ok(()) };
            let value = &mut tokens[at].1;
            if *value < most {
                *value += 1;
                break;
            }
            *value = least;
            wheel += 1;
        }
    }
}

/// Writes these tokens as a listed marking. Returns false if no marking of the slots has them.
fn write(tokens: &[(At, u32)], state: &mut [u32]) -> bool {
    state.fill(0);
    let mut possible = true;
    for &(at, tokens) in tokens {
        match at {
            At::Tokens { slot } => state[slot as usize] = tokens,
            At::OneOf { .. } if tokens == 0 => {}
            At::OneOf { slot, value } => {
                let free = std::mem::replace(&mut state[slot as usize], value) == 0;
                possible &= free && tokens == 1;
            }
        }
    }
    possible
}
