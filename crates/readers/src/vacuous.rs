//! Warnings about questions with an answer that does not depend on the runs of the system: no state is bad, or
//! the formula is about places that never change.
//!
//! Such an answer is correct, but probably not what the user wanted: a mark such as `bad` was forgotten, or a
//! name was mistaken for another name.

use formats::codes::{self, Code};
use formats::error::{Error, printable};
use model::{Formula, Goal, Net, Node, PlaceId, Problem, Property, SystemModel, Thread};
use std::cell::LazyCell;
use std::collections::BTreeSet;

/// Returns a warning for each property of `problem` that is decided without any step. `name` is the source of
/// the problem.
#[must_use]
pub fn vacuous(name: &str, problem: &Problem) -> Vec<Error> {
    let warning = |(property, (code, why)): (&Property, (&'static Code, String))| {
        *Error::whole(code, name, format!("the answer to `{}` says little: {why}", printable(&property.id))).warning()
    };
    let changing = LazyCell::new(|| changing(problem.system()));
    let found = problem.properties().iter().filter_map(|p| Some((p, reason(problem, p.goal, &changing)?)));
    found.map(warning).collect()
}

/// Makes the warning that nothing is asked about the model called `name`. `remedy` says what can be asked.
#[must_use]
pub fn nothing_asked(name: &str, remedy: &str) -> Error {
    *Error::whole(&codes::INPUT_NOTHING_ASKED, name, "nothing is asked about this model").hint(remedy).warning()
}

/// Returns for each place: true if some transition changes it. The list is empty for systems without places.
fn changing(system: &SystemModel) -> Vec<bool> {
    let Some(net) = system.as_net() else { return Vec::new() };
    let mut changing = vec![false; net.places().len()];
    for effect in net.transitions().iter().flat_map(|t| &t.effects) {
        changing[effect.place.index()] |= !effect.is_identity();
    }
    changing
}

fn reason(problem: &Problem, goal: Goal, changing: &[bool]) -> Option<(&'static Code, String)> {
    if let Some(formula) = problem.formula(goal) {
        if let Node::All(parts) | Node::Any(parts) = formula.root()
            && parts.is_empty()
        {
            return Some((&codes::VACUOUS_CONSTANT, "it has the same value in every marking".to_owned()));
        }
        return fixed(problem.system().as_net()?, formula, changing).map(|why| (&codes::VACUOUS_FIXED, why));
    }
    match goal {
        Goal::Bad => {
            // A part of a program may be without bad states that all of it has.
            let program = problem.system().as_program().filter(|program| program.unread().is_none())?;
            (!program.threads().iter().any(Thread::has_bad))
                .then(|| (&codes::VACUOUS_BAD, "no thread has a bad state".to_owned()))
        }
        Goal::Deadlock => {
            let why = "there is no transition, so every marking is a deadlock";
            problem.system().as_net()?.transitions().is_empty().then(|| (&codes::VACUOUS_STILL, why.to_owned()))
        }
        _ => None,
    }
}

/// Returns the reason why `formula` holds in all markings of a run or in none: no transition changes a place
/// that it names.
fn fixed(net: &Net, formula: &Formula, changing: &[bool]) -> Option<String> {
    let sums = formula.nodes().iter().filter_map(|node| match node {
        Node::AtLeast(sum) => Some(sum),
        Node::All(_) | Node::Any(_) => None,
    });
    let named: BTreeSet<PlaceId> = sums.flat_map(|sum| sum.terms.iter().map(|(place, _)| *place)).collect();
    if named.iter().any(|place| changing[place.index()]) {
        return None;
    }
    let first = named.first()?;
    let name = printable(&net.place(*first).name);
    Some(match named.len() {
        1 => format!("no transition changes the place `{name}`"),
        n => format!("no transition changes any of the {n} places it names, such as `{name}`"),
    })
}
