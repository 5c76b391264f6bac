//! Computes which kept places of a set of markings are exact, by the definition in `model::Markings`. The exact
//! places are the least set that contains:
//! * the kept places that a transition tests for an upper end,
//! * the kept places that have a negative weight in a goal,
//! * all kept places, if a deadlock is claimed,
//! * for each exact place, all kept sources of effects on it. These are the places that an effect adds up, and
//!   the places with threads that may pick the exact place as their target.
//!
//! Transitions that cannot fire do not count.

use crate::Check;
use kernel::Work;
use kernel::net::{Rules, SlotLayout};
use model::{Formula, Node, PlaceId};
use num_traits::Signed;

/// Returns for each place whether it is exact. Only kept places are.
pub(crate) fn exact_places(
    rules: &Rules<'_>,
    can_fire: &[bool],
    shape: &SlotLayout<'_>,
    goals: &[&Formula],
    deadlock: bool,
    work: &mut Work<'_>,
) -> Check<Vec<bool>> {
    let kept = |p: PlaceId| shape.at(p).is_some();
    if deadlock {
        return Ok((0..rules.initial.len()).map(|p| kept(PlaceId::new(p))).collect());
    }
    let mut exact = vec![false; rules.initial.len()];
    let mut open = Vec::new();
    let mut sources: Vec<Vec<PlaceId>> = vec![Vec::new(); rules.initial.len()];
    for t in rules.transitions.iter().zip(can_fire).filter_map(|(t, fires)| fires.then_some(t)) {
        work.spend(1 + (t.guards.len() + t.effects.len()) as u64)?;
        open.extend(t.guards.iter().filter(|g| g.range.at_most.is_some()).map(|g| g.place));
        for effect in t.effects.iter().filter(|e| e.delta().is_none() && kept(e.place)) {
            work.spend(effect.sources.len() as u64)?;
            sources[effect.place.index()].extend_from_slice(&effect.sources);
        }
    }
    for scatter in rules.scatters.iter().filter(|s| can_fire[s.transition]) {
        work.spend(scatter.targets.len() as u64)?;
        let targets = scatter.targets.iter().filter(|p| kept(**p));
        targets.for_each(|p| sources[p.index()].push(scatter.source));
    }
    for formula in goals {
        for node in formula.nodes() {
            let Node::AtLeast(sum) = node else { continue };
            open.extend(sum.terms.iter().filter(|(_, weight)| weight.is_negative()).map(|(p, _)| *p));
        }
    }
    while let Some(place) = open.pop() {
        work.spend(1)?;
        if kept(place) && !std::mem::replace(&mut exact[place.index()], true) {
            open.append(&mut sources[place.index()]);
        }
    }
    Ok(exact)
}
