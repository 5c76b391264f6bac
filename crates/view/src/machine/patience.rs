//! How long a request may be computed: until a time limit, and while its client waits.
//!
//! A request is computed on one thread. Its patience is data of this thread, because every loop over steps looks at it,
//! of every kind of system.

use super::MachineError;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The patience of a request.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// The moment at which it ends, if there is one.
    pub until: Option<Instant>,
    /// True if the client has left.
    pub has_left: Arc<AtomicBool>,
}

impl Patience {
    /// Checks that there is time left.
    ///
    /// # Errors
    /// If there is none.
    pub fn check(&self) -> Result<(), MachineError> {
        if self.has_left.load(Ordering::Relaxed) {
            return Err(MachineError::Ended("the client has left".to_owned()));
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(MachineError::Ended("the time limit of a request ended it (`--timeout`)".to_owned()));
        }
        Ok(())
    }
}

thread_local! {
    static CURRENT: RefCell<Patience> = RefCell::default();
}

/// Computes a request on this thread.
pub fn within<T>(patience: Patience, work: impl FnOnce() -> T) -> T {
    let before = CURRENT.replace(patience);
    let result = work();
    CURRENT.set(before);
    result
}

/// Returns the patience of the request that this thread computes.
pub fn current() -> Patience {
    CURRENT.with_borrow(Clone::clone)
}

/// Returns an error if the request that this thread computes has to end.
pub(super) fn check() -> Result<(), MachineError> {
    CURRENT.with_borrow(Patience::check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_ends_with_its_patience() {
        assert!(check().is_ok());
        let until = Some(Instant::now());
        within(Patience { until, ..Patience::default() }, || assert!(matches!(check(), Err(MachineError::Ended(_)))));
        let gone = Patience::default();
        within(gone.clone(), || {
            assert!(check().is_ok());
            gone.has_left.store(true, Ordering::Relaxed);
            assert!(check().is_err());
        });
        assert!(check().is_ok());
    }
}
