//! Renders the trace of any kind of system for people.

use crate::trace::{Detail, Rendered};
use crate::{kind, why};
use model::{Goal, Problem, Property, Trace};

/// Renders a replayed trace, indented.
pub fn render(problem: &Problem, trace: &Trace, goal: Goal, detail: Detail) -> String {
    let Rendered { run, why } = rendered(problem, trace, goal, detail);
    run + &why
}

/// Renders a replayed trace, with the step that decided a deadlock. Returns the run separately from the reason why its
/// end is a violation.
pub fn rendered(problem: &Problem, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
    let kind = kind::of(problem);
    let mut rendered = kind.trace(trace, goal, detail);
    let is_deadlock = |property: &Property| property.goal == goal && property.is_deadlock();
    if problem.properties().iter().any(is_deadlock)
        && let Some(moment) = kind.explored().last_moment(trace)
    {
        rendered.why.push_str(&format!("    {}\n", moment.sentence(1)));
    }
    for line in why::along(problem, trace, goal) {
        rendered.why.push_str(&format!("    {line}\n"));
    }
    rendered
}
