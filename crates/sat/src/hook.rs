//! The solver's side of the theory hook: notifications that the theory has not received yet, and requests it
//! has made.
//!
//! Invariants: the number `owed` grows only while no theory is attached; the queue is empty between two
//! callbacks.

use crate::lit::Lit;
use crate::theory::Queue;
use crate::trail::Trail;

#[derive(Default)]
pub(crate) struct Hook {
    queue: Queue,
    /// Literals the theory prefers to decide next. The last one is tried first.
    preferred: Vec<Lit>,
    /// Buffer for the literals that the theory is told.
    news: Vec<Lit>,
    /// Number of literals that stayed true in the last step back and are told again, if that step ended one
    /// level; otherwise 0.
    retold: usize,
    /// Number of levels that ended while the theory was not attached. The theory must be told of their end
    /// before the next callback.
    owed: usize,
    /// True if the theory cannot confirm that the literals it was told have a model.
    is_incomplete: bool,
    /// The value of `Theory::undoes_by_level`.
    remembers: bool,
}

impl Hook {
    /// Takes the queue for a callback. The caller must return it, empty, with `put_queue`.
    pub(crate) fn take_queue(&mut self) -> Queue {
        std::mem::take(&mut self.queue)
    }

    pub(crate) fn put_queue(&mut self, queue: Queue) {
        debug_assert!(queue.is_empty());
        self.queue = queue;
    }

    /// The queue for a callback that must not make a request.
    pub(crate) fn queue(&mut self) -> &mut Queue {
        debug_assert!(self.queue.is_empty());
        &mut self.queue
    }

    /// Takes the literals that the theory is to be told. The caller returns the buffer with `put_news`.
    pub(crate) fn take_news(&mut self, trail: &mut Trail) -> Vec<Lit> {
        let mut news = std::mem::take(&mut self.news);
        trail.take_news(&mut news);
        news
    }

    pub(crate) fn put_news(&mut self, news: Vec<Lit>) {
        self.news = news;
    }

    pub(crate) fn prefer(&mut self, literals: &mut Vec<Lit>) {
        self.preferred.append(literals);
    }

    /// Removes and returns the unassigned literal that was preferred last.
    pub(crate) fn preferred(&mut self, trail: &Trail) -> Option<Lit> {
        while let Some(lit) = self.preferred.pop() {
            if trail.is_open(lit) {
                return Some(lit);
            }
        }
        None
    }

    pub(crate) fn retold(&self) -> usize {
        self.retold
    }

    pub(crate) fn set_retold(&mut self, retold: usize) {
        self.retold = retold;
    }

    pub(crate) fn owe(&mut self, levels: usize) {
        self.owed += levels;
    }

    pub(crate) fn take_owed(&mut self) -> usize {
        std::mem::take(&mut self.owed)
    }

    pub(crate) fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    pub(crate) fn set_incomplete(&mut self, is_incomplete: bool) {
        self.is_incomplete = is_incomplete;
    }

    pub(crate) fn remembers(&self) -> bool {
        self.remembers
    }

    pub(crate) fn set_remembers(&mut self, remembers: bool) {
        self.remembers = remembers;
    }

    /// Panics if a request of a callback was not handled.
    pub(crate) fn check(&self) {
        assert!(self.queue.is_empty(), "a wish of the theory was overlooked");
    }
}
