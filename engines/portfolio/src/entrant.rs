//! What a plan is a list of: engines with the terms on which they take turns.

use crate::later::Later;
use model::{Engine, Goal};

/// Work is counted in the nanoseconds that it takes on the machine where it was measured: no clock is read.
pub(crate) type Nanos = u64;

/// On which terms an engine takes turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    /// How much of the work should be its own, relative to the others; 1 at least.
    pub(crate) share: u64,
    /// What one of its work units takes; 1 at least.
    pub(crate) unit: Nanos,
}

impl Terms {
    /// For an engine that is alone, or has next to nothing to do.
    pub(crate) const PLAIN: Self = Self { share: 1, unit: 1_000 };
}

/// When an engine works, and when it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Works until it is done.
    Main,
    /// Works only as long as a main engine has work to do: it may never end by itself. Its first turn has at least so
    /// many work units.
    Assistant {
        /// Work units of the first turn; 0: the usual first turn.
        ahead: u64,
    },
    /// Says less than the others may: begins later, and goes on for some time when they are done.
    Follower,
}

/// An engine as a plan names it.
pub(crate) struct Entrant<'a> {
    pub(crate) engine: Box<dyn Engine + 'a>,
    pub(crate) terms: Terms,
    pub(crate) role: Role,
    /// The goals it works for, if these are not all: it retires when they are settled.
    pub(crate) goals: Option<Vec<Goal>>,
    /// Its counts are those of the system as read, whichever engine works most.
    pub(crate) counts: bool,
}

impl<'a> Entrant<'a> {
    /// An engine that is there already.
    pub(crate) fn ready(engine: Box<dyn Engine + 'a>) -> Self {
        Self { engine, terms: Terms::PLAIN, role: Role::Main, goals: None, counts: false }
    }

    /// An engine that is made at its first turn, if `make` finds that there is one for the problem.
    pub(crate) fn made(name: &'static str, make: impl FnOnce() -> Option<Box<dyn Engine + 'a>> + 'a) -> Self {
        Self::paid(name, 0, make)
    }

    /// The same; its turns have to pay `price` work units before it is made.
    pub(crate) fn paid(
        name: &'static str,
        price: u64,
        make: impl FnOnce() -> Option<Box<dyn Engine + 'a>> + 'a,
    ) -> Self {
        Self::ready(Later::boxed(name, price, make))
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

    /// It has no goals: its counts are reported.
    pub(crate) fn for_counts(self) -> Self {
        Self { counts: true, ..self }
    }
}
