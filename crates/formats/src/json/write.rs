//! Writer for the JSON form of behavioral programs: one line for each state.

use crate::error::WriteError;
use crate::import::of_data;
use crate::registry::program_for;
use crate::rwb::assume::{self, AtomForm};
use model::{Assumption, EventSet, Goal, LocalId, LocalState, Problem, Program, Thread, ThreadId};
use std::io::{self, Write};

/// Writes the program with its goals and assumptions.
pub(crate) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    if let Some(program) = problem.system().as_data() {
        let goals: Vec<Goal> = problem.goals().filter(|goal| !goal.is_temporal()).collect();
        return Ok(out.write_all(of_data(program, &goals)?.to_json().as_bytes())?);
    }
    let program = program_for("json", problem)?;
    let goals: Vec<&str> = problem.goals().filter(|goal| !goal.is_temporal()).map(Goal::id).collect();
    write!(out, "{{\"rwb\":1,")?;
    if !goals.is_empty() {
        write!(out, "\"check\":{},", strings(goals.into_iter()))?;
    }
    if !problem.assumptions().is_empty() {
        let list: Result<Vec<String>, WriteError> = problem.assumptions().iter().map(|a| assumed(program, a)).collect();
        writeln!(out, "\"assume\":[{}],", list?.join(","))?;
    }
    write_system(program, out)?;
    Ok(writeln!(out, "}}")?)
}

fn assumed(program: &Program, assumption: &Assumption) -> Result<String, WriteError> {
    let atom = |part: AtomForm| match part {
        AtomForm::AtLeast(n) => format!("{{\">=\":{n}}}"),
        AtomForm::AtMost(n) => format!("{{\"<=\":{n}}}"),
        AtomForm::Equal(n) => format!("{{\"==\":{n}}}"),
        AtomForm::Residue(modulus, residue) => format!("{{\"%\":{modulus},\"==\":{residue}}}"),
    };
    match assumption {
        Assumption::Int(_) => {
            let parts = assume::parts(assumption).ok_or_else(|| assume::unsaid("json"))?;
            Ok(format!("{{\"length\":[{}]}}", parts.into_iter().map(atom).collect::<Vec<_>>().join(",")))
        }
        Assumption::Final { states, .. } if states.is_empty() => Err(assume::unsaid("json")),
        Assumption::Final { thread, states: ends } => {
            let thread = program.thread(*thread);
            Ok(format!("{{\"end\":{},\"in\":{}}}", string(&thread.name), states(thread, ends)))
        }
    }
}

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
            let hot = if program.is_hot(t, s) { ",\"hot\":true" } else { "" };
            let priority = match program.priority(t, s) {
                0 => String::new(),
                priority => format!(",\"priority\":{priority}"),
            };
            write_state(program, thread, state, &[ends, hot, &priority].concat(), out)?;
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

fn states(thread: &Thread, ids: &[LocalId]) -> String {
    strings(ids.iter().map(|s| thread.state(*s).name.as_str()))
}

fn strings<'a>(list: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", list.map(string).collect::<Vec<_>>().join(","))
}

/// Returns a string with JSON's quotes and escapes.
pub fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
