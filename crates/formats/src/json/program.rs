//! The JSON form of a behavioral program without its questions and assumptions.

use super::string;
use model::{EventSet, LocalId, LocalState, Program, Thread, ThreadId};
use std::io::{self, Write};

/// Writes events and threads, the part of a program that evidence refers to, independent of its goals.
pub fn write_system(program: &Program, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"events\":{},\n\"threads\":[", strings(program.events().iter().map(String::as_str)))?;
    for (i, thread) in program.threads().iter().enumerate() {
        write!(out, "{}{{", if i == 0 { "\n" } else { ",\n" })?;
        write!(out, "\"name\":{},\"init\":{},\"states\":[", string(&thread.name), states(thread, &thread.initial))?;
        for (j, state) in thread.states.iter().enumerate() {
            write!(out, "{}", if j == 0 { "\n " } else { ",\n " })?;
            let (t, s) = (ThreadId::new(i), LocalId::new(j));
            // Marks are omitted where they are false, and priorities where they are 0, so that they do not affect the
            // hashes of programs without them.
            let ends = if program.is_final(t, s) { ",\"final\":true" } else { "" };
            let stops = if program.is_stop(t, s) { ",\"stop\":true" } else { "" };
            let hot = if program.is_hot(t, s) { ",\"hot\":true" } else { "" };
            let priority = match program.priority(t, s) {
                0 => String::new(),
                priority => format!(",\"priority\":{priority}"),
            };
            write_state(program, thread, state, &[ends, stops, hot, &priority].concat(), out)?;
        }
        write!(out, "]}}")?;
    }
    write!(out, "]")
}

fn write_state(
    program: &Program,
    thread: &Thread,
    state: &LocalState,
    marks: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let set = |set: &EventSet| strings(set.iter().map(|e| program.event_name(e)));
    let all = state.block.is_full() && !state.block.is_empty();
    let block = if all { "\"all\"".to_owned() } else { set(&state.block) };
    write!(out, "{{\"name\":{},\"request\":{},\"block\":{block}", string(&state.name), set(&state.request))?;
    write!(out, ",\"bad\":{}{marks},\"on\":{{", state.bad)?;
    for (i, (event, targets)) in state.on.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write!(out, "{comma}{}:{}", string(program.event_name(*event)), states(thread, targets))?;
    }
    write!(out, "}}}}")
}

/// Returns the names of local states as a JSON array.
pub fn states(thread: &Thread, ids: &[LocalId]) -> String {
    strings(ids.iter().map(|s| thread.state(*s).name.as_str()))
}

/// Returns names as a JSON array.
pub fn strings<'a>(list: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", list.map(string).collect::<Vec<_>>().join(","))
}
