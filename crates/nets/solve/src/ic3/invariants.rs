//! Invariants used by the search. They are given to it as upper limits of places, as clauses, and as removed
//! transitions.

use super::thresholds::NetInvariants;
use crate::invariants::Invariants;
use model::{AtMost, Budget, NetInvariant, NetTask, PlaceId, Slot};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::sync::Arc;

/// Work units for the upper limit of a place.
const BOUND_WORK: u64 = 20_000;

/// The uses of invariants that are computed before the search (the concurrency relation, linear bounds).
///
/// The limits that the slots of the task imply are always used. If any field is true, the concurrency relation
/// also helps to show that a result for a bound holds without the bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvariantUse {
    /// Adds clauses: two places that the concurrency relation separates are not marked together.
    pub clauses: bool,
    /// Limits the tokens of places: larger thresholds are false. Without this, sums that need limits cannot be
    /// expressed.
    pub bounds: bool,
    /// Removes transitions that never fire.
    pub rules: bool,
}

impl InvariantUse {
    /// All uses.
    pub const ALL: Self = Self { clauses: true, bounds: true, rules: true };
    /// No use.
    pub const NONE: Self = Self { clauses: false, bounds: false, rules: false };
}

impl Default for InvariantUse {
    fn default() -> Self {
        Self::ALL
    }
}

/// Computes the invariants for the search, and the list of invariants that justify them. Each invariant in the
/// list may depend on those before it. Linear bounds are computed for the places `wanted`.
pub(super) fn known(
    task: &NetTask,
    invariants: &Arc<Invariants>,
    wanted: &[u32],
    how: InvariantUse,
    budget: &mut Budget,
) -> (NetInvariants, Vec<NetInvariant>) {
    let rules = invariants.rules();
    let mut known = NetInvariants::nothing(rules);
    let mut said = vec![invariants.potentially_marked()];
    for (number, places) in (0u32..).zip(groups(task)) {
        for place in &places {
            debug_assert_eq!(known.groups[place.index()], u32::MAX, "slots share no place");
            known.ends[place.index()] = 1;
            known.groups[place.index()] = number;
        }
        let terms = places.into_iter().map(|p| (p, BigInt::from(1))).collect();
        said.push(NetInvariant::AtMost(AtMost { terms, at_most: BigInt::from(1) }));
    }
    if how == InvariantUse::NONE {
        return (known, said);
    }
    if how.rules {
        known.firing = invariants.firing(budget).to_vec();
    }
    if let (Some(pairs), Some(marked)) = (invariants.pairs(budget), invariants.marked(budget)) {
        for (p, (end, &marked)) in known.ends.iter_mut().zip(marked).enumerate().filter(|_| how.bounds) {
            if !marked || !pairs.allows(p, p) {
                *end = (*end).min(u64::from(marked));
            }
        }
        said.push(NetInvariant::ConcurrencyRelation(pairs.clone()));
        known.pairs = how.clauses.then(|| Arc::clone(invariants));
    }
    if !how.bounds {
        return (known, said);
    }
    for &place in wanted {
        if known.ends[place as usize] < u64::MAX {
            continue;
        }
        let mut own = Budget::new(BOUND_WORK, Arc::clone(&budget.stop));
        let found = invariants.refute(&[(place, u64::from(u32::MAX >> 1))], &mut own);
        budget.spend(own.spent_of(BOUND_WORK));
        let Some(invariant) = found else { continue };
        let weight = invariant.terms.binary_search_by_key(&PlaceId(place), |t| t.0).ok().map(|i| &invariant.terms[i].1);
        if let Some(end) = weight.and_then(|weight| (&invariant.at_most / weight).to_u64()) {
            known.ends[place as usize] = end;
            said.push(NetInvariant::AtMost(invariant));
        }
    }
    (known, said)
}

/// Groups of places that contain at most one token together.
fn groups(task: &NetTask) -> Vec<Vec<PlaceId>> {
    let group = |slot: &Slot| match slot {
        Slot::OneOf(places) => {
            let mut places = places.clone();
            places.sort_unstable();
            Some(places)
        }
        Slot::Tokens(_) => None,
    };
    task.slots.iter().filter_map(group).collect()
}
