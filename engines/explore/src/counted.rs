//! Search of a program about whose violating runs something is assumed: over its states with the lengths of the runs that lead there.
//!
//! A state may be met by a run that is not asked about, and later by one that is. What is assumed of a run looks at its last state
//! and, up to a bound and a modulus, at its length; so a state together with the class of the length is met once and for all.

use crate::{Explore, Options};
use model::certificate::Counted;
use model::{Certificate, Claim, Engine, Lengths, ProgramTask, Trace};
use reduce::{Home, Mapped};
use std::sync::Arc;
use store::RwbStepper;

/// A breadth-first search for the goals of `task`, as it is assumed.
#[must_use]
pub fn counted(task: &ProgramTask, options: Options) -> Box<dyn Engine> {
    let lengths = Lengths::of(task.assumptions());
    let stepper = store::Counted::new(RwbStepper::new(task.program()), lengths, task.assumptions().to_vec());
    let search = Explore::with(task.goals().to_vec(), options, stepper);
    Box::new(Mapped::new(Box::new(search), Arc::new(WithLengths(lengths))))
}

/// The way home: runs without the lengths, and sets that say what they count.
struct WithLengths(Lengths);

impl Home for WithLengths {
    fn claim(&self, claim: Claim) -> Claim {
        match claim {
            Claim::Safe { goals, certificate: Certificate::StateSet(states) } => {
                Claim::Safe { goals, certificate: Certificate::Counted(Counted { lengths: self.0, states }) }
            }
            Claim::Unsafe { goal, trace, candidate } => {
                Claim::Unsafe { goal, trace: without_length(&trace), candidate }
            }
            other => other,
        }
    }

    fn keeps_shortest(&self) -> bool {
        true
    }
}

fn without_length(trace: &Trace) -> Trace {
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
