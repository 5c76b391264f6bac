//! Plain search of pairs of a state and a class of lengths of runs.

use super::search::{Certifier, Space};
use crate::Counted;
use model::{Certificate, Trace, certificate};

impl<S: Space> Space for Counted<S> {
    const NAME: &'static str = S::NAME;

    fn certifier(&self) -> Certifier {
        let lengths = self.lengths();
        Box::new(move |states| Certificate::Counted(certificate::Counted { lengths, states }))
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
