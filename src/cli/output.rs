//! Prints results on standard output. It is an error if some output cannot be printed, because output that a
//! full disk has cut off must not look like an answer.

use super::exit::Exit;
use std::io::{self, ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

/// The first error of a write.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Records an error if the process was started without a standard output, because results would be lost.
pub(crate) fn look() {
    if meter::started_without_stdout() {
        note(Err(io::Error::other("standard output is closed")));
    }
}

/// Prints results. The allocator does not hold the thread that has locked stdout, because the watchdog may be
/// waiting for it.
pub(crate) fn write(text: &str) {
    write_bytes(text.as_bytes());
}

/// Like [`write()`], for bytes that may end within a character.
pub(crate) fn write_bytes(bytes: &[u8]) {
    meter::pass(|| {
        let mut out = io::stdout().lock();
        note(out.write_all(bytes).and_then(|()| out.flush()));
    });
}

/// Records an error of a write. A reader that has closed the pipe (`| head`) needs no more output, so a closed
/// pipe is no error.
pub(crate) fn note(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// True if results could not be printed.
#[cfg(feature = "explore")]
pub(crate) fn has_failed() -> bool {
    FAILED.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Returns the result of the process: that of the command, unless its results could not be printed.
pub(crate) fn finish(exit: Exit) -> Exit {
    match FAILED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        None => exit,
        Some(error) => {
            tell!("error: cannot write the results: {error}");
            exit.max(Exit::Input)
        }
    }
}
