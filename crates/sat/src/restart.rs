//! Decides when to restart. Focused mode restarts, as in Glucose, when the recent average of glue is clearly
//! worse than the long-run average. Stable mode restarts rarely, by Knuth's reluctant doubling (a Luby
//! sequence).
//!
//! Both criteria count conflicts. A search in which the theory makes the decisions does not restart, because a
//! restart would discard the theory's deep search. Therefore the solver restarts only if it made the last
//! decision itself. Levels that the search would rebuild identically are kept (van der Tak, Ramos and Heule
//! 2011). `is_due` decides when to restart, and `restart_level` (`solver/turns.rs`) to which level.

use crate::mode::{Alternation, Mode};
use crate::options::Options;

/// Smoothing factors of the averages over about 33 and 100,000 conflicts.
const FAST: f64 = 0.03;
const SLOW: f64 = 1e-5;

/// An exponential moving average that starts as a plain average, so it needs no warm-up.
struct Average {
    value: f64,
    weight: f64,
    smooth: f64,
}

impl Average {
    fn new(smooth: f64) -> Self {
        Self { value: 0.0, weight: 1.0, smooth }
    }

    fn add(&mut self, sample: f64) {
        self.value += self.weight.max(self.smooth) * (sample - self.value);
        self.weight /= 1.0 + self.weight;
    }
}

/// Knuth's reluctant doubling: 1 1 2 1 1 2 4 ..
struct Reluctant {
    u: u64,
    v: u64,
}

impl Reluctant {
    fn step(&mut self) -> u64 {
        if self.u & self.u.wrapping_neg() == self.v {
            *self = Self { u: self.u + 1, v: 1 };
        } else {
            self.v *= 2;
        }
        self.v
    }
}

pub(crate) struct Restart {
    fast: Average,
    slow: Average,
    /// Conflicts since the last restart.
    conflicts: u64,
    reluctant: Reluctant,
    /// Number of conflicts between the last restart and the next one, in stable mode.
    wait: u64,
    period: u64,
    margin: f64,
    interval: u64,
    enabled: bool,
    alternation: Alternation,
}

impl Restart {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            fast: Average::new(FAST),
            slow: Average::new(SLOW),
            conflicts: 0,
            reluctant: Reluctant { u: 1, v: 1 },
            wait: options.restart_reluctant,
            period: options.restart_reluctant,
            margin: options.restart_margin,
            interval: options.restart_interval,
            enabled: options.restarts,
            alternation: Alternation::new(options),
        }
    }

    /// Returns true if it is time for the other mode, and begins that mode. Each phase starts the doubling
    /// sequence from the beginning.
    pub(crate) fn switches_mode(&mut self, conflicts: u64, ticks: u64) -> bool {
        let switches = self.alternation.switches(conflicts, ticks);
        if switches {
            self.reluctant = Reluctant { u: 1, v: 1 };
            self.wait = self.period;
        }
        switches
    }

    /// Excludes this number of ticks, which were not spent on search, from the current mode.
    pub(crate) fn pause(&mut self, ticks: u64) {
        self.alternation.pause(ticks);
    }

    /// Records that a clause of this glue was learnt.
    pub(crate) fn conflict(&mut self, glue: u32, mode: Mode) {
        debug_assert!(glue > 0, "a learnt clause has a level");
        self.conflicts += 1;
        if mode == Mode::Focused {
            self.fast.add(f64::from(glue));
            self.slow.add(f64::from(glue));
        }
    }

    pub(crate) fn is_due(&self, mode: Mode) -> bool {
        self.enabled
            && match mode {
                Mode::Focused => {
                    self.conflicts >= self.interval.max(1) && self.fast.value > self.margin * self.slow.value
                }
                Mode::Stable => self.conflicts >= self.wait.max(1),
            }
    }

    pub(crate) fn restarted(&mut self, mode: Mode) {
        debug_assert!(self.is_due(mode));
        self.conflicts = 0;
        if mode == Mode::Stable {
            self.wait = self.period.saturating_mul(self.reluctant.step());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reluctant_doubling_is_the_luby_sequence() {
        let mut reluctant = Reluctant { u: 1, v: 1 };
        let steps: Vec<u64> = (0..15).map(|_| reluctant.step()).collect();
        assert_eq!(steps, [1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1]);
    }
}
