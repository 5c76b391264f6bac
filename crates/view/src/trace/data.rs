//! Renders runs of programs with unbounded data: a line per event, with the values that change.

use crate::steps::{Step, Steps, Value};
use crate::text::names;
use crate::trace::table::Table;
use crate::trace::{Detail, HEAD, NAMES, Rendered, TAIL};
use model::data::{DataProgram, LocationKind};
use model::{Goal, Problem, Trace};

/// Renders a replayed run, indented.
pub fn render(problem: &Problem, program: &DataProgram, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
    let total = trace.len().unwrap_or(u64::MAX);
    let hidden = if detail.all || total <= HEAD + TAIL + 1 { 0..0 } else { HEAD..total - TAIL };
    let mut run = Steps::new(problem, trace);
    let start: Vec<String> = run.state().iter().map(|(name, value)| format!("{name} at {value}")).collect();
    let most = if detail.all { usize::MAX } else { 2 * NAMES };
    let mut out = format!("    start: {}\n", names(start.iter().map(String::as_str), most));
    let mut table = Table { titles: ["step", "event", "requested by", "what changes"], lines: Vec::new() };
    for step in run.by_ref() {
        if !hidden.contains(&(step.number - 1)) {
            table.lines.push(line(&step, most));
        }
    }
    table.write(&mut out, &hidden, hidden.end - hidden.start, detail);
    Rendered { run: out, why: why(program, &run.state(), goal, most) }
}

fn line(step: &Step, most: usize) -> [String; 4] {
    let change = |change: &crate::steps::Change| format!("{}: {} -> {}", change.name, change.from, change.to);
    let changes: Vec<String> = step.changes.iter().map(change).collect();
    let requested = names(step.requested_by.iter().map(String::as_str), most);
    [step.number.to_string(), step.event.clone(), requested, names(changes.iter().map(String::as_str), most)]
}

/// Says why the last state is a violation.
fn why(program: &DataProgram, state: &[(String, Value)], goal: Goal, most: usize) -> String {
    let threads = program.threads().iter().zip(state);
    if goal == Goal::Bad {
        let is_bad = |(thread, (_, value)): &(&model::data::DataThread, &(String, Value))| {
            let bad = thread.locations.iter().filter(|location| location.kind == LocationKind::Bad);
            bad.map(crate::steps::location).any(|name| *value == Value::State(name))
        };
        let bad: Vec<String> = threads.filter(is_bad).map(|(_, (name, at))| format!("{name} is at {at}")).collect();
        return format!("    {}\n", names(bad.iter().map(String::as_str), most));
    }
    let at: Vec<String> = threads.map(|(_, (name, at))| format!("{name} at {at}")).collect();
    format!("    no event is possible: {}\n", names(at.iter().map(String::as_str), most))
}
