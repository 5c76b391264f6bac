//! Describes a program with unbounded data: its sizes and its names.

use crate::cli::input::Model;
use impasse::model::data::DataProgram;
use view::text::{names, plural};

/// The number of names shown without `--verbose`.
const NAMES: usize = 8;

pub(super) fn describe(model: &Model, program: &DataProgram, all: bool) {
    let count = |n: usize, what: &str| plural(n as u64, what);
    say!("{}: behavioral program with unbounded numbers", model.name);
    let locations = program.threads().iter().map(|thread| thread.locations.len()).sum();
    let parts = [
        count(program.threads().len(), "thread"),
        count(program.events().len(), "event"),
        count(locations, "location"),
        count(program.variables().len(), "variable"),
    ];
    say!("  {}", parts.join(", "));
    let most = if all { usize::MAX } else { NAMES };
    say!("  threads: {}", names(program.threads().iter().map(|thread| thread.name.as_str()), most));
    let events: Vec<String> = program.events().iter().map(impasse::model::data::DataEvent::family).collect();
    say!("  events: {}", names(events.iter().map(String::as_str), most));
    let variable = |variable: &impasse::model::data::DataVariable| {
        format!("{}.{}", program.threads()[variable.thread.index()].name, variable.name)
    };
    let variables: Vec<String> = program.variables().iter().map(variable).collect();
    say!("  variables: {}", names(variables.iter().map(String::as_str), most));
}
