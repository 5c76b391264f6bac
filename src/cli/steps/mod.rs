//! Runs step by step for programs that read reports: each step with its event, what it changes, and the state it leads to, by names. (For
//! people there is `trace`, which folds and shortens.)
//!
//! A kind of system is a file with a [`Play`]; it follows a run that the checker has accepted, and proves nothing.

mod circuit;
mod net;
mod program;
mod reactive;

use super::text::Paint;
use super::trace::Detail;
use impasse::Answer;
use impasse::model::{Claim, Goal, Move, Problem, SystemModel, Trace};
use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Map, Value};

/// Values of states that are listed of all steps together; a longer run is cut. (Some hundred megabytes of JSON.)
const MOST_VALUES: usize = 4_000_000;

/// Whole numbers up to this one are the same in every reader of JSON; others are written as text.
const MOST_EXACT: u64 = (1 << 53) - 1;

/// A run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TraceReport {
    /// The state it starts from.
    start: State,
    steps: Vec<StepReport>,
    /// The run is infinite: after its last step it goes on with this one, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats_from: Option<u64>,
    /// Is that the whole run? A very long one is cut at its end.
    complete: bool,
    /// Why the last state is a violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Values by the names of what has them: threads, places, latches, variables.
type State = Map<String, Value>;

/// A step.
#[derive(Clone, Debug, Serialize)]
struct StepReport {
    /// Its number, from 1.
    step: u64,
    #[serde(flatten)]
    what: What,
    /// The state after it.
    state: State,
}

/// What happens in a step.
#[derive(Clone, Default, Debug, Serialize)]
struct What {
    /// The event of a program, the transition of a net, the input of a call; null for a frame of a circuit.
    event: Option<String>,
    /// The threads of a program that request the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_by: Option<Vec<String>>,
    /// The inputs of a circuit that are true.
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<String>>,
    /// What the call of a reactive program prints, and how it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<Vec<String>>,
    changes: Vec<Change>,
}

/// A new value.
#[derive(Clone, Debug, Serialize)]
struct Change {
    name: String,
    from: Value,
    to: Value,
}

/// Follows a run.
trait Play {
    /// Where it is now.
    fn state(&self) -> State;

    /// Takes a step.
    fn take(&mut self, step: &Move) -> What;

    /// Why it is a violation to be here after so many steps, if there is something to say.
    fn why(&self, steps: u64) -> Option<String>;
}

/// The run behind an answer, step by step, if there is one.
pub(crate) fn of_answer(problem: &Problem, answer: &Answer) -> Option<TraceReport> {
    match answer.claim.as_deref() {
        Some(Claim::Unsafe { goal, trace, .. }) if answer.is_unsafe() => Some(report(problem, trace, *goal)),
        _ => None,
    }
}

/// The run that violates `goal`, step by step. Costs a state for each step, up to [`MOST_VALUES`] values.
fn report(problem: &Problem, trace: &Trace, goal: Goal) -> TraceReport {
    match &problem.system {
        SystemModel::Rwb(program) => follow(program::Player::new(program, trace, goal), trace),
        SystemModel::Net(_) | SystemModel::Threads(_) => follow(net::Player::new(problem, trace, goal), trace),
        SystemModel::Circuit(circuit) => follow(circuit::Player::new(problem, circuit, trace, goal), trace),
        SystemModel::Reactive(program) => follow(reactive::Player::new(program), trace),
    }
}

fn follow(mut player: impl Play, trace: &Trace) -> TraceReport {
    let start = player.state();
    let mut values = start.len();
    let mut steps = Vec::new();
    let mut complete = true;
    let all = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
    for (step, number) in all.zip(1u64..) {
        if values > MOST_VALUES {
            complete = false;
            break;
        }
        let what = player.take(step);
        let state = player.state();
        values += state.len() + 1;
        steps.push(StepReport { step: number, what, state });
    }
    let repeats_from = trace.repeats_from.map(|from| from.saturating_add(1));
    let why = complete.then(|| player.why(steps.len() as u64)).flatten();
    TraceReport { start, steps, repeats_from, complete, why }
}

/// As much as there is to say.
fn everything() -> Detail {
    Detail { all: true, paint: Paint::plain() }
}

/// One or several sentences without their indentation.
fn sentences(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join("\n")
}

/// A count: as a number if every reader has it exactly, as digits otherwise.
fn tokens(n: &BigUint) -> Value {
    match u64::try_from(n) {
        Ok(n) if n <= MOST_EXACT => Value::from(n),
        _ => Value::from(n.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_are_digits() {
        assert_eq!(tokens(&BigUint::from(MOST_EXACT)), Value::from(9_007_199_254_740_991u64));
        assert_eq!(tokens(&BigUint::from(1u64 << 53)), Value::from("9007199254740992"));
    }
}
