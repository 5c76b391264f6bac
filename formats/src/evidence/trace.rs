//! Traces in evidence files: names, and run-length encoded as in [`model::Trace`].

use super::shaped;
use crate::codes;
use crate::error::{Error, printable};
use crate::json::tree::{Document, Res, Value};
use crate::json::write::string;
use crate::suggest;
use model::{EventId, LocalId, Move, Program, Trace};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::io::{self, Write};

pub(super) fn write(program: &Program, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"trace\":{{\"start\":{},\"runs\":[", state(program, &trace.start)?)?;
    for (i, run) in trace.runs().iter().enumerate() {
        write!(out, "{}{{\"word\":[", if i == 0 { "\n" } else { ",\n" })?;
        for (j, step) in run.word.iter().enumerate() {
            write!(out, "{}", if j == 0 { "" } else { "," })?;
            write_move(program, trace, step, out)?;
        }
        write!(out, "],\"times\":{}}}", run.times)?;
    }
    write!(out, "]}}")
}

fn write_move(program: &Program, trace: &Trace, step: &Move, out: &mut dyn Write) -> io::Result<()> {
    let event = program.events().get(step.event.index()).ok_or_else(unknown)?;
    match step.choice {
        None => write!(out, "{}", string(event)),
        Some(choice) => {
            write!(out, "{{\"event\":{},\"to\":{}}}", string(event), state(program, trace.choice(choice))?)
        }
    }
}

/// The names of a composite state.
fn state(program: &Program, slots: &[u32]) -> io::Result<String> {
    if slots.len() != program.threads().len() {
        return Err(unknown());
    }
    let mut names = Vec::with_capacity(slots.len());
    for (thread, slot) in program.threads().iter().zip(slots) {
        let state = thread.states.get(LocalId(*slot).index()).ok_or_else(unknown)?;
        names.push(string(&state.name));
    }
    Ok(format!("[{}]", names.join(",")))
}

fn unknown() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the trace names events or states that the program does not have")
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceShape<'a> {
    #[serde(borrow)]
    start: &'a RawValue,
    #[serde(borrow)]
    runs: &'a RawValue,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RunShape<'a> {
    #[serde(borrow)]
    word: &'a RawValue,
    times: u64,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveShape<'a> {
    #[serde(borrow)]
    event: &'a RawValue,
    #[serde(borrow)]
    to: &'a RawValue,
}

/// The names of a program, for look-up.
struct Names<'p> {
    program: &'p Program,
    events: HashMap<&'p str, EventId>,
    states: Vec<HashMap<&'p str, u32>>,
}

impl<'p> Names<'p> {
    fn of(program: &'p Program) -> Self {
        let events = program.events().iter().enumerate().map(|(i, e)| (e.as_str(), EventId::new(i))).collect();
        let states = |t: &'p model::Thread| (0..).zip(&t.states).map(|(i, s)| (s.name.as_str(), i)).collect();
        Self { program, events, states: program.threads().iter().map(states).collect() }
    }
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, program: &Program) -> Res<Trace> {
    let names = Names::of(program);
    let shape: TraceShape<'a> = shaped(document, value)?;
    let mut trace = Trace::new(read_state(document, shape.start, &names)?);
    let mut slots = 0usize;
    for run in document.array(shape.runs, "a list of runs")? {
        let shape: RunShape<'a> = shaped(document, run)?;
        let word = document.array(shape.word, "a list of events")?;
        if word.is_empty() || shape.times == 0 {
            let error = document.error(&codes::EVIDENCE_SHAPE, run, "a run without events");
            return Err(error.label("expected at least one event, at least once"));
        }
        if word.iter().all(|step| step.get().starts_with('"')) {
            let events: Res<Vec<EventId>> = word.iter().map(|step| read_event(document, step, &names)).collect();
            trace.push_repeat(events?, shape.times);
            continue;
        }
        if shape.times != 1 {
            let error = document.error(&codes::EVIDENCE_SHAPE, run, "a run with choices that is repeated");
            return Err(error.label("expected `times` 1, because a choice is made once"));
        }
        for step in word {
            slots += program.threads().len();
            if slots > document.limits.evidence_numbers {
                let error = document.error(&codes::LIMIT_EVIDENCE, step, "the trace has too many choices");
                return Err(error.label("the limit is reached here"));
            }
            read_move(document, step, &names, &mut trace)?;
        }
    }
    Ok(trace)
}

fn read_move<'a>(document: Document<'a>, step: Value<'a>, names: &Names<'_>, trace: &mut Trace) -> Res<()> {
    if step.get().starts_with('"') {
        trace.push(read_event(document, step, names)?, None);
    } else {
        let shape: MoveShape<'a> = shaped(document, step)?;
        let event = read_event(document, shape.event, names)?;
        trace.push(event, Some(read_state(document, shape.to, names)?));
    }
    Ok(())
}

fn read_event<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<EventId> {
    let name = document.string(value, "the name of an event")?;
    names.events.get(name.as_ref()).copied().ok_or_else(|| {
        let known = names.program.events().iter().map(String::as_str);
        unknown_name(document, value, &format!("the program has no event `{}`", printable(&name)), &name, known)
    })
}

fn read_state<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Box<[u32]>> {
    let list = document.array(value, "a list with one state for each thread")?;
    if list.len() != names.states.len() {
        let message =
            format!("a composite state of {} threads, but the program has {}", list.len(), names.states.len());
        return Err(document.error(&codes::EVIDENCE_SHAPE, value, message).label("expected one state for each thread"));
    }
    let mut slots = Vec::with_capacity(list.len());
    for (t, item) in list.into_iter().enumerate() {
        let name = document.string(item, "the name of a state")?;
        let Some(slot) = names.states[t].get(name.as_ref()) else {
            let thread = &names.program.threads()[t];
            let message = format!("thread `{}` has no state `{}`", printable(&thread.name), printable(&name));
            let known = thread.states.iter().map(|s| s.name.as_str());
            return Err(unknown_name(document, item, &message, &name, known));
        };
        slots.push(*slot);
    }
    Ok(slots.into_boxed_slice())
}

fn unknown_name<'a, 'n>(
    document: Document<'a>,
    value: Value<'a>,
    message: &str,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> Box<Error> {
    let error = document.error(&codes::EVIDENCE_NAME, value, message).label("unknown name");
    match suggest::nearest(name, known) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}
