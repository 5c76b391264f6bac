//! What the theory is told of the assignment: each literal once, in order, and again what it has forgotten.
//!
//! Invariants: what is told since a level began is forgotten when the level ends, and only true literals are told
//! again; of the literals fixed so far the first `heard` are told or among the news.

use crate::lit::Lit;

#[derive(Default)]
pub(super) struct News {
    /// What the theory knows.
    told: Vec<Lit>,
    /// What it no longer knows because levels ended, and is to be told again before `fresh`; newest first.
    again: Vec<Lit>,
    /// What it is still to be told, in order. Some may have been unassigned since, or assigned again: the last place
    /// counts.
    fresh: Vec<Lit>,
    /// By variable, while news are taken: was it met?
    met: Vec<bool>,
    listens: bool,
    muted: bool,
    heard: usize,
}

impl News {
    pub(super) fn listens(&self) -> bool {
        self.listens
    }

    pub(super) fn heard(&self) -> usize {
        self.heard
    }

    pub(super) fn mute(&mut self, muted: bool) {
        debug_assert_ne!(self.muted, muted);
        self.muted = muted;
    }

    pub(super) fn assigned(&mut self, lit: Lit, level: u32) {
        if self.listens && !self.muted {
            self.fresh.push(lit);
            self.heard += usize::from(level == 0);
        }
    }

    /// A level begins. Answers how much has been told before it.
    pub(super) fn begin_level(&mut self, is_first: bool) -> usize {
        if is_first && !self.muted {
            self.told.clear();
        }
        self.told.len()
    }

    /// Forgets what was told from `start` on. What of that is still true will be told again, unless `once` says that
    /// the theory remembers it. Answers how many that are. What has not been told yet is not looked at: many steps back
    /// in a row, with much news between them, would be quadratic.
    pub(super) fn forget(&mut self, start: usize, once: bool, is_true: impl Fn(Lit) -> bool) -> usize {
        debug_assert!(start <= self.told.len());
        if once {
            self.told.truncate(start);
            return 0;
        }
        let before = self.again.len();
        self.again.extend(self.told.drain(start..).rev().filter(|&lit| is_true(lit)));
        self.again.len() - before
    }

    /// Moves what is to be told into `news`.
    pub(super) fn take(&mut self, news: &mut Vec<Lit>, variables: usize, is_true: impl Fn(Lit) -> bool) {
        news.clear();
        self.met.resize(variables, false);
        for &lit in self.fresh.iter().rev().chain(&self.again) {
            if is_true(lit) && !std::mem::replace(&mut self.met[lit.var().index()], true) {
                news.push(lit);
            }
        }
        news.reverse();
        for lit in news.iter() {
            self.met[lit.var().index()] = false;
        }
        self.drop_all();
        self.told.extend_from_slice(news);
    }

    /// Is there anything to be told?
    pub(super) fn is_any(&mut self, is_true: impl Fn(Lit) -> bool) -> bool {
        let some = self.fresh.iter().chain(&self.again).any(|&lit| is_true(lit));
        if !some {
            self.drop_all();
        }
        some
    }

    fn drop_all(&mut self) {
        self.fresh.clear();
        self.again.clear();
    }

    /// A theory listens from now on.
    pub(super) fn begin(&mut self) {
        debug_assert!(!self.listens && !self.muted);
        self.listens = true;
    }

    /// No theory listens any more. What it was still to be told of what is fixed, it will hear when it comes back.
    pub(super) fn end(&mut self, variables: usize, is_true: impl Fn(Lit) -> bool) {
        debug_assert!(self.listens && !self.muted);
        self.listens = false;
        let mut untold = Vec::new();
        self.take(&mut untold, variables, is_true);
        self.told.clear();
        debug_assert!(untold.len() <= self.heard, "at level 0 there are fixed literals only");
        self.heard -= untold.len();
    }

    /// All fixed literals that have not been heard, newest first.
    pub(super) fn tell_fixed(&mut self, fixed: &[Lit]) {
        debug_assert!(self.listens && !self.muted);
        self.fresh.extend(fixed.iter().rev());
        self.heard += fixed.len();
    }
}
