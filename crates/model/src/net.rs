//! Nets: Petri nets with weighted, read, inhibitor, transfer and reset arcs, constant assignments, and guards
//! with upper bounds.
//!
//! One structure represents all these arcs, assignments and guards. A transition has *guards* (each a range of
//! tokens for a place) and *effects* (the new token count of a place is a sum of old token counts plus a
//! constant). All effects of a firing read the old marking.
//! * A plain arc `p -> t` of weight w is the guard `p >= w` with the effect `p' = p - w`.
//! * A read arc is a guard without an effect.
//! * A transfer from x to y consists of the effects `y' = y + x` and `x' = 0`.
//! * A zero test is the guard `p in [0, 0]`.
//! * If the arcs of a transition contradict each other, as `p -> t` and an inhibitor arc from p, the transition has a
//!   guard with an empty range. It never fires ([`Transition::is_forbidden`]).
//!
//! Numbers have arbitrary precision.

use crate::ids::{PlaceId, TransitionId};
use crate::said::NetAnnotations;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;
use smallvec::SmallVec;

/// An interval of token counts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// The least count.
    pub at_least: BigUint,
    /// The greatest count; `None` if the interval has no upper bound.
    pub at_most: Option<BigUint>,
}

impl Range {
    /// Returns the range that contains only this count.
    #[must_use]
    pub fn exactly(count: impl Into<BigUint>) -> Self {
        let count = count.into();
        Self { at_least: count.clone(), at_most: Some(count) }
    }

    /// Returns the range of this count and all greater counts.
    #[must_use]
    pub fn from(count: impl Into<BigUint>) -> Self {
        Self { at_least: count.into(), at_most: None }
    }

    /// Returns true if the range contains exactly one count.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.at_most.as_ref() == Some(&self.at_least)
    }

    /// Returns true if the range contains no count: its upper bound is below its lower bound.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at_most.as_ref().is_some_and(|most| *most < self.at_least)
    }

    /// Returns true if the range contains every count.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.at_least.is_zero() && self.at_most.is_none()
    }

    /// Returns true if `count` is in the range.
    #[must_use]
    pub fn contains(&self, count: &BigUint) -> bool {
        *count >= self.at_least && self.at_most.as_ref().is_none_or(|most| count <= most)
    }
}

/// A place of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name, unique among the places of the net.
    pub name: String,
    /// The counts that the place may hold initially. A range without upper bound models arbitrarily many
    /// processes.
    pub initial: Range,
}

/// A guard: a condition of a transition on one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The place that is tested.
    pub place: PlaceId,
    /// The token counts for which the guard holds; not [`Range::is_everything`].
    pub range: Range,
}

/// An effect: when the transition fires, the new token count of a place is the sum of the old counts of
/// `sources` plus `add`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// The place that changes.
    pub place: PlaceId,
    /// The places to sum up: ascending; a place that occurs several times counts several times. `[place]` is a
    /// plain arc. The empty list is an assignment (with `add` 0: a reset arc).
    pub sources: SmallVec<[PlaceId; 1]>,
    /// The constant to add. If it is negative, the guards on `sources` ensure that the result is not negative.
    pub add: BigInt,
}

impl Effect {
    /// Returns the change of the token count if it is constant (a plain arc).
    #[must_use]
    pub fn delta(&self) -> Option<&BigInt> {
        (self.sources.as_slice() == [self.place]).then_some(&self.add)
    }

    /// Returns true if the effect does not change the place.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.delta().is_some_and(Zero::is_zero)
    }
}

/// A transition of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The name, unique among the transitions of the net.
    pub name: String,
    /// Guards: ascending by place, each place once.
    pub guards: Vec<Guard>,
    /// Effects: ascending by place, each place once. Places without an effect keep their tokens.
    pub effects: Vec<Effect>,
}

impl Transition {
    /// Returns the transition that takes the tokens `pre` and puts the tokens `post`. Places may repeat, and
    /// their weights add up.
    #[must_use]
    pub fn from_arcs(name: String, pre: &[(PlaceId, BigUint)], post: &[(PlaceId, BigUint)]) -> Self {
        let mut arcs: Vec<(PlaceId, BigUint, BigUint)> = Vec::with_capacity(pre.len() + post.len());
        arcs.extend(pre.iter().map(|(p, w)| (*p, w.clone(), BigUint::zero())));
        arcs.extend(post.iter().map(|(p, w)| (*p, BigUint::zero(), w.clone())));
        arcs.sort_by_key(|arc| arc.0);
        arcs.dedup_by(|next, first| {
            let same = next.0 == first.0;
            if same {
                first.1 += &next.1;
                first.2 += &next.2;
            }
            same
        });
        let mut transition = Self { name, guards: Vec::new(), effects: Vec::new() };
        for (place, takes, puts) in arcs {
            let add = BigInt::from(puts) - BigInt::from(takes.clone());
            if !takes.is_zero() {
                transition.guards.push(Guard { place, range: Range::from(takes) });
            }
            if !add.is_zero() {
                transition.effects.push(Effect { place, sources: SmallVec::from_elem(place, 1), add });
            }
        }
        transition
    }

    /// Returns the guard on `place`, if the transition has one. `O(log guards)`.
    #[must_use]
    pub fn guard(&self, place: PlaceId) -> Option<&Range> {
        self.guards.binary_search_by_key(&place, |g| g.place).ok().map(|i| &self.guards[i].range)
    }

    /// Returns the effect on `place`, if the transition has one. `O(log effects)`.
    #[must_use]
    pub fn effect(&self, place: PlaceId) -> Option<&Effect> {
        self.effects.binary_search_by_key(&place, |e| e.place).ok().map(|i| &self.effects[i])
    }

    /// Returns true if a guard has an empty range, so that no marking enables the transition.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.guards.iter().any(|guard| guard.range.is_empty())
    }

    /// Returns true if all guards have only lower bounds. More tokens then never disable the transition.
    #[must_use]
    pub fn is_monotone(&self) -> bool {
        self.guards.iter().all(|g| g.range.at_most.is_none())
    }

    /// Returns true if the transition has only guards with lower bounds and only plain arcs, as in a weighted
    /// Petri net.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.is_monotone() && self.effects.iter().all(|e| e.delta().is_some())
    }
}

/// A net. [`Net::new`] checks the rules in the documentation of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Net {
    places: Vec<Place>,
    transitions: Vec<Transition>,
    said: NetAnnotations,
}

/// The reason why lists of places and transitions do not form a net. Readers report it as a user error with a
/// location.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InvalidNet {
    /// Two places or transitions share a name.
    #[error("the {what} `{name}` is declared twice")]
    Duplicate {
        /// `place` or `transition`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The range of initial tokens is empty: its upper bound is below its lower bound.
    #[error("the range of place `{0}` is empty")]
    EmptyRange(String),
    /// A transition may leave a negative number of tokens on a place.
    #[error("transition `{transition}` may take more from `{place}` than its guards ask for")]
    Unguarded {
        /// The name of the transition.
        transition: String,
        /// The name of the place.
        place: String,
    },
    /// Unknown places, or guards or effects that are out of order.
    #[error("transition `{transition}`: {what}")]
    Malformed {
        /// The name of the transition.
        transition: String,
        /// The violated rule.
        what: &'static str,
    },
}

impl Net {
    /// Creates a net after checking its parts. Drops identity effects and guards that always hold.
    ///
    /// # Errors
    /// Returns the first violated rule. `O(size log size)`.
    pub fn new(places: Vec<Place>, mut transitions: Vec<Transition>) -> Result<Self, InvalidNet> {
        unique("place", places.iter().map(|p| &p.name))?;
        unique("transition", transitions.iter().map(|t| &t.name))?;
        if let Some(place) = places.iter().find(|p| p.initial.is_empty()) {
            return Err(InvalidNet::EmptyRange(place.name.clone()));
        }
        for transition in &mut transitions {
            transition.guards.retain(|g| !g.range.is_everything());
            transition.effects.retain(|e| !e.is_identity());
            check(transition, &places)?;
        }
        Ok(Self { places, transitions, said: NetAnnotations::default() })
    }

    /// What the file says about the net apart from its behaviour.
    pub(crate) fn said(&self) -> &NetAnnotations {
        &self.said
    }

    pub(crate) fn said_mut(&mut self) -> &mut NetAnnotations {
        &mut self.said
    }

    /// The places, by [`PlaceId`].
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The transitions, by [`TransitionId`].
    #[must_use]
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// Returns the place `p`.
    #[must_use]
    pub fn place(&self, p: PlaceId) -> &Place {
        &self.places[p.index()]
    }

    /// Returns the transition `t`.
    #[must_use]
    pub fn transition(&self, t: TransitionId) -> &Transition {
        &self.transitions[t.index()]
    }

    /// Returns the net with another initial marking, which has a number of tokens for each place.
    #[must_use]
    pub fn starting_in(&self, marking: impl IntoIterator<Item = BigUint>) -> Self {
        let mut net = self.clone();
        net.places.iter_mut().zip(marking).for_each(|(place, tokens)| place.initial = Range::exactly(tokens));
        net
    }

    /// Returns the places with more than one possible initial count, ascending. The start of a trace has one
    /// slot for each of them: the number of tokens beyond the least initial count.
    #[must_use]
    pub fn open_places(&self) -> Vec<PlaceId> {
        (0..self.places.len()).map(PlaceId::new).filter(|&p| !self.place(p).initial.is_single()).collect()
    }

    /// Returns true if no guard has an upper bound. More tokens then never disable a transition.
    #[must_use]
    pub fn is_monotone(&self) -> bool {
        self.transitions.iter().all(Transition::is_monotone)
    }
}

fn unique<'a>(what: &'static str, names: impl Iterator<Item = &'a String>) -> Result<(), InvalidNet> {
    let mut sorted: Vec<&String> = names.collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => Err(InvalidNet::Duplicate { what, name: w[0].clone() }),
        None => Ok(()),
    }
}

fn check(transition: &Transition, places: &[Place]) -> Result<(), InvalidNet> {
    let malformed = |what| Err(InvalidNet::Malformed { transition: transition.name.clone(), what });
    let (guards, effects) = (&transition.guards, &transition.effects);
    if guards.windows(2).any(|w| w[0].place >= w[1].place) || effects.windows(2).any(|w| w[0].place >= w[1].place) {
        return malformed("guards and effects must be ascending by place, each place once");
    }
    let known = |p: PlaceId| p.index() < places.len();
    if !guards.iter().all(|g| known(g.place)) || !effects.iter().all(|e| known(e.place)) {
        return malformed("names a place that the net does not have");
    }
    for effect in effects {
        if !effect.sources.iter().all(|&p| known(p)) || effect.sources.windows(2).any(|w| w[0] > w[1]) {
            return malformed("the sources of an effect must be known and ascending");
        }
        if effect.add.sign() == Sign::Minus {
            let ensured: BigUint =
                effect.sources.iter().filter_map(|&p| transition.guard(p)).map(|range| &range.at_least).sum();
            if BigInt::from(ensured) + &effect.add < BigInt::zero() {
                let place = places[effect.place.index()].name.clone();
                return Err(InvalidNet::Unguarded { transition: transition.name.clone(), place });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(n: usize) -> Vec<Place> {
        (0..n).map(|i| Place { name: format!("p{i}"), initial: Range::exactly(0u8) }).collect()
    }

    #[test]
    fn arcs_of_one_place_add_up_and_a_kept_token_is_a_read_arc() {
        let p = PlaceId(0);
        let one = || BigUint::from(1u8);
        let t = Transition::from_arcs("t".into(), &[(p, one()), (p, one())], &[(p, 2u8.into()), (PlaceId(1), one())]);
        assert_eq!(t.guard(p), Some(&Range::from(2u8)));
        assert_eq!(t.effect(p), None);
        assert_eq!(t.effect(PlaceId(1)).and_then(Effect::delta), Some(&BigInt::from(1)));
        assert!(t.is_plain());
        assert!(Net::new(places(2), vec![t]).is_ok());
    }

    #[test]
    fn an_unguarded_decrement_is_no_net() {
        let effect = Effect { place: PlaceId(0), sources: SmallVec::from_elem(PlaceId(0), 1), add: BigInt::from(-2) };
        let guard = Guard { place: PlaceId(0), range: Range::from(1u8) };
        let t = Transition { name: "t".into(), guards: vec![guard], effects: vec![effect] };
        let error = Net::new(places(1), vec![t]).unwrap_err();
        assert!(matches!(error, InvalidNet::Unguarded { .. }), "{error}");
    }
}
