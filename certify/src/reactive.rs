//! Evidence about reactive programs: runs are replayed by an interpreter of our own, straight from the definitions of the program
//! as read; sets of valuations are checked to be closed.

pub(crate) mod lasso;
mod plain;
mod replay;
mod values;
mod walk;

use crate::work::Work;
use crate::{Check, Confirmed, Refusal, reject};
use model::{Goal, Problem, Reactive, Trace, Valuations};

/// Replays a run; its calls, and how many were made.
pub(crate) fn run(
    program: &Reactive,
    problem: &Problem,
    trace: &Trace,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<(u64, u64)> {
    no_assumptions(problem)?;
    let calls = match goal {
        Goal::Error(error) => replay::error(program, trace, error, work)?,
        Goal::Temporal(id) => match problem.temporal.get(id.index()) {
            Some(formula) => replay::violation(program, trace, formula, work)?,
            None => return reject(format!("there is no formula number {}", id.0)),
        },
        _ => return reject("the goals of a reactive program are its error labels and temporal formulas"),
    };
    Ok((calls, calls))
}

/// Assumptions restrict the runs that count; no rule here knows how.
fn no_assumptions(problem: &Problem) -> Check<()> {
    match problem.assumptions.is_empty() {
        true => Ok(()),
        false => Err(Refusal::Unknown("assumptions speak of runs of programs".to_owned())),
    }
}

/// Checks a closed set of valuations.
pub(crate) fn holds(_: &Reactive, _: &Problem, _: &Valuations, _: &[Goal], _: &mut Work<'_>) -> Check<Confirmed> {
    Err(Refusal::Unknown("sets of valuations are not checked yet".to_owned()))
}
