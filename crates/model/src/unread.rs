//! Programs of which only a part was explored: which local states there are depends on the run, and there are too many.
//!
//! Local states that were not made are represented by one state of each thread. It requests an event of its own, at
//! which the thread stays, and blocks all others. So what is unread begins where this event is enabled. A run without
//! this event is a run of the text, but that a thread in such a state may be in any state: if another thread is in a
//! bad state then, so it is in the text. Nothing else is known: the checker accepts no other evidence about such a
//! program.

use crate::goal::Goal;
use crate::ids::EventId;
use crate::rwb::Program;
use crate::system::SystemModel;

/// The part of a text that was not explored ([module](self)).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The event.
    pub event: EventId,
    /// Which limit was reached, in words.
    pub why: String,
    /// The goals that the exploration met, [`Goal::Bad`] or [`Goal::Deadlock`].
    pub met: Vec<Goal>,
}

impl Program {
    /// Says that only a part of the text was explored. `O(1)`.
    ///
    /// # Panics
    /// Panics if there is no such event.
    #[must_use]
    pub fn with_unread(mut self, unread: Option<Unread>) -> Self {
        assert!(unread.as_ref().is_none_or(|unread| unread.event.index() < self.events().len()), "it is an event");
        self.unread = unread;
        self
    }

    /// Returns what was not explored; `None` if everything was.
    #[must_use]
    pub fn unread(&self) -> Option<&Unread> {
        self.unread.as_ref()
    }
}

impl SystemModel {
    /// Returns what was not explored of the system; `None` if everything was.
    #[must_use]
    pub fn unread(&self) -> Option<&Unread> {
        self.as_program().and_then(|program| program.unread())
    }
}
