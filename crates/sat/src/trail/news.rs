//! The literals that the theory must be told: each assigned literal once, in order, and again each true literal
//! that the theory has forgotten.
//!
//! Invariants: literals told since a level began are forgotten when the level ends, and only true literals are
//! told again; each of the first `heard` fixed literals was told or is in `again` or `fresh`.

use crate::lit::Lit;

#[derive(Default)]
pub(super) struct News {
    /// Literals that the theory was told and has not forgotten.
    told: Vec<Lit>,
    /// Literals that the theory forgot because levels ended, newest first. They must be told again before
    /// `fresh`.
    again: Vec<Lit>,
    /// Literals still to be told, in order. Some of them may have been unassigned since. If a literal occurs
    /// twice, the last occurrence counts.
    fresh: Vec<Lit>,
    /// For each variable: true if `take` has met the variable. All false outside `take`.
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

    /// Begins a level. Returns how many literals the theory was told before the level.
    pub(super) fn begin_level(&mut self, is_first: bool) -> usize {
        if is_first && !self.muted {
            self.told.clear();
        }
        self.told.len()
    }

    /// Forgets the literals told from index `start` on. The literals among them that are still true will be
    /// told again, unless `once` is true (the theory undoes by level). Returns how many literals will be told
    /// again. This function does not read the literals in `fresh`. Reading them would cost quadratic time if
    /// many steps back follow each other while `fresh` is long.
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

    /// Moves the literals to be told into `news`, each once and only if still true.
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

    /// True if there are literals to be told.
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

    /// A theory starts to listen.
    pub(super) fn begin(&mut self) {
        debug_assert!(!self.listens && !self.muted);
        self.listens = true;
    }

    /// The theory stops listening. Fixed literals that it was not told no longer count in `heard`, so they are
    /// told when a theory listens again.
    pub(super) fn end(&mut self, variables: usize, is_true: impl Fn(Lit) -> bool) {
        debug_assert!(self.listens && !self.muted);
        self.listens = false;
        let mut untold = Vec::new();
        self.take(&mut untold, variables, is_true);
        self.told.clear();
        debug_assert!(untold.len() <= self.heard, "at level 0 there are fixed literals only");
        self.heard -= untold.len();
    }

    /// Queues the fixed literals that `heard` does not count. `fixed` contains them, newest first.
    pub(super) fn tell_fixed(&mut self, fixed: &[Lit]) {
        debug_assert!(self.listens && !self.muted);
        self.fresh.extend(fixed.iter().rev());
        self.heard += fixed.len();
    }
}
