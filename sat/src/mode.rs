//! Two ways to search, by turns (Oh 2015; Biere and Froehlich 2019): *focused* restarts all the time and decides what
//! was last in a conflict, which refutes; *stable* restarts rarely, decides the most active and tries to extend the
//! best assignment so far, which finds models.
//!
//! The first focused phase is measured in conflicts; what it cost in memory accesses (`Stats::ticks`) is then the unit
//! for all phases, which grow quadratically. So a mode in which conflicts are cheap does not get less time than the
//! other.
//!
//! The order of decisions keeps the mode (`order/mod.rs`); here is when it changes.

use crate::options::{Modes, Options};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Focused,
    Stable,
}

impl Mode {
    pub(crate) fn first(modes: Modes) -> Self {
        if modes == Modes::Stable { Self::Stable } else { Self::Focused }
    }

    pub(crate) fn other(self) -> Self {
        if self == Self::Focused { Self::Stable } else { Self::Focused }
    }
}

pub(crate) struct Alternation {
    alternates: bool,
    /// Conflicts at which the first phase ends.
    first: u64,
    /// Ticks of the first phase, once it is over.
    unit: Option<u64>,
    /// Ticks at which the phase began.
    began: u64,
    /// Ticks at which it ends.
    ends: u64,
    phases: u64,
}

impl Alternation {
    pub(crate) fn new(options: &Options) -> Self {
        let alternates = options.modes == Modes::Both;
        Self { alternates, first: options.mode_first, unit: None, began: 0, ends: u64::MAX, phases: 0 }
    }

    /// Is it time for the other mode? Then its phase begins.
    pub(crate) fn switches(&mut self, conflicts: u64, ticks: u64) -> bool {
        let is_due = self.alternates && if self.unit.is_none() { conflicts >= self.first } else { ticks >= self.ends };
        if is_due {
            self.begin_phase(ticks);
        }
        is_due
    }

    /// So many ticks do not count: they were not search.
    pub(crate) fn pause(&mut self, ticks: u64) {
        self.began += ticks;
        self.ends = self.ends.saturating_add(ticks);
    }

    fn begin_phase(&mut self, ticks: u64) {
        debug_assert!(ticks >= self.began);
        let unit = *self.unit.get_or_insert(ticks - self.began);
        // A pair of phases, one of each mode, has the same length.
        let pair = self.phases / 2 + 1;
        self.phases += 1;
        self.began = ticks;
        self.ends = ticks.saturating_add(unit.saturating_mul(pair.saturating_mul(pair)));
    }
}
