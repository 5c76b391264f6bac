//! The part of a net that the argument of [`mod@super::reduced`] keeps.

use crate::{Check, reject};
use kernel::Work;
use kernel::net::{Marked, Rules, SlotLayout};
use model::{Effect, Formula, Node, PlaceId, Transition};
use num_bigint::Sign;

/// The part of the system that is kept.
pub(crate) struct KeptNet<'a> {
    pub(super) system: Marked<'a>,
    pub(crate) rules: &'a Rules<'a>,
    pub(crate) potentially_marked: &'a [bool],
    pub(crate) shape: &'a SlotLayout<'a>,
}

impl<'a> KeptNet<'a> {
    pub(crate) fn new(
        system: Marked<'a>,
        rules: &'a Rules<'a>,
        potentially_marked: &'a [bool],
        shape: &'a SlotLayout<'a>,
    ) -> Self {
        Self { system, rules, potentially_marked, shape }
    }

    pub(crate) fn is_kept(&self, place: PlaceId) -> bool {
        self.shape.at(place).is_some()
    }

    /// The places that an effect adds up, without the places that are always empty.
    pub(crate) fn sources<'e>(&'e self, effect: &'e Effect) -> impl Iterator<Item = PlaceId> + 'e {
        effect.sources.iter().copied().filter(|p| self.potentially_marked[p.index()])
    }

    /// True if the effect is a constant change.
    pub(crate) fn is_constant(&self, effect: &Effect) -> bool {
        self.sources(effect).eq([effect.place])
    }

    /// True if the effect leaves its place unchanged, given that places which are never marked add nothing.
    pub(crate) fn is_void(&self, effect: &Effect) -> bool {
        self.is_constant(effect) && effect.add.sign() == Sign::NoSign
    }

    /// True if a firing can leave more tokens on the place than before.
    pub(crate) fn may_increase(&self, effect: &Effect) -> bool {
        let is_assigned = !self.is_constant(effect) && self.sources(effect).next().is_some();
        is_assigned || effect.add.sign() == Sign::Plus
    }

    /// True if a firing can leave fewer tokens on the place than before.
    pub(crate) fn may_decrease(&self, effect: &Effect) -> bool {
        let keeps = self.sources(effect).any(|p| p == effect.place);
        !keeps || effect.add.sign() == Sign::Minus
    }

    /// For each transition: true if it is relevant.
    pub(super) fn relevant(
        &self,
        can_fire: &[bool],
        exact: &[bool],
        deadlock: bool,
        work: &mut Work<'_>,
    ) -> Check<Vec<bool>> {
        let mut relevant = Vec::with_capacity(can_fire.len());
        for (t, &fires) in self.rules.transitions.iter().zip(can_fire) {
            work.spend(1 + t.effects.iter().map(|e| 1 + e.sources.len() as u64).sum::<u64>())?;
            let matters = |e: &Effect| {
                exact[e.place.index()] && (self.may_increase(e) || self.may_decrease(e))
                    || self.is_kept(e.place) && self.may_increase(e)
            };
            relevant.push(fires && (deadlock || t.effects.iter().any(matters)));
        }
        Ok(relevant)
    }

    /// Checks that relevant transitions and formulas depend only on kept places and on places that are always
    /// empty.
    pub(super) fn check(&self, relevant: &[bool], formulas: &[&Formula], work: &mut Work<'_>) -> Check<()> {
        let is_known = |p: PlaceId| self.is_kept(p) || !self.potentially_marked[p.index()];
        let unknown = |p: PlaceId| {
            reject(format!(
                "a transition or formula depends on `{}`, which the evidence does not keep",
                self.system.name(p.index())
            ))
        };
        for t in self.transitions(relevant) {
            work.spend(1 + t.guards.len() as u64 + t.effects.iter().map(|e| 1 + e.sources.len() as u64).sum::<u64>())?;
            let kept = t.effects.iter().filter(|e| self.is_kept(e.place));
            let mut asked = t.guards.iter().map(|g| g.place).chain(kept.flat_map(|e| self.sources(e)));
            if let Some(place) = asked.find(|p| !is_known(*p)) {
                return unknown(place);
            }
        }
        for formula in formulas {
            for node in formula.nodes() {
                let Node::AtLeast(sum) = node else { continue };
                work.spend(sum.terms.len() as u64)?;
                if let Some((place, _)) = sum.terms.iter().find(|(p, _)| !is_known(*p)) {
                    return unknown(*place);
                }
            }
        }
        Ok(())
    }

    fn transitions<'s>(&'s self, relevant: &'s [bool]) -> impl Iterator<Item = &'s Transition> {
        self.rules.transitions.iter().zip(relevant).filter_map(|(t, relevant)| relevant.then_some(t))
    }
}
