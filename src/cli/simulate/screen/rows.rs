//! The lines of the panes as texts.

use serde_json::Value as Json;
use std::collections::BTreeSet;
use view::machine::path::Pick;
use view::machine::views::{ChangeView, ChoiceView, FieldView, StateView, StepView};

/// Number of changes that a line names.
const CHANGES: usize = 4;

/// What choosing a line does.
#[derive(Clone, Debug)]
pub(super) enum Does {
    /// Takes this step.
    Take(Pick),
    /// Asks for the values of the fields of this label.
    Ask(u32),
}

/// A line of the pane with the enabled steps.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) event: String,
    /// What changes, and the threads that request the event.
    pub(super) more: String,
    pub(super) does: Does,
}

/// Returns a line for each outcome. A label with more outcomes than are listed also gets a line that asks for them.
pub(super) fn of_choices(choices: &[ChoiceView]) -> Vec<Row> {
    choices.iter().flat_map(of_choice).collect()
}

fn of_choice(choice: &ChoiceView) -> Vec<Row> {
    let by = match choice.requested_by.is_empty() {
        true => String::new(),
        false => format!("requested by {}", choice.requested_by.join(", ")),
    };
    // With all values asked for, one arbitrary outcome would mislead.
    let listed = if choice.complete || choice.outcomes.len() > 1 { &choice.outcomes[..] } else { &[] };
    let mut rows = Vec::new();
    for outcome in listed {
        let changes = outcome.changes.as_deref().unwrap_or_default();
        let parts = [outcome.outputs.join(" "), of_changes(changes, outcome.more), by.clone()];
        let Ok(pick) = Pick::read(&outcome.pick) else { continue };
        rows.push(Row { event: outcome.event.clone(), more: joined(parts), does: Does::Take(pick) });
    }
    if !choice.complete {
        let names: Vec<&str> = choice.fields.iter().map(|field: &FieldView| field.name.as_str()).collect();
        let parts = [by, format!("Enter asks for {}", names.join(", "))];
        rows.push(Row { event: format!("{} ..", choice.name), more: joined(parts), does: Does::Ask(choice.label) });
    }
    rows
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Returns `x: 1 -> 2, y: idle -> busy and 3 more`.
pub(super) fn of_changes(changes: &[ChangeView], left_out: usize) -> String {
    let shown: Vec<String> = changes.iter().take(CHANGES).map(change).collect();
    let left_out = left_out + changes.len() - shown.len();
    let more = if left_out > 0 { format!(" and {left_out} more") } else { String::new() };
    shown.join(", ") + &more
}

fn change(change: &ChangeView) -> String {
    let from = change.from_text.clone().unwrap_or_else(|| plain(&change.from));
    let to = change.to_text.clone().unwrap_or_else(|| plain(&change.to));
    format!("{}: {from} -> {to}", change.name)
}

/// Returns a value without the quotes of JSON.
fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A line of the pane with the state.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) value: String,
    /// True if the last step changed it.
    pub(super) changed: bool,
}

/// Returns the parts of a state with names that contain `filter`.
pub(super) fn of_state(state: &StateView, last: Option<&StepView>, filter: &str) -> Vec<Part> {
    let changed: BTreeSet<&str> = last.into_iter().flat_map(|s| &s.changes).map(|c| c.name.as_str()).collect();
    let part = |(name, value): (&String, &Json)| Part {
        name: name.clone(),
        value: state.texts.get(name).map_or_else(|| plain(value), plain),
        changed: changed.contains(name.as_str()),
    };
    let mut parts: Vec<Part> = state.state.iter().filter(|(name, _)| name.contains(filter)).map(part).collect();
    // Places without tokens are not in the state, but the last step may have emptied them.
    let gone = last.into_iter().flat_map(|step| &step.changes).filter(|c| !state.state.contains_key(&c.name));
    let gone = gone.filter(|change| change.name.contains(filter));
    parts.extend(gone.map(|c| Part { name: c.name.clone(), value: plain(&c.to), changed: true }));
    parts
}

/// Returns a step of the path in one line.
pub(super) fn of_step(step: &StepView) -> String {
    let by = match step.requested_by.is_empty() {
        true => String::new(),
        false => format!("by {}", step.requested_by.join(", ")),
    };
    let reached = match step.reached.is_empty() {
        true => String::new(),
        false => format!("reaches {}", step.reached.join(", ")),
    };
    let more = joined([reached, step.outputs.join(" "), of_changes(&step.changes, 0), by]);
    let gap = if more.is_empty() { "" } else { "  " };
    format!("{:>5}  {}{gap}{more}", step.step, step.event)
}
