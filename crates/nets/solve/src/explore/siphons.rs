//! Siphons that are empty in a marking ([`crate::siphons`]): some transitions are dead from there on. Long runs
//! come to markings with such siphons in many nets that are not live, so a formula such as `AG EF a` is refuted there.

use super::graph::Graph;
use crate::siphons;
use model::{Ctl, Formula, Net, PlaceId};
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
        let inside = siphons::largest_among(net, graph.tokens(state).iter().map(|tokens| *tokens == 0).collect());
        let places: Vec<PlaceId> = (0..inside.len()).filter(|p| inside[*p]).map(PlaceId::new).collect();
        (!places.is_empty()).then_some(Self { places, inside, state })
    }

    /// Returns the truth of each subformula in this marking, as far as it is the same for ever.
    pub(super) fn lasting(&self, formula: &Ctl, letters: &[Arc<Formula>]) -> Vec<Option<bool>> {
        formula.lasting(|letter| letters[letter.index()].truth_without(&self.inside))
    }
}
