//! What the kernel says of the process, and how to make the C library give memory back. Elsewhere than on Linux the kernel is not
//! asked, and elsewhere than with glibc nothing is given back: then what is allocated is all that counts.

/// Resident memory of the process, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resident {
    /// All of it.
    pub(crate) total: usize,
    /// Pages of files, such as the program itself, and shared ones.
    pub(crate) of_files: usize,
}

/// What the process holds now. Allocates nothing.
#[cfg(target_os = "linux")]
pub(crate) fn now() -> Option<Resident> {
    use std::os::unix::fs::FileExt;
    let (file, page) = linux::STATM.get()?.as_ref()?;
    let mut line = [0u8; 128];
    let length = file.read_at(&mut line, 0).ok()?;
    // Total size, resident, of these shared, and more; in pages.
    let mut fields = line.get(..length)?.split(|&b| b == b' ').skip(1).map(linux::number);
    let (total, of_files) = (fields.next()??, fields.next()??);
    Some(Resident { total: total.checked_mul(*page)?, of_files: of_files.checked_mul(*page)? })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn now() -> Option<Resident> {
    None
}

/// Opens the kernel's account, and sets the C library's allocator up.
pub(crate) fn prepare() {
    #[cfg(target_os = "linux")]
    linux::STATM.get_or_init(linux::open);
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    linux::map_large_pieces();
}

/// Gives back what the C library's allocator keeps of freed memory.
pub(crate) fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    linux::trim();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::sync::OnceLock;

    /// The kernel's account of this process, kept open, and the size of a page.
    pub(super) static STATM: OnceLock<Option<(File, usize)>> = OnceLock::new();

    pub(super) fn open() -> Option<(File, usize)> {
        // SAFETY: a question without pointers.
        #[allow(unsafe_code)]
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some((File::open("/proc/self/statm").ok()?, usize::try_from(page).ok()?))
    }

    pub(super) fn number(digits: &[u8]) -> Option<usize> {
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// From this size on pieces are mapped one by one. glibc would raise the bound to 32 MiB by itself: a piece below it grows by
    /// copying, with both copies there for a while, and leaves a hole when it is freed.
    #[cfg(target_env = "gnu")]
    const LARGE: libc::c_int = 1 << 20;

    /// As much may stay unused at the end of the heap. What is more than is good near the limit, `trim` gives back.
    #[cfg(target_env = "gnu")]
    const KEPT: libc::c_int = 1 << 26;

    #[cfg(target_env = "gnu")]
    pub(super) fn map_large_pieces() {
        // SAFETY: numbers only. A bound that is refused changes nothing.
        #[allow(unsafe_code)]
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        }
    }

    #[cfg(target_env = "gnu")]
    pub(super) fn trim() {
        // SAFETY: no pointers; it takes the allocator's own locks, and none of them is held around allocations.
        #[allow(unsafe_code)]
        unsafe {
            libc::malloc_trim(0);
        }
    }
}
