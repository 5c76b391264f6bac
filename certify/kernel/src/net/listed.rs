//! Sets of markings, as `model::Markings` writes them down: with a slot for each kept place, or for several of which at
//! most one is marked.
//!
//! Let R be the set of markings that are empty outside the markable places and equal a listed one on kept places. No
//! run leaves R:
//!
//! * *Start.* Initial markings are empty outside the markable places, and what they hold on kept places is listed.
//! * *Step.* Let m in R with s enable t and lead to m'. t needs no unmarkable place, and its guards on kept places hold
//!   of s. So t is among the transitions tried from s. An effect on a kept place reads kept places and empty ones only
//!   (`compiled` rejects others), so what t makes of s is what m' holds on kept places; it is listed. Where threads in
//!   x pick one of several targets, all ways to spread those that s has in x are tried; if no target is kept, then it
//!   does not matter where they go, and that they leave is an effect like any other. Else x is kept or empty, as for
//!   effects. (A value that no slot can hold is in no listed marking: rejected.) And m' is empty outside the markable
//!   places, because these are closed.
//! * *No goal.* A formula that holds in m passes the relaxed test of s in `goals`. If a deadlock is claimed, then each
//!   s enables a transition whose guards look at kept places and at empty ones only: m enables it too.
//!
//! The set is streamed twice, first to see how large values are; should it differ the second time, then what is in the
//! table counts, and values that do not fit are refused.

use super::Marked;
use super::compiled::{self, Compiled};
use super::goals::{self, Goals};
use super::markable;
use super::rules::Rules;
use super::shape::{At, Shape};
use super::spread::Spread;
use crate::closed::{Change, Listed, Visit};
use crate::work::Work;
use crate::{Check, reject};
use model::{Formula, Markings, StateSet};
use num_traits::ToPrimitive;
use std::ops::ControlFlow;

/// A set of markings of a system, none of which may be of the claimed goals.
#[derive(Debug)]
pub struct Listing<'a> {
    system: Marked<'a>,
    rules: &'a Rules<'a>,
    shape: &'a Shape<'a>,
    survey: Survey,
    compiled: Compiled,
    goals: Goals,
    /// Is a deadlock claimed to be unreachable?
    deadlock: bool,
    /// By place: do initial markings with fewer tokens there count for themselves? Of other kept places just the
    /// greatest number is looked up.
    exact: Vec<bool>,
    spread: Spread,
    changes: Vec<Change>,
}

impl<'a> Listing<'a> {
    /// Looks at the listed markings, and compiles system and goals for them.
    ///
    /// # Errors
    /// If the markable places are not closed, a listed marking is none, or what is kept depends on what is not; beyond
    /// the limits.
    pub fn new(
        system: Marked<'a>,
        rules: &'a Rules<'a>,
        shape: &'a Shape<'a>,
        markings: &'a Markings,
        (formulas, deadlock): (&[&Formula], bool),
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let can_fire = markable::check(system, rules, &markings.markable, work)?;
        let survey = Survey::of(system, shape, markings.states.as_ref(), work)?;
        let markable = &markings.markable;
        let source =
            compiled::Source { system, rules, can_fire: &can_fire, markable, shape, marked: &survey.marked, deadlock };
        let compiled = Compiled::new(&source, work)?;
        let source = goals::Source { shape, markable, greatest: &survey.greatest, marked: &survey.marked };
        let goals = Goals::new(&source, formulas, work)?;
        let exact = vec![true; rules.initial.len()];
        let (spread, changes) = (Spread::default(), Vec::new());
        Ok(Self { system, rules, shape, survey, compiled, goals, deadlock, exact, spread, changes })
    }

    /// With fewer tokens on other places than these, initial markings are not looked up.
    #[must_use]
    pub fn with_exact(self, exact: Vec<bool>) -> Self {
        assert_eq!(exact.len(), self.rules.initial.len(), "it is said of each place");
        Self { exact, ..self }
    }

    /// What a first look at the listed markings told.
    #[must_use]
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Fires a rule in all ways if it is enabled. Is it enabled for certain?
    fn fire(&mut self, rule: u32, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<bool> {
        work.spend(1)?;
        if !self.compiled.is_enabled(rule, state) {
            return Ok(false);
        }
        self.compiled.spread(rule, state, &mut self.spread);
        loop {
            if !self.compiled.fire(rule, state, self.spread.bins(), &mut self.changes) {
                let number = self.compiled.transition(rule) + 1;
                return reject(format!("the set is not closed: transition number {number} leads to no listed marking"));
            }
            visit.visit(&self.changes, work)?;
            if !self.spread.advance() {
                return Ok(self.compiled.is_certain(rule));
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
        for at in 0..self.compiled.always().len() {
            alive |= self.fire(self.compiled.always()[at], state, visit, work)?;
        }
        for (slot, &value) in state.iter().enumerate().filter(|(_, value)| **value != 0) {
            let literal = self.shape.marked(slot, value);
            for at in 0..self.compiled.watching(literal).len() {
                alive |= self.fire(self.compiled.watching(literal)[at], state, visit, work)?;
            }
        }
        match self.deadlock && !alive {
            true => reject("the set contains a marking that may be a deadlock"),
            false => Ok(()),
        }
    }

    fn describe(&self, state: &[u32]) -> String {
        self.shape.describe(self.system, state)
    }
}

/// What a first look at the listed markings tells.
#[derive(Debug)]
pub struct Survey {
    /// By slot the greatest value.
    pub greatest: Vec<u32>,
    /// By literal, how many listed markings mark it.
    pub marked: Vec<u64>,
}

impl Survey {
    /// Looks at the listed markings.
    ///
    /// # Errors
    /// If one is none of the slots; beyond the limits.
    pub fn of(system: Marked<'_>, shape: &Shape<'_>, set: &dyn StateSet, work: &mut Work<'_>) -> Check<Self> {
        let mut survey = Self { greatest: vec![0; shape.slots.len()], marked: vec![0; shape.literals()] };
        let mut result = Ok(());
        let _ = set.for_each(&mut |state| {
            result = work.spend(1 + state.len() as u64 / 8).and_then(|()| survey.add(system, shape, state));
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result.map(|()| survey)
    }

    fn add(&mut self, system: Marked<'_>, shape: &Shape<'_>, state: &[u32]) -> Check<()> {
        if !shape.knows(state) {
            let slots = shape.slots.len();
            return match state.len() == slots {
                false => reject(format!("a marking of {} slots in a set of {slots}", state.len())),
                true => reject(format!("{} has a token on no place", shape.describe(system, state))),
            };
        }
        for (slot, &value) in state.iter().enumerate().filter(|(_, value)| **value != 0) {
            self.greatest[slot] = self.greatest[slot].max(value);
            self.marked[shape.marked(slot, value)] += 1;
        }
        Ok(())
    }
}

/// Hands the initial markings of kept places to `visit`: every combination of counts of exact places, with the greatest
/// of the others.
///
/// # Errors
/// If a place may start with more than any listed marking has; those of `visit`.
pub fn initial(
    system: Marked<'_>,
    rules: &Rules<'_>,
    shape: &Shape<'_>,
    exact: &[bool],
    visit: &mut dyn FnMut(&[u32]) -> Check<()>,
) -> Check<()> {
    let mut tokens: Vec<(At, u32)> = Vec::new();
    let mut open: Vec<(usize, u32, u32)> = Vec::new();
    for (place, at) in shape.kept() {
        let range = &rules.initial[place.index()];
        let name = || system.name(place.index());
        let Some(most) = &range.at_most else {
            return reject(format!("`{}` may start with any number of tokens, the set holds so many only", name()));
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
            return reject(format!("an initial marking is missing from the set: it is no listed one beside {state}"));
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

/// Writes these tokens as a listed marking; false if there is none with them.
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
