//! Traces in evidence files, with names, and run-length encoded as in [`model::Trace`].
//!
//! The form of the start depends on the kind of system. For a program it is a list with a state for each thread.
//! For a net it is an object with the tokens of the places with an open initial count. For a thread-transition
//! system it is an object with the numbers of threads in open local states. For a circuit it is a list of
//! numbers with the values of the latches without a reset value, 32 in each number from the lowest bit on; the
//! inputs of a frame have the same form. Runs may be infinite: after the last event, the events from number
//! `repeats_from` on (counted from 0) repeat forever.

use super::names::{Names, unknown_name, words};
use super::shape::{invalid, shaped};
use formats::json::{Document, Res, Value, string};
use formats::{codes, natural, printable};
use model::{EventId, Move, Trace};
use num_bigint::BigUint;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

pub(super) fn write(names: &Names<'_>, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"trace\":{{\"start\":{},\"runs\":[", start_text(names, &trace.start)?)?;
    for (i, run) in trace.runs().iter().enumerate() {
        write!(out, "{}{{\"word\":[", if i == 0 { "\n" } else { ",\n" })?;
        for (j, step) in run.word.iter().enumerate() {
            write!(out, "{}", if j == 0 { "" } else { "," })?;
            write_move(names, trace, step, out)?;
        }
        write!(out, "],\"times\":{}}}", run.times)?;
    }
    match trace.repeats_from {
        None => write!(out, "]}}"),
        Some(from) => write!(out, "],\"repeats_from\":{from}}}"),
    }
}

fn write_move(names: &Names<'_>, trace: &Trace, step: &Move, out: &mut dyn Write) -> io::Result<()> {
    let event = names.event_text(step.event)?;
    match step.choice {
        None => write!(out, "{event}"),
        Some(choice) => write!(out, "{{\"event\":{event},\"to\":{}}}", names.state_text(trace.choice(choice))?),
    }
}

fn start_text(names: &Names<'_>, start: &[u32]) -> io::Result<String> {
    if let Names::Program(_) | Names::Data(_) = names {
        return names.state_text(start);
    }
    if let Names::Circuit(circuit) = names {
        if start.len() != circuit.open_latches().count().div_ceil(32) {
            return Err(invalid("the trace starts from a state of another circuit"));
        }
        return Ok(serde_json::to_string(start)?);
    }
    let open = names.open();
    if start.len() != open.len() {
        return Err(invalid("the trace starts from a state of another system"));
    }
    let entry = |(open, more): (&super::names::Open, &u32)| {
        format!("{}:{}", string(&names.open_key(open.place)), &open.least + BigUint::from(*more))
    };
    let entries: Vec<String> = open.iter().zip(start).map(entry).collect();
    Ok(format!("{{{}}}", entries.join(",")))
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceShape<'a> {
    #[serde(borrow)]
    start: &'a RawValue,
    #[serde(borrow)]
    runs: &'a RawValue,
    #[serde(default)]
    repeats_from: Option<u64>,
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

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Trace> {
    let shape: TraceShape<'a> = shaped(document, value)?;
    let mut trace = Trace::new(read_start(document, shape.start, names)?);
    if shape.repeats_from.is_some() && matches!(names, Names::Data(_)) {
        let message = "runs of programs with unbounded data do not repeat for ever";
        let error = document.error(&codes::EVIDENCE_SHAPE, value, message);
        return Err(error.label("expected no `repeats_from`"));
    }
    trace.repeats_from = shape.repeats_from;
    let mut slots = 0usize;
    for run in document.array(shape.runs, "a list of runs")? {
        let shape: RunShape<'a> = shaped(document, run)?;
        let word = document.array(shape.word, "a list of events")?;
        if word.is_empty() || shape.times == 0 {
            let error = document.error(&codes::EVIDENCE_SHAPE, run, "a run without events");
            return Err(error.label("expected at least one event, at least once"));
        }
        if !word.iter().any(|step| chooses(step)) {
            let events: Res<Vec<EventId>> = word.iter().map(|step| names.event(document, step)).collect();
            trace.push_repeat(events?, shape.times);
            continue;
        }
        if shape.times != 1 {
            let error = document.error(&codes::EVIDENCE_SHAPE, run, "a run with choices that is repeated");
            return Err(error.label("expected `times` 1, because a choice is made once"));
        }
        for step in word {
            if !chooses(step) {
                trace.push(names.event(document, step)?, None);
                continue;
            }
            slots += names.state_width();
            if slots > document.limits.evidence_numbers {
                let error = document.error(&codes::LIMIT_EVIDENCE, step, "the trace has too many choices");
                return Err(error.label("the limit is reached here"));
            }
            let shape: MoveShape<'a> = shaped(document, step)?;
            let event = names.event(document, shape.event)?;
            trace.push(event, Some(names.state(document, shape.to)?));
        }
    }
    Ok(trace)
}

/// True if the step is written with the state that it leads to.
fn chooses(step: Value<'_>) -> bool {
    step.get().starts_with('{')
}

fn read_start<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Box<[u32]>> {
    if let Names::Program(_) | Names::Data(_) = names {
        return names.state(document, value);
    }
    if let Names::Circuit(circuit) = names {
        return words(document, value, circuit.open_latches().count(), "latches that are open at the start");
    }
    let object = document.object(value, "an object with the places that are open at the start")?;
    let open = names.open();
    let keys: Vec<String> = open.iter().map(|o| names.open_key(o.place)).collect();
    let known: HashSet<&str> = keys.iter().map(String::as_str).collect();
    if let Some((place, key, _)) = object.entries.iter().find(|(_, key, _)| !known.contains(key.as_ref())) {
        let message = format!("`{}` is not open at the start", printable(key));
        return Err(unknown_name(document, place, &message, key, keys.iter().map(String::as_str)));
    }
    let given: HashMap<&str, Value<'a>> = object.entries.iter().map(|(_, key, value)| (key.as_ref(), *value)).collect();
    let mut start = Vec::with_capacity(open.len());
    for (open, key) in open.iter().zip(&keys) {
        let Some(&count) = given.get(key.as_str()) else {
            let message = format!("the start has no entry for `{}`", printable(key));
            let error = document.error(&codes::EVIDENCE_SHAPE, value, message);
            return Err(error.label("expected the tokens of each place that is open at the start"));
        };
        let wrong =
            |message: &str, label: String| Err(document.error(&codes::EVIDENCE_SHAPE, count, message).label(label));
        let digits = count.get();
        if !digits.bytes().all(|b| b.is_ascii_digit()) || digits.len() > document.limits.token_digits {
            return wrong("not a number of tokens", "expected a natural number".to_owned());
        }
        let tokens = natural(digits);
        if tokens < open.least {
            return wrong("fewer tokens than there are at the start", format!("expected at least {}", open.least));
        }
        match u32::try_from(tokens - &open.least) {
            Ok(more) => start.push(more),
            Err(_) => return wrong("more tokens than a trace can have", "expected fewer".to_owned()),
        }
    }
    Ok(start.into_boxed_slice())
}
