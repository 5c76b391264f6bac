//! Fairness assumptions about the runs of a behavioral program. A formula, or a question about hot threads, is then
//! about the runs that satisfy all of them.
//!
//! The subject of an assumption is an event or a thread. An event *can go on* where it is enabled, and *goes on* where
//! it happens. A thread can go on where it requests an enabled event, and goes on where an event happens that it
//! requests.
//! * Weak fairness: a subject that can go on from some point on goes on infinitely often, `F G can -> G F does`.
//! * Strong fairness: a subject that can go on infinitely often goes on infinitely often, `G F can -> G F does`.
//!
//! Each finite run can be continued to a run that satisfies all assumptions. (A
//! scheduler can let the subjects that can go on take turns.) So `bad` and `deadlock` do not depend on them.

use crate::ids::{EventId, ThreadId};
use crate::ltl::Letter;

/// What an assumption is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// An event.
    Event(EventId),
    /// A thread.
    Thread(ThreadId),
}

/// A fairness assumption.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fairness {
    /// What it is about.
    pub subject: Subject,
    /// True for strong fairness.
    pub is_strong: bool,
}

impl Fairness {
    /// Returns the letters for "can go on" and "goes on".
    #[must_use]
    pub fn letters(self) -> [Letter; 2] {
        match self.subject {
            Subject::Event(event) => [Letter::Enabled(event), Letter::Event(event)],
            Subject::Thread(thread) => [Letter::Ready(thread), Letter::Served(thread)],
        }
    }
}
