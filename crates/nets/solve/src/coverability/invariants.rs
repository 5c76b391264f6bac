//! Invariants that do not come from the search: pairs of places that are never marked together, and linear
//! bounds. They are looked up, and never become lemmas.

use crate::coverability::predecessors::Net;
use crate::coverability::vector::Dense;
use model::AtMost;
use num_traits::ToPrimitive;

/// Linear bounds without negative weights.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    bounds: Vec<Bound>,
}

#[derive(Debug)]
struct Bound {
    invariant: AtMost,
    /// The weight of each place.
    weights: Vec<u32>,
    at_most: u64,
}

/// The invariant that shows that no reachable marking covers a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Excluded {
    ConcurrencyRelation,
    /// The bound with this index.
    Bound(usize),
}

impl Bounds {
    /// Adds a bound. Returns false if it has negative weights or its numbers are too large.
    pub(crate) fn add(&mut self, places: usize, invariant: AtMost) -> bool {
        let mut weights = vec![0; places];
        for (p, weight) in &invariant.terms {
            let Some(weight) = weight.to_u32() else { return false };
            weights[p.index()] = weight;
        }
        let Some(at_most) = invariant.at_most.to_u64().filter(|n| *n < u64::MAX) else { return false };
        debug_assert_eq!(weights.len(), places);
        self.bounds.push(Bound { invariant, weights, at_most });
        true
    }

    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    pub(crate) fn invariant(&self, i: usize) -> &AtMost {
        &self.bounds[i].invariant
    }

    fn excluding(&self, vector: &Dense) -> Option<usize> {
        self.bounds.iter().position(|bound| {
            let weighted = |p: &u32| u64::from(bound.weights[*p as usize]) * u64::from(vector.get(*p));
            vector.places().iter().map(weighted).fold(0, u64::saturating_add) > bound.at_most
        })
    }
}

/// Returns an invariant that shows that no reachable marking covers `vector`, if one is known.
pub(crate) fn excluded(net: Net<'_>, bounds: &Bounds, vector: &Dense) -> Option<Excluded> {
    let never = |marked: &[bool]| vector.places().iter().any(|p| !marked[*p as usize]);
    if net.marked.is_some_and(never) || net.pairs.is_some_and(|pairs| !allows(pairs, vector)) {
        return Some(Excluded::ConcurrencyRelation);
    }
    bounds.excluding(vector).map(Excluded::Bound)
}

fn allows(pairs: &model::ConcurrencyRelation, vector: &Dense) -> bool {
    let places = vector.places();
    places.iter().enumerate().all(|(i, &p)| {
        let twice = vector.get(p) < 2 || pairs.allows(p as usize, p as usize);
        twice && places[..i].iter().all(|&q| pairs.allows(p as usize, q as usize))
    })
}
