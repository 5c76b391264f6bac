//! Worker threads, and the wait for them. The calling thread releases the interpreter's lock, and holds it again only
//! every [`TICK`] to handle signals (Ctrl-C) and to call the progress function.
//!
//! Each calling thread keeps its worker, because starting a thread takes longer than a small check. Without a list of
//! workers that threads share, no lock can be held when a process forks. A forked process has none of its parent's
//! threads, so a worker belongs to a process id.
//!
//! Before the interpreter ends, [`finish`] stops all work: a worker that asks for the interpreter's lock later would be
//! ended by it inside of Rust code, which aborts the process.

use crate::errors::Internal;
use model::{Reason, Stop};
use pyo3::prelude::*;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at signals and progress.
const TICK: Duration = Duration::from_millis(25);

/// Time that work has to end after it was told to stop. Then its thread is left behind.
const GRACE: Duration = Duration::from_secs(2);

/// Stack of workers in bytes. Readers use stack in proportion to the nesting of inputs, which is limited.
const STACK: usize = 16 << 20;

/// The name of workers.
const NAME: &str = "impasse";

type Job = Box<dyn FnOnce() + Send>;

/// An idle worker, and the process that it belongs to.
struct Worker {
    process: u32,
    jobs: Sender<Job>,
}

thread_local! {
    /// The idle worker of this thread.
    static IDLE: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// True if the interpreter is about to end. No work begins any more.
static IS_CLOSING: AtomicBool = AtomicBool::new(false);

/// The number of jobs in progress, also of those that were left behind.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);

/// Returns true if work must end because the interpreter ends.
pub(crate) fn is_closing() -> bool {
    IS_CLOSING.load(Ordering::Relaxed)
}

/// Makes panics of workers silent: they become exceptions with the same message. Other panics are printed as usual.
pub(crate) fn silence() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name() != Some(NAME) {
            usual(info);
        }
    }));
}

/// Ends all work, and waits for it for at most five seconds. To be called before the interpreter ends.
#[pyfunction]
pub(crate) fn finish(py: Python<'_>) {
    IS_CLOSING.store(true, Ordering::Relaxed);
    py.detach(|| {
        let begun = Instant::now();
        while ACTIVE.load(Ordering::Relaxed) > 0 && begun.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(2));
        }
    });
}

/// Runs a job on the worker of this thread, or on a new one. Returns the worker.
fn start(mut job: Job) -> PyResult<Worker> {
    let process = std::process::id();
    let mut kept = IDLE.take();
    if kept.as_ref().is_some_and(|worker| worker.process != process) {
        // The thread of this worker is in the parent process. Dropping its channel could wait for that thread.
        std::mem::forget(kept.take());
    }
    if let Some(worker) = kept {
        match worker.jobs.send(job) {
            Ok(()) => return Ok(worker),
            Err(unsent) => job = unsent.0,
        }
    }
    let (jobs, receiver) = channel::<Job>();
    let work = move || receiver.into_iter().for_each(|job| job());
    let started = thread::Builder::new().name(NAME.to_owned()).stack_size(STACK).spawn(work);
    started.map_err(|error| Internal::new_err(format!("cannot start a thread: {error}")))?;
    jobs.send(job).map_err(|_| Internal::new_err("the new thread has ended"))?;
    Ok(Worker { process, jobs })
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
/// exception (Ctrl-C), the work is stopped and the exception is returned. `on_stop` is called when the work is stopped.
///
/// # Errors
/// That exception; and an `Internal` error if the work panics.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<Stop>,
    deadline: Option<Instant>,
    work: impl FnOnce() -> T + Send + 'static,
    on_tick: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
    on_stop: &dyn Fn(),
) -> PyResult<Ended<T>> {
    if is_closing() {
        return Err(Internal::new_err("the interpreter is ending"));
    }
    let (sender, receiver) = channel();
    ACTIVE.fetch_add(1, Ordering::Relaxed);
    let worker = start(Box::new(move || {
        let done = panic::catch_unwind(AssertUnwindSafe(work));
        ACTIVE.fetch_sub(1, Ordering::Relaxed);
        // If the calling thread waits no more, the result is dropped.
        let _ = sender.send(done);
    }));
    let worker = worker.inspect_err(|_| {
        ACTIVE.fetch_sub(1, Ordering::Relaxed);
    })?;
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
            on_stop();
            (late, is_told) = (Some(now + GRACE), true);
        }
        let wait = late.map_or(TICK, |late| (late - now).min(TICK));
        match py.detach(|| wait_for(&receiver, wait)) {
            Ok(done) => {
                IDLE.set(Some(worker));
                return interrupted.map_or_else(|| finished(done), Err);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Internal::new_err("a thread has ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if is_closing() && !is_told {
            stop.raise(Reason::Interrupted);
            on_stop();
            (late, is_told) = (Some(Instant::now() + GRACE), true);
        }
        if interrupted.is_none()
            && let Err(error) = py.check_signals().and_then(|()| on_tick(py))
        {
            stop.raise(Reason::Interrupted);
            on_stop();
            (late, is_told) = (Some(Instant::now() + GRACE), true);
            interrupted = Some(error);
        }
    }
}

/// Runs work that takes microseconds on the calling thread. Waking another thread would take longer.
///
/// # Errors
/// An `Internal` error if the work panics.
pub(crate) fn here<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    finished(py.detach(|| panic::catch_unwind(AssertUnwindSafe(work)))).map(|ended| match ended {
        Ended::Done(done) => done,
        Ended::Late => unreachable!("the work has ended"),
    })
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
