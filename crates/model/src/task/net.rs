//! The task of engines for nets: a net after reductions, with properties of its reachable markings.

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
    /// Places that together hold at most one token in every reachable marking (such as the shared states of a
    /// thread-transition system). Value 0 means that none of them is marked, and value i + 1 means that the
    /// i-th place (from 0) is marked.
    OneOf(Vec<PlaceId>),
}

/// The bound of a bounded search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The largest number of tokens on all counted places together. Markings with more tokens on counted places
    /// are cut off.
    pub most: u64,
    /// For each place: true if its tokens are counted. (Tokens of shared states are not.)
    pub counted: Vec<bool>,
}

/// The transitions of a net that are parts of a transition of a thread-transition system. If the threads choose
/// between several targets, its parts are several transitions, one after the other (a *chain*). Markings between them
/// are none of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chains {
    /// For each transition of the net: the number of the system's transition.
    pub part_of: Vec<u32>,
    /// For each transition of the net: true if no other part follows it.
    pub is_last: Vec<bool>,
    /// Number of shared states. Their places come first.
    pub shared: usize,
    /// Number of places of the system. They come before all other places of the net.
    pub places: usize,
}

/// A net and the goals to decide. Claims of engines are about this net; `nets::reduce` lifts them to the
/// system as read.
///
/// In the traces of its claims, events are transitions of `net`, and no move records a choice. The start has
/// one slot for each place of [`Net::open_places`]: the number of tokens beyond the least initial count. State
/// sets of [`crate::Markings`] have one slot per entry of `slots`.
#[derive(Clone, Debug)]
pub struct NetTask {
    /// The net.
    pub net: Arc<Net>,
    /// The slots of packed markings. Every place is in exactly one slot.
    pub slots: Vec<Slot>,
    /// For each place: true if `net` contains every transition of the original net that changes the place. If
    /// false, some transitions that only take tokens from the place were removed. Statements about reachable
    /// markings must then still hold with fewer tokens on this place.
    pub whole: Vec<bool>,
    /// True if the system as read tests the exact count of some place that the reductions kept. A set of listed
    /// markings must then also list the markings that another listed marking covers.
    pub exact: bool,
    /// The formulas that goals refer to, over places of `net`, by [`crate::FormulaId`]. Reductions keep the
    /// numbers of goals, so the list also has entries for goals that are not in `goals`. These entries may be
    /// arbitrary formulas.
    pub formulas: Vec<Arc<Formula>>,
    /// The goals to decide: [`Goal::Formula`] and [`Goal::Deadlock`].
    pub goals: Vec<Goal>,
    /// The bound of the search, if any. Without it, a search of an unbounded net does not terminate by itself.
    pub bound: Option<Bound>,
}

impl NetTask {
    /// Creates a task without reductions: one slot per place, no bound.
    #[must_use]
    pub fn plain(net: Arc<Net>, formulas: Vec<Arc<Formula>>, goals: Vec<Goal>) -> Self {
        let slots = (0..net.places().len()).map(|p| Slot::Tokens(PlaceId::new(p))).collect();
        let whole = vec![true; net.places().len()];
        Self { net, slots, whole, exact: false, formulas, goals, bound: None }
    }

    /// Returns the formula of a goal; `None` for a deadlock.
    ///
    /// # Panics
    /// Panics if the goal refers to a formula that the task does not have.
    #[must_use]
    pub fn formula(&self, goal: Goal) -> Option<&Arc<Formula>> {
        match goal {
            Goal::Formula(id) => Some(&self.formulas[id.index()]),
            _ => None,
        }
    }
}
