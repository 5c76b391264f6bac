//! One task that the page has started: how far it is, whether it should stop, and what it is about.

use super::session::{Imported, Session};
use crate::cli::args::ExploreArgs;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval at which a task is looked at.
pub(super) const TICK: Duration = Duration::from_millis(40);

/// What tasks are about: the model, and the options that it was opened with.
pub(super) struct Subject {
    pub(super) session: Arc<Session>,
    pub(super) args: ExploreArgs,
    pub(super) input_format: Option<String>,
    /// The directory of the evidence that checks write. It is removed with the tasks.
    pub(super) dir: tempfile::TempDir,
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
    pub(super) id: u64,
    task: &'static str,
    pub(super) status: Status,
    seconds: f64,
    pub(super) states: u64,
    pub(super) bytes: u64,
    /// Why the task failed, or what the check said on its error output.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) message: String,
    /// The report of a check, as `check --format json` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<Json>,
    /// For each violated property of a check: the path of the violation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) paths: BTreeMap<String, Imported>,
    /// The path that a search has found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// For a search without a path: true if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nowhere: Option<bool>,
}

pub(super) struct Task {
    stop: AtomicBool,
    started: Instant,
    view: Mutex<TaskView>,
    /// The evidence files of a check, by the ids of the properties.
    pub(super) evidence: Mutex<BTreeMap<String, std::path::PathBuf>>,
}

impl Task {
    pub(super) fn new(id: u64, task: &'static str) -> Self {
        let view = TaskView {
            id,
            task,
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
        Self { stop, started: Instant::now(), view: Mutex::new(view), evidence: Mutex::default() }
    }

    /// Asks the task to stop.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn view(&self) -> MutexGuard<'_, TaskView> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn end(&self, status: Status) {
        let seconds = self.seconds();
        let mut view = self.view();
        view.seconds = seconds;
        view.status = status;
    }

    pub(super) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn shown(&self) -> TaskView {
        let mut view = self.view().clone();
        if view.status == Status::Running {
            view.seconds = self.seconds();
        }
        view
    }
}
