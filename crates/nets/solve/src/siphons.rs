//! The largest siphon that is empty in a marking: its places stay empty for ever.
//!
//! It consists of the empty places, less those on which a transition may produce that consumes from none of the places
//! left (a fixpoint; Murata, "Petri nets: Properties, analysis and applications", 1989).

use model::{Net, PlaceId};
use num_bigint::{BigUint, Sign};

/// Returns the places of the largest siphon among these places. Linear in the size of the net.
#[must_use]
pub fn largest_among(net: &Net, mut inside: Vec<bool>) -> Vec<bool> {
    // For each place: the transitions that are looked at again when it leaves the set.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); inside.len()];
    for (number, t) in net.transitions().iter().enumerate() {
        let sources = t.effects.iter().flat_map(|effect| effect.sources.iter().copied());
        for place in t.guards.iter().map(|guard| guard.place).chain(sources) {
            users[place.index()].push(number);
        }
    }
    let mut open: Vec<usize> = (0..net.transitions().len()).collect();
    while let Some(number) = open.pop() {
        let refuted: Vec<PlaceId> = refuted(&net.transitions()[number], &inside).collect();
        for place in refuted {
            if std::mem::replace(&mut inside[place.index()], false) {
                open.extend(&users[place.index()]);
            }
        }
    }
    inside
}

/// Returns the places of a set on which the transition may put a token although the set is empty.
fn refuted<'t>(transition: &'t model::Transition, inside: &'t [bool]) -> impl Iterator<Item = PlaceId> + 't {
    let needs = |guard: &model::Guard| inside[guard.place.index()] && guard.range.at_least > BigUint::ZERO;
    let is_dead = transition.guards.iter().any(needs);
    let gives = |effect: &&model::Effect| {
        let is_fed = effect.sources.iter().any(|source| !inside[source.index()]);
        inside[effect.place.index()] && (is_fed || effect.add.sign() == Sign::Plus)
    };
    transition.effects.iter().filter(move |effect| !is_dead && gives(effect)).map(|effect| effect.place)
}
