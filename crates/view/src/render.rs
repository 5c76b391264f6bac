//! Renders the trace of any kind of system for people.

use crate::kind;
use crate::trace::{Detail, Rendered};
use model::{Goal, Problem, Trace};

/// Renders a replayed trace, indented.
pub fn render(problem: &Problem, trace: &Trace, goal: Goal, detail: Detail) -> String {
    let Rendered { run, why } = rendered(problem, trace, goal, detail);
    run + &why
}

/// Renders a replayed trace. Returns the run separately from the reason why its end is a violation.
pub fn rendered(problem: &Problem, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
    kind::of(problem).trace(trace, goal, detail)
}
