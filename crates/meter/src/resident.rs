//! Measures the resident memory of the process, and makes the C library return unused memory. On systems other
//! than Linux the kernel is not asked. Without glibc no memory is returned. In these cases only allocated
//! memory counts.

/// Resident memory of the process, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resident {
    /// The whole resident memory.
    pub(crate) total: usize,
    /// Resident pages of files, such as the program itself, and shared pages.
    pub(crate) of_files: usize,
}

/// Returns the resident memory of the process now. Allocates nothing.
#[cfg(target_os = "linux")]
pub(crate) fn now() -> Option<Resident> {
    use std::os::unix::fs::FileExt;
    let (file, page) = linux::STATM.get()?.as_ref()?;
    let mut line = [0u8; 128];
    let length = file.read_at(&mut line, 0).ok()?;
    // The fields of the line, in pages: total size, resident size, shared part of the resident size, and more.
    let mut fields = line.get(..length)?.split(|&b| b == b' ').skip(1).map(linux::number);
    let (total, of_files) = (fields.next()??, fields.next()??);
    Some(Resident { total: total.checked_mul(*page)?, of_files: of_files.checked_mul(*page)? })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn now() -> Option<Resident> {
    None
}

/// Opens the kernel's memory statistics, and configures the C library's allocator.
pub(crate) fn prepare() {
    #[cfg(target_os = "linux")]
    linux::STATM.get_or_init(linux::open);
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    linux::map_large_pieces();
}

/// Returns freed memory that the C library's allocator keeps to the system.
pub(crate) fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    linux::trim();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::sync::OnceLock;

    /// The kernel's memory statistics of this process (an open file), and the size of a page in bytes.
    pub(super) static STATM: OnceLock<Option<(File, usize)>> = OnceLock::new();

    pub(super) fn open() -> Option<(File, usize)> {
        // SAFETY: the call takes no pointers.
        #[allow(unsafe_code)]
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some((File::open("/proc/self/statm").ok()?, usize::try_from(page).ok()?))
    }

    pub(super) fn number(digits: &[u8]) -> Option<usize> {
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// Allocations of at least this size are mapped separately. By default glibc raises this threshold up to 32
    /// MiB. An allocation below the threshold grows by copying, with both copies present for a while, and
    /// leaves a hole when it is freed.
    #[cfg(target_env = "gnu")]
    const LARGE: libc::c_int = 1 << 20;

    /// Number of unused bytes that may stay at the end of the heap. Near the limit this is too much; `trim`
    /// then returns the memory.
    #[cfg(target_env = "gnu")]
    const KEPT: libc::c_int = 1 << 26;

    #[cfg(target_env = "gnu")]
    pub(super) fn map_large_pieces() {
        // SAFETY: the arguments are numbers. A threshold that is refused changes nothing.
        #[allow(unsafe_code)]
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        }
    }

    #[cfg(target_env = "gnu")]
    pub(super) fn trim() {
        // SAFETY: the call takes no pointers. It takes the allocator's own locks, and none of these is held
        // around allocations.
        #[allow(unsafe_code)]
        unsafe {
            libc::malloc_trim(0);
        }
    }
}
