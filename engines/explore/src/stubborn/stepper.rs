//! A stepper that tells the successors by a stubborn set and no others.

use analysis::stubborn::program::{Chooser, Part};
use model::{Goal, Kind, Program};
use store::{RwbStepper, Step, Successors};

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
    /// For the program and the goals asked together; `None` if the program is too large for the rules.
    pub(crate) fn new(program: &Program, goals: &[Goal]) -> Option<Self> {
        Self::without(program, goals, None)
    }

    /// Without a part of the rules, for tests.
    pub(super) fn without(program: &Program, goals: &[Goal], omit: Option<Part>) -> Option<Self> {
        Some(Self {
            plain: RwbStepper::new(program),
            chooser: Chooser::without(program, goals, omit)?,
            state: Vec::new(),
            enabled: 0,
            chosen: 0,
        })
    }

    /// How many events the expansions so far could have taken, and how many they took.
    pub(super) fn enabled_and_chosen(&self) -> (u64, u64) {
        (self.enabled, self.chosen)
    }
}

impl Step for StubbornStepper {
    store::states_of!(plain);

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        self.plain.unpack(packed, &mut self.state);
        let Some(chosen) = self.chooser.choose(&self.state) else { return self.plain.expand(packed, out) };
        self.plain.expand_on(packed, chosen, out);
        self.chosen += count(chosen);
        self.enabled += count(self.chooser.enabled());
        Kind::Inner
    }

    fn looking(&self) -> u64 {
        self.plain.looking()
    }
}

/// How many events are in a set.
fn count(set: &[u64]) -> u64 {
    set.iter().map(|word| u64::from(word.count_ones())).sum()
}
