//! Sets of markings closed under the successors by stubborn sets, as `model::Markings` defines them: for each
//! marking the set contains enough of its successors. The argument has two parts.
//!
//! **What is inspected.** Let S be the net that has only the kept places and the *relevant* transitions. A
//! transition is relevant if it changes an exact place (`exact` computes these places) or may put tokens on
//! another kept place. If a deadlock is claimed, all transitions are relevant. Transitions that need tokens on
//! a place which is not potentially marked never fire and do not count. The check requires that certain places
//! are kept or always empty: the places of guards of relevant transitions, the places that effects of relevant
//! transitions on kept places add up, and the places of the goals.
//! 1. If a run of the system reaches a goal, then a run of S reaches it. Proof: leave out the transitions of
//!    the run that are not relevant. By induction exact places hold the same number of tokens, and other kept
//!    places at least as many, because the omitted transitions only take tokens from these places. So every
//!    relevant transition of the run is enabled in the shorter run. (Guards with an upper end are on exact
//!    places.) And the goal holds at its end: places with a positive weight hold at least as many tokens,
//!    places with a negative weight hold the same number. For a deadlock, all kept places are exact, and all
//!    transitions are in S.
//!
//! **S does not reach a goal.** The listed markings contain all initial markings of S and no marking of a goal.
//! For each listed marking there is a set T of transitions of S that is stubborn for every claimed goal, and
//! all enabled transitions of T lead to listed markings. The evidence does not say which T the search used.
//! [`super::stubborn`] removes the transitions that lead elsewhere, then the transitions that break a rule. At
//! the end it tests whether the remaining transitions suffice.
//!
//! 2. If a listed marking is n > 0 firings of S away from a goal, then some listed successor is at most n - 1
//!    firings away. Proof: in [`super::stubborn`].
//! 3. No run reaches a goal. Proof: no listed marking is 0 firings away from a goal. By induction with 2, no
//!    listed marking is n firings of S away from a goal, for any n. The initial markings of S are listed, so no
//!    run of S reaches a goal. By 1 no run of the system reaches a goal.

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
use kernel::net::{Marked, Rules, SlotLayout, potentially_marked};
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
    let can_fire = potentially_marked::check(system, rules, &markings.potentially_marked, work)?;
    if rules.scatters.iter().any(|s| can_fire[s.transition]) {
        return Err(Refusal::Unknown("stubborn sets of threads that choose".to_owned()));
    }
    work.spend(formulas.iter().map(|formula| size(formula)).sum())?;
    let formulas: Vec<Formula> =
        formulas.iter().map(|formula| where_empty(formula, &markings.potentially_marked)).collect();
    let formulas: &[&Formula] = &formulas.iter().collect::<Vec<_>>();
    let shape = SlotLayout::new(system, &markings.slots)?;
    let exact = exact_places(rules, &can_fire, &shape, formulas, deadlock, work)?;
    let part = KeptNet::new(system, rules, &markings.potentially_marked, &shape);
    let relevant = part.relevant(&can_fire, &exact, deadlock, work)?;
    part.check(&relevant, formulas, work)?;

    let survey = Survey::of(system, &shape, markings.states.as_ref(), work)?;
    let source = compiled::Source {
        system,
        rules,
        can_fire: &relevant,
        potentially_marked: &markings.potentially_marked,
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

/// The markings of kept places, as a listed set.
struct Kept<'a> {
    part: &'a KeptNet<'a>,
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

    /// Not used. [`closed`] checks the steps, because which steps are needed depends on the stubborn set.
    fn expand(&mut self, _: &[u32], _: &mut impl Visit, _: &mut Work<'_>) -> Check<()> {
        Err(Refusal::Unknown("stubborn sets are checked state by state".to_owned()))
    }

    fn describe(&self, state: &[u32]) -> String {
        self.part.shape.describe(self.part.system, state)
    }
}

/// The part of the system that is kept.
pub(crate) struct KeptNet<'a> {
    system: Marked<'a>,
    pub(crate) rules: &'a Rules<'a>,
    pub(crate) potentially_marked: &'a [bool],
    pub(crate) shape: &'a SlotLayout<'a>,
}

impl<'a> KeptNet<'a> {
    pub(crate) fn new(
        system: Marked<'a>,
        rules: &'a Rules<'a>,
        potentially_marked: &'a [bool],
        shape: &'a SlotLayout<'a>,
    ) -> Self {
        Self { system, rules, potentially_marked, shape }
    }

    pub(crate) fn is_kept(&self, place: PlaceId) -> bool {
        self.shape.at(place).is_some()
    }

    /// The places that an effect adds up, without the places that are always empty.
    pub(crate) fn sources<'e>(&'e self, effect: &'e Effect) -> impl Iterator<Item = PlaceId> + 'e {
        effect.sources.iter().copied().filter(|p| self.potentially_marked[p.index()])
    }

    /// True if the effect is a constant change.
    pub(crate) fn is_constant(&self, effect: &Effect) -> bool {
        self.sources(effect).eq([effect.place])
    }

    /// True if the effect leaves its place unchanged, given that places which are never marked add nothing.
    pub(crate) fn is_void(&self, effect: &Effect) -> bool {
        self.is_constant(effect) && effect.add.sign() == Sign::NoSign
    }

    /// True if a firing can leave more tokens on the place than before.
    pub(crate) fn may_increase(&self, effect: &Effect) -> bool {
        let is_assigned = !self.is_constant(effect) && self.sources(effect).next().is_some();
        is_assigned || effect.add.sign() == Sign::Plus
    }

    /// True if a firing can leave fewer tokens on the place than before.
    pub(crate) fn may_decrease(&self, effect: &Effect) -> bool {
        let keeps = self.sources(effect).any(|p| p == effect.place);
        !keeps || effect.add.sign() == Sign::Minus
    }

    /// For each transition: true if it is relevant.
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

    /// Checks that relevant transitions and formulas depend only on kept places and on places that are always
    /// empty.
    fn check(&self, relevant: &[bool], formulas: &[&Formula], work: &mut Work<'_>) -> Check<()> {
        let is_known = |p: PlaceId| self.is_kept(p) || !self.potentially_marked[p.index()];
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

/// Checks that every listed marking has enough successors in the set, and that no goal holds in it.
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
