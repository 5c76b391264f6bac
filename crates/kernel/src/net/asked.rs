//! The goals of a claim as formulas over places, and whether potentially marked places exclude them.

use super::Marked;
use super::formula::{self, Ceiling, may_hold, size};
use crate::work::Work;
use crate::{Check, reject};
use model::{Formula, Goal, Problem};

/// Returns the formulas among `goals`. Checks that they refer to places of the system only.
///
/// # Errors
/// If a formula refers to another place, or a goal is neither a formula nor a deadlock.
pub fn formulas<'a>(system: Marked<'_>, problem: &'a Problem, goals: &[Goal]) -> Check<Vec<&'a Formula>> {
    let mut formulas = Vec::new();
    for goal in goals {
        match goal {
            Goal::Deadlock => {}
            Goal::Formula(_) => formulas.push(formula::asked(problem, *goal, system.places())?),
            _ => return reject("a goal about markings is a formula or a deadlock"),
        }
    }
    Ok(formulas)
}

/// Checks that no goal can hold while all places outside the set are empty.
///
/// # Errors
/// If a goal can hold, or if a resource limit is exceeded.
pub fn excludes(places: &[bool], goals: &[&Formula], work: &mut Work<'_>) -> Check<()> {
    for formula in goals {
        work.spend(size(formula))?;
        if may_hold(formula, |p| if places[p.index()] { Ceiling::Unbounded } else { Ceiling::AtMost(0) }) {
            return reject("the potentially marked places do not exclude the goal");
        }
    }
    Ok(())
}
