//! Runs of systems defined in Rust, for people.

use crate::steps::Steps;
use crate::trace::table::Table;
use crate::trace::{Detail, HEAD, Rendered, TAIL};
use model::{Problem, Trace};

/// Renders a replayed trace, indented.
pub fn render(problem: &Problem, trace: &Trace, detail: Detail) -> Rendered {
    let total = trace.len().unwrap_or(u64::MAX);
    let hidden = if detail.all || total <= HEAD + TAIL + 1 { 0..0 } else { HEAD..total - TAIL };
    let mut steps = Steps::new(problem, trace);
    let state = |steps: &Steps<'_>| steps.state().into_iter().map(|(_, value)| value.to_string());
    let mut run = format!("    start: {}\n", state(&steps).collect::<Vec<_>>().join(", "));
    let mut table = Table { titles: ["step", "action", "state"], lines: Vec::new() };
    while let Some(step) = steps.next() {
        if !hidden.contains(&(step.number - 1)) {
            let after = state(&steps).collect::<Vec<_>>().join(", ");
            table.lines.push([step.number.to_string(), step.event, after]);
        }
    }
    table.write(&mut run, &hidden, hidden.end - hidden.start, detail);
    Rendered { run, why: String::new() }
}
