//! What answers that are unknown say about open ranges, and about questions that nothing can answer.

use super::ranges::{Range, Ranges};
use crate::options::Options;
use crate::outcome::{Answer, Finding};
use model::{Goal, Marked, PlaceId, Problem, Reason};

/// What an answer says about a largest value if only the kernel may accept evidence.
const NO_VALUES: &str = "`--kernel-only`: the kernel has no rule for largest values.";

/// Adds what is known to the answers that are unknown, and returns these answers.
pub(crate) fn explain(
    answers: &mut [Answer],
    ranges: &Ranges,
    problem: &Problem,
    options: &Options<'_>,
) -> Vec<Answer> {
    let mut told = Vec::new();
    for answer in answers {
        let Finding::Unknown { reason, detail } = &mut answer.finding else { continue };
        let goal = answer.property.goal;
        let why = ranges.known(goal).map(in_range).or_else(|| why(goal, *reason, problem, options));
        if why.is_some() {
            *detail = why;
            told.push(answer.clone());
        }
    }
    told
}

/// Returns the goals that nothing can answer: sums without a largest value, or any sum if only the kernel accepts
/// evidence.
pub(crate) fn hopeless(problem: &Problem, options: &Options<'_>) -> Vec<Goal> {
    let is_hopeless =
        |goal: &Goal| matches!(goal, Goal::Bound(_)) && (options.kernel_only || endless(*goal, problem).is_some());
    problem.goals().filter(is_hopeless).collect()
}

/// Returns the name of a place of the sum of a goal in which any number of tokens or threads may start. Then the sum
/// has no largest value.
pub(super) fn endless(goal: Goal, problem: &Problem) -> Option<String> {
    let (Goal::Bound(id), system) = (goal, problem.system().as_marked()?) else { return None };
    let starts = |place: &PlaceId| match system {
        Marked::Net(net) => net.place(*place).initial.at_most.is_none().then(|| net.place(*place).name.clone()),
        Marked::Threads(threads) => {
            let any = threads.initial().any.iter().find(|l| threads.local_place(**l) == *place)?;
            Some(format!("l{}", any.0))
        }
    };
    problem.sums()[id.index()].iter().find_map(|(place, _)| starts(place))
}

fn in_range(Range { low, high }: Range) -> String {
    let most = high.map_or_else(String::new, |high| format!(", and at most {}", high - 1));
    format!("The largest value is at least {low}{most} (the parts are checked, the whole is not).")
}

/// Returns what an answer that is unknown has to do with the kernel alone, or with an open number of tokens or threads
/// at the start.
fn why(goal: Goal, reason: Reason, problem: &Problem, options: &Options<'_>) -> Option<String> {
    let system = problem.system().as_marked()?;
    let tokens = if problem.system().as_threads().is_some() { "threads" } else { "tokens" };
    if let Goal::Bound(_) = goal {
        let Some(place) = endless(goal, problem) else { return options.kernel_only.then(|| NO_VALUES.to_owned()) };
        return Some(format!("Any number of {tokens} may start in {place}, so there is no largest value."));
    }
    let is_formula = goal.is_temporal() || matches!(goal, Goal::Branching(_));
    let is_tried = is_formula && reason == Reason::GaveUp && system.is_endless();
    is_tried.then(|| {
        format!(
            "Any number of {tokens} may start. With up to {} more than necessary where they may, no violation was \
             found (not checked).",
            nets::MOST_STARTING
        )
    })
}
