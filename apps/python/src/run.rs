//! Runs as plain values: the initial state, and for each step what it changes. The package computes states from these.

use crate::number::Natural;
use impasse::steps::{Steps, Value};
use model::{Problem, Trace};
use pyo3::prelude::*;

/// Maximum number of steps that are returned. Runs may have more than 2^64 steps in a few lines.
const MOST_STEPS: usize = 1 << 20;

/// A value of a part of a state: text, a number, or a truth value.
#[derive(IntoPyObject)]
pub(crate) enum Shown {
    Text(String),
    Count(Natural),
    Number(i32),
    Bit(bool),
}

impl From<Value> for Shown {
    fn from(value: Value) -> Self {
        match value {
            Value::State(text) | Value::Shown(text) => Shown::Text(text),
            Value::Tokens(count) => Shown::Count(Natural(count)),
            Value::Bit(bit) => Shown::Bit(bit),
            Value::Number(number) => Shown::Number(number),
        }
    }
}

/// A step: its event, the number of the event, the threads that request it, outputs, and changes (name, before, after).
type StepParts = (String, u32, Vec<String>, Vec<String>, Vec<(String, Shown, Shown)>);

/// A run: its initial state, its steps, the index of the step to which it returns, whether all steps are there, and the
/// number of all steps if it fits 64 bits.
pub(crate) type RunParts = (Vec<(String, Shown)>, Vec<StepParts>, Option<u64>, bool, Option<u64>);

/// Returns the parts of a run that the checker has accepted.
pub(crate) fn parts(problem: &Problem, trace: &Trace) -> RunParts {
    let mut run = Steps::new(problem, trace);
    let start = run.state().into_iter().map(|(name, value)| (name, value.into())).collect();
    let step = |step: impasse::Step| {
        let changes = step.changes.into_iter().map(|change| (change.name, change.from.into(), change.to.into()));
        (step.event, step.id.0, step.requested_by, step.shows, changes.collect())
    };
    let steps: Vec<StepParts> = run.by_ref().take(MOST_STEPS).map(step).collect();
    let is_complete = run.next().is_none();
    (start, steps, trace.repeats_from, is_complete, trace.len())
}
