//! The limits of a check: work units, the stop flag, memory. Asked in every loop, so cheap.

use crate::{Check, Refusal};
use model::Stop;

/// Units between two looks at the stop flag: well under a millisecond of work.
const POLL_EVERY: u64 = 1 << 14;

/// What may still be spent.
#[derive(Debug)]
pub struct Work<'a> {
    left: u64,
    until_poll: u64,
    stop: &'a Stop,
}

impl<'a> Work<'a> {
    /// An allowance of `limit` units, as long as the flag is down.
    #[must_use]
    pub fn new(limit: u64, stop: &'a Stop) -> Self {
        Self { left: limit, until_poll: 0, stop }
    }

    /// Takes `units` from the allowance.
    ///
    /// # Errors
    /// If there are not so many left, or the flag is up.
    #[inline]
    pub fn spend(&mut self, units: u64) -> Check<()> {
        self.left = self.left.checked_sub(units).ok_or(Refusal::TooDear)?;
        if units < self.until_poll {
            self.until_poll -= units;
            return Ok(());
        }
        self.until_poll = POLL_EVERY;
        if self.stop.raised().is_some() { Err(Refusal::TooDear) } else { Ok(()) }
    }

    /// A table is about to grow by some bytes.
    ///
    /// # Errors
    /// If the memory limit does not allow that.
    pub fn grow(&self, bytes: usize) -> Check<()> {
        if self.stop.may_allocate(bytes) { Ok(()) } else { Err(Refusal::TooDear) }
    }
}
