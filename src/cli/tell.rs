//! Prints messages that are not results, on stderr. If stderr is a full pipe that is not read, the process
//! continues, so that limits are still enforced.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum time that a message waits for its reader if it was started after the deadline.
const PATIENCE: Duration = Duration::from_millis(500);

/// Maximum time after the deadline that a message still waits if it was started before the deadline. It is well
/// below the grace period of the watchdog, so that the process can still report how the work ended.
const LAST_CHANCE: Duration = Duration::from_millis(100);

/// Interval between two checks of the deadline.
const TICK: Duration = Duration::from_millis(20);

/// The deadline: the time limit, or the time at which work is cut off. After the deadline, messages wait only
/// briefly for their reader.
static HURRY: Mutex<Option<Instant>> = Mutex::new(None);

/// Sets the deadline, after which messages on stderr wait only briefly for their reader ([`tell()`]). If several
/// deadlines are set, the earliest one counts.
pub(crate) fn hurry_from(at: Instant) {
    let mut hurry = HURRY.lock().unwrap_or_else(PoisonError::into_inner);
    *hurry = Some(hurry.map_or(at, |earlier| earlier.min(at)));
}

/// Returns true if a message that has waited since `started` must be given up.
fn is_late(started: Instant) -> bool {
    HURRY.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|from| {
        let (since, patience) = if started < from { (from, LAST_CHANCE) } else { (started, PATIENCE) };
        Instant::now().saturating_duration_since(since) >= patience
    })
}

/// A line, and the channel that reports that it was printed.
type Message = (String, SyncSender<()>);

/// The thread that prints the lines. `None` if the machine cannot start another thread. One thread prints all
/// lines, because it must never be held by the allocator, and a new thread allocates before it can exempt
/// itself.
static PRINTER: OnceLock<Option<SyncSender<Message>>> = OnceLock::new();

/// Starts the thread that prints, while there is memory for it.
pub(crate) fn prepare() {
    PRINTER.get_or_init(|| {
        let (messages, sent) = sync_channel::<Message>(1);
        let (begun, begins) = sync_channel(1);
        let print = move || {
            meter::pass_always();
            let _ = begun.try_send(());
            for (line, taken) in sent {
                print_line(&line);
                let _ = taken.try_send(());
            }
        };
        let started = thread::Builder::new().name("tell".to_owned()).spawn(print).is_ok();
        // Wait until the thread has exempted itself. Without this wait, the allocator might hold the thread
        // before.
        started.then(|| {
            let _ = begins.recv();
            messages
        })
    });
}

/// Prints a line on stderr, and waits until it is printed. After the deadline, the function waits only briefly.
/// If a line was not printed in time, all later lines are left out.
pub(crate) fn tell(message: String) {
    static UNREAD: AtomicBool = AtomicBool::new(false);
    if UNREAD.load(Ordering::Relaxed) {
        return;
    }
    meter::pass(|| {
        prepare();
        let line = message + "\n";
        let Some(printer) = PRINTER.get().and_then(Option::as_ref) else {
            // Printing without a time limit is better than printing nothing.
            return print_line(&line);
        };
        let (done, told) = sync_channel(1);
        let started = Instant::now();
        let mut unsent = Some((line, done));
        loop {
            // The channel may still contain the line of another thread.
            unsent = unsent.and_then(|message| match printer.try_send(message) {
                Err(TrySendError::Full(message)) => Some(message),
                Ok(()) | Err(TrySendError::Disconnected(_)) => None,
            });
            if told.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            if is_late(started) {
                UNREAD.store(true, Ordering::Relaxed);
                return;
            }
        }
    });
}

/// Prints a line. A closed stderr is no reason to fail.
fn print_line(line: &str) {
    let _ = io::stderr().write_all(line.as_bytes());
}
