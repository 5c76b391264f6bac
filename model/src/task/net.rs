//! A net as engines get it: after reductions, with what is known about the shape of its markings.

use crate::formula::Formula;
use crate::goal::Goal;
use crate::ids::PlaceId;
use crate::net::Net;
use std::sync::Arc;

/// One slot of a packed marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slot {
    /// The tokens of a place.
    Tokens(PlaceId),
    /// Places that hold at most one token together in every reachable marking (the shared states of a thread system).
    /// Value 0: none of them is marked; value i + 1: the i-th is.
    OneOf(Vec<PlaceId>),
}

/// Tokens allowed in a bounded search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Markings with more tokens on counted places are cut off.
    pub most: u64,
    /// By place: do its tokens count? (Those of shared states do not.)
    pub counted: Vec<bool>,
}

/// What a net engine is asked. Its claims speak of this net; `reduce` brings them home to the system as read.
///
/// Traces: events are transitions of `net`, the start has one slot for each of [`Net::open_places`] (tokens beyond
/// the least initial count), no move records a choice. State sets of [`crate::Markings`]: one slot per entry of
/// `slots`.
#[derive(Clone, Debug)]
pub struct NetTask {
    /// The net.
    pub net: Arc<Net>,
    /// How to pack its markings: every place is in exactly one slot.
    pub slots: Vec<Slot>,
    /// By place: is every transition that changes it here? Where not, some that only take tokens away have been left
    /// out: what is said of reachable markings must still hold with fewer tokens there.
    pub whole: Vec<bool>,
    /// Does the system as read ask for the exact count of some kept place? Then sets of listed markings leave none
    /// out that another one covers.
    pub exact: bool,
    /// The formulas that goals name, over places of `net`, by [`crate::FormulaId`] (goals keep their numbers through
    /// reductions, so formulas of goals that are not in `goals` may be anything).
    pub formulas: Vec<Arc<Formula>>,
    /// The goals to decide: [`Goal::Formula`] and [`Goal::Deadlock`].
    pub goals: Vec<Goal>,
    /// Stay within this bound: without it a search of an unbounded net does not end by itself.
    pub bound: Option<Bound>,
}

impl NetTask {
    /// A task without reductions and hints: one slot per place.
    #[must_use]
    pub fn plain(net: Arc<Net>, formulas: Vec<Arc<Formula>>, goals: Vec<Goal>) -> Self {
        let slots = (0..net.places().len()).map(|p| Slot::Tokens(PlaceId::new(p))).collect();
        let whole = vec![true; net.places().len()];
        Self { net, slots, whole, exact: false, formulas, goals, bound: None }
    }

    /// The formula of a goal; `None` for a deadlock.
    ///
    /// # Panics
    /// If the goal names a formula that the task does not have.
    #[must_use]
    pub fn formula(&self, goal: Goal) -> Option<&Arc<Formula>> {
        match goal {
            Goal::Formula(id) => Some(&self.formulas[id.index()]),
            _ => None,
        }
    }
}
