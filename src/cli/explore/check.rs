//! Runs a check as a process of its own: `impasse check --format json`. So it has the same limits, report and evidence
//! as on the command line, a check that needs too much memory does not end the server, and a stop frees everything.

use super::memory;
use super::task::{Status, Subject, TICK, Task};
use crate::cli::args::QuestionArgs;
use crate::cli::host;
use impasse::certify::EvidenceKind;
use impasse::formats::Source;
use serde::Deserialize;
use serde_json::Value as Json;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::PoisonError;
use std::thread;
use view::machine::MachineError;

/// Maximum number of bytes of evidence that is made into a path or given to the page.
const EVIDENCE: u64 = 64 << 20;
/// Maximum number of bytes of the report and of the messages of a check.
const OUTPUT: u64 = 64 << 20;
const MESSAGES: usize = 1 << 16;

/// Runs a check to its end.
pub(super) fn run(subject: &Subject, task: &Task, properties: &[String], ask: Option<&str>) -> io::Result<Status> {
    let dir = subject.dir.path().join(task.view().id.to_string());
    let mut child = host::again()?
        .args(arguments(subject, &dir, properties, ask))
        // The check ends when this end of the pipe closes, also if this process is killed.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (out, said) = (child.stdout.take(), child.stderr.take());
    let (report, ended) = thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut text = Vec::new();
            out.map_or(Ok(0), |out| out.take(OUTPUT).read_to_end(&mut text)).map(|_| text)
        });
        scope.spawn(move || said.map(|said| listen(task, BufReader::new(said))));
        let ended = wait(task, &mut child);
        (reader.join().unwrap_or_else(|_| Ok(Vec::new())), ended)
    });
    if ended? {
        return Ok(Status::Stopped);
    }
    let Ok(report) = serde_json::from_slice::<Json>(&report?) else {
        return Ok(Status::Failed);
    };
    learn(subject, task, ask, &report);
    task.view().report = Some(report);
    Ok(Status::Done)
}

/// Reads the evidence that the report names. The check has confirmed it.
fn learn(subject: &Subject, task: &Task, ask: Option<&str>, report: &Json) {
    // A question of its own is part of the problem that the evidence is about.
    let asked = ask.and_then(|text| memory::asking(subject.session.problem.clone(), text).ok());
    let problem = asked.as_ref().unwrap_or(&subject.session.problem);
    for property in report["properties"].as_array().into_iter().flatten() {
        let (Some(id), Some(file)) = (property["id"].as_str(), property["evidence"]["file"].as_str()) else {
            continue;
        };
        let files = &task.evidence;
        files.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), file.into());
        if property["verdict"] != "unsafe" && property["evidence"]["kind"] != EvidenceKind::Branching.id() {
            continue;
        }
        let imported = read(file)
            .and_then(|bytes| subject.session.import_about(problem, Source { name: file.to_owned(), bytes }, false));
        match imported {
            Ok(imported) => drop(task.view().paths.insert(id.to_owned(), imported)),
            Err(wrong) => task.view().message.push_str(&format!("{id}: {}\n", wrong.message())),
        }
    }
}

/// Returns the arguments of a check of these properties.
fn arguments(subject: &Subject, dir: &std::path::Path, properties: &[String], ask: Option<&str>) -> Vec<OsString> {
    let args = &subject.args;
    let mut all: Vec<OsString> =
        ["check", "--while-stdin", "--format", "json", "--progress", "ndjson", "--evidence"].map(Into::into).into();
    all.push(dir.into());
    let mut add = |name: &str, value: String| all.push(format!("--{name}={value}").into());
    if let Some(time) = args.timeout {
        add("timeout", format!("{}ms", time.as_millis()));
    }
    if let Some(memory) = args.memory {
        add("memory", memory.to_string());
    }
    if let Some(jobs) = args.jobs {
        add("jobs", jobs.to_string());
    }
    if let Some(format) = &subject.input_format {
        add("input-format", format.clone());
    }
    match ask {
        Some(ask) => {
            add("ask", ask.to_owned());
            question(&args.question, &[], &mut add);
        }
        None => {
            // A question of the command line is asked by its text, and any other property by its id.
            let asked = subject.session.asks.iter().zip(&args.question.ask);
            let is_asked = |id: &String| properties.is_empty() || properties.contains(id);
            let asks: Vec<&String> = asked.filter(|(id, _)| is_asked(id)).map(|(_, text)| text).collect();
            question(&args.question, &asks, &mut add);
            let others = subject.session.problem.properties().iter().map(|p| &p.id);
            let others = others.filter(|id| is_asked(id) && !subject.session.asks.contains(id));
            if !properties.is_empty() || !subject.session.asks.is_empty() {
                others.for_each(|id| add("property", id.clone()));
            }
        }
    }
    all.push("--".into());
    all.push(args.file.clone().into());
    all
}

/// Adds the options that change the system or the question.
fn question(args: &QuestionArgs, asks: &[&String], add: &mut dyn FnMut(&str, String)) {
    use clap::ValueEnum;
    let named = [
        ("target", &args.target),
        ("properties", &args.properties),
        ("final", &args.ends_in),
        ("extern", &args.bodies),
        ("init", &args.init),
    ];
    for (name, value) in named {
        if let Some(value) = value {
            add(name, value.clone());
        }
    }
    args.fair.iter().for_each(|fair| add("fair", fair.clone()));
    asks.iter().for_each(|ask| add("ask", (*ask).clone()));
    if let Some(ends) = args.ends.to_possible_value() {
        add("ends", ends.get_name().to_owned());
    }
}

/// Reads evidence.
pub(super) fn read(file: impl AsRef<std::path::Path>) -> Result<Vec<u8>, MachineError> {
    let wrong = |error: io::Error| MachineError::Evidence(format!("the evidence cannot be read: {error}"));
    let mut bytes = Vec::new();
    std::fs::File::open(file).map_err(wrong)?.take(EVIDENCE + 1).read_to_end(&mut bytes).map_err(wrong)?;
    if bytes.len() as u64 > EVIDENCE {
        return Err(MachineError::Evidence("the evidence is too long for the page".to_owned()));
    }
    Ok(bytes)
}

/// Waits for the end of a check. Returns true if it was stopped.
fn wait(task: &Task, child: &mut Child) -> io::Result<bool> {
    loop {
        if task.is_stopped() {
            child.kill()?;
            child.wait()?;
            return Ok(true);
        }
        if child.try_wait()?.is_some() {
            return Ok(false);
        }
        thread::sleep(TICK);
    }
}

#[derive(Deserialize)]
struct Progress {
    states: u64,
    bytes: u64,
}

/// Reads the progress and the messages of a check.
fn listen(task: &Task, lines: impl BufRead) {
    for line in lines.lines().map_while(Result::ok) {
        let mut view = task.view();
        match serde_json::from_str::<Progress>(&line) {
            Ok(progress) => (view.states, view.bytes) = (progress.states, progress.bytes),
            Err(_) if view.message.len() < MESSAGES => {
                view.message.push_str(&line);
                view.message.push('\n');
            }
            Err(_) => {}
        }
    }
}
