//! Certificates of reactive programs: sets of valuations, checked to be closed under calls.

mod abstract_states;
mod batch;
mod closed;
mod interval;
mod player;
mod product;
mod rows;
mod slots;
#[cfg(test)]
pub(crate) mod testing;

pub use player::Player;

use crate::{Check, Confirmed, EvidenceKind, Refusal, by_rules, reject};
use closed::Claimed;
use kernel::Work;
use model::{Goal, Problem, Reactive, Valuations};

/// Refuses problems with assumptions. Assumptions restrict the runs that count, and no rule here supports them.
fn no_assumptions(problem: &Problem) -> Check<()> {
    match problem.assumptions().is_empty() {
        true => Ok(()),
        false => Err(Refusal::Unknown("assumptions are allowed only for behavioral programs".to_owned())),
    }
}

/// Checks a closed set of valuations. It shows that errors are unreachable, and that formulas hold.
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
            Goal::Temporal(id) => match problem.temporal().get(id.index()) {
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
    Ok(Confirmed { length, replayed: length, hash, ..by_rules(goals, EvidenceKind::StateSet) })
}
