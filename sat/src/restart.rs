//! Restarts, as in Glucose: when recently learnt clauses (fast average of glue) are clearly worse than those of the long run.
//!
//! Only conflicts count, and only a search that the heap steers restarts: a theory's deep search would be thrown away. The
//! simple rule is that the last decision was the heap's. Levels that the heap would rebuild alike are kept (van der Tak,
//! Ramos and Heule 2011). To change *when*, edit `is_due`; *where to*, `restart_level`.

use crate::options::Options;
use crate::solver::Solver;
use crate::theory::Theory;

/// Smoothing of the averages over about 33 and 10,000 conflicts.
const FAST: f64 = 0.03;
const SLOW: f64 = 1e-4;

/// An exponential moving average that starts as a plain one, so that it needs no warm-up.
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

pub(crate) struct Restart {
    fast: Average,
    slow: Average,
    conflicts: u64,
    margin: f64,
    interval: u64,
    enabled: bool,
}

impl Restart {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            fast: Average::new(FAST),
            slow: Average::new(SLOW),
            conflicts: 0,
            margin: options.restart_margin,
            interval: options.restart_interval,
            enabled: options.restarts,
        }
    }

    pub(crate) fn conflict(&mut self, glue: u32) {
        self.conflicts += 1;
        self.fast.add(f64::from(glue));
        self.slow.add(f64::from(glue));
    }

    fn is_due(&self) -> bool {
        self.enabled && self.conflicts >= self.interval.max(1) && self.fast.value > self.margin * self.slow.value
    }
}

impl Solver {
    /// Restarts if it is time. Answers whether it did.
    pub(crate) fn restart_if_due(&mut self, theory: &mut dyn Theory) -> bool {
        if !self.heap_decided_last || !self.restart.is_due() {
            return false;
        }
        self.restart.conflicts = 0;
        self.stats.restarts += 1;
        let level = self.restart_level();
        self.backtrack(level, theory);
        true
    }

    /// The first level above the assumptions whose decision the heap would not take again.
    fn restart_level(&mut self) -> u32 {
        while self.heap.peek().is_some_and(|var| !self.trail.is_open(var.positive())) {
            self.heap.pop();
        }
        let best = self.heap.peek().map_or(0.0, |var| self.heap.activity(var));
        let assumed = (self.assumptions.len() as u32).min(self.trail.depth());
        let keeps = |&level: &u32| {
            let decision = self.trail.decision(level + 1);
            decision.is_some_and(|lit| !self.heap.may_hold(lit.var()) || self.heap.activity(lit.var()) > best)
        };
        (assumed..self.trail.depth()).take_while(keeps).count() as u32 + assumed
    }
}
