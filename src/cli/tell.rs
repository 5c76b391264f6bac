//! What there is to say beside results, on stderr. Limits hold even if nobody reads it: a full pipe would hold the whole process.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
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

/// A line, and where to say that it was taken.
type Message = (String, SyncSender<()>);

/// The thread that prints the lines, from the first one on; none if the machine starts no more threads. It is one for all of them:
/// the allocator never holds it, and it could not say so before it has allocated its own beginnings.
static PRINTER: OnceLock<Option<SyncSender<Message>>> = OnceLock::new();

/// Starts the thread that prints, while there is memory for that.
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
        // Later the allocator might hold it before it has begun.
        started.then(|| {
            let _ = begins.recv();
            messages
        })
    });
}

/// Says a line on stderr, and waits until it is taken, as long as there is time for that, and a moment longer. Once one was not taken
/// in time, the others are left out.
pub(crate) fn tell(message: String) {
    static UNREAD: AtomicBool = AtomicBool::new(false);
    if UNREAD.load(Ordering::Relaxed) {
        return;
    }
    meter::pass(|| {
        prepare();
        let line = message + "\n";
        let Some(printer) = PRINTER.get().and_then(Option::as_ref) else {
            // Better said without a limit than not at all.
            return print_line(&line);
        };
        let (done, told) = sync_channel(1);
        let started = Instant::now();
        let mut unsent = Some((line, done));
        loop {
            // Another thread's line may be on its way.
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

/// Nobody listening is no reason to fail.
fn print_line(line: &str) {
    let _ = io::stderr().write_all(line.as_bytes());
}
