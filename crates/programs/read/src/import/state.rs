//! States of threads, and the moves between them.

use super::{At, EventSet, Formula, Name};
use std::sync::Arc;

/// Where a thread goes, and what it assigns on the way. The values on the right are those before the move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Then {
    /// The thread goes to any of these states.
    pub(crate) to: Vec<Name>,
    pub(crate) set: Vec<(Name, Update)>,
}

/// The new value of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Update {
    /// Any value of the sort.
    Any,
    Value(Formula),
}

/// Where some events lead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    pub(crate) on: EventSet,
    pub(crate) then: Then,
    pub(crate) at: At,
}

impl Move {
    /// Events that lead nowhere yet: [`Move::to`] adds the target.
    pub fn on(events: impl Into<EventSet>) -> Self {
        Self { on: events.into(), then: Then::default(), at: At::default() }
    }

    /// Adds a target. The thread goes to any of the targets.
    #[must_use]
    pub fn to(mut self, state: impl Into<String>) -> Self {
        self.then.to.push(Name::new(state));
        self
    }

    /// Assigns the value of an SMT-LIB term over the variables and the parameters of the event.
    #[must_use]
    pub fn set(mut self, variable: impl Into<String>, term: impl Into<String>) -> Self {
        self.then.set.push((Name::new(variable), Update::Value(Formula::new(term))));
        self
    }

    /// Assigns any value of the sort of the variable.
    #[must_use]
    pub fn set_any(mut self, variable: impl Into<String>) -> Self {
        self.then.set.push((Name::new(variable), Update::Any));
        self
    }
}

/// A state of a thread.
///
/// An event that happens leads to the targets of the first [`Move`] that contains it. Without such a move, an event
/// that the state requests or waits for leads to the states of [`ImportedState::to`]. All other events leave the thread
/// where it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImportedState {
    pub(crate) name: Name,
    pub(crate) values: String,
    /// The file and the line.
    pub(crate) place: Option<(Arc<str>, u32)>,
    /// The message of a failed assertion. It may be empty.
    pub(crate) bad: Option<String>,
    pub(crate) is_final: bool,
    pub(crate) is_hot: bool,
    pub(crate) priority: Option<(i64, At)>,
    pub(crate) request: EventSet,
    pub(crate) wait: EventSet,
    pub(crate) block: EventSet,
    pub(crate) interrupt: EventSet,
    pub(crate) moves: Vec<Move>,
    pub(crate) then: Then,
    pub(crate) at: At,
}

impl ImportedState {
    /// Makes a state with a name that is unique in its thread.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: Name::new(name), ..Self::default() }
    }

    /// Says what local variables are there, for reports: `n = 3`.
    #[must_use]
    pub fn values(mut self, values: impl Into<String>) -> Self {
        self.values = values.into();
        self
    }

    /// Says where the state comes from. Lines count from 1.
    #[must_use]
    pub fn at(mut self, file: impl Into<Arc<str>>, line: u32) -> Self {
        self.place = Some((file.into(), line));
        self
    }

    /// Makes this a bad state: an assertion has failed, with this message.
    #[must_use]
    pub fn bad(mut self, message: impl Into<String>) -> Self {
        self.bad = Some(message.into());
        self
    }

    /// Lets the thread end here.
    #[must_use]
    pub fn may_end(mut self) -> Self {
        self.is_final = true;
        self
    }

    /// Says that the thread must not stay here for ever.
    #[must_use]
    pub fn hot(mut self) -> Self {
        self.is_hot = true;
        self
    }

    /// Sets the priority of what the state requests.
    #[must_use]
    pub fn priority(mut self, priority: i64) -> Self {
        self.priority = Some((priority, At::default()));
        self
    }

    /// Requests events.
    #[must_use]
    pub fn request(mut self, events: impl Into<EventSet>) -> Self {
        self.request = joined(self.request, events.into());
        self
    }

    /// Waits for events that lead to the states of [`ImportedState::to`].
    #[must_use]
    pub fn wait(mut self, events: impl Into<EventSet>) -> Self {
        self.wait = joined(self.wait, events.into());
        self
    }

    /// Blocks events.
    #[must_use]
    pub fn block(mut self, events: impl Into<EventSet>) -> Self {
        self.block = joined(self.block, events.into());
        self
    }

    /// Events that end the thread, whatever else the state says about them.
    #[must_use]
    pub fn interrupt(mut self, events: impl Into<EventSet>) -> Self {
        self.interrupt = joined(self.interrupt, events.into());
        self
    }

    /// Adds a move.
    #[must_use]
    pub fn on(mut self, moves: Move) -> Self {
        self.moves.push(moves);
        self
    }

    /// Adds a target of the events that no move names.
    #[must_use]
    pub fn to(mut self, state: impl Into<String>) -> Self {
        self.then.to.push(Name::new(state));
        self
    }

    /// Assigns the value of a term on the way to the states of [`ImportedState::to`].
    #[must_use]
    pub fn set(mut self, variable: impl Into<String>, term: impl Into<String>) -> Self {
        self.then.set.push((Name::new(variable), Update::Value(Formula::new(term))));
        self
    }
}

fn joined(old: EventSet, new: EventSet) -> EventSet {
    if old.is_none() { new } else { old.or(new) }
}
