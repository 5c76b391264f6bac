//! Worker threads, and the wait for them. The calling thread releases the interpreter's lock, and holds it again only
//! every [`TICK`] to handle signals (Ctrl-C) and to call the progress function.
//!
//! Workers are kept and reused, because starting a thread takes longer than a small check. A process that was forked has
//! none of its parent's threads, so the workers belong to a process id.

use crate::errors::Internal;
use model::{Reason, Stop};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at signals and progress.
const TICK: Duration = Duration::from_millis(25);

/// Time that work has to end after it was told to stop. Then its thread is left behind.
const GRACE: Duration = Duration::from_secs(2);

type Job = Box<dyn FnOnce() + Send>;

/// The idle workers of this process.
struct Idle {
    process: u32,
    workers: Vec<Sender<Job>>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, workers: Vec::new() });

/// Returns the idle workers. After a fork, forgets those of the parent process.
fn idle() -> MutexGuard<'static, Idle> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if idle.process != process {
        idle.process = process;
        // These senders belong to threads that do not exist here. Dropping them is harmless.
        idle.workers.clear();
    }
    idle
}

/// Runs a job on an idle worker, or on a new one.
fn start(mut job: Job) -> PyResult<()> {
    while let Some(worker) = { idle().workers.pop() } {
        match worker.send(job) {
            Ok(()) => return Ok(()),
            Err(unsent) => job = unsent.0,
        }
    }
    let (sender, receiver) = channel::<Job>();
    let itself = sender.clone();
    let worker = move || {
        while let Ok(job) = receiver.recv() {
            job();
            idle().workers.push(itself.clone());
        }
    };
    let started = thread::Builder::new().name("impasse".to_owned()).stack_size(16 << 20).spawn(worker);
    started.map_err(|error| Internal::new_err(format!("cannot start a thread: {error}")))?;
    sender.send(job).map_err(|_| Internal::new_err("the new thread has ended"))
}

/// The way in which work ended.
pub(crate) enum Ended<T> {
    /// The work returned this.
    Done(T),
    /// The work did not end within [`GRACE`] after its time limit. Its thread is left behind.
    Late,
}

/// Runs `work` on a worker thread, and waits for it without the interpreter's lock. At `deadline`, raises `stop` with
/// the reason `timeout`. `on_tick` is called every [`TICK`] with the lock; if it fails, or a signal handler raises an
/// exception (Ctrl-C), the work is stopped and the exception is returned.
///
/// # Errors
/// That exception; and an `Internal` error if the work panics.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<Stop>,
    deadline: Option<Instant>,
    work: impl FnOnce() -> T + Send + 'static,
    on_tick: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<Ended<T>> {
    let (sender, receiver) = channel();
    start(Box::new(move || {
        // If nobody waits any more, the result is dropped.
        let _ = sender.send(panic::catch_unwind(AssertUnwindSafe(work)));
    }))?;
    let receiver = Mutex::new(receiver);
    // The next time limit, and whether the work was already told to stop.
    let (mut late, mut is_told) = (deadline, false);
    let mut interrupted: Option<PyErr> = None;
    loop {
        let now = Instant::now();
        if late.is_some_and(|late| now >= late) {
            if is_told {
                return interrupted.map_or(Ok(Ended::Late), Err);
            }
            stop.raise(Reason::Timeout);
            (late, is_told) = (Some(now + GRACE), true);
        }
        let wait = late.map_or(TICK, |late| (late - now).min(TICK));
        match py.detach(|| wait_for(&receiver, wait)) {
            Ok(done) => return interrupted.map_or_else(|| finished(done), Err),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Internal::new_err("a thread has ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupted.is_none()
            && let Err(error) = py.check_signals().and_then(|()| on_tick(py))
        {
            stop.raise(Reason::Interrupted);
            (late, is_told) = (Some(Instant::now() + GRACE), true);
            interrupted = Some(error);
        }
    }
}

type Finished<T> = Result<T, Box<dyn Any + Send>>;

fn wait_for<T: Send>(receiver: &Mutex<Receiver<Finished<T>>>, wait: Duration) -> Result<Finished<T>, RecvTimeoutError> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait)
}

fn finished<T>(done: Finished<T>) -> PyResult<Ended<T>> {
    done.map(Ended::Done).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Internal::new_err(format!("this is a bug in impasse: {}", text.unwrap_or_default()))
    })
}
