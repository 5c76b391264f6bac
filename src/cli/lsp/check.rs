//! "Check this": runs `impasse check --format json` on the text as a process of its own, with a time limit. So a check
//! never blocks the server, a check that needs too much memory does not end it, and a cancelled one frees everything.
//!
//! The text is written to a file of its own, because the editor may not have saved it. Answers come from the report
//! only, which contains what the checker has confirmed.

use super::diagnose;
use super::documents::Document;
use super::report::{self, Answer, Places};
use super::server::{Event, Server, parsed};
use crate::cli::args::LspArgs;
use crate::cli::host;
use lsp_server::{ErrorCode, RequestId};
use lsp_types::notification::Progress;
use lsp_types::request::{CodeLensRefresh, ShowDocument, WorkDoneProgressCreate};
use lsp_types::{
    CancelParams, Diagnostic, ExecuteCommandParams, MessageType, NumberOrString, ProgressParams, ProgressParamsValue,
    ShowDocumentParams, Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCancelParams,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::str::FromStr;
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
struct Running {
    key: Key,
    request: RequestId,
    version: i32,
    stop: Arc<AtomicBool>,
    thread: thread::JoinHandle<()>,
}

/// The checks in progress, and the answers of those that have ended.
pub(super) struct Checks {
    args: LspArgs,
    events: Sender<Event>,
    dir: tempfile::TempDir,
    /// By their numbers.
    running: BTreeMap<u64, Running>,
    answers: BTreeMap<Uri, Vec<Answer>>,
    begun: u64,
}

/// The end of a check.
pub(super) struct Checked {
    id: u64,
    ended: Ended,
}

enum Ended {
    /// With its report, and the lines of the states.
    Report(Json, Places),
    Stopped,
    Failed(String),
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
    fn start(&mut self, key: Key, request: RequestId, document: &Document) -> io::Result<u64> {
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
    fn page(&self, answer: &Answer, uri: &Uri) -> PathBuf {
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

/// The messages about checks.
impl Server {
    /// Runs a command. `None` if the answer comes when its check ends.
    pub(super) fn command(&mut self, id: &RequestId, params: Json) -> Result<Option<Json>, (ErrorCode, String)> {
        let params: ExecuteCommandParams = parsed(params)?;
        let is_check = params.command == CHECK;
        if !is_check && params.command != SHOW_RUN {
            return Err((ErrorCode::InvalidParams, format!("there is no command `{}`", params.command)));
        }
        let key: Key = parsed(params.arguments.into_iter().next().unwrap_or_default())?;
        if is_check { self.check(id, key).map(|()| None) } else { self.show_run(&key).map(|()| Some(Json::Null)) }
    }

    fn check(&mut self, request: &RequestId, key: Key) -> Result<(), (ErrorCode, String)> {
        self.document(&key.uri)?;
        let Some(document) = self.documents.get(&key.uri).filter(|document| document.is_program) else {
            return Err((ErrorCode::InvalidParams, "only `.rwb` texts are checked".to_owned()));
        };
        let title = match &key.property {
            Some(property) => format!("checking {property}"),
            None => format!("checking {}", report::file_name(&key.uri)),
        };
        let started = self.checks.start(key, request.clone(), document);
        let id =
            started.map_err(|error| (ErrorCode::InternalError, format!("the check cannot be started: {error}")))?;
        if self.client.has_progress {
            self.ask::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams { token: token(id) });
            let begin = WorkDoneProgressBegin { title, cancellable: Some(true), ..WorkDoneProgressBegin::default() };
            self.work(id, WorkDoneProgress::Begin(begin));
        }
        self.refresh();
        Ok(())
    }

    fn work(&self, id: u64, value: WorkDoneProgress) {
        if self.client.has_progress {
            let value = ProgressParamsValue::WorkDone(value);
            self.notify::<Progress>(ProgressParams { token: token(id), value });
        }
    }

    fn refresh(&mut self) {
        if self.client.refreshes_lenses {
            self.ask::<CodeLensRefresh>(());
        }
    }

    pub(super) fn progress(&self, id: u64, states: u64) {
        let report = WorkDoneProgressReport { message: Some(format!("{states} states")), ..Default::default() };
        if self.checks.running.contains_key(&id) {
            self.work(id, WorkDoneProgress::Report(report));
        }
    }

    /// Answers the request that started a check, and shows the answer.
    pub(super) fn checked(&mut self, checked: Checked) {
        let Checked { id, ended } = checked;
        let Some(running) = self.checks.running.remove(&id) else { return };
        let key = running.key;
        let answer = match ended {
            Ended::Report(report, places) => Ok(self.learn(&key, running.version, &report, &places)),
            Ended::Stopped if running.stop.load(Ordering::Relaxed) => {
                Err((ErrorCode::RequestCanceled, "the check was cancelled".to_owned()))
            }
            Ended::Stopped => Err((ErrorCode::RequestFailed, "the check did not end in time".to_owned())),
            Ended::Failed(why) => Err((ErrorCode::RequestFailed, why)),
        };
        let message = answer.as_ref().ok().and_then(|answer| answer["summary"].as_str().map(str::to_owned));
        self.work(id, WorkDoneProgress::End(WorkDoneProgressEnd { message }));
        self.publish(&key.uri);
        self.refresh();
        self.respond(running.request, answer);
    }

    /// Keeps the answers of a report. Returns the result of the command.
    fn learn(&mut self, key: &Key, version: i32, report: &Json, places: &Places) -> Json {
        let answers = report::answers(report, version, &report::file_name(&key.uri), places);
        let errors = report["errors"].as_array().map_or(0, Vec::len);
        let summary = if errors > 0 {
            "the text has mistakes, so nothing was checked".to_owned()
        } else {
            answers
                .iter()
                .map(|answer| format!("{}: {}", answer.property, answer.verdict))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let is_violated = answers.iter().any(|answer| answer.run.is_some());
        let typ = if is_violated || errors > 0 { MessageType::WARNING } else { MessageType::INFO };
        let told: Vec<Json> = answers
            .iter()
            .map(|answer| json!({ "property": answer.property, "verdict": answer.verdict, "run": answer.run }))
            .collect();
        if self.documents.contains_key(&key.uri) {
            let kept = self.checks.answers.entry(key.uri.clone()).or_default();
            kept.retain(|old| answers.iter().all(|new| new.property != old.property));
            kept.extend(answers);
        }
        self.say(typ, summary.clone());
        json!({ "summary": summary, "answers": told })
    }

    /// Shows a run: as a document if the client can show one, else as a message.
    fn show_run(&mut self, key: &Key) -> Result<(), (ErrorCode, String)> {
        let failed = |why: String| (ErrorCode::RequestFailed, why);
        let is_asked = |answer: &&Answer| key.property.as_ref().is_none_or(|property| answer.property == *property);
        let mut found = self.checks.answers(&key.uri).iter().filter(is_asked);
        let Some((answer, run)) = found.find_map(|answer| Some((answer, answer.run.clone()?))) else {
            return Err(failed("there is no run to show: check the file first".to_owned()));
        };
        let page = self.checks.page(answer, &key.uri);
        if !self.client.shows_documents {
            self.say(MessageType::INFO, run);
            return Ok(());
        }
        let written = std::fs::write(&page, run).map_err(|error| failed(format!("the run cannot be written: {error}")));
        written?;
        let uri = Uri::from_str(&report::file_uri(&page)).map_err(|error| failed(error.to_string()))?;
        let (external, take_focus) = (Some(false), Some(true));
        self.ask::<ShowDocument>(ShowDocumentParams { uri, external, take_focus, selection: None });
        Ok(())
    }

    /// Stops the check that a request started. Other requests are answered at once.
    pub(super) fn cancel(&self, params: CancelParams) {
        let id: RequestId = match params.id {
            NumberOrString::Number(number) => number.into(),
            NumberOrString::String(text) => text.into(),
        };
        let own = self.checks.running.values().filter(|running| running.request == id);
        own.for_each(|running| running.stop.store(true, Ordering::Relaxed));
    }

    pub(super) fn cancel_work(&self, params: &WorkDoneProgressCancelParams) {
        let own = self.checks.running.iter().filter(|(id, _)| token(**id) == params.token);
        own.for_each(|(_, running)| running.stop.store(true, Ordering::Relaxed));
    }
}

/// Returns the token of the progress of a check.
fn token(id: u64) -> NumberOrString {
    NumberOrString::String(format!("impasse/check/{id}"))
}
