//! The memory limit of the command, its three lines, which lie a little apart from each other, and the memory that is
//! used. The module `limits` says what happens at each line.

use super::host::meter;
use std::sync::OnceLock;

/// Bytes that the last report may need. Most of them are pages of the program that were not loaded before. A program
/// that is not optimised has more of them.
const LAST_WORDS: usize = if cfg!(debug_assertions) { 35 << 17 } else { 15 << 17 };

/// The memory limit of this command, in bytes.
static LIMIT: OnceLock<usize> = OnceLock::new();

/// Returns the memory limit in bytes. Commands without an option for the limit get the default limit, so that
/// they accept the same files as the other commands.
pub(crate) fn limit() -> usize {
    *LIMIT.get_or_init(|| default_limit().unwrap_or(usize::MAX))
}

/// Sets the memory limit of this command, unless it is set already, and returns it.
pub(crate) fn set_limit(asked: Option<usize>) -> usize {
    *LIMIT.get_or_init(|| asked.or_else(default_limit).unwrap_or(usize::MAX))
}

/// Returns the memory of the process in bytes, as far as it is known.
pub(crate) fn used() -> usize {
    meter().used()
}

/// True if the process may use this number of bytes more.
pub(crate) fn has_room(bytes: usize) -> bool {
    used().saturating_add(bytes) <= limit()
}

/// Returns the largest number of bytes that were allocated at the same time.
pub(crate) fn peak() -> usize {
    meter().peak()
}

/// The lines of the memory limit, in bytes of process memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lines {
    /// Engines get no memory above this line.
    pub(crate) asked: usize,
    /// Above this line, all work must end.
    pub(crate) raised: usize,
    /// Above this line, the allocator holds each thread that allocates.
    pub(crate) held: usize,
}

impl Lines {
    pub(crate) fn of(limit: usize) -> Self {
        let held = limit.saturating_add(limit / 32).saturating_sub(LAST_WORDS);
        let raised = held - held / 64;
        Self { asked: limit.min(raised), raised, held }
    }
}

/// Returns 80% of the machine's memory, or of the memory that its control group allows, if this is less.
/// `None` if the system does not report its memory.
pub(crate) fn default_limit() -> Option<usize> {
    let machine = kibibytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|s| s.trim().parse().ok());
    Some(machine.min(group.unwrap_or(usize::MAX)) / 5 * 4)
}

/// Returns the value of a line `key 1234 kB` in bytes.
fn kibibytes(text: &str, key: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::{LAST_WORDS, Lines, kibibytes};

    #[test]
    fn lines_are_in_order_and_close() {
        for limit in [1, 1 << 20, 16 << 20, 64 << 20, 1 << 40, usize::MAX] {
            let Lines { asked, raised, held } = Lines::of(limit);
            assert!(asked <= limit && asked <= raised && raised <= held, "{limit}");
            assert!(held <= limit.saturating_add(limit / 32), "{limit}");
        }
        assert!(Lines::of(64 << 20).asked + LAST_WORDS > 64 << 20, "engines get nearly all of it");
    }

    #[test]
    fn memory_lines_are_read() {
        assert_eq!(kibibytes("VmPeak:\t 10 kB\nRssAnon:\t    2048 kB\n", "RssAnon:"), Some(2 << 20));
        assert_eq!(kibibytes("RssAnon: lots", "RssAnon:"), None);
    }
}
