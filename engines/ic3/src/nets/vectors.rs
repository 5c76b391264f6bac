//! The vector check: do lemmas hold of the net without any bound?
//!
//! Lemmas whose cubes ask for tokens only are vectors. Those that no initial marking covers and whose exact minimal
//! predecessors are excluded by others of them (or by facts) are never covered, whatever frames and bounds they come
//! from (Abdulla, Cerans, Jonsson, Tsay 1996; what Zhang et al. 2018 take for granted once bounds change nothing any more). The
//! greatest such set is found by leaving out what has another predecessor, until nothing has.

use crate::markings::known::{Bounds, excluded};
use crate::markings::predecessors::{Net, Predecessors, Shape};
use crate::markings::vector::{Dense, Vector, signature};
use model::{NetFact, PlaceId};
use num_bigint::BigUint;
use reduce::rules::Rules;

/// Vectors looked at: the check is quadratic.
const MOST: usize = 20_000;

struct Check<'a> {
    net: Net<'a>,
    bounds: &'a Bounds,
    vectors: &'a [Vector],
    signatures: Vec<u128>,
    /// By vector: still in the set?
    is_left: Vec<bool>,
}

impl Check<'_> {
    /// A vector of the set that `asked` covers.
    fn blocker(&self, asked: &Dense, prefer: &[bool]) -> Option<usize> {
        let signature = asked.signature();
        let blocks =
            |&i: &usize| self.is_left[i] && self.signatures[i] & !signature == 0 && asked.covers(&self.vectors[i]);
        let mut all = (0..self.vectors.len()).filter(blocks);
        let first = all.next()?;
        Some(if prefer[first] { first } else { all.find(|&i| prefer[i]).unwrap_or(first) })
    }

    fn is_known(&self, asked: &Dense) -> bool {
        excluded(self.net, self.bounds, asked).is_some()
    }
}

/// Vectors that are never covered and exclude all `targets`, as far as they are needed for that; `None` if they do not.
pub(crate) fn closed(
    rules: &Rules,
    pairs: Option<(&model::Pairs, &[bool])>,
    bounds: &Bounds,
    vectors: &[Vector],
    targets: &[Vector],
) -> Option<Vec<Vector>> {
    if vectors.len() > MOST {
        return None;
    }
    let shape = Shape::whole(rules);
    let net = Net { rules, shape: &shape, pairs: pairs.map(|p| p.0), marked: pairs.map(|p| p.1) };
    let signatures = vectors.iter().map(|v| signature(v)).collect();
    let is_left = vectors.iter().map(|v| !shape.start.meets(v)).collect();
    let mut check = Check { net, bounds, vectors, signatures, is_left };
    let mut predecessors = Predecessors::new(rules);
    let none = vec![false; vectors.len()];
    loop {
        let mut changed = false;
        for (i, vector) in vectors.iter().enumerate() {
            if !check.is_left[i] {
                continue;
            }
            let open = |found: &Dense| !check.is_known(found) && check.blocker(found, &none).is_none();
            if predecessors.find(net, vector, 0, open) != Ok(None) {
                check.is_left[i] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut asked = Dense::new(rules.places());
    let mut taken = none;
    let mut work = Vec::new();
    for target in targets {
        asked.load(target);
        take(&check, &asked, &mut taken, &mut work)?;
    }
    while let Some(i) = work.pop() {
        let mut missing = false;
        let found = predecessors.find(net, &vectors[i], 0, |found| {
            missing |= take(&check, found, &mut taken, &mut work).is_none();
            missing
        });
        if missing || found.is_err() {
            return None;
        }
    }
    Some(vectors.iter().zip(taken).filter(|(_, taken)| *taken).map(|(v, _)| v.clone()).collect())
}

fn take(check: &Check<'_>, asked: &Dense, taken: &mut [bool], work: &mut Vec<usize>) -> Option<()> {
    if check.is_known(asked) {
        return Some(());
    }
    let i = check.blocker(asked, taken)?;
    if !taken[i] {
        taken[i] = true;
        work.push(i);
    }
    Some(())
}

/// As a fact; `None` if there is nothing to say.
pub(super) fn fact(vectors: &[Vector]) -> Option<NetFact> {
    let big = |&(p, n): &(u32, u32)| (PlaceId(p), BigUint::from(n));
    let vectors: Vec<model::Vector> = vectors.iter().map(|v| v.iter().map(big).collect()).collect();
    (!vectors.is_empty()).then_some(NetFact::NeverCovered(vectors))
}
