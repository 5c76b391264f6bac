//! What there is to say beside results, on stderr. Limits hold even if nobody reads it: a full pipe would hold the whole process.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a message begun when there is no more time waits for its reader.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long one goes on to wait that was begun before. Well below the watchdog's grace: who has waited for a reader gets to say how
/// the work ended.
const LAST_CHANCE: Duration = Duration::from_millis(100);

/// How often it is looked whether there is more time.
const TICK: Duration = Duration::from_millis(20);

/// From when on nobody is waited for: when the time limit is over, or the work is cut off.
static HURRY: Mutex<Option<Instant>> = Mutex::new(None);

/// From `at` on, what is said on stderr hardly waits for its reader ([`tell`]). Of several moments the first counts.
pub(crate) fn hurry_from(at: Instant) {
    let mut hurry = HURRY.lock().unwrap_or_else(PoisonError::into_inner);
    *hurry = Some(hurry.map_or(at, |earlier| earlier.min(at)));
}

/// Is a message that waits since `started` to be given up?
fn is_late(started: Instant) -> bool {
    HURRY.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|from| {
        let (since, patience) = if started < from { (from, LAST_CHANCE) } else { (started, PATIENCE) };
        Instant::now().saturating_duration_since(since) >= patience
    })
}

/// Says a line on stderr, and waits until it is taken, as long as there is time for that, and a moment longer. Once one was not taken
/// in time, the others are left out.
pub(crate) fn tell(message: String) {
    static UNREAD: AtomicBool = AtomicBool::new(false);
    if UNREAD.load(Ordering::Relaxed) {
        return;
    }
    let line = Arc::new(message + "\n");
    let shared = Arc::clone(&line);
    let (done, told) = sync_channel(1);
    let print = move || {
        print_line(&shared);
        let _ = done.send(());
    };
    if thread::Builder::new().name("tell".to_owned()).spawn(print).is_err() {
        // No thread is to be had: better said without a limit than not at all.
        return print_line(&line);
    }
    let started = Instant::now();
    while told.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        if is_late(started) {
            UNREAD.store(true, Ordering::Relaxed);
            return;
        }
    }
}

/// Nobody listening is no reason to fail.
fn print_line(line: &str) {
    let _ = io::stderr().write_all(line.as_bytes());
}
