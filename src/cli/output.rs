//! Results on standard output, all of them or an error: a disk that is full must not look like an answer.

use super::exit::Exit;
use std::io::{self, ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

/// The first thing that went wrong.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Notes if there is no standard output to print results to: what is written would vanish like results that were read.
pub(crate) fn look() {
    if meter::started_without_stdout() {
        note(Err(io::Error::other("standard output is closed")));
    }
}

/// Prints results. Whoever has stdout is not held by the allocator: the watchdog may be waiting for it.
pub(crate) fn write(text: &str) {
    meter::pass(|| {
        let mut out = io::stdout().lock();
        note(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    });
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
            tell!("error: cannot write the results: {error}");
            exit.max(Exit::Input)
        }
    }
}
