//! A stepper that computes only the successors by a stubborn set.

use crate::RwbStepper;
use crate::stubborn::{Chooser, RulePart};
use model::{ExpansionKind, Goal, Program};
use search::{Stepper, Successors};

/// Steps a behavioral program by stubborn sets.
#[derive(Clone, Debug)]
pub struct StubbornStepper {
    plain: RwbStepper,
    chooser: Chooser,
    state: Vec<u32>,
    enabled: u64,
    chosen: u64,
}

impl StubbornStepper {
    /// Returns a stepper for the program and all goals together, or `None` if the program is too large for the
    /// rules.
    pub(crate) fn new(program: &Program, goals: &[Goal]) -> Option<Self> {
        Self::without(program, goals, None)
    }

    /// Like `new`, but without a part of the rules, for tests.
    pub(super) fn without(program: &Program, goals: &[Goal], omit: Option<RulePart>) -> Option<Self> {
        Some(Self {
            plain: RwbStepper::new(program),
            chooser: Chooser::without(program, goals, omit)?,
            state: Vec::new(),
            enabled: 0,
            chosen: 0,
        })
    }

    /// Returns how many events were enabled in the expansions so far, and how many of them were taken.
    pub(super) fn enabled_and_chosen(&self) -> (u64, u64) {
        (self.enabled, self.chosen)
    }
}

impl Stepper for StubbornStepper {
    search::states_of!(plain);

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        self.plain.unpack(packed, &mut self.state);
        let Some(chosen) = self.chooser.choose(&self.state) else { return self.plain.expand(packed, out) };
        self.plain.expand_on(packed, chosen, out);
        self.chosen += count(chosen);
        self.enabled += count(self.chooser.enabled());
        ExpansionKind::Inner
    }

    fn looking(&self) -> u64 {
        self.plain.looking()
    }
}

/// Returns the number of events in a set.
fn count(set: &[u64]) -> u64 {
    set.iter().map(|word| u64::from(word.count_ones())).sum()
}
