//! Ends the process while other threads are at work.

/// Ends the process at once with the exit code `code`. Buffers are not written, and no destructors run: those of C
/// libraries would free what other threads still use, and would load pages of the program near the memory limit.
pub fn end(code: u8) -> ! {
    #[cfg(unix)]
    {
        // SAFETY: the call takes no pointers and does not return.
        #[allow(unsafe_code)]
        unsafe {
            libc::_exit(i32::from(code))
        }
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(code))
}
