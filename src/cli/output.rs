//! Results on standard output, all of them or an error: a disk that is full must not look like an answer. And what is said of
//! them on stderr when the process is about to end, which must not wait for ever for a reader.

use super::exit::Exit;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long the end waits for a reader of stderr.
const PATIENCE: Duration = Duration::from_secs(1);

/// The first thing that went wrong.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints results.
pub(crate) fn write(text: &str) {
    let mut out = io::stdout().lock();
    note(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Notes how printing went. A reader that has gone away (`| head`) has seen what it wanted: no failure.
pub(crate) fn note(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// How the process ends: as the command did, unless its results could not be printed.
pub(crate) fn finish(exit: Exit) -> Exit {
    match FAILED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        None => exit,
        Some(error) => {
            tell_in_time(format!("error: cannot write the results: {error}"));
            exit.max(Exit::Input)
        }
    }
}

/// Tells the user something that is no result, but waits only so long for somebody to read it, so that limits hold: what is not
/// taken in time is left out, and with it all that would follow.
pub(crate) fn tell_in_time(message: String) {
    static UNREAD: AtomicBool = AtomicBool::new(false);
    if UNREAD.load(Ordering::Relaxed) {
        return;
    }
    let (done, told) = sync_channel(1);
    let tell = move || {
        tell!("{message}");
        let _ = done.send(());
    };
    // If the machine starts no more threads, `done` is gone with the closure, and the wait is over at once.
    let _ = thread::Builder::new().name("last words".to_owned()).spawn(tell);
    if told.recv_timeout(PATIENCE).is_err() {
        UNREAD.store(true, Ordering::Relaxed);
    }
}
