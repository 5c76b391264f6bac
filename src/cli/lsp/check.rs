//! "Check this": runs `impasse check --format json` on the text as a process of its own, with a time limit. So a check
//! never blocks the server, a check that needs too much memory does not end it, and a cancelled one frees everything.
//!
//! The text is written to a file of its own, because the editor may not have saved it. Answers come from the report
//! only, which contains what the checker has confirmed.

use super::diagnose;
use super::documents::Document;
use super::event::{Checked, Ended, Event};
use super::report::{self, Answer, Places};
use crate::cli::args::LspArgs;
use crate::cli::host;
use lsp_server::RequestId;
use lsp_types::{Diagnostic, Uri};
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

/// Checks a text, or one property of it.
pub(super) const CHECK: &str = "impasse.check";
/// Shows the run of an answer.
pub(super) const SHOW_RUN: &str = "impasse.showRun";
pub(super) const COMMANDS: [&str; 2] = [CHECK, SHOW_RUN];

/// Interval at which a check is looked at.
const TICK: Duration = Duration::from_millis(20);
/// Time that a check has to end after its time limit.
const GRACE: Duration = Duration::from_secs(5);
/// Maximum number of bytes of a report.
const OUTPUT: u64 = 64 << 20;

/// What is checked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
pub(super) struct Key {
    pub(super) uri: Uri,
    /// `None` for everything that the text asks for.
    pub(super) property: Option<String>,
}

/// A check in progress.
pub(super) struct Running {
    pub(super) key: Key,
    pub(super) request: RequestId,
    pub(super) version: i32,
    pub(super) stop: Arc<AtomicBool>,
    thread: thread::JoinHandle<()>,
}

/// The checks in progress, and the answers of those that have ended.
pub(super) struct Checks {
    args: LspArgs,
    events: Sender<Event>,
    dir: tempfile::TempDir,
    /// By their numbers.
    pub(super) running: BTreeMap<u64, Running>,
    pub(super) answers: BTreeMap<Uri, Vec<Answer>>,
    begun: u64,
}

impl Checks {
    pub(super) fn new(args: &LspArgs, events: Sender<Event>) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("impasse-lsp-").tempdir()?;
        let (running, answers) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { args: args.clone(), events, dir, running, answers, begun: 0 })
    }

    pub(super) fn is_running(&self, key: &Key) -> bool {
        self.running.values().any(|running| running.key == *key)
    }

    pub(super) fn answers(&self, uri: &Uri) -> &[Answer] {
        self.answers.get(uri).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the violations that checks of this version of the text found.
    pub(super) fn violations(&self, document: &Document) -> Vec<Diagnostic> {
        let current = self.answers(&document.uri).iter().filter(|answer| answer.version == document.version);
        current.filter_map(|answer| report::diagnostic(answer, document)).collect()
    }

    pub(super) fn stop_all(&self) {
        self.running.values().for_each(|running| running.stop.store(true, Ordering::Relaxed));
    }

    /// Stops the checks of a text that was closed, and drops its answers.
    pub(super) fn forget(&mut self, uri: &Uri) {
        let own = self.running.values().filter(|running| running.key.uri == *uri);
        own.for_each(|running| running.stop.store(true, Ordering::Relaxed));
        self.answers.remove(uri);
    }

    /// Starts a check. One that is in progress for the same question is stopped.
    pub(super) fn start(&mut self, key: Key, request: RequestId, document: &Document) -> io::Result<u64> {
        self.begun += 1;
        let (id, stop) = (self.begun, Arc::new(AtomicBool::new(false)));
        let dir = self.dir.path().join(id.to_string());
        std::fs::create_dir(&dir)?;
        let file = dir.join(report::file_name(&key.uri));
        std::fs::write(&file, document.text.as_bytes())?;
        let arguments = arguments(&self.args, key.property.as_deref(), &file);
        let (events, text) = (self.events.clone(), document.text.clone());
        let (flag, deadline) = (Arc::clone(&stop), Instant::now() + self.args.timeout + GRACE);
        let thread = thread::spawn(move || {
            let ended = match run(id, &arguments, &flag, deadline, &events) {
                Ok(Some(report)) => Ended::Report(report, Places::of(diagnose::read(&text).ok().as_ref())),
                Ok(None) => Ended::Stopped,
                Err(error) => Ended::Failed(error.to_string()),
            };
            // What cannot be removed now is removed with the directory of the server.
            let _ = std::fs::remove_dir_all(dir);
            let _ = events.send(Event::Checked(Checked { id, ended }));
        });
        let same = self.running.values().filter(|running| running.key == key);
        same.for_each(|running| running.stop.store(true, Ordering::Relaxed));
        self.running.insert(id, Running { key, request, version: document.version, stop, thread });
        Ok(id)
    }

    /// Returns the file in which a run is shown.
    pub(super) fn page(&self, answer: &Answer, uri: &Uri) -> PathBuf {
        let name = format!("{}.{}.md", report::file_name(uri), report::plain(&answer.property));
        self.dir.path().join(name)
    }
}

impl Drop for Checks {
    /// Ends the processes of all checks.
    fn drop(&mut self) {
        self.stop_all();
        for (_, running) in std::mem::take(&mut self.running) {
            // A thread that failed has no process left to end.
            let _ = running.thread.join();
        }
    }
}

/// The arguments of `impasse check`.
fn arguments(args: &LspArgs, property: Option<&str>, file: &Path) -> Vec<OsString> {
    let fixed = [
        "check",
        "--while-stdin",
        "--format",
        "json",
        "--trace-in-json",
        "--progress",
        "ndjson",
        "--input-format",
        "rwb",
    ];
    let mut all: Vec<OsString> = fixed.map(Into::into).into();
    let mut add = |name: &str, value: String| all.push(format!("--{name}={value}").into());
    add("timeout", format!("{}ms", args.timeout.as_millis()));
    if let Some(memory) = args.memory {
        add("memory", memory.to_string());
    }
    if let Some(jobs) = args.jobs {
        add("jobs", jobs.to_string());
    }
    if let Some(property) = property {
        add("property", property.to_owned());
    }
    all.push("--".into());
    all.push(file.into());
    all
}

/// Runs a check to its end. Returns its report, or `None` if it was stopped.
fn run(
    id: u64,
    arguments: &[OsString],
    stop: &AtomicBool,
    deadline: Instant,
    events: &Sender<Event>,
) -> io::Result<Option<Json>> {
    let mut child = host::again()?
        .args(arguments)
        // The check ends when this end of the pipe closes, also if this process is killed.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (out, said) = (child.stdout.take(), child.stderr.take());
    let (text, is_done, said) = thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut text = Vec::new();
            out.map_or(Ok(0), |out| out.take(OUTPUT).read_to_end(&mut text)).map(|_| text)
        });
        let listener = scope.spawn(move || listen(id, said.map(BufReader::new), events));
        let is_done = wait(&mut child, stop, deadline);
        (reader.join().unwrap_or_else(|_| Ok(Vec::new())), is_done, listener.join().unwrap_or_default())
    });
    if !is_done? {
        return Ok(None);
    }
    let report = serde_json::from_slice(&text?);
    report.map(Some).map_err(|_| io::Error::other(format!("the check gave no report: {said}")))
}

/// Waits for the end of a check. Returns false if it was stopped, or if it did not end in time.
fn wait(child: &mut Child, stop: &AtomicBool, deadline: Instant) -> io::Result<bool> {
    loop {
        if child.try_wait()?.is_some() {
            return Ok(!stop.load(Ordering::Relaxed));
        }
        if stop.load(Ordering::Relaxed) || Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        thread::sleep(TICK);
    }
}

/// Passes on the progress of a check. Returns the last message that is no progress.
fn listen(id: u64, lines: Option<impl BufRead>, events: &Sender<Event>) -> String {
    #[derive(Deserialize)]
    struct Counts {
        states: u64,
    }
    let mut last = String::new();
    for line in lines.into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
        match serde_json::from_str::<Counts>(&line) {
            Ok(counts) => _ = events.send(Event::Progress(id, counts.states)),
            Err(_) => last = line,
        }
    }
    last
}
