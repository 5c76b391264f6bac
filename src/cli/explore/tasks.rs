//! Checks and searches that the page starts. Each has a number, shows its progress, and can be stopped.
//!
//! A check is a process of its own: `impasse check --format json`. So it has the same limits, report and evidence as on
//! the command line, a check that needs too much memory does not end the server, and a stop frees everything.

use super::machine::{Found, Wrong};
use super::path::Path;
use super::session::Session;
use super::views::Target;
use crate::cli::args::{ExploreArgs, QuestionArgs};
use impasse::formats::Source;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum number of tasks that run at the same time, and of tasks that are remembered.
const RUNNING: usize = 4;
const KNOWN: usize = 100;
/// Interval at which a check is looked at.
const TICK: Duration = Duration::from_millis(40);
/// Maximum number of bytes of evidence that is made into a path or given to the page.
const EVIDENCE: u64 = 64 << 20;
/// Maximum number of bytes of the report and of the messages of a check.
const OUTPUT: u64 = 64 << 20;
const MESSAGES: usize = 1 << 16;
/// States that a search visits at most, unless the request says less.
const STATES: usize = 1_000_000;

/// What a task does.
#[derive(Deserialize, Debug)]
#[serde(tag = "task", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Order {
    /// Checks the properties with these ids (all if there are none), or a question of its own.
    Check {
        #[serde(default)]
        properties: Vec<String>,
        #[serde(default)]
        ask: Option<String>,
    },
    /// Searches the nearest step or state, from the end of a path.
    Search {
        path: String,
        target: Target,
        #[serde(default)]
        states: Option<usize>,
    },
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Running,
    Done,
    Stopped,
    Failed,
}

/// A task as the server shows it.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct TaskView {
    id: u64,
    task: &'static str,
    status: Status,
    seconds: f64,
    states: u64,
    bytes: u64,
    /// Why the task failed, or what the check said on its error output.
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    /// The report of a check, as `check --format json` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Json>,
    /// For each violated property of a check: the path of the violation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    paths: BTreeMap<String, super::session::Imported>,
    /// The path that a search has found.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// For a search without a path: true if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    nowhere: Option<bool>,
}

struct Task {
    stop: AtomicBool,
    started: Instant,
    view: Mutex<TaskView>,
    /// The evidence files of a check, by the ids of the properties.
    evidence: Mutex<BTreeMap<String, std::path::PathBuf>>,
}

impl Task {
    fn view(&self) -> MutexGuard<'_, TaskView> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, status: Status) {
        let seconds = self.started.elapsed().as_secs_f64();
        let mut view = self.view();
        view.seconds = seconds;
        view.status = status;
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn shown(&self) -> TaskView {
        let mut view = self.view().clone();
        if view.status == Status::Running {
            view.seconds = self.started.elapsed().as_secs_f64();
        }
        view
    }
}

/// All tasks of the server.
pub(crate) struct Tasks {
    session: Arc<Session>,
    args: ExploreArgs,
    input_format: Option<String>,
    /// The directory of the evidence that checks write. It is removed with the tasks.
    dir: tempfile::TempDir,
    next: AtomicU64,
    all: Mutex<BTreeMap<u64, Arc<Task>>>,
}

impl Tasks {
    pub(crate) fn new(session: Arc<Session>, args: &ExploreArgs, input_format: Option<String>) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("impasse-explore-").tempdir()?;
        Ok(Self { session, args: args.clone(), input_format, dir, next: AtomicU64::new(1), all: Mutex::default() })
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Task>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn task(&self, id: u64) -> Result<Arc<Task>, Wrong> {
        self.all().get(&id).cloned().ok_or_else(|| Wrong::Absent(format!("there is no task {id}")))
    }

    /// Starts a task. `None` if too many tasks are running.
    pub(crate) fn start(self: &Arc<Self>, order: Order) -> Result<Option<TaskView>, Wrong> {
        let (name, work) = self.prepare(order)?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let view = TaskView {
            id,
            task: name,
            status: Status::Running,
            seconds: 0.0,
            states: 0,
            bytes: 0,
            message: String::new(),
            report: None,
            paths: BTreeMap::new(),
            path: None,
            nowhere: None,
        };
        let stop = AtomicBool::new(false);
        let task = Arc::new(Task { stop, started: Instant::now(), view: Mutex::new(view), evidence: Mutex::default() });
        {
            let mut all = self.all();
            if all.values().filter(|task| task.view().status == Status::Running).count() >= RUNNING {
                return Ok(None);
            }
            while all.len() >= KNOWN {
                let old = all.iter().find(|(_, task)| task.view().status != Status::Running).map(|(id, _)| *id);
                let Some(old) = old else { break };
                all.remove(&old);
            }
            all.insert(id, Arc::clone(&task));
        }
        let worker = Arc::clone(&task);
        let spawned = thread::Builder::new().name("task".to_owned()).spawn(move || work(&worker));
        if let Err(error) = spawned {
            task.view().message = error.to_string();
            task.end(Status::Failed);
        }
        Ok(Some(task.shown()))
    }

    /// Checks the order, and returns the work to do.
    fn prepare(self: &Arc<Self>, order: Order) -> Result<(&'static str, Box<dyn FnOnce(&Task) + Send>), Wrong> {
        let tasks = Arc::clone(self);
        match order {
            Order::Check { properties, ask } => {
                let known = |id: &String| self.session.problem.properties().iter().any(|p| p.id == *id);
                if let Some(unknown) = properties.iter().find(|id| !known(id)) {
                    return Err(Wrong::Absent(format!("there is no property `{unknown}`")));
                }
                Ok(("check", Box::new(move |task| tasks.check(task, &properties, ask.as_deref()))))
            }
            Order::Search { path, target, states } => {
                let path = Path::read(&path).map_err(Wrong::Path)?;
                let most = states.unwrap_or(STATES).min(STATES);
                Ok(("search", Box::new(move |task| tasks.search(task, &path, &target, most))))
            }
        }
    }

    pub(crate) fn view(&self, id: u64) -> Result<TaskView, Wrong> {
        self.task(id).map(|task| task.shown())
    }

    pub(crate) fn views(&self) -> Vec<TaskView> {
        self.all().values().map(|task| task.shown()).collect()
    }

    /// Asks a task to stop.
    pub(crate) fn stop(&self, id: u64) -> Result<TaskView, Wrong> {
        let task = self.task(id)?;
        task.stop.store(true, Ordering::Relaxed);
        Ok(task.shown())
    }

    /// Stops all tasks, and waits for their ends, but not for long.
    pub(crate) fn close(&self) {
        let all: Vec<Arc<Task>> = self.all().values().cloned().collect();
        all.iter().for_each(|task| task.stop.store(true, Ordering::Relaxed));
        for _ in 0..5 {
            if all.iter().all(|task| task.view().status != Status::Running) {
                return;
            }
            thread::sleep(TICK);
        }
    }

    /// Returns the evidence that a check wrote about a property.
    pub(crate) fn evidence(&self, id: u64, property: &str) -> Result<Vec<u8>, Wrong> {
        let task = self.task(id)?;
        let files = task.evidence.lock().unwrap_or_else(PoisonError::into_inner);
        let absent = || Wrong::Absent(format!("task {id} has no evidence about `{property}`"));
        read(files.get(property).ok_or_else(absent)?)
    }

    fn search(&self, task: &Task, path: &Path, target: &Target, most: usize) {
        let limit = self.args.timeout;
        let mut visit = |states: usize| {
            task.view().states = states as u64;
            !task.is_stopped() && states < most && limit.is_none_or(|limit| task.started.elapsed() < limit)
        };
        let session = &self.session;
        let found = session.machine.search(&session.problem, path, target, &mut visit);
        let status = match found {
            Ok(Found::Path(path)) => {
                task.view().path = Some(path.to_string());
                Status::Done
            }
            Ok(Found::Nowhere(states)) => {
                let mut view = task.view();
                (view.nowhere, view.states) = (Some(true), states as u64);
                Status::Done
            }
            Ok(Found::Cut(states)) => {
                let mut view = task.view();
                (view.nowhere, view.states) = (Some(false), states as u64);
                if task.is_stopped() { Status::Stopped } else { Status::Done }
            }
            Err(wrong) => {
                task.view().message = wrong.message().to_owned();
                Status::Failed
            }
        };
        task.end(status);
    }

    fn check(&self, task: &Task, properties: &[String], ask: Option<&str>) {
        let status = match self.run(task, properties, ask) {
            Ok(status) => status,
            Err(error) => {
                task.view().message = error.to_string();
                Status::Failed
            }
        };
        task.end(status);
    }

    /// Runs a check to its end.
    fn run(&self, task: &Task, properties: &[String], ask: Option<&str>) -> io::Result<Status> {
        let dir = self.dir.path().join(task.view().id.to_string());
        let mut child = Command::new(std::env::current_exe()?)
            .args(self.arguments(&dir, properties, ask))
            .stdin(Stdio::null())
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
        self.learn(task, &report);
        task.view().report = Some(report);
        Ok(Status::Done)
    }

    /// Reads the evidence that the report names. The check has confirmed it.
    fn learn(&self, task: &Task, report: &Json) {
        for property in report["properties"].as_array().into_iter().flatten() {
            let (Some(id), Some(file)) = (property["id"].as_str(), property["evidence"]["file"].as_str()) else {
                continue;
            };
            let files = &task.evidence;
            files.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), file.into());
            if property["verdict"] != "unsafe" {
                continue;
            }
            let imported =
                read(file).and_then(|bytes| self.session.import(Source { name: file.to_owned(), bytes }, false));
            match imported {
                Ok(imported) => drop(task.view().paths.insert(id.to_owned(), imported)),
                Err(wrong) => task.view().message.push_str(&format!("{id}: {}\n", wrong.message())),
            }
        }
    }

    /// Returns the arguments of a check of these properties.
    fn arguments(&self, dir: &std::path::Path, properties: &[String], ask: Option<&str>) -> Vec<OsString> {
        let args = &self.args;
        let mut all: Vec<OsString> =
            ["check", "--format", "json", "--progress", "ndjson", "--evidence"].map(Into::into).into();
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
        if let Some(format) = &self.input_format {
            add("input-format", format.clone());
        }
        match ask {
            Some(ask) => {
                add("ask", ask.to_owned());
                question(&args.question, &[], &mut add);
            }
            None => {
                // A question of the command line is asked by its text, and any other property by its id.
                let asked = self.session.asks.iter().zip(&args.question.ask);
                let is_asked = |id: &String| properties.is_empty() || properties.contains(id);
                let asks: Vec<&String> = asked.filter(|(id, _)| is_asked(id)).map(|(_, text)| text).collect();
                question(&args.question, &asks, &mut add);
                let others = self.session.problem.properties().iter().map(|p| &p.id);
                let others = others.filter(|id| is_asked(id) && !self.session.asks.contains(id));
                if !properties.is_empty() || !self.session.asks.is_empty() {
                    others.for_each(|id| add("property", id.clone()));
                }
            }
        }
        all.push("--".into());
        all.push(args.file.clone().into());
        all
    }
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

fn read(file: impl AsRef<std::path::Path>) -> Result<Vec<u8>, Wrong> {
    let wrong = |error: io::Error| Wrong::Evidence(format!("the evidence cannot be read: {error}"));
    let mut bytes = Vec::new();
    std::fs::File::open(file).map_err(wrong)?.take(EVIDENCE + 1).read_to_end(&mut bytes).map_err(wrong)?;
    if bytes.len() as u64 > EVIDENCE {
        return Err(Wrong::Evidence("the evidence is too long for the page".to_owned()));
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
