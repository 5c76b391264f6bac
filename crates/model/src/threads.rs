//! Thread-transition systems: a shared state and arbitrarily many anonymous threads, each in a local state
//! (after BFC's transition systems; Kaiser, Kroening, Wahl 2012).
//!
//! A state consists of a shared state and a multiset of local states. A transition from `(s, l)` is enabled iff
//! the shared state is `s` and some thread is in `l`. When it fires:
//! 1. One thread in `l`, the active thread, moves; or it stays and starts a new thread; or all threads in `l`
//!    move ([`Act`]).
//! 2. The shared state changes.
//! 3. If the transition is a broadcast, all *other* threads move by its passive moves at the same time. If a
//!    passive move has several targets, each thread chooses one.

use crate::formula::Formula;
use crate::ids::{LocalId, PlaceId, SharedId};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The action of the active thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Act {
    /// The active thread moves from `from.1` to `to.1` (`->`).
    Move,
    /// The active thread stays in `from.1`, and a new thread appears in `to.1` (`+>`).
    Spawn,
    /// The active thread and all other threads in `from.1` move to `to.1` (`~>`).
    Transfer,
}

/// A transition of a thread-transition system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadTransition {
    /// The shared state and the local state of the active thread before the transition.
    pub from: (SharedId, LocalId),
    /// The shared state after the transition, and the target local state of the action.
    pub to: (SharedId, LocalId),
    /// The action of the active thread.
    pub act: Act,
    /// Passive moves: for each source state, the targets (non-empty, ascending) of the other threads there.
    /// Only [`Act::Move`] may have passive moves.
    pub passive: BTreeMap<LocalId, Vec<LocalId>>,
}

/// The initial states: one shared state, fixed numbers of threads in some local states, and arbitrarily many
/// threads in other local states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadInit {
    /// The shared state.
    pub shared: SharedId,
    /// Number of threads in each of these local states: at least this number if `any` contains the state,
    /// exactly this number otherwise. No zeros.
    pub threads: BTreeMap<LocalId, BigUint>,
    /// Local states that may hold arbitrarily many further threads: ascending, distinct.
    pub any: Vec<LocalId>,
}

/// A thread-transition system. [`ThreadTransitionSystem::new`] checks its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadTransitionSystem {
    shared: u32,
    locals: u32,
    initial: ThreadInit,
    transitions: Vec<ThreadTransition>,
    ends: Option<Arc<Formula>>,
}

/// The reason why parts do not form a thread-transition system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InvalidThreads {
    /// The system has no shared state or no local state.
    #[error("a thread-transition system has at least one shared and one local state")]
    Empty,
    /// The system has more states than ids.
    #[error("a thread-transition system has at most 2^31 shared and local states together")]
    TooMany,
    /// The initial states refer to states that do not exist, or are out of order.
    #[error("the initial state names a state that the thread-transition system does not have")]
    Initial,
    /// The transition with this number (from 0) violates this rule.
    #[error("transition {0}: {1}")]
    Malformed(usize, &'static str),
}

impl ThreadTransitionSystem {
    /// Creates a thread-transition system after checking its parts.
    ///
    /// # Errors
    /// Returns the first violated rule. `O(size)`.
    pub fn new(
        shared: u32,
        locals: u32,
        initial: ThreadInit,
        transitions: Vec<ThreadTransition>,
    ) -> Result<Self, InvalidThreads> {
        if shared == 0 || locals == 0 {
            return Err(InvalidThreads::Empty);
        }
        if shared.checked_add(locals).is_none_or(|all| all > 1 << 31) {
            return Err(InvalidThreads::TooMany);
        }
        let local = |l: LocalId| l.0 < locals;
        let in_order = |ids: &[LocalId]| ids.windows(2).all(|w| w[0] < w[1]) && ids.iter().all(|&l| local(l));
        let known = initial.threads.iter().all(|(&l, n)| local(l) && *n != BigUint::ZERO);
        if initial.shared.0 >= shared || !known || !in_order(&initial.any) {
            return Err(InvalidThreads::Initial);
        }
        for (i, t) in transitions.iter().enumerate() {
            let malformed = |what| Err(InvalidThreads::Malformed(i, what));
            if t.from.0.0 >= shared || t.to.0.0 >= shared || !local(t.from.1) || !local(t.to.1) {
                return malformed("names a state that the thread-transition system does not have");
            }
            if t.act != Act::Move && !t.passive.is_empty() {
                return malformed("only a moving thread can broadcast");
            }
            if !t.passive.iter().all(|(&l, to)| local(l) && !to.is_empty() && in_order(to)) {
                return malformed("passive moves must name known states, ascending, at least one target each");
            }
        }
        Ok(Self { shared, locals, initial, transitions, ends: None })
    }

    /// Declares that the system may end in the states that satisfy the formula `ends` over its places.
    #[must_use]
    pub fn with_ends(mut self, ends: Arc<Formula>) -> Self {
        self.ends = Some(ends);
        self
    }

    /// The formula for the states in which the system may end, if the file defines it.
    #[must_use]
    pub fn ends(&self) -> Option<&Arc<Formula>> {
        self.ends.as_ref()
    }

    /// Number of shared states.
    #[must_use]
    pub fn shared(&self) -> u32 {
        self.shared
    }

    /// Number of local states.
    #[must_use]
    pub fn locals(&self) -> u32 {
        self.locals
    }

    /// The initial states.
    #[must_use]
    pub fn initial(&self) -> &ThreadInit {
        &self.initial
    }

    /// The transitions, by [`crate::TransitionId`].
    #[must_use]
    pub fn transitions(&self) -> &[ThreadTransition] {
        &self.transitions
    }

    /// Returns the place of a shared state in formulas and certificates. The place holds one token iff the
    /// shared state is `s`.
    #[must_use]
    pub fn shared_place(&self, s: SharedId) -> PlaceId {
        PlaceId(s.0)
    }

    /// Returns the place of a local state in formulas and certificates. Its tokens are the threads in `l`.
    #[must_use]
    pub fn local_place(&self, l: LocalId) -> PlaceId {
        PlaceId(self.shared + l.0)
    }

    /// Returns the number of places: the number of shared and local states together.
    #[must_use]
    pub fn places(&self) -> usize {
        self.shared as usize + self.locals as usize
    }
}
