//! Siphons that are empty in a marking: their places stay empty for ever, and some transitions are dead.
//!
//! The largest one consists of the empty places, less those on which a transition produces that consumes from none of
//! the places left (a fixpoint; Murata, "Petri nets: Properties, analysis and applications", 1989). Long runs come to
//! markings with such siphons in many nets that are not live, so a formula such as `AG EF a` is refuted there.

use super::graph::Graph;
use model::{Ctl, Formula, Net, PlaceId, Transition};
use num_bigint::{BigUint, Sign};
use std::sync::Arc;

/// A siphon, with a known marking in which it is empty.
pub(super) struct Empty {
    pub(super) places: Vec<PlaceId>,
    inside: Vec<bool>,
    pub(super) state: u32,
}

impl Empty {
    /// Returns the largest siphon that is empty in a marking. `None` if there is none.
    pub(super) fn at(state: u32, graph: &Graph, net: &Net) -> Option<Self> {
        let tokens = graph.tokens(state);
        let mut inside: Vec<bool> = tokens.iter().map(|tokens| *tokens == 0).collect();
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
        let places: Vec<PlaceId> = (0..inside.len()).filter(|p| inside[*p]).map(PlaceId::new).collect();
        (!places.is_empty()).then_some(Self { places, inside, state })
    }

    /// Returns the truth of each subformula in this marking, as far as it is the same for ever.
    pub(super) fn lasting(&self, formula: &Ctl, letters: &[Arc<Formula>]) -> Vec<Option<bool>> {
        formula.lasting(|letter| letters[letter.index()].truth_without(&self.inside))
    }
}

/// Returns the places of a set on which the transition may put a token although the set is empty.
fn refuted<'t>(transition: &'t Transition, inside: &'t [bool]) -> impl Iterator<Item = PlaceId> + 't {
    let needs = |guard: &model::Guard| inside[guard.place.index()] && guard.range.at_least > BigUint::ZERO;
    let is_dead = transition.guards.iter().any(needs);
    let gives = |effect: &&model::Effect| {
        let is_fed = effect.sources.iter().any(|source| !inside[source.index()]);
        inside[effect.place.index()] && (is_fed || effect.add.sign() == Sign::Plus)
    };
    transition.effects.iter().filter(move |effect| !is_dead && gives(effect)).map(|effect| effect.place)
}
