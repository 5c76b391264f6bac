//! What is owed to the theory, and what it asked for.
//!
//! Invariants: levels are owed only while the theory is away; the queue is empty between two callbacks.

use crate::lit::Lit;
use crate::theory::Queue;
use crate::trail::Trail;

#[derive(Default)]
pub(crate) struct Hook {
    queue: Queue,
    /// Literals the theory prefers, the last first.
    preferred: Vec<Lit>,
    /// Room for what it is told.
    news: Vec<Lit>,
    /// How many kept literals it is told again because of the last step back, if that was of one level.
    retold: usize,
    /// Levels that were ended while it was not there to hear it.
    owed: usize,
    /// It cannot vouch for what it was told.
    is_incomplete: bool,
    /// What it said of `undoes_by_level`.
    remembers: bool,
}

impl Hook {
    /// The queue for a callback. To be given back, empty.
    pub(crate) fn take_queue(&mut self) -> Queue {
        std::mem::take(&mut self.queue)
    }

    pub(crate) fn put_queue(&mut self, queue: Queue) {
        debug_assert!(queue.is_empty());
        self.queue = queue;
    }

    /// The queue for a callback that cannot ask for anything.
    pub(crate) fn queue(&mut self) -> &mut Queue {
        debug_assert!(self.queue.is_empty());
        &mut self.queue
    }

    /// Takes what the theory is to be told. The room for it is to be given back.
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

    /// The open literal that was preferred last.
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

    /// Panics if a callback was not seen to.
    pub(crate) fn check(&self) {
        assert!(self.queue.is_empty(), "a wish of the theory was overlooked");
    }
}
