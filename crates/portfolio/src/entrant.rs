//! The entries of a plan: engines with the terms on which they take turns.

use crate::ready::ReadyClaims;
use model::{Engine, Goal};

/// An amount of work, as the nanoseconds that it takes on the machine where work units were measured. No clock
/// is read during a check.
pub(crate) type Nanos = u64;

/// The terms on which an engine takes turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    /// Share of the work, relative to the shares of the other engines. At least 1.
    pub(crate) share: u64,
    /// Cost of one work unit of the engine. At least 1.
    pub(crate) unit: Nanos,
}

impl Terms {
    /// Terms for an engine that runs alone, or that has almost no work.
    pub(crate) const PLAIN: Self = Self { share: 1, unit: 1_000 };
}

/// Determines when an engine works and when it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Works until the engine is done.
    Main,
    /// Works only while a main engine has work left, because an assistant may never end by itself.
    Assistant {
        /// Minimum work units of the first turn. 0 means the usual first turn.
        ahead: u64,
    },
    /// Gives weaker answers than the other engines. A follower begins later than the other engines, and
    /// continues for a limited time when they are done.
    Follower,
}

/// An engine in a plan.
pub(crate) struct Entrant<'a> {
    pub(crate) engine: Box<dyn Engine + 'a>,
    pub(crate) terms: Terms,
    pub(crate) role: Role,
    /// The goals that the engine works for. `None` means all goals. The engine retires when they are settled.
    pub(crate) goals: Option<Vec<Goal>>,
    /// True if the counts of this engine are reported as the counts of the system as read, whichever engine
    /// does most of the work.
    pub(crate) counts: bool,
}

impl<'a> Entrant<'a> {
    /// Creates an entrant for an engine that exists already.
    pub(crate) fn ready(engine: Box<dyn Engine + 'a>) -> Self {
        Self { engine, terms: Terms::PLAIN, role: Role::Main, goals: None, counts: false }
    }

    /// Creates an entrant that answers these goals as unsupported.
    pub(crate) fn unsupported(goals: Vec<Goal>) -> Self {
        Self::ready(ReadyClaims::unsupported(goals.clone())).only_for(goals)
    }

    pub(crate) fn on(self, terms: Terms) -> Self {
        Self { terms, ..self }
    }

    pub(crate) fn in_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    pub(crate) fn only_for(self, goals: Vec<Goal>) -> Self {
        Self { goals: Some(goals), ..self }
    }

    /// Marks the entrant: its counts are reported. Such an entrant has no goals.
    pub(crate) fn for_counts(self) -> Self {
        debug_assert!(self.goals.is_none(), "an engine that counts all states ends at no goal");
        Self { counts: true, ..self }
    }
}
