//! The two search modes and their alternation (Oh 2015; Biere and Froehlich 2019). *Focused* mode restarts
//! often and decides the variables that were in the latest conflicts; it is good at refuting. *Stable* mode
//! restarts rarely, decides the most active variables and tries to extend the best assignment so far; it is
//! good at finding models.
//!
//! The length of the first focused phase is a number of conflicts. Its cost in memory accesses (`Stats::ticks`)
//! becomes the unit for the lengths of all later phases, and these lengths grow quadratically. Measuring in
//! ticks gives both modes the same time even if conflicts are cheaper in one of them.
//!
//! The decision order stores the current mode (`order/mod.rs`). This module decides when the mode changes.

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
    /// Number of conflicts at which the first phase ends.
    first: u64,
    /// Length of the first phase in ticks; `None` until it is over.
    unit: Option<u64>,
    /// Tick count at which the current phase began.
    began: u64,
    /// Tick count at which the current phase ends.
    ends: u64,
    phases: u64,
}

impl Alternation {
    pub(crate) fn new(options: &Options) -> Self {
        let alternates = options.modes == Modes::Both;
        Self { alternates, first: options.mode_first, unit: None, began: 0, ends: u64::MAX, phases: 0 }
    }

    /// Returns true if it is time for the other mode, and begins a phase of that mode.
    pub(crate) fn switches(&mut self, conflicts: u64, ticks: u64) -> bool {
        let is_due = self.alternates && if self.unit.is_none() { conflicts >= self.first } else { ticks >= self.ends };
        if is_due {
            self.begin_phase(ticks);
        }
        is_due
    }

    /// Excludes this number of ticks from the current phase because they were not spent on search.
    pub(crate) fn pause(&mut self, ticks: u64) {
        self.began += ticks;
        self.ends = self.ends.saturating_add(ticks);
    }

    fn begin_phase(&mut self, ticks: u64) {
        debug_assert!(ticks >= self.began);
        let unit = *self.unit.get_or_insert(ticks - self.began);
        // A focused phase and the stable phase after it have the same length.
        let pair = self.phases / 2 + 1;
        self.phases += 1;
        self.began = ticks;
        self.ends = ticks.saturating_add(unit.saturating_mul(pair.saturating_mul(pair)));
    }
}
