//! Places of a stuck net that stay empty together: whatever puts a token on one of them needs a token on one of them.
//! Such a set is an empty siphon (Commoner), the usual cause of a deadlock: a resource for each of a circle of threads.

use crate::reasons::Marking;
use model::{Effect, Guard, Net, PlaceId, TransitionId};
use num_bigint::{BigUint, Sign};
use num_traits::Zero;
use std::collections::BTreeSet;

/// Most arcs that are looked at.
const WORK: usize = 1_000_000;
/// Most places that are named. A longer list explains nothing.
const MOST: usize = 12;

/// Returns a smallest set that the search finds. `None` if there is none, or only such with places that no transition
/// puts a token on.
pub(crate) fn empty(net: &Net, at: &Marking) -> Option<Vec<PlaceId>> {
    let is_empty = |place: PlaceId| at[place.index()].is_zero();
    let mut givers: Vec<Vec<TransitionId>> = vec![Vec::new(); net.places().len()];
    for (number, transition) in net.transitions().iter().enumerate() {
        for effect in transition.effects.iter().filter(|effect| may_add(effect)) {
            givers[effect.place.index()].push(TransitionId::new(number));
        }
    }
    let mut work = WORK;
    let mut smallest = |is_start: &dyn Fn(PlaceId) -> bool| {
        let starts = (0..net.places().len()).map(PlaceId::new);
        let starts = starts.filter(|p| is_empty(*p) && is_start(*p) && !givers[p.index()].is_empty());
        let mut best: Option<BTreeSet<PlaceId>> = None;
        for start in starts {
            let most = best.as_ref().map_or(MOST, |best| best.len() - 1);
            best = closed(net, start, most, &is_empty, &givers, &mut work).or(best);
        }
        best
    };
    // A token that is lost says more than places that never had one.
    let had_one = |place: PlaceId| !net.place(place).initial.at_least.is_zero();
    let best = smallest(&had_one).or_else(|| smallest(&|_| true));
    best.map(|set| set.into_iter().collect())
}

/// Returns a set with at most `most` places that contains `start` and stays empty.
fn closed(
    net: &Net,
    start: PlaceId,
    most: usize,
    is_empty: &impl Fn(PlaceId) -> bool,
    givers: &[Vec<TransitionId>],
    work: &mut usize,
) -> Option<BTreeSet<PlaceId>> {
    let (mut set, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(place) = open.pop() {
        for giver in &givers[place.index()] {
            let guards = &net.transition(*giver).guards;
            *work = work.checked_sub(guards.len() + 1)?;
            let needed = || guards.iter().filter(|guard| needs(guard)).map(|guard| guard.place);
            if needed().any(|place| set.contains(&place)) {
                continue;
            }
            let next = needed().filter(|place| is_empty(*place)).min_by_key(|place| givers[place.index()].len())?;
            set.insert(next);
            open.push(next);
        }
        if set.len() > most {
            return None;
        }
    }
    (set.len() <= most).then_some(set)
}

/// True if the guard does not hold on an empty place.
fn needs(guard: &Guard) -> bool {
    guard.range.at_least > BigUint::ZERO
}

/// True if the place may have more tokens after the effect.
fn may_add(effect: &Effect) -> bool {
    match effect.delta() {
        Some(delta) => delta.sign() == Sign::Plus,
        None => !effect.sources.is_empty() || effect.add.sign() == Sign::Plus,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::SystemModel;
    use std::sync::Arc;
    use testkit::Random;
    use testkit::marked::branching::Graph;

    /// What is said to stay empty is empty in all markings that follow.
    #[test]
    fn what_stays_empty_does() {
        let mut seen = 0;
        for seed in 0..testkit::count(2_000) {
            let net = Arc::new(testkit::net::up_to(5, &mut Random::new(seed ^ 0x7369_7068)));
            let system: SystemModel = Arc::clone(&net).into();
            let Some(graph) = Graph::of(&system, 300) else { continue };
            for (first, marking) in graph.markings.iter().enumerate() {
                let at: Marking = marking.clone();
                let Some(places) = empty(&net, &at) else { continue };
                seen += 1;
                let (mut open, mut known) = (vec![first], BTreeSet::from([first]));
                while let Some(number) = open.pop() {
                    assert!(places.iter().all(|p| graph.markings[number][p.index()].is_zero()), "{places:?} {net:?}");
                    open.extend(graph.next[number].iter().filter(|next| known.insert(**next)));
                }
            }
        }
        assert!(!testkit::are_full() || seen > 500, "{seen}");
    }
}
