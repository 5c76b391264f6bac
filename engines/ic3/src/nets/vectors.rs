//! The vector check: do lemmas hold of the net without any bound?
//!
//! Lemmas whose cubes ask for tokens only are vectors. Those that no initial marking covers and whose exact minimal
//! predecessors are excluded by others of them (or by facts) are never covered, whatever frames and bounds they come
//! from (Abdulla, Cerans, Jonsson, Tsay 1996; what Zhang et al. 2018 take for granted once bounds change nothing any
//! more). The greatest such set is found by leaving out what has another predecessor, until nothing has.

use crate::markings::frames::{FOREVER, Frames};
use crate::markings::known::{Bounds, excluded};
use crate::markings::predecessors::{Net, Predecessors, Shape};
use crate::markings::vector::{Dense, Vector};
use analysis::rules::Rules;
use model::{Budget, NetFact, PlaceId};
use num_bigint::BigUint;

/// Effort that costs one work unit.
const EFFORT_PER_UNIT: u64 = 32;

/// What predecessors may be excluded by.
pub(super) struct Grounds<'a> {
    pub(super) rules: &'a Rules,
    /// With which places can be marked.
    pub(super) pairs: Option<(&'a model::Pairs, &'a [bool])>,
    pub(super) bounds: &'a Bounds,
}

/// Vectors that are never covered and exclude all `targets`, as far as they are needed for that; `None` if they do not,
/// or if work must end.
pub(super) fn closed(
    grounds: &Grounds<'_>,
    vectors: impl Iterator<Item = Vector>,
    targets: &[Vector],
    budget: &mut Budget,
) -> Option<Vec<Vector>> {
    let rules = grounds.rules;
    let shape = Shape::whole(rules);
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

/// Leaves out vectors with predecessors that nothing excludes, until there are none.
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

/// What is needed.
struct Taken {
    is_taken: Vec<bool>,
    work: Vec<u32>,
}

impl Taken {
    /// Takes something that excludes `asked`: what is taken already if possible.
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

/// As a fact; `None` if there is nothing to say.
pub(super) fn fact(vectors: &[Vector]) -> Option<NetFact> {
    let big = |&(p, n): &(u32, u32)| (PlaceId(p), BigUint::from(n));
    let vectors: Vec<model::Vector> = vectors.iter().map(|v| v.iter().map(big).collect()).collect();
    (!vectors.is_empty()).then_some(NetFact::NeverCovered(vectors))
}
