//! Thread systems: a shared state and any number of anonymous threads, each in a local state (after BFC's transition systems;
//! Kaiser, Kroening, Wahl 2012).
//!
//! A state is a shared state with a multiset of local states. Transition `(s, l)` is enabled iff the shared state is `s` and
//! some thread is in `l`. It moves one such thread (or keeps it and starts a new one, or moves all threads in `l`), sets the
//! shared state, and, if it is a broadcast, moves all *other* threads according to its passive moves, all at the same time;
//! where a passive move has several targets each thread picks one.

use crate::formula::Formula;
use crate::ids::{LocalId, PlaceId, SharedId};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the active thread does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Act {
    /// It moves from `from.1` to `to.1` (`->`).
    Move,
    /// It stays in `from.1`, and a new thread appears in `to.1` (`+>`).
    Spawn,
    /// It and all other threads in `from.1` move to `to.1` (`~>`).
    Transfer,
}

/// A transition of a thread system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadTransition {
    /// Shared and local state before.
    pub from: (SharedId, LocalId),
    /// Shared and local state after.
    pub to: (SharedId, LocalId),
    /// What happens between them.
    pub act: Act,
    /// Where other threads go at the same time: source, and its targets (non-empty, ascending). Only for [`Act::Move`].
    pub passive: BTreeMap<LocalId, Vec<LocalId>>,
}

/// The initial states: one shared state, some threads in given numbers, any number in others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadInit {
    /// The shared state.
    pub shared: SharedId,
    /// Threads at least in these local states (exactly so many where `any` does not name it). No zeros.
    pub threads: BTreeMap<LocalId, BigUint>,
    /// Local states with any number of further threads: ascending, distinct.
    pub any: Vec<LocalId>,
}

/// A thread system. See [`ThreadSystem::new`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadSystem {
    shared: u32,
    locals: u32,
    initial: ThreadInit,
    transitions: Vec<ThreadTransition>,
    ends: Option<Arc<Formula>>,
}

/// Why parts are not a thread system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InvalidThreads {
    /// No shared or no local state.
    #[error("a thread system has at least one shared and one local state")]
    Empty,
    /// More states than ids.
    #[error("a thread system has at most 2^31 shared and local states together")]
    TooMany,
    /// The initial state names states that do not exist, or is out of order.
    #[error("the initial state names a state that the thread system does not have")]
    Initial,
    /// A transition (counted from 0) breaks a rule.
    #[error("transition {0}: {1}")]
    Malformed(usize, &'static str),
}

impl ThreadSystem {
    /// Checks the parts and makes them a thread system.
    ///
    /// # Errors
    /// The first broken rule. `O(size)`.
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
                return malformed("names a state that the thread system does not have");
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

    /// The system that may end in the states that satisfy `ends`, over its places.
    #[must_use]
    pub fn with_ends(mut self, ends: Arc<Formula>) -> Self {
        self.ends = Some(ends);
        self
    }

    /// The states in which it may end, if that is known.
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

    /// The place of a shared state in formulas and certificates: it holds one token iff the shared state is `s`.
    #[must_use]
    pub fn shared_place(&self, s: SharedId) -> PlaceId {
        PlaceId(s.0)
    }

    /// The place of a local state in formulas and certificates: it holds the threads in `l`.
    #[must_use]
    pub fn local_place(&self, l: LocalId) -> PlaceId {
        PlaceId(self.shared + l.0)
    }

    /// Shared and local states together: places are numbered below this.
    #[must_use]
    pub fn places(&self) -> usize {
        self.shared as usize + self.locals as usize
    }
}
