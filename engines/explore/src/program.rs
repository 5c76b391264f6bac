//! Plain search of behavioral programs and of systems of one's own.
//!
//! Where violating runs must satisfy assumptions, a state may be met by a run that is not asked about,
//! and later by one that is. What is assumed of a run looks at its last state and, up to a bound and a modulus, at
//! its length; so a state together with the class of the length is met once and for all ([`counted`]).

use crate::search::{Certifier, Space, by_breadth};
use crate::{Explicit, Options};
use model::certificate::Counted;
use model::{Certificate, Engine, Lengths, OwnTask, ProgramTask, Trace};
use std::sync::Arc;
use store::search::{Packed, Together};
use store::{Generic, RwbStepper};

/// Breadth-first search of packed states, a behavioral program's if nothing else is said.
pub type Explore<S = RwbStepper> = Explicit<Packed<S, Together<S>>>;

impl Explore {
    /// A search for the goals of `task`.
    #[must_use]
    pub fn new(task: &ProgramTask, options: Options) -> Self {
        let stepper = RwbStepper::new(task.program());
        Self::with(task.goals().to_vec(), options.explore_all, by_breadth(stepper, options.jobs))
    }
}

impl Explore<Generic> {
    /// A search for the goals of a system of one's own.
    #[must_use]
    pub fn of_own(task: &OwnTask, options: Options) -> Self {
        let stepper = Generic::new(Arc::clone(task.system()));
        Self::with(task.goals().to_vec(), options.explore_all, by_breadth(stepper, options.jobs))
    }
}

/// A breadth-first search for the goals of `task`, as it is assumed.
#[must_use]
pub fn counted(task: &ProgramTask, options: Options) -> Box<dyn Engine> {
    let lengths = Lengths::of(task.assumptions());
    let stepper = store::Counted::new(RwbStepper::new(task.program()), lengths, task.assumptions().to_vec());
    Box::new(Explicit::with(task.goals().to_vec(), options.explore_all, by_breadth(stepper, options.jobs)))
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

    /// The run without the lengths.
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
