//! The file of results: a line of JSON for each job, appended when the job is done.
//!
//! A line is written with one call, so a crash leaves at most one incomplete line, at the end; it is cut off when the
//! file is opened again. A line has nothing that depends on time or on the order of the jobs. It begins with the id, so
//! that sorted files of results are equal if their lines are. Times are in a file of their own.

use crate::cli::board::Filed;
use crate::cli::exit::Exit;
use crate::cli::formats::Format;
use crate::cli::json::{Outcome, PropertyReport, Summary};
use crate::cli::notes::Note;
use fs4::fs_std::FileExt;
use impasse::model::{Reason, Stop};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// An open file of results.
pub(super) struct File {
    file: fs::File,
    path: PathBuf,
    /// The ids of its lines.
    ids: BTreeSet<String>,
}

impl File {
    /// Opens a file of results, or creates it, and removes an incomplete last line.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let wrong = |what: &str| format!("{} {what}", path.display());
        let io = |error: io::Error| wrong(&format!("cannot be used for results: {error}"));
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io)?;
        if !file.metadata().map_err(io)?.is_file() {
            return Err(wrong("cannot be used for results: it is not a regular file"));
        }
        // The operating system releases the lock when the process ends, however it ends.
        if !file.try_lock_exclusive().map_err(io)? {
            return Err(wrong("is in use by another batch: wait for its end, or give another file"));
        }
        let text = fs::read(path).map_err(io)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut ids = BTreeSet::new();
        for (number, line) in text[..whole].split(|byte| *byte == b'\n').enumerate().filter(|(_, l)| !l.is_empty()) {
            let record: Option<Value> = serde_json::from_slice(line).ok();
            let id = record.as_ref().and_then(|record| record.get("id")).and_then(Value::as_str);
            let id = id.ok_or_else(|| wrong(&format!("is not a file of results: see line {}", number + 1)))?;
            ids.insert(id.to_owned());
        }
        if whole < text.len() {
            if !text[whole..].starts_with(b"{\"id\":") && !b"{\"id\":".starts_with(&text[whole..]) {
                return Err(wrong("is not a file of results: see its last line"));
            }
            tell!("warning: the last line of {} is incomplete and is removed; its job runs again", path.display());
            file.set_len(whole as u64).map_err(io)?;
        }
        Ok(Self { file, path: path.to_owned(), ids })
    }

    /// Returns true if the job has a line.
    pub(super) fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }
}

/// Opens the file of times for appending. It must be another one than that of the results, which exists.
pub(super) fn times(path: &Path, results: &Path) -> Result<fs::File, String> {
    let wrong = |why: &dyn std::fmt::Display| format!("{} cannot be used for times: {why}", path.display());
    let opened = OpenOptions::new().append(true).create(true).open(path).map_err(|error| wrong(&error))?;
    match (path.canonicalize(), results.canonicalize()) {
        (Ok(times), Ok(results)) if times == results => Err(wrong(&"it is the file of results")),
        _ => Ok(opened),
    }
}

/// Appends the results of jobs, in place of printing them.
pub(super) struct Results {
    file: File,
    times: Option<fs::File>,
    /// For each job: its id and its name.
    names: Vec<(String, String)>,
    /// Raised when the work ends early. What is unknown for this reason is no result.
    stop: Arc<Stop>,
    /// The beginning of the last line of the output.
    title: String,
    failed: Arc<OnceLock<String>>,
    recorded: u64,
}

#[derive(Serialize)]
struct Record<'r> {
    id: &'r str,
    name: &'r str,
    verdict: &'static str,
    exit: u8,
    properties: Vec<Value>,
    errors: &'r [Note],
    warnings: &'r [Note],
}

#[derive(Serialize)]
struct Time<'r> {
    id: &'r str,
    seconds: f64,
}

impl Results {
    pub(super) fn new(
        file: File,
        times: Option<fs::File>,
        names: Vec<(String, String)>,
        stop: Arc<Stop>,
        title: String,
    ) -> Self {
        Self { file, times, names, stop, title, failed: Arc::default(), recorded: 0 }
    }

    /// Returns the message of the first error of the file of results, once it has one.
    pub(super) fn failed(&self) -> Arc<OnceLock<String>> {
        Arc::clone(&self.failed)
    }

    fn record(&mut self, i: usize, filed: &Filed) -> io::Result<()> {
        let (id, name) = &self.names[i];
        let report = &filed.report;
        let verdict = match report.outcome() {
            Outcome::Safe => "safe",
            Outcome::Unsafe => "unsafe",
            Outcome::Unknown => "unknown",
            Outcome::NotRead => "error",
        };
        let properties = report.properties.iter().map(timeless).collect::<Result<_, _>>()?;
        let (errors, warnings) = (&report.notes.errors[..], &report.notes.warnings[..]);
        let exit = filed.exit.code();
        let mut line = serde_json::to_vec(&Record { id, name, verdict, exit, properties, errors, warnings })?;
        line.push(b'\n');
        if let Some(times) = &mut self.times {
            let mut line = serde_json::to_vec(&Time { id, seconds: report.seconds })?;
            line.push(b'\n');
            times.write_all(&line)?;
        }
        self.file.file.write_all(&line)
    }
}

/// Returns the record of an answer without what depends on time: the seconds, and the counts of a search that a limit
/// ended.
fn timeless(property: &PropertyReport) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(property)?;
    if let Value::Object(members) = &mut value {
        members.remove("seconds");
        if property.verdict == "unknown" {
            members.remove("stats");
            members.remove("engine");
        }
    }
    Ok(value)
}

impl Format for Results {
    fn file(&mut self, i: usize, filed: &Filed) -> String {
        let is_over = self.stop.raised().is_some() && filed.exit != Exit::Done && !filed.exit.is_violation();
        // If memory ends the process, the jobs that it has not begun run again.
        let is_left = !filed.begun && filed.exit == Exit::of_reason(Reason::Memory);
        if is_over || is_left || self.failed.get().is_some() {
            return String::new();
        }
        match self.record(i, filed) {
            Ok(()) => self.recorded += 1,
            Err(error) => {
                let _ = self.failed.set(format!("cannot write results into {}: {error}", self.file.path.display()));
                self.stop.raise(Reason::Interrupted);
            }
        }
        String::new()
    }

    fn end(&mut self, summary: &Summary) -> String {
        format!(
            "{}, {} now: {} safe, {} unsafe, {} unknown, {} with errors, in {:.1} s\n",
            self.title,
            self.recorded,
            summary.safe,
            summary.violated,
            summary.unknown,
            summary.not_read,
            summary.seconds
        )
    }
}
