//! Was there a standard output when the process started? Rust's runtime opens `/dev/null` where there is none, before `main` begins, so
//! that results would vanish as if they had been read. The question is asked before that, by the loader's list of functions to call first.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// The process was started without standard output. Known on Linux only; elsewhere there always is one.
#[must_use]
pub fn started_without_stdout() -> bool {
    // What nobody looks at is not linked.
    #[cfg(target_os = "linux")]
    std::hint::black_box(&LOOK);
    CLOSED.load(Relaxed)
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
// SAFETY: the section is a list of pointers to functions without arguments, as the loader wants it.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: asks for the flags of a descriptor and touches no memory; nothing of Rust's runtime is needed for it.
    #[allow(unsafe_code)]
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags == -1, Relaxed);
}
