//! What holds of every reachable marking before the search begins or besides it: pairs of places that are never marked
//! together, and linear bounds. They are asked by look-up and never become lemmas.

use crate::markings::predecessors::Net;
use crate::markings::vector::Dense;
use model::AtMost;
use num_traits::ToPrimitive;

/// Linear bounds without negative weights.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    bounds: Vec<Bound>,
}

#[derive(Debug)]
struct Bound {
    fact: AtMost,
    /// By place.
    weights: Vec<u32>,
    at_most: u64,
}

/// Why no reachable marking covers a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Excluded {
    Pairs,
    /// By number.
    Bound(usize),
}

impl Bounds {
    /// Keeps a bound; false if its numbers are too large or it has negative weights.
    pub(crate) fn add(&mut self, places: usize, fact: AtMost) -> bool {
        let mut weights = vec![0; places];
        for (p, weight) in &fact.terms {
            let Some(weight) = weight.to_u32() else { return false };
            weights[p.index()] = weight;
        }
        let Some(at_most) = fact.at_most.to_u64().filter(|n| *n < u64::MAX) else { return false };
        debug_assert_eq!(weights.len(), places);
        self.bounds.push(Bound { fact, weights, at_most });
        true
    }

    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    pub(crate) fn fact(&self, i: usize) -> &AtMost {
        &self.bounds[i].fact
    }

    fn excluding(&self, vector: &Dense) -> Option<usize> {
        self.bounds.iter().position(|bound| {
            let weighted = |p: &u32| u64::from(bound.weights[*p as usize]) * u64::from(vector.get(*p));
            vector.places().iter().map(weighted).fold(0, u64::saturating_add) > bound.at_most
        })
    }
}

/// Why no reachable marking covers `vector`, if that is known.
pub(crate) fn excluded(net: Net<'_>, bounds: &Bounds, vector: &Dense) -> Option<Excluded> {
    let never = |marked: &[bool]| vector.places().iter().any(|p| !marked[*p as usize]);
    if net.marked.is_some_and(never) || net.pairs.is_some_and(|pairs| !allows(pairs, vector)) {
        return Some(Excluded::Pairs);
    }
    bounds.excluding(vector).map(Excluded::Bound)
}

fn allows(pairs: &model::Pairs, vector: &Dense) -> bool {
    let places = vector.places();
    places.iter().enumerate().all(|(i, &p)| {
        let twice = vector.get(p) < 2 || pairs.allows(p as usize, p as usize);
        twice && places[..i].iter().all(|&q| pairs.allows(p as usize, q as usize))
    })
}
