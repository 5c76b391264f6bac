//! Transitions from arcs of all kinds, as editors of nets draw them. Several arcs may join a transition and a
//! place: the transition has to satisfy all of them.

use model::{Effect, Guard, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use smallvec::SmallVec;

/// The kind of an arc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArcKind {
    /// Takes or puts tokens.
    Normal,
    /// Requires fewer tokens than its weight.
    Inhibitor,
    /// Requires at least as many tokens as its weight, and leaves them.
    Read,
    /// Takes all tokens.
    Reset,
}

/// An arc as its transition sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) place: PlaceId,
    /// True if the arc leads from the place to the transition.
    pub(crate) into: bool,
    pub(crate) kind: ArcKind,
}

/// Builds the transition with these arcs, which are sorted by place and have weights of at least 1. If it can
/// never fire, also returns the arcs of a place that prevents it.
pub(crate) fn transition<L>(
    name: String,
    arcs: &[L],
    end: impl Fn(&L) -> End,
    weight: impl Fn(&L) -> BigUint,
) -> (Transition, Option<&[L]>) {
    let mut forbids = None;
    let mut transition = Transition { name, guards: Vec::new(), effects: Vec::new() };
    for group in arcs.chunk_by(|a, b| end(a).place == end(b).place) {
        let place = end(&group[0]).place;
        let (mut takes, mut puts, mut reads) = (BigUint::zero(), BigUint::zero(), BigUint::zero());
        let (mut below, mut reset): (Option<BigUint>, bool) = (None, false);
        for arc in group {
            let (weight, end) = (weight(arc), end(arc));
            match (end.kind, end.into) {
                (ArcKind::Normal, true) => takes += weight,
                (ArcKind::Normal, false) => puts += weight,
                (ArcKind::Read, _) => reads = reads.max(weight),
                (ArcKind::Inhibitor, _) => below = Some(below.map_or(weight.clone(), |b| b.min(weight))),
                (ArcKind::Reset, _) => reset = true,
            }
        }
        // Weights are at least 1, so the subtraction cannot overflow.
        let range = Range { at_least: takes.clone().max(reads), at_most: below.map(|b| b - 1u8) };
        if range.is_empty() {
            forbids = forbids.or(Some(group));
        }
        if !range.is_everything() {
            transition.guards.push(Guard { place, range });
        }
        let sources = if reset { SmallVec::new() } else { SmallVec::from_elem(place, 1) };
        let add = BigInt::from(puts) - if reset { BigInt::zero() } else { BigInt::from(takes) };
        let effect = Effect { place, sources, add };
        if !effect.is_identity() {
            transition.effects.push(effect);
        }
    }
    // Most transitions have one or two arcs, and a vector grows to four items at once.
    transition.guards.shrink_to_fit();
    transition.effects.shrink_to_fit();
    (transition, forbids)
}
