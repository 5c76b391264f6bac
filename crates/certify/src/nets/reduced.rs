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
use super::kept::KeptNet;
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
use model::{Formula, Markings};

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
        return Err(Refusal::Unknown(
            "the checker has no rule for stubborn sets of threads that choose among targets".to_owned(),
        ));
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
