//! Liveness of asymmetric choice nets by siphons and traps (Commoner's condition; Hack 1972 for free choice nets;
//! Murata, "Petri nets: Properties, analysis and applications", Proceedings of the IEEE 1989, theorem 13).
//!
//! The net has plain arcs of weight 1. It is an *asymmetric choice net*: of two places with a common consumer, the
//! consumers of one are consumers of the other. A *siphon* is a set of places such that each producer of one of them is
//! a consumer of one of them. A *trap* is a set such that each consumer is a producer; with a token, it keeps one. If
//! each siphon that is not empty contains a trap with an initial token, then each transition is live: from each
//! reachable marking a marking is reachable in which it is enabled.
//!
//! Proof. Suppose that t is dead in a reachable marking M: it is enabled in no marking reachable from M.
//! 1. Some place of t is empty in all markings reachable from some M' that is reachable from M. Otherwise let p1, ..,
//!    pk be the places that t consumes from, where the consumers of each are consumers of the next one. Markings are
//!    reachable in which p1 has a token. A consumer of p1 consumes from p1, .., pk, so it is enabled only if t is,
//!    which never happens. So p1 keeps its token for ever. If p1, .., pi keep their tokens and p(i+1) gets one, a
//!    consumer of p(i+1) consumes from p(i+1), .., pk, so it is enabled only if t is, and p(i+1) keeps its token, too.
//!    In the end t is enabled: a contradiction.
//! 2. So there is a place that stays empty for ever. Its producers are dead, so each of them consumes from a place
//!    that stays empty for ever after some more steps. There are finitely many places, so some reachable marking has a
//!    set of places that are empty for ever and is a siphon, and not empty.
//! 3. This siphon contains a trap that had a token in the initial marking and therefore has one now: a contradiction.
//!
//! So for a formula that holds where some transition is enabled, a marking in which it holds can be reached from each
//! reachable marking ([`Shown::recurs`]). [`crate::restart`] says what follows if a transition was added.
//!
//! The listed traps are checked one by one. That each siphon contains one of them is shown by a refutation of
//! [`Ordinary::formula`].

use crate::clauses::refutes;
pub use crate::ordinary::Ordinary;
use crate::work::Work;
use crate::{Check, reject, restart, within};
use model::{Formula, Live, Net, Node, PlaceId};
use num_bigint::{BigInt, Sign};

/// What is shown about the reachable markings of a net if all transitions are live, in the net or in a smaller one that
/// begins again.
#[derive(Debug)]
pub struct Shown {
    net: Ordinary,
    /// The end, if the smaller net begins again.
    end: Option<PlaceId>,
}

/// Checks that each transition is live, in the net or in the one that begins again.
///
/// # Errors
/// If this is not shown, or if a resource limit is exceeded.
pub fn check(net: &Net, live: &Live, work: &mut Work<'_>) -> Check<Shown> {
    let size: usize = net.transitions().iter().map(|t| t.guards.len() + t.effects.len()).sum();
    let size = size.saturating_add(net.places().len());
    work.spend(1 + size as u64)?;
    work.grow(size.saturating_mul(16))?;
    let Some(ordinary) = Ordinary::of(net) else { return reject("an arc is not plain, or its weight is above 1") };
    let smaller = live.restart.as_ref().map(|restart| restart::check(net, &ordinary, restart, work)).transpose()?;
    let shown = Shown { end: live.restart.as_ref().map(|restart| restart.end), net: ordinary };
    let net = smaller.as_ref().unwrap_or(&shown.net);
    if !net.is_asymmetric_choice(work)? {
        return reject("the net is not an asymmetric choice net");
    }
    for trap in &live.traps {
        work.spend(1 + (net.is_marked.len() + size) as u64)?;
        if trap.iter().any(|place| place.index() >= net.is_marked.len()) || !net.is_marked_trap(trap) {
            return reject("a set of places is not a trap with an initial token");
        }
    }
    let literals = |[from, to]: &[Vec<PlaceId>; 2]| to.len().saturating_mul(from.len() + 1);
    let formula = net.arcs.iter().map(literals).fold(0usize, usize::saturating_add);
    work.spend(formula as u64)?;
    work.grow(formula.saturating_mul(8))?;
    within(refutes(&net.formula(&live.traps), &live.refutation, work), || {
        "the refutation of siphons without traps".to_owned()
    })?;
    Ok(shown)
}

impl Shown {
    /// Returns what is shown if all transitions of the net are live; with an end, if those of the smaller net are that
    /// begins again.
    #[must_use]
    pub fn new(net: Ordinary, end: Option<PlaceId>) -> Self {
        Self { net, end }
    }

    /// Returns the net.
    #[must_use]
    pub fn net(&self) -> &Ordinary {
        &self.net
    }

    /// Returns the truth of a formula if it is shown to be the same in all reachable markings.
    #[must_use]
    pub fn constant(&self, formula: &Formula) -> Option<bool> {
        let end = self.end?;
        let mut is_empty = vec![false; self.net.is_marked.len()];
        is_empty[end.index()] = true;
        let here = restart::at(end, formula);
        formula.truth_without(&is_empty).filter(|truth| *truth == here)
    }

    /// Returns true if from each reachable marking one is shown to be reachable in which the formula holds.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn recurs(&self, formula: &Formula, work: &mut Work<'_>) -> Check<bool> {
        match self.end {
            Some(end) => Ok(restart::at(end, formula)),
            None => self.happens(formula, work),
        }
    }

    /// Returns true if a reachable marking in which the formula holds is shown to exist.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn happens(&self, formula: &Formula, work: &mut Work<'_>) -> Check<bool> {
        let places =
            formula.nodes().iter().flat_map(|node| if let Node::AtLeast(sum) = node { &sum.terms[..] } else { &[] });
        // Where other transitions are enabled, no token on a place of the formula is known.
        let near = places.filter_map(|(place, _)| self.net.consumers.get(place.index())).flatten();
        for arcs in near.filter_map(|t| self.net.arcs.get(*t)).chain(self.net.arcs.first()) {
            work.spend(1 + formula.nodes().len() as u64)?;
            if holds_with(formula, &arcs[0]) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns true if the formula is shown to hold in each marking in which these places have tokens.
fn holds_with(formula: &Formula, marked: &[PlaceId]) -> bool {
    let truth = formula.truth(|sum| {
        let counts = |(place, _): &&(PlaceId, BigInt)| marked.binary_search(place).is_ok();
        let least: BigInt = sum.terms.iter().filter(counts).map(|(_, factor)| factor).sum();
        let is_growing = sum.terms.iter().all(|(_, factor)| factor.sign() != Sign::Minus);
        (is_growing && least >= sum.at_least).then_some(true)
    });
    truth == Some(true)
}
