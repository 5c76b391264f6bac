//! Detects whether the process was started without standard output. In this case Rust's runtime opens
//! `/dev/null` before `main` begins, and results would vanish as if they had been read. The check therefore
//! runs earlier, from the list of functions that the loader calls first.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Returns true if the process was started without standard output. This is detected only on Linux; elsewhere
/// the result is false.
#[must_use]
pub fn started_without_stdout() -> bool {
    // The linker drops items that are never used.
    #[cfg(target_os = "linux")]
    std::hint::black_box(&LOOK);
    CLOSED.load(Relaxed)
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
// SAFETY: the section is a list of pointers to functions without arguments, as the loader requires.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: the call reads the flags of a file descriptor and accesses no memory. It needs nothing of Rust's
    // runtime.
    #[allow(unsafe_code)]
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags == -1, Relaxed);
}
