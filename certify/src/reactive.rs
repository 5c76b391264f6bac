//! Evidence about reactive programs: runs are replayed by an interpreter of our own, straight from the definitions of the program
//! as read; sets of valuations are checked to be closed.

mod automaton;
mod batch;
mod cells;
mod closed;
mod interval;
pub(crate) mod lasso;
mod plain;
mod player;
mod product;
mod replay;
mod rows;
mod slots;
#[cfg(test)]
pub(crate) mod testing;
mod values;
mod walk;

pub use player::Player;

use crate::work::Work;
use crate::{Check, Confirmed, EvidenceKind, Refusal, reject};
use closed::Claimed;
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

/// Checks a closed set of valuations: it shows that errors are unreachable, and that formulas hold.
pub(crate) fn holds(
    program: &Reactive,
    problem: &Problem,
    valuations: &Valuations,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    no_assumptions(problem)?;
    let (mut errors, mut formulas) = (Vec::new(), Vec::new());
    for &goal in goals {
        match goal {
            Goal::Error(error) => {
                errors.resize(program.errors().len(), false);
                match errors.get_mut(error.index()) {
                    Some(claimed) => *claimed = true,
                    None => return reject(format!("there is no error label number {}", error.0)),
                }
            }
            Goal::Temporal(id) => match problem.temporal.get(id.index()) {
                Some(formula) => formulas.push(&**formula),
                None => return reject(format!("there is no formula number {}", id.0)),
            },
            _ => return reject("the goals of a reactive program are its error labels and temporal formulas"),
        }
    }
    let claimed = Claimed { errors, temporal: !formulas.is_empty() };
    let closed = closed::check(program, valuations, &claimed, work)?;
    if let Some(at) = product::violated(program, &closed.steps, &formulas, work)? {
        let goal = goals.iter().filter(|goal| matches!(goal, Goal::Temporal(_))).nth(at);
        let name = goal.map_or_else(String::new, ToString::to_string);
        return reject(format!("an infinite run through the listed rows violates {name}"));
    }
    let (length, hash) = (closed.rows, closed.hash);
    Ok(Confirmed { length, replayed: length, hash, ..crate::confirmed(goals, EvidenceKind::StateSet) })
}
