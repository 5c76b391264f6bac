//! What is known of a net before the search: facts that hold of every run, as ends of thresholds, clauses and deleted
//! transitions.

use super::thresholds::Known;
use analysis::facts::Facts;
use model::{AtMost, Budget, NetFact, NetTask, PlaceId, Slot};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::sync::Arc;

/// Work units for the bound of a place.
const BOUND_WORK: u64 = 20_000;

/// What facts that hold of every run (which places are never marked together, linear bounds) are used for. Whatever is
/// chosen, what holds in a slot by the kind of system is used; and facts that are used at all also help to show that
/// what holds within a bound holds without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactUse {
    /// As clauses: no two places that are never marked together.
    pub clauses: bool,
    /// As ends of what a place can hold: thresholds beyond are false. Without them, sums that need an end cannot be
    /// asked about.
    pub bounds: bool,
    /// As transitions left out: those that never fire.
    pub rules: bool,
}

impl FactUse {
    /// For everything.
    pub const ALL: Self = Self { clauses: true, bounds: true, rules: true };
    /// For nothing.
    pub const NONE: Self = Self { clauses: false, bounds: false, rules: false };
}

impl Default for FactUse {
    fn default() -> Self {
        Self::ALL
    }
}

/// Finds out what is known, and the facts that say it, in an order in which each may rest on those before it. `wanted`:
/// places for which linear bounds are looked for.
pub(super) fn known(
    task: &NetTask,
    facts: &Arc<Facts>,
    wanted: &[u32],
    how: FactUse,
    budget: &mut Budget,
) -> (Known, Vec<NetFact>) {
    let rules = facts.rules();
    let mut known = Known::nothing(rules);
    let mut said = vec![facts.markable()];
    for (number, places) in (0u32..).zip(groups(task)) {
        for place in &places {
            debug_assert_eq!(known.groups[place.index()], u32::MAX, "slots share no place");
            known.ends[place.index()] = 1;
            known.groups[place.index()] = number;
        }
        let terms = places.into_iter().map(|p| (p, BigInt::from(1))).collect();
        said.push(NetFact::AtMost(AtMost { terms, at_most: BigInt::from(1) }));
    }
    if how == FactUse::NONE {
        return (known, said);
    }
    if how.rules {
        known.firing = facts.firing(budget).to_vec();
    }
    if let (Some(pairs), Some(marked)) = (facts.pairs(budget), facts.marked(budget)) {
        for (p, (end, &marked)) in known.ends.iter_mut().zip(marked).enumerate().filter(|_| how.bounds) {
            if !marked || !pairs.allows(p, p) {
                *end = (*end).min(u64::from(marked));
            }
        }
        said.push(NetFact::Pairs(pairs.clone()));
        known.pairs = how.clauses.then(|| Arc::clone(facts));
    }
    if !how.bounds {
        return (known, said);
    }
    for &place in wanted {
        if known.ends[place as usize] < u64::MAX {
            continue;
        }
        let mut own = Budget::new(BOUND_WORK, Arc::clone(&budget.stop));
        let found = facts.refute(&[(place, u64::from(u32::MAX >> 1))], &mut own);
        budget.spend(own.spent_of(BOUND_WORK));
        let Some(fact) = found else { continue };
        let weight = fact.terms.binary_search_by_key(&PlaceId(place), |t| t.0).ok().map(|i| &fact.terms[i].1);
        if let Some(end) = weight.and_then(|weight| (&fact.at_most / weight).to_u64()) {
            known.ends[place as usize] = end;
            said.push(NetFact::AtMost(fact));
        }
    }
    (known, said)
}

/// Places of which one at most holds a token.
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
