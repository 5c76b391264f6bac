//! Traces in evidence files, with names, and run-length encoded as in [`model::Trace`].
//!
//! The form of the start depends on the kind of system. For a program it is a list with a state for each thread.
//! For a net it is an object with the tokens of the places with an open initial count. For a thread-transition
//! system it is an object with the numbers of threads in open local states. For a circuit it is a list of
//! numbers with the values of the latches without a reset value, 32 in each number from the lowest bit on; the
//! inputs of a frame have the same form. Runs may be infinite: after the last event, the events from number
//! `repeats_from` on (counted from 0) repeat forever.

use super::names::{Names, Open};
use super::shape::named::{unknown_name, words};
use super::shape::{Input, Later, get, invalid};
use formats::json::{Res, string};
use formats::{codes, natural, printable};
use model::{EventId, Move, SystemModel, Trace};
use num_bigint::BigUint;
use std::collections::HashMap;
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
    let event = names.events.text(step.event.0)?;
    match step.choice {
        None => write!(out, "{event}"),
        Some(choice) => write!(out, "{{\"event\":{event},\"to\":{}}}", names.state_text(trace.choice(choice))?),
    }
}

fn start_text(names: &Names<'_>, start: &[u32]) -> io::Result<String> {
    match names.system {
        SystemModel::Rwb(_) | SystemModel::Data(_) | SystemModel::Own(_) => return names.state_text(start),
        SystemModel::Circuit(circuit) if start.len() == circuit.open_latches().count().div_ceil(32) => {
            return Ok(serde_json::to_string(start)?);
        }
        _ => {}
    }
    let open = names.open();
    if start.len() != open.len() {
        return Err(invalid("the trace starts from a state of another system"));
    }
    let entry = |(open, more): (&Open, &u32)| {
        format!("{}:{}", string(&names.open_key(open.place)), &open.least + BigUint::from(*more))
    };
    let entries: Vec<String> = open.iter().zip(start).map(entry).collect();
    Ok(format!("{{{}}}", entries.join(",")))
}

pub(super) fn read(from: &mut Input<'_, '_>) -> Res<Trace> {
    let place = from.here();
    let (start, runs, repeats_from): (Later, Later, Option<u64>) = get!(from, {start runs repeats_from});
    if repeats_from.is_some() && from.scope.names.system.as_data().is_some() {
        return Err(from.wrong(place, "runs of programs with unbounded data do not repeat for ever"));
    }
    let mut trace = Trace::new(from.at(start, read_start)?);
    trace.repeats_from = repeats_from;
    from.at(runs, |from| from.list(|from| read_run(from, &mut trace)))?;
    Ok(trace)
}

/// A step: its event, and the state that it leads to if it chooses one.
type Step = (EventId, Option<Box<[u32]>>);

/// Reads a repeated word, and appends it to a trace.
fn read_run(from: &mut Input<'_, '_>, trace: &mut Trace) -> Res<()> {
    let (start, mut steps): (Later, Vec<Step>) = (from.here(), Vec::new());
    let (word, times): (Later, u64) = get!(from, {word times});
    from.at(word, |from| {
        from.list(|from| {
            steps.push(read_step(from)?);
            from.take(1)
        })
    })?;
    if steps.is_empty() || times == 0 {
        return Err(from.wrong(start, "a run without events, or a run that is repeated 0 times"));
    }
    if steps.iter().all(|(_, to)| to.is_none()) {
        trace.push_repeat(steps.into_iter().map(|(event, _)| event).collect(), times);
        return Ok(());
    }
    if times != 1 {
        return Err(from.wrong(start, "a run with choices that is repeated: a choice is made once"));
    }
    steps.into_iter().for_each(|(event, to)| trace.push(event, to));
    Ok(())
}

fn read_step(from: &mut Input<'_, '_>) -> Res<Step> {
    if from.peek() != b'{' {
        return Ok((from.read()?, None));
    }
    let (event, to): (EventId, Later) = get!(from, {event to});
    from.take(from.scope.names.state_width())?;
    Ok((event, Some(from.at(to, |from| from.scope.names.state(from))?)))
}

fn read_start(from: &mut Input<'_, '_>) -> Res<Box<[u32]>> {
    let (names, place) = (from.scope.names, from.here());
    match names.system {
        SystemModel::Rwb(_) | SystemModel::Data(_) | SystemModel::Own(_) => return names.state(from),
        SystemModel::Circuit(circuit) => {
            return words(from, circuit.open_latches().count(), "latches that are open at the start");
        }
        _ => {}
    }
    let open: HashMap<String, (usize, BigUint)> =
        names.open().into_iter().enumerate().map(|(at, open)| (names.open_key(open.place), (at, open.least))).collect();
    let mut start: Vec<Option<u32>> = vec![None; open.len()];
    from.entries(|from, key_at, key| {
        let Some((at, least)) = open.get(key) else {
            let message = format!("`{}` is not open at the start", printable(key));
            let error = from.error(&codes::EVIDENCE_NAME, key_at, message);
            return Err(unknown_name(error, key, open.keys().map(String::as_str)));
        };
        if start[*at].is_some() {
            let message = format!("the key `{}` stands twice in one object", printable(key));
            return Err(from.error(&codes::JSON_DUPLICATE_KEY, key_at, message));
        }
        start[*at] = Some(read_tokens(from, least)?);
        Ok(())
    })?;
    start.into_iter().collect::<Option<_>>().ok_or_else(|| {
        let error = from.wrong(place, "the start has no entry for a place");
        error.label("expected the tokens of each place that is open at the start")
    })
}

/// Reads the number of tokens of an open place: how many there are beyond its least number.
fn read_tokens(from: &mut Input<'_, '_>, least: &BigUint) -> Res<u32> {
    let (place, digits) = (from.here(), from.value()?.get());
    if !digits.bytes().all(|b| b.is_ascii_digit()) || digits.len() > from.document.limits.token_digits {
        return Err(from.wrong(place, "not a number of tokens").label("expected a natural number"));
    }
    let tokens = natural(digits);
    if tokens < *least {
        let error = from.wrong(place, "fewer tokens than there are at the start");
        return Err(error.label(format!("expected at least {least}")));
    }
    let more = u32::try_from(tokens - least);
    more.map_err(|_| from.wrong(place, "more tokens than a trace can have").label("expected fewer"))
}
