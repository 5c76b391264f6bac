//! The vector check: finds lemmas that hold in the net without any bound.
//!
//! A lemma is a vector if its cube only requires tokens. Take a set of vectors such that no initial marking
//! covers any of them, and all their exact minimal predecessors are excluded by vectors of the set or by other
//! invariants. Then no vector of the set is ever covered, whatever frames and bounds they come from (Abdulla,
//! Cerans, Jonsson, Tsay 1996). Zhang et al. 2018 assume this without a check once larger bounds change
//! nothing. To find the greatest such set, vectors with a predecessor that is not excluded are removed, until
//! no such vector is left.

use crate::coverability::frames::{FOREVER, Frames};
use crate::coverability::invariants::{Bounds, excluded};
use crate::coverability::predecessors::{BackwardNet, Net, Predecessors};
use crate::coverability::vector::{Dense, Vector};
use crate::rules::Rules;
use model::{Budget, NetInvariant, PlaceId};
use num_bigint::BigUint;

/// Effort per work unit.
const EFFORT_PER_UNIT: u64 = 32;

/// The net, and the invariants that may exclude predecessors.
pub(super) struct Grounds<'a> {
    pub(super) rules: &'a Rules,
    /// The concurrency relation, with the places that it allows to be marked.
    pub(super) pairs: Option<(&'a model::ConcurrencyRelation, &'a [bool])>,
    pub(super) bounds: &'a Bounds,
}

/// Returns vectors that are never covered and exclude all `targets`, without those that are not needed for
/// this. Returns `None` if the vectors do not exclude the targets, or if the check has been told to stop.
pub(super) fn closed(
    grounds: &Grounds<'_>,
    vectors: impl Iterator<Item = Vector>,
    targets: &[Vector],
    budget: &mut Budget,
) -> Option<Vec<Vector>> {
    let rules = grounds.rules;
    let shape = BackwardNet::whole(rules);
    let (pairs, marked) = grounds.pairs.unzip();
    let net = Net { rules, shape: &shape, pairs, marked };
    let mut left = Frames::new(rules.places());
    for vector in vectors.filter(|v| !v.is_empty() && !shape.start.meets(v)) {
        debug_assert!(vector.is_sorted_by(|a, b| a.0 < b.0));
        left.add(vector, FOREVER);
    }
    let mut predecessors = Predecessors::new(rules);
    leave_out(&mut left, net, grounds.bounds, &mut predecessors, budget)?;

    let mut taken = Taken { is_taken: vec![false; left.width()], work: Vec::new() };
    let mut asked = Dense::new(rules.places());
    for target in targets {
        asked.load(target);
        taken.take(net, grounds.bounds, &left, &asked)?;
    }
    while let Some(id) = taken.work.pop() {
        let vector = &left.lemma(id).vector;
        let missing =
            predecessors.find(net, vector, 0, |found| taken.take(net, grounds.bounds, &left, found).is_none());
        if missing != Ok(None) {
            return None;
        }
    }
    let needed = left.ids().filter(|(id, _)| taken.is_taken[*id as usize]);
    Some(needed.map(|(id, _)| left.lemma(id).vector.clone()).collect())
}

/// Removes vectors with predecessors that nothing excludes, until no such vector is left.
fn leave_out(
    left: &mut Frames,
    net: Net<'_>,
    bounds: &Bounds,
    predecessors: &mut Predecessors,
    budget: &mut Budget,
) -> Option<()> {
    loop {
        let ids: Vec<u32> = left.ids().filter(|(_, level)| *level > 0).map(|(id, _)| id).collect();
        let mut changed = false;
        for id in ids {
            let before = predecessors.effort + left.scanned();
            let vector = left.lemma(id).vector.clone();
            let is_open =
                |found: &Dense| excluded(net, bounds, found).is_none() && left.blocker(found, FOREVER).is_none();
            if predecessors.find(net, &vector, 0, is_open) != Ok(None) {
                left.remove(id);
                changed = true;
            }
            budget.spend((predecessors.effort + left.scanned() - before) / EFFORT_PER_UNIT);
            if budget.stop.raised().is_some() {
                return None;
            }
        }
        if !changed {
            return Some(());
        }
    }
}

/// The vectors that are needed. `work` contains those with predecessors still to be excluded.
struct Taken {
    is_taken: Vec<bool>,
    work: Vec<u32>,
}

impl Taken {
    /// Adds a vector that excludes `asked`. A vector that is already in the set is preferred.
    fn take(&mut self, net: Net<'_>, bounds: &Bounds, left: &Frames, asked: &Dense) -> Option<()> {
        if excluded(net, bounds, asked).is_some() {
            return Some(());
        }
        let mut first = None;
        let taken = left.find(asked, FOREVER, |id| {
            first.get_or_insert(id);
            self.is_taken[id as usize]
        });
        if taken.is_none() {
            let id = first?;
            debug_assert!(!self.is_taken[id as usize]);
            self.is_taken[id as usize] = true;
            self.work.push(id);
        }
        Some(())
    }
}

/// Makes an invariant from the vectors. `None` if there are no vectors.
pub(super) fn invariant(vectors: &[Vector]) -> Option<NetInvariant> {
    let big = |&(p, n): &(u32, u32)| (PlaceId(p), BigUint::from(n));
    let vectors: Vec<model::Vector> = vectors.iter().map(|v| v.iter().map(big).collect()).collect();
    (!vectors.is_empty()).then_some(NetInvariant::NeverCovered(vectors))
}
