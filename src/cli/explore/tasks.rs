//! Checks and searches that the page starts. Each has a number, shows its progress, and can be stopped.
//!
//! A search runs on a thread, a check in a process of its own (`check.rs`) or, if the model is in no file, on a thread
//! (`memory.rs`).

use super::session::Session;
use super::task::{Status, Subject, TICK, Task, TaskView};
use super::{check, memory};
use crate::cli::args::ExploreArgs;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{io, thread};
use view::machine::path::Path;
use view::machine::views::Target;
use view::machine::{MachineError, SearchOutcome};

/// Maximum number of tasks that run at the same time, and of tasks that are remembered.
const RUNNING: usize = 4;
const KNOWN: usize = 100;
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

/// All tasks of the server.
pub(crate) struct Tasks {
    pub(super) subject: Subject,
    next: AtomicU64,
    all: Mutex<BTreeMap<u64, Arc<Task>>>,
}

/// The work of a task.
type Work = Box<dyn FnOnce(&Task) + Send>;

impl Tasks {
    pub(crate) fn new(session: Arc<Session>, args: &ExploreArgs, input_format: Option<String>) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("impasse-explore-").tempdir()?;
        let subject = Subject { session, args: args.clone(), input_format, dir };
        Ok(Self { subject, next: AtomicU64::new(1), all: Mutex::default() })
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Task>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn task(&self, id: u64) -> Result<Arc<Task>, MachineError> {
        self.all().get(&id).cloned().ok_or_else(|| MachineError::Absent(format!("there is no task {id}")))
    }

    /// Starts a task. `None` if too many tasks are running.
    pub(crate) fn start(self: &Arc<Self>, order: Order) -> Result<Option<TaskView>, MachineError> {
        let (name, work) = self.prepare(order)?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let task = Arc::new(Task::new(id, name));
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
    fn prepare(self: &Arc<Self>, order: Order) -> Result<(&'static str, Work), MachineError> {
        let tasks = Arc::clone(self);
        match order {
            Order::Check { properties, ask } => {
                let known = |id: &String| self.subject.session.problem.properties().iter().any(|p| p.id == *id);
                if let Some(unknown) = properties.iter().find(|id| !known(id)) {
                    return Err(MachineError::Absent(format!("there is no property `{unknown}`")));
                }
                Ok(("check", Box::new(move |task| tasks.check(task, &properties, ask.as_deref()))))
            }
            Order::Search { path, target, states } => {
                let path = Path::read(&path).map_err(MachineError::Path)?;
                let most = states.unwrap_or(STATES).min(STATES);
                Ok(("search", Box::new(move |task| tasks.search(task, &path, &target, most))))
            }
        }
    }

    pub(crate) fn view(&self, id: u64) -> Result<TaskView, MachineError> {
        self.task(id).map(|task| task.shown())
    }

    pub(crate) fn views(&self) -> Vec<TaskView> {
        self.all().values().map(|task| task.shown()).collect()
    }

    /// Asks a task to stop.
    pub(crate) fn stop(&self, id: u64) -> Result<TaskView, MachineError> {
        let task = self.task(id)?;
        task.stop();
        Ok(task.shown())
    }

    /// Stops all tasks, and waits for their ends, but not for long.
    pub(crate) fn close(&self) {
        let all: Vec<Arc<Task>> = self.all().values().cloned().collect();
        all.iter().for_each(|task| task.stop());
        for _ in 0..5 {
            if all.iter().all(|task| task.view().status != Status::Running) {
                return;
            }
            thread::sleep(TICK);
        }
    }

    /// Returns the evidence that a check wrote about a property.
    pub(crate) fn evidence(&self, id: u64, property: &str) -> Result<Vec<u8>, MachineError> {
        let task = self.task(id)?;
        let files = task.evidence.lock().unwrap_or_else(PoisonError::into_inner);
        let absent = || MachineError::Absent(format!("task {id} has no evidence about `{property}`"));
        check::read(files.get(property).ok_or_else(absent)?)
    }

    fn check(&self, task: &Task, properties: &[String], ask: Option<&str>) {
        let run = if self.subject.session.is_in_memory { memory::run } else { check::run };
        let status = match run(&self.subject, task, properties, ask) {
            Ok(status) => status,
            Err(error) => {
                task.view().message = error.to_string();
                Status::Failed
            }
        };
        task.end(status);
    }

    fn search(&self, task: &Task, path: &Path, target: &Target, most: usize) {
        let limit = self.subject.args.timeout;
        let mut visit = |states: usize| {
            task.view().states = states as u64;
            !task.is_stopped() && states < most && limit.is_none_or(|limit| task.seconds() < limit.as_secs_f64())
        };
        let session = &self.subject.session;
        let found = session.machine.search(&session.problem, path, target, &mut visit);
        let status = match found {
            Ok(SearchOutcome::Path(path)) => {
                task.view().path = Some(path.to_string());
                Status::Done
            }
            Ok(SearchOutcome::Nowhere(states)) => {
                let mut view = task.view();
                (view.nowhere, view.states) = (Some(true), states as u64);
                Status::Done
            }
            Ok(SearchOutcome::Cut(states)) => {
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
}
