//! Access to the rules for the tests of this crate.

use super::abstract_states::{Calls, Ends};
use super::closed::{Edge, Label, Steps};
use super::product;
use super::slots::{Slots, cell_of};
use crate::Check;
use kernel::Work;
use model::reactive::{Builder, Convention};
use model::{Holds, InputId, Ltl, Outcome, Reactive, Stop, Valuations};

/// The ends of ways, in the order in which they were found.
#[derive(Default)]
pub(crate) struct Ways(Vec<(Outcome, Vec<i32>)>);

impl Ends for Ways {
    fn ended(&mut self, _: usize, outcome: Outcome, row: &[i32], _: &mut Work<'_>) -> Check<()> {
        self.0.push((outcome, row.to_vec()));
        Ok(())
    }

    fn hears_letters(&self) -> bool {
        true
    }
}

/// The ways of calls from rows with cells.
pub(crate) struct Abstract<'a> {
    slots: Slots<'a>,
}

impl<'a> Abstract<'a> {
    pub(crate) fn new(program: &'a Reactive, valuations: &'a Valuations) -> Self {
        Self { slots: Slots::new(program, valuations).expect("sound slots") }
    }

    /// The row of a valuation of all variables.
    pub(crate) fn row(&self, values: &[i32]) -> Vec<i32> {
        let slots = self.slots.slots.iter();
        slots
            .map(|(var, holds)| match holds {
                Holds::Exactly => values[var.index()],
                Holds::Cell(cuts) => cell_of(cuts, values[var.index()]),
            })
            .collect()
    }

    /// All ways of a call. `None` if the call is refused.
    pub(crate) fn ways(&self, row: &[i32], input: i32) -> Option<Vec<(Outcome, Vec<i32>)>> {
        let (stop, mut ways) = (Stop::default(), Ways::default());
        let mut work = Work::new(2_000_000, &stop);
        Calls::new(&self.slots).call(0, row, input, &mut ways, &mut work).ok()?;
        Some(ways.0)
    }
}

/// True if the run that makes these calls, and repeats them from index `from` on, violates the formula.
pub(crate) fn lasso_violates(formula: &Ltl, calls: &[(i32, Option<i32>)], from: usize) -> bool {
    let mut builder = Builder::new();
    let entry = builder.declare("f");
    let body = builder.block(&[]);
    builder.define(entry, body);
    let mut steps = Steps { rows: calls.len(), ..Steps::default() };
    for (number, &(input, output)) in calls.iter().enumerate() {
        let input: InputId = builder.input(input);
        let label = steps.label(Label { input, output });
        let to = if number + 1 == calls.len() { from } else { number + 1 };
        steps.edges.push(Edge { from: number as u32, label, to: to as u32 });
    }
    let program = builder.finish(entry, Convention::Printed).expect("a program");
    let stop = Stop::default();
    let found = product::violated(&program, &steps, &[formula], &mut Work::new(1 << 40, &stop));
    found.expect("cheap").is_some()
}
