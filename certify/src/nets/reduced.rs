//! Sets of markings closed under the successors by stubborn sets, as `model::Markings` writes them down: with each
//! marking enough of its successors. Shown in two steps.
//!
//! *What is looked at.* Let S be the net that has the kept places only and the *relevant* transitions: those that
//! change an exact place (`exact` says which these are) or may put tokens on another kept one; if a deadlock is
//! claimed, all. Transitions that need what is not markable never fire and count for nothing. It is checked that guards
//! of relevant transitions, and what their effects add up on kept places, are about kept places, and about others only
//! if these are always empty. Take a run of the system to a goal and leave out what is not relevant: by induction exact
//! places hold the same, and other kept ones at least as much, since what is left out takes tokens from these at most.
//! So every relevant transition of the run is enabled in the shorter one (guards with an upper end are on exact
//! places), and the goal holds at its end: positive weights see more, negative ones the same; in a deadlock all kept
//! places are exact, and all transitions are in S. So a goal that S does not reach is not reached.
//!
//! *That S does not reach it.* The listed markings contain all initial ones of S and none of a goal. For each there is
//! a set T of transitions of S, stubborn for every claimed goal, all of whose enabled ones lead to listed markings.
//! Which T the search used is not told: [`super::stubborn`] takes away those that lead elsewhere, then what breaks a
//! rule, and sees whether what is left will do. A listed marking that is n > 0 firings of S away from a goal has a
//! successor in the set that is at most n - 1 away (the proof is there). None is 0 away, so none is any number away.

use super::exact::exact_places;
use super::stubborn::{Omit, Stubborn};
use super::where_empty;
use crate::{Check, Refusal, reject};
use kernel::Work;
use kernel::closed::{Change, Listed, Set, Visit};
use kernel::net::compiled::{self, Compiled};
use kernel::net::formula::size;
use kernel::net::listed::{Survey, initial};
use kernel::net::spread::Spread;
use kernel::net::{Marked, Rules, Shape, markable};
use model::{Effect, Formula, Markings, Node, PlaceId, Transition};
use num_bigint::Sign;

pub(crate) fn check(
    system: Marked<'_>,
    rules: &Rules<'_>,
    markings: &Markings,
    formulas: &[&Formula],
    deadlock: bool,
    omit: Option<Omit>,
    work: &mut Work<'_>,
) -> Check<Set> {
    let can_fire = markable::check(system, rules, &markings.markable, work)?;
    if rules.scatters.iter().any(|s| can_fire[s.transition]) {
        return Err(Refusal::Unknown("stubborn sets of threads that choose".to_owned()));
    }
    work.spend(formulas.iter().map(|formula| size(formula)).sum())?;
    let formulas: Vec<Formula> = formulas.iter().map(|formula| where_empty(formula, &markings.markable)).collect();
    let formulas: &[&Formula] = &formulas.iter().collect::<Vec<_>>();
    let shape = Shape::new(system, &markings.slots)?;
    let exact = exact_places(rules, &can_fire, &shape, formulas, deadlock, work)?;
    let part = Part::new(system, rules, &markings.markable, &shape);
    let relevant = part.relevant(&can_fire, &exact, deadlock, work)?;
    part.check(&relevant, formulas, work)?;

    let survey = Survey::of(system, &shape, markings.states.as_ref(), work)?;
    let source = compiled::Source {
        system,
        rules,
        can_fire: &relevant,
        markable: &markings.markable,
        shape: &shape,
        marked: &survey.marked,
        deadlock: true,
    };
    let compiled = Compiled::new(&source, work)?;
    let mut stubborn = Stubborn::new(&part, &relevant, formulas, deadlock, omit, work)?;
    let kept = Kept { part: &part, survey: &survey };
    let set = Set::read(&kept, markings.states.as_ref(), work)?;
    set.has_initial(&kept, work)?;
    closed(&kept, &set, &compiled, &mut stubborn, work)?;
    Ok(set)
}

/// Markings of kept places.
struct Kept<'a> {
    part: &'a Part<'a>,
    survey: &'a Survey,
}

impl Listed for Kept<'_> {
    const ELEMENT: &'static str = "marking";

    fn sizes(&self) -> Vec<usize> {
        self.survey.greatest.iter().map(|&value| value as usize + 1).collect()
    }

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        let exact = vec![true; self.part.rules.initial.len()];
        initial(self.part.system, self.part.rules, self.part.shape, &exact, visit)
    }

    /// Which steps are needed is not a matter of one state: see [`closed`].
    fn expand(&mut self, _: &[u32], _: &mut impl Visit, _: &mut Work<'_>) -> Check<()> {
        Err(Refusal::Unknown("stubborn sets are checked state by state".to_owned()))
    }

    fn describe(&self, state: &[u32]) -> String {
        self.part.shape.describe(self.part.system, state)
    }
}

/// What is kept of the system.
pub(crate) struct Part<'a> {
    system: Marked<'a>,
    pub(crate) rules: &'a Rules<'a>,
    pub(crate) markable: &'a [bool],
    pub(crate) shape: &'a Shape<'a>,
}

impl<'a> Part<'a> {
    pub(crate) fn new(system: Marked<'a>, rules: &'a Rules<'a>, markable: &'a [bool], shape: &'a Shape<'a>) -> Self {
        Self { system, rules, markable, shape }
    }

    pub(crate) fn is_kept(&self, place: PlaceId) -> bool {
        self.shape.at(place).is_some()
    }

    /// The places that an effect adds up, without those that are always empty.
    pub(crate) fn sources<'e>(&'e self, effect: &'e Effect) -> impl Iterator<Item = PlaceId> + 'e {
        effect.sources.iter().copied().filter(|p| self.markable[p.index()])
    }

    /// Is it a constant change?
    pub(crate) fn is_constant(&self, effect: &Effect) -> bool {
        self.sources(effect).eq([effect.place])
    }

    /// Does it leave the place as it is, as places that are never marked add nothing?
    pub(crate) fn is_void(&self, effect: &Effect) -> bool {
        self.is_constant(effect) && effect.add.sign() == Sign::NoSign
    }

    /// Can a firing leave more on the place than before?
    pub(crate) fn may_increase(&self, effect: &Effect) -> bool {
        let is_assigned = !self.is_constant(effect) && self.sources(effect).next().is_some();
        is_assigned || effect.add.sign() == Sign::Plus
    }

    /// Can a firing leave less on the place than before?
    pub(crate) fn may_decrease(&self, effect: &Effect) -> bool {
        let keeps = self.sources(effect).any(|p| p == effect.place);
        !keeps || effect.add.sign() == Sign::Minus
    }

    /// By transition.
    fn relevant(&self, can_fire: &[bool], exact: &[bool], deadlock: bool, work: &mut Work<'_>) -> Check<Vec<bool>> {
        let mut relevant = Vec::with_capacity(can_fire.len());
        for (t, &fires) in self.rules.transitions.iter().zip(can_fire) {
            work.spend(1 + t.effects.iter().map(|e| 1 + e.sources.len() as u64).sum::<u64>())?;
            let matters = |e: &Effect| {
                exact[e.place.index()] && (self.may_increase(e) || self.may_decrease(e))
                    || self.is_kept(e.place) && self.may_increase(e)
            };
            relevant.push(fires && (deadlock || t.effects.iter().any(matters)));
        }
        Ok(relevant)
    }

    /// Relevant transitions and formulas are about kept places and empty ones.
    fn check(&self, relevant: &[bool], formulas: &[&Formula], work: &mut Work<'_>) -> Check<()> {
        let is_known = |p: PlaceId| self.is_kept(p) || !self.markable[p.index()];
        let unknown = |p: PlaceId| reject(format!("`{}` matters and is not kept", self.system.name(p.index())));
        for t in self.transitions(relevant) {
            work.spend(1 + t.guards.len() as u64 + t.effects.iter().map(|e| 1 + e.sources.len() as u64).sum::<u64>())?;
            let kept = t.effects.iter().filter(|e| self.is_kept(e.place));
            let mut asked = t.guards.iter().map(|g| g.place).chain(kept.flat_map(|e| self.sources(e)));
            if let Some(place) = asked.find(|p| !is_known(*p)) {
                return unknown(place);
            }
        }
        for formula in formulas {
            for node in formula.nodes() {
                let Node::AtLeast(sum) = node else { continue };
                work.spend(sum.terms.len() as u64)?;
                if let Some((place, _)) = sum.terms.iter().find(|(p, _)| !is_known(*p)) {
                    return unknown(*place);
                }
            }
        }
        Ok(())
    }

    fn transitions<'s>(&'s self, relevant: &'s [bool]) -> impl Iterator<Item = &'s Transition> {
        self.rules.transitions.iter().zip(relevant).filter_map(|(t, relevant)| relevant.then_some(t))
    }
}

/// Every listed marking has enough successors in the set, and no goal holds.
fn closed(kept: &Kept<'_>, set: &Set, compiled: &Compiled, stubborn: &mut Stubborn, work: &mut Work<'_>) -> Check<()> {
    let mut rules: Vec<Option<u32>> = vec![None; stubborn.transitions()];
    (0..compiled.len() as u32).for_each(|rule| rules[compiled.transition(rule)] = Some(rule));
    let mut spread = Spread::default();
    let (mut state, mut key): (Vec<u32>, Vec<u64>) = (Vec::new(), Vec::new());
    let mut changes: Vec<Change> = Vec::new();
    for place in set.table.taken() {
        set.layout.unpack(set.table.key(place), &mut state);
        stubborn.look(&state, work)?;
        if stubborn.is_goal() {
            return reject(format!("the set contains a marking of a goal: {}", kept.describe(&state)));
        }
        for at in 0..stubborn.enabled().len() {
            let t = stubborn.enabled()[at];
            let Some(rule) = rules[t as usize] else { continue };
            compiled.spread(rule, &state, &mut spread);
            key.clear();
            key.extend_from_slice(set.table.key(place));
            let fits = compiled.fire(rule, &state, spread.bins(), &mut changes)
                && changes.iter().all(|change| set.layout.change(&mut key, change));
            if !fits || !set.table.has(&key, work)? {
                stubborn.leave_out(t);
            }
        }
        if !stubborn.admits(&state, work)? {
            let state = kept.describe(&state);
            return reject(format!("the set is not closed: {state} has too few successors in it"));
        }
    }
    Ok(())
}
