//! Plain search of behavioral programs and of systems defined in Rust.
//!
//! If violating runs must satisfy assumptions, a state may be reached by a run that does not satisfy them, and
//! later by one that does. Assumptions depend on the last state of a run and, up to a bound and a modulus, on
//! its length. So the search visits pairs of a state and a class of lengths, each only once ([`counted`]).

use crate::search::{Certifier, Space, by_breadth};
use crate::{Explicit, Options};
use model::certificate::Counted;
use model::{Certificate, Engine, Lengths, OwnTask, ProgramTask, Trace};
use std::sync::Arc;
use store::disk::Large;
use store::{Generic, RwbStepper};

/// Breadth-first search of packed states. By default, they are the states of a behavioral program.
pub type Explore<S = RwbStepper> = Explicit<Large<S>>;

impl Explore {
    /// Returns a search for the goals of `task`.
    #[must_use]
    pub fn new(task: &ProgramTask, options: Options) -> Self {
        let stepper = RwbStepper::new(task.program());
        Self::with(task.goals().to_vec(), options.explore_all, by_breadth(stepper, &options))
    }
}

impl Explore<Generic> {
    /// Returns a search for the goals of a system defined in Rust.
    #[must_use]
    pub fn of_own(task: &OwnTask, options: Options) -> Self {
        let stepper = Generic::new(Arc::clone(task.system()));
        Self::with(task.goals().to_vec(), options.explore_all, by_breadth(stepper, &options))
    }
}

/// Returns a breadth-first search for the goals of `task` under its assumptions.
#[must_use]
pub fn counted(task: &ProgramTask, options: Options) -> Box<dyn Engine> {
    let lengths = Lengths::of(task.assumptions());
    let stepper = store::Counted::new(RwbStepper::new(task.program()), lengths, task.assumptions().to_vec());
    Box::new(Explicit::with(task.goals().to_vec(), options.explore_all, by_breadth(stepper, &options)))
}

impl Space for RwbStepper {
    const NAME: &'static str = "explicit";

    fn certifier(&self) -> Certifier {
        Box::new(Certificate::StateSet)
    }
}

impl Space for Generic {
    const NAME: &'static str = "explicit";

    fn certifier(&self) -> Certifier {
        Box::new(Certificate::StateSet)
    }
}

impl Space for store::Counted<RwbStepper> {
    const NAME: &'static str = "explicit";

    fn certifier(&self) -> Certifier {
        let lengths = self.lengths();
        Box::new(move |states| Certificate::Counted(Counted { lengths, states }))
    }

    /// Removes the length classes from the run.
    fn claimed(&self, trace: Trace) -> Trace {
        let state = |counted: &[u32]| Box::from(&counted[..counted.len() - 1]);
        let mut plain = Trace::new(state(&trace.start));
        for run in trace.runs() {
            if run.times == 1 {
                for step in &run.word {
                    plain.push(step.event, step.choice.map(|choice| state(trace.choice(choice))));
                }
            } else {
                plain.push_repeat(run.word.iter().map(|step| step.event).collect(), run.times);
            }
        }
        plain
    }
}
