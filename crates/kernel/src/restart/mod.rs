//! Nets that begin again: what liveness of a net with one more transition says about the net itself. For soundness of
//! workflow nets (van der Aalst, "Verification of workflow nets", ICATPN 1997, theorem 11).
//!
//! The net that is given has a single initial marking M0, with at most one token on each place. E is the marking with
//! one token on a place, the end. By some steps ([`smaller`]) it is sound for E if a smaller net N is. N* is N with a
//! transition r that takes a token from the end and puts M0 in its place. Each place of N has a weight of at least 1.
//! No transition of N increases the weighted number of tokens, and M0 weighs at most as much as E.
//!
//! 1. A reachable marking M of N with a token on the end is E. Proof: M is E and some more tokens, and M weighs at most
//!    as much as M0, so at most as much as E. Each of the other tokens would weigh something.
//! 2. The reachable markings of N* are those of N. Proof: r can only fire in E (by 1, up to its first firing), and
//!    leads to M0.
//! 3. If all transitions of N* are live, N is sound: E can be reached from each reachable marking, and each transition
//!    of N is enabled in some reachable marking. Proof: from a marking M of N, which N* reaches, a marking with a
//!    token on the end can be reached in N*. Up to the first such marking r does not fire, and by 1 it is E. The
//!    second part follows from 2.
//!
//! So the net that is given is sound, and ([`crate::live::Shown`]) a formula over places has one truth in all its
//! reachable markings if it has this truth in E and in all markings without a token on the end. A marking in which a
//! formula holds can always be reached if the formula holds in E, and is reachable if it holds where some transition is
//! enabled.

pub mod smaller;

use crate::live::Ordinary;
use crate::work::Work;
use crate::{Check, reject};
use model::{Formula, Net, PlaceId, Restart};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use smaller::Smaller;

/// Checks the conditions of [`self`] on a net. Returns the smaller net with the transition that begins again.
pub(crate) fn check(net: &Net, ordinary: &Ordinary, restart: &Restart, work: &mut Work<'_>) -> Check<Ordinary> {
    if !may_begin_again(net) {
        return reject("the net does not start with one marking of at most one token on each place");
    }
    let Restart { end, steps, weights } = restart;
    if end.index() >= net.places().len() {
        return reject("the end is not a place of the net");
    }
    let mut smaller = Smaller::new(ordinary, *end);
    for step in steps {
        let arcs = smaller.step(*step)?;
        work.spend(1 + arcs)?;
    }
    let net = smaller.net();
    let mut weight_of = vec![BigUint::ZERO; net.is_marked.len()];
    for (place, weight) in weights {
        match weight_of.get_mut(place.index()) {
            Some(known) => known.clone_from(weight),
            None => return reject("a place with a weight is not a place of the net"),
        }
    }
    if (0..weight_of.len()).any(|place| !net.is_left_out[place] && weight_of[place].is_zero()) {
        return reject("a place has no weight");
    }
    let net = added(net, *end);
    let weight = |places: &[PlaceId]| places.iter().map(|place| &weight_of[place.index()]).sum::<BigUint>();
    match net.arcs.iter().any(|[from, to]| weight(to) > weight(from)) {
        true => reject("a transition increases the weighted number of tokens"),
        false => Ok(net),
    }
}

/// True if the net has a single initial marking, with at most one token on each place.
#[must_use]
pub fn may_begin_again(net: &Net) -> bool {
    let is_single = |place: &model::Place| {
        let initial = &place.initial;
        initial.at_least <= BigUint::from(1u8) && initial.at_most.as_ref() == Some(&initial.at_least)
    };
    net.places().iter().all(is_single)
}

/// Returns the net with the transition that begins again.
#[must_use]
pub fn added(mut net: Ordinary, end: PlaceId) -> Ordinary {
    net.consumers[end.index()].push(net.arcs.len());
    let initial = net.initial();
    net.arcs.push([vec![end], initial]);
    net
}

/// Returns the truth of a formula in the marking with one token on the end.
pub(crate) fn at(end: PlaceId, formula: &Formula) -> bool {
    let truth = formula.truth(|sum| {
        let value: BigInt = sum.terms.iter().filter(|(place, _)| *place == end).map(|(_, factor)| factor).sum();
        Some(value >= sum.at_least)
    });
    truth == Some(true)
}
