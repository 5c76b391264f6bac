//! The runs of a net, for the truth about temporal formulas ([`crate::runs`]).

use super::{Marking, initial, successors};
use crate::runs::{self, Runs, Step};
use model::{Formula, Letter, Ltl, NetTask, Subject};
use std::collections::HashMap;
use std::sync::Arc;

struct Graph<'n> {
    formulas: &'n [Arc<Formula>],
    markings: Vec<Marking>,
    initial: usize,
    steps: Vec<Step<()>>,
}

impl Runs for Graph<'_> {
    type Event = ();

    fn steps(&self) -> &[Step<()>] {
        &self.steps
    }

    fn initial(&self) -> usize {
        self.initial
    }

    fn can(&self, _: &Step<()>, _: Subject) -> bool {
        panic!("nets have no fairness assumptions")
    }

    fn does(&self, _: &Step<()>, _: Subject) -> bool {
        panic!("nets have no fairness assumptions")
    }

    fn holds(&self, step: &Step<()>, letter: Letter) -> bool {
        let Letter::Marking(id) = letter else { panic!("a letter of another kind of system") };
        crate::formula::holds(&self.formulas[id.index()], &self.markings[step.from])
    }
}

/// True if some maximal run of the net violates the formula (its letters are formulas of the task). `None` if the
/// net has more than `most` markings, or a marking with more than `most` tokens, or the formula is too large.
#[must_use]
pub fn is_violated(task: &NetTask, formula: &Ltl, most: usize) -> Option<bool> {
    let (start, is_cut) = initial(task, 0);
    if is_cut {
        return None;
    }
    let (mut numbers, mut markings) = (HashMap::new(), Vec::new());
    let mut number = |marking: Marking, markings: &mut Vec<Marking>| {
        *numbers.entry(marking.clone()).or_insert_with(|| {
            markings.push(marking);
            markings.len() - 1
        })
    };
    start.into_iter().for_each(|marking| _ = number(marking, &mut markings));
    let (initial, mut steps, mut from) = (markings.len(), Vec::new(), 0);
    while from < markings.len() {
        let next: Vec<Marking> = successors(&task.net, &markings[from]).collect();
        if markings.len() > most || next.iter().flatten().any(|tokens| *tokens > most.into()) {
            return None;
        }
        if next.is_empty() {
            steps.push(Step { from, event: None, to: from });
        }
        for to in next {
            let to = number(to, &mut markings);
            steps.push(Step { from, event: Some(()), to });
        }
        from += 1;
    }
    runs::is_violated(&Graph { formulas: &task.formulas, markings, initial, steps }, formula, &[])
}
