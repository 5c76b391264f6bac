//! The runs of a net or thread-transition system, for the truth about temporal formulas ([`crate::runs`]).

use super::branching::Graph;
use crate::runs::{self, Runs, Step};
use model::{Formula, Letter, Ltl, Subject};
use std::sync::Arc;

struct Steps<'g> {
    formulas: &'g [Arc<Formula>],
    graph: &'g Graph,
    steps: Vec<Step<()>>,
}

impl Runs for Steps<'_> {
    type Event = ();

    fn steps(&self) -> &[Step<()>] {
        &self.steps
    }

    fn initial(&self) -> usize {
        self.graph.initial
    }

    fn can(&self, _: &Step<()>, _: Subject) -> bool {
        panic!("there are no fairness assumptions")
    }

    fn does(&self, _: &Step<()>, _: Subject) -> bool {
        panic!("there are no fairness assumptions")
    }

    fn holds(&self, step: &Step<()>, letter: Letter) -> bool {
        let Letter::Marking(id) = letter else { panic!("a letter of another kind of system") };
        crate::formula::holds(&self.formulas[id.index()], &self.graph.markings[step.from])
    }
}

/// True if some maximal run of the system violates the formula. Its letters are among `formulas`. `None` if the formula
/// is too large.
#[must_use]
pub fn is_violated(graph: &Graph, formulas: &[Arc<Formula>], formula: &Ltl) -> Option<bool> {
    let mut steps = Vec::new();
    for (from, next) in graph.next.iter().enumerate() {
        if next.is_empty() {
            steps.push(Step { from, event: None, to: from });
        }
        steps.extend(next.iter().map(|to| Step { from, event: Some(()), to: *to }));
    }
    runs::is_violated(&Steps { formulas, graph, steps }, formula, &[])
}
