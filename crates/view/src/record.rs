//! Runs step by step for programs that read reports. Each step has its event, its changes, and the state after
//! it, all with names. (The module `trace` renders runs for people. It folds repetitions and shortens runs.)

use super::render;
use super::text::Paint;
use super::trace::Detail;
use crate::json::{StateRecord, json};
use crate::steps::{self, Step, Steps, Value};
use model::{Goal, Problem, Trace};
use num_bigint::BigUint;
use serde::Serialize;
use serde_json::Value as Json;

/// Maximum number of values in the states of all steps together, some hundred megabytes of JSON. A longer run
/// is cut.
const MOST_VALUES: usize = 4_000_000;

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct TraceReport {
    /// The state in which the run starts.
    start: StateRecord,
    steps: Vec<StepReport>,
    /// For an infinite run: the number, counted from 1, of the step with which the run continues after the last
    /// step.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats_from: Option<u64>,
    /// True if this is the whole run. The end of a very long run is left out.
    complete: bool,
    /// Why the last state is a violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// A step.
#[derive(Clone, Debug, Serialize)]
struct StepReport {
    /// Number of the step, from 1.
    step: u64,
    /// The event of a program, the transition of a net, or the input of a call. For a frame of a circuit, the
    /// inputs that are true.
    event: String,
    /// The threads of a program that request the event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    requested_by: Vec<String>,
    /// The outputs of the call of a reactive program, and how the call ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<String>,
    changes: Vec<Change>,
    /// The state after the step.
    state: StateRecord,
}

/// A change of a value.
#[derive(Clone, Debug, Serialize)]
struct Change {
    name: String,
    from: Json,
    to: Json,
}

/// Returns why the last state of a run violates a goal, as sentences.
pub fn why(problem: &Problem, trace: &Trace, goal: Goal) -> Option<String> {
    let detail = Detail { all: true, paint: Paint::plain() };
    sentences(&render::rendered(problem, trace, goal, detail).why)
}

/// Returns the run step by step, with the reason why its last state is a violation. Stores a state for each step, up to
/// [`MOST_VALUES`] values.
pub fn of_trace(problem: &Problem, trace: &Trace, why: Option<String>) -> TraceReport {
    let mut run = Steps::new(problem, trace);
    let start = state(&run);
    let mut values = start.len();
    let mut steps = Vec::new();
    let mut complete = true;
    while let Some(step) = run.next() {
        if values > MOST_VALUES {
            complete = false;
            break;
        }
        let state = state(&run);
        values += state.len() + 1;
        steps.push(report(step, state));
    }
    let repeats_from = trace.repeats_from.map(|from| from.saturating_add(1));
    TraceReport { start, steps, repeats_from, complete, why }
}

fn report(step: Step, state: StateRecord) -> StepReport {
    let change = |c: steps::Change| Change { name: c.name, from: json(&c.from), to: json(&c.to) };
    StepReport {
        step: step.number,
        event: step.event,
        requested_by: step.requested_by,
        outputs: step.shows,
        changes: step.changes.into_iter().map(change).collect(),
        state,
    }
}

/// Returns the current state. Places without tokens are left out.
fn state(run: &Steps<'_>) -> StateRecord {
    let mut state = StateRecord::new();
    for (name, value) in run.state() {
        if value != Value::Tokens(BigUint::ZERO) {
            state.insert(name, json(&value));
        }
    }
    state
}

/// Returns the sentences of a text without their indentation. `None` if there are none.
fn sentences(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
