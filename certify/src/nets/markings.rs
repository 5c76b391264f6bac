//! Closed sets of markings, as `model::Markings` says.
//!
//! Let R be the set that the listed markings stand for: m is in R iff m is empty outside the markable places and some listed
//! s has m = s on exact and m <= s on other kept places. No run leaves R:
//!
//! * *Start.* Initial markings are empty outside the markable places. Each is below one that agrees with it on exact places
//!   and is greatest on other kept ones, and all of these are looked up.
//! * *Step.* Let m in R with s enable t and lead to m'. t needs no unmarkable place. A guard on a kept place holds of s: if
//!   it has an upper end then the place is exact, else s has no fewer tokens. So t is among the transitions tried from s;
//!   let s' be what it leads to on kept places. An effect on a kept place p reads kept places and empty ones only
//!   (`compiled` rejects others). If p is exact, so are the kept sources, and m'(p) = s'(p); else m'(p) <= s'(p), as sums are
//!   monotone. A listed marking stands for s' and so for m'. (A value that no slot can hold is in no listed marking:
//!   rejected.) And m' is empty outside the markable places, because these are closed.
//!   Where threads in x pick one of several targets, s' is not one marking: all ways to spread those that s has in x are
//!   tried, and one of them is above what happens in m. If no target is kept, then it does not matter where they go, and
//!   that they leave is an effect like any other. Else x is kept or empty, as for effects. If x is exact then m has as many
//!   threads there, and they spread in one of the ways tried. If not, then no kept target of x is exact, because sources
//!   of exact places are; m may have fewer threads in x, but let those that it lacks join the others at any target:
//!   that is one of the ways tried, with no fewer threads on each target, and exact places get the same. Targets that
//!   are not kept take any number of threads from x together, none too.
//! * *No goal.* A formula that holds in m passes the relaxed test of s in `goals`: kept places with a negative weight are
//!   exact. If a deadlock is claimed then all kept places are exact, and each s enables a transition whose guards look at
//!   kept places and at empty ones only: m enables it too.
//!
//! The set is copied into a table of our own, and all is checked on that table. It is streamed twice, first to see how
//! large values are; should it differ the second time, then what is in the table counts, and values that do not fit are
//! refused.

use super::closed::{self, Members};
use super::compiled::{self, Compiled};
use super::cover::Fits;
use super::exact::exact_places;
use super::goals::{self, Goals};
use super::rules::Rules;
use super::shape::{At, Shape};
use super::table::Table;
use super::{Marked, markable};
use crate::key_set::{BATCH, Refused};
use crate::keys::{Layout, mixed};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{Formula, Markings, StateSet};
use num_traits::ToPrimitive;
use std::ops::ControlFlow;

/// What the check found out.
pub(crate) struct Checked {
    /// Listed markings.
    pub(crate) states: u64,
    /// The same for every order of the markings.
    pub(crate) hash: u64,
}

pub(crate) fn check(
    system: Marked<'_>,
    rules: &Rules<'_>,
    markings: &Markings,
    formulas: &[&Formula],
    deadlock: bool,
    work: &mut Work<'_>,
) -> Check<Checked> {
    let can_fire = markable::check(system, rules, &markings.markable, work)?;
    let shape = Shape::new(system, &markings.slots)?;
    let exact = exact_places(rules, &can_fire, &shape, formulas, deadlock, work)?;
    let set = markings.states.as_ref();
    let survey = Survey::of(system, &shape, set, work)?;
    let sizes: Vec<usize> = survey.greatest.iter().map(|&value| value as usize + 1).collect();
    let layout = Layout::new(&sizes);
    let source = compiled::Source {
        system,
        rules,
        can_fire: &can_fire,
        markable: &markings.markable,
        shape: &shape,
        marked: &survey.marked,
        deadlock,
    };
    let compiled = Compiled::new(&source, work)?;
    let source = goals::Source {
        shape: &shape,
        markable: &markings.markable,
        greatest: &survey.greatest,
        marked: &survey.marked,
    };
    let mut goals = Goals::new(&source, formulas, work)?;
    let (table, hash) = read(system, &shape, &layout, set, work)?;
    let fits = Fits::new(&shape, &exact);
    let mut members = Members::new(system, &shape, layout, fits, table, survey.greatest);
    initial(rules, &exact, &mut members, work)?;
    closed::check(&mut members, &compiled, &mut goals, deadlock, work)?;
    Ok(Checked { states: set.len(), hash })
}

/// What a first look at the listed markings tells.
pub(super) struct Survey {
    /// By slot the greatest value.
    pub(super) greatest: Vec<u32>,
    /// By literal, how many listed markings mark it.
    pub(super) marked: Vec<u64>,
}

impl Survey {
    pub(super) fn of(system: Marked<'_>, shape: &Shape<'_>, set: &dyn StateSet, work: &mut Work<'_>) -> Check<Self> {
        let mut survey = Self { greatest: vec![0; shape.slots.len()], marked: vec![0; shape.literals()] };
        visit(set, |state| {
            work.spend(1 + state.len() as u64 / 8)?;
            if !shape.knows(state) {
                let slots = shape.slots.len();
                return match state.len() == slots {
                    false => reject(format!("a marking of {} slots in a set of {slots}", state.len())),
                    true => reject(format!("{} has a token on no place", shape.describe(system, state))),
                };
            }
            for (slot, &value) in state.iter().enumerate().filter(|(_, value)| **value != 0) {
                survey.greatest[slot] = survey.greatest[slot].max(value);
                survey.marked[shape.marked(slot, value)] += 1;
            }
            Ok(())
        })?;
        Ok(survey)
    }
}

/// Hands each listed marking to `take`, as many as announced.
fn visit(set: &dyn StateSet, mut take: impl FnMut(&[u32]) -> Check<()>) -> Check<()> {
    let announced = set.len();
    let mut seen = 0;
    let mut result = Ok(());
    let _ = set.for_each(&mut |state| {
        seen += 1;
        result = if seen > announced {
            reject(format!("the set announces {announced} markings and lists more"))
        } else {
            take(state)
        };
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    result?;
    if seen == announced {
        return Ok(());
    }
    reject(format!("the set announces {announced} markings and lists {seen}"))
}

/// Copies the listed markings into a table.
pub(super) fn read(
    system: Marked<'_>,
    shape: &Shape<'_>,
    layout: &Layout,
    set: &dyn StateSet,
    work: &mut Work<'_>,
) -> Check<(Table, u64)> {
    let words = layout.words();
    let mut table = Table::new(usize::try_from(set.len()).map_err(|_| Refusal::TooDear)?, words, work)?;
    let mut hash = 0u64;
    let mut batch: Vec<u64> = Vec::with_capacity(BATCH * words);
    let insert = |batch: &mut Vec<u64>, table: &mut Table, work: &mut Work<'_>| match table.insert(batch, work)? {
        Ok(()) => {
            batch.clear();
            Ok(())
        }
        Err(Refused::Known(at)) => {
            let mut state = Vec::new();
            layout.unpack_words(&batch[at * words..][..words], &mut state);
            reject(format!("the marking {} is listed twice", shape.describe(system, &state)))
        }
        Err(Refused::Full) => reject("the set lists more markings than it announces"),
    };
    visit(set, |state| {
        work.spend(1 + state.len() as u64 / 8)?;
        let at = batch.len();
        batch.resize(at + words, 0);
        if !layout.pack_into(state, &mut batch[at..]) {
            return reject("the set lists other markings when it is streamed again");
        }
        hash = hash.wrapping_add(mixed(&batch[at..]));
        if batch.len() == BATCH * words { insert(&mut batch, &mut table, work) } else { Ok(()) }
    })?;
    insert(&mut batch, &mut table, work)?;
    Ok((table, hash))
}

/// Looks up the initial markings: every combination of counts of exact places, with the greatest of the others.
pub(super) fn initial(rules: &Rules<'_>, exact: &[bool], members: &mut Members<'_>, work: &mut Work<'_>) -> Check<()> {
    let mut tokens: Vec<(At, u32)> = Vec::new();
    let mut open: Vec<(usize, u32, u32)> = Vec::new();
    for (place, at) in members.shape.kept() {
        work.spend(1)?;
        let range = &rules.initial[place.index()];
        let name = || members.system.name(place.index());
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
    let mut state = vec![0; members.shape.slots.len()];
    loop {
        work.spend(1 + tokens.len() as u64)?;
        if !write(&tokens, &mut state) || !members.has(&state, work)? {
            let state = members.shape.describe(members.system, &state);
            return reject(format!("an initial marking is missing from the set: {state}"));
        }
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
