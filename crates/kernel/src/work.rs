//! The limits of a check: work units, the stop flag, and memory. Every loop of the kernel checks these limits,
//! so the checks must be cheap.

use crate::parts::Storage;
use crate::{Check, Refusal};
use model::Stop;

/// Work units between two polls of the stop flag: well under a millisecond of work.
const POLL_EVERY: u64 = 1 << 14;

/// The work units that are left, and the stop flag.
#[derive(Debug)]
pub struct Work<'a> {
    left: u64,
    until_poll: u64,
    stop: &'a Stop,
    storage: Option<&'a dyn Storage>,
}

impl<'a> Work<'a> {
    /// Creates an allowance of `limit` work units, which ends early if the flag `stop` is raised.
    #[must_use]
    pub fn new(limit: u64, stop: &'a Stop) -> Self {
        Self { left: limit, until_poll: 0, stop, storage: None }
    }

    /// Adds temporary storage for closed sets that do not fit memory.
    #[must_use]
    pub fn with_storage(self, storage: Option<&'a dyn Storage>) -> Self {
        Self { storage, ..self }
    }

    /// Returns the temporary storage, if there is one.
    #[must_use]
    pub fn storage(&self) -> Option<&'a dyn Storage> {
        self.storage
    }

    /// Returns true if the memory limit allows a table of `bytes` more bytes.
    #[must_use]
    pub fn has_room(&self, bytes: usize) -> bool {
        self.stop.has_room(bytes)
    }

    /// Takes `units` from the allowance.
    ///
    /// # Errors
    /// If fewer than `units` are left, or the stop flag is raised.
    #[inline]
    pub fn spend(&mut self, units: u64) -> Check<()> {
        self.left = self.left.checked_sub(units).ok_or(Refusal::ResourceLimit)?;
        if units < self.until_poll {
            self.until_poll -= units;
            return Ok(());
        }
        self.until_poll = POLL_EVERY;
        if self.stop.raised().is_some() { Err(Refusal::ResourceLimit) } else { Ok(()) }
    }

    /// Checks whether a table may grow by `bytes` bytes.
    ///
    /// # Errors
    /// If the memory limit does not allow this growth.
    pub fn grow(&self, bytes: usize) -> Check<()> {
        if self.stop.may_allocate(bytes) { Ok(()) } else { Err(Refusal::ResourceLimit) }
    }
}
