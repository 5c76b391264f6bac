//! Transitions and inequalities with small numbers, so that thousands of markings are visited in milliseconds.

use super::words::guards;
use crate::steps::marking::Stepper;
use model::{Linear, PlaceId, Range, TransitionId};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// A transition with small numbers.
pub(super) struct Rule {
    /// Places with the least and the greatest number of tokens.
    guards: Vec<(usize, u32, u32)>,
    /// Places with the places that are summed up, and what is added.
    effects: Vec<(usize, Vec<usize>, i64)>,
}

impl Rule {
    /// Returns all transitions; `None` if one has large numbers, or several outcomes.
    pub(super) fn all(stepper: Stepper<'_>) -> Option<Vec<Self>> {
        stepper.transitions().map(|t| Self::of(stepper, t)).collect()
    }

    fn of(stepper: Stepper<'_>, transition: TransitionId) -> Option<Self> {
        let guard = |(place, range): (PlaceId, Range)| {
            let most = range.at_most.map_or(Some(u32::MAX), |most| most.to_u32());
            Some((place.index(), range.at_least.to_u32()?, most?))
        };
        let guards = guards(stepper, transition).into_iter().map(guard).collect::<Option<_>>()?;
        let effects = match stepper {
            Stepper::Net(net) => {
                let of = |effect: &model::Effect| {
                    let sources = effect.sources.iter().map(|place| place.index()).collect();
                    Some((effect.place.index(), sources, effect.add.to_i64()?))
                };
                net.transition(transition).effects.iter().map(of).collect::<Option<_>>()?
            }
            Stepper::Threads(_) => {
                let mut total: BTreeMap<usize, i64> = BTreeMap::new();
                for (place, delta) in stepper.deltas(transition)? {
                    *total.entry(place.index()).or_default() += delta.to_i64()?;
                }
                total.into_iter().map(|(place, add)| (place, vec![place], add)).collect()
            }
        };
        Some(Self { guards, effects })
    }

    pub(super) fn is_enabled(&self, at: &[u32]) -> bool {
        self.guards.iter().all(|(place, least, most)| (*least..=*most).contains(&at[*place]))
    }

    /// Returns the next marking; `None` if a number is too large.
    pub(super) fn fire(&self, at: &[u32]) -> Option<Box<[u32]>> {
        let mut next: Box<[u32]> = at.into();
        for (place, sources, add) in &self.effects {
            let sum: i64 = sources.iter().map(|source| i64::from(at[*source])).sum();
            next[*place] = u32::try_from(sum.checked_add(*add)?).ok()?;
        }
        Some(next)
    }
}

/// An inequality with small numbers.
pub(super) type Sum = (Vec<(usize, i64)>, i64);

pub(super) fn small(sum: &Linear) -> Option<Sum> {
    let terms = sum.terms.iter().map(|(place, weight)| Some((place.index(), i64::from(weight.to_i32()?))));
    Some((terms.collect::<Option<_>>()?, sum.at_least.to_i64()?))
}

pub(super) fn holds((terms, at_least): &Sum, at: &[u32]) -> bool {
    let value: i128 = terms.iter().map(|(place, weight)| i128::from(*weight) * i128::from(at[*place])).sum();
    value >= i128::from(*at_least)
}
