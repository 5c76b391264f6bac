//! The patience of the watchdog with work that is saved at its end ([`super::checkpoint`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Time that work has to end after it was told to stop. Then the watchdog ends it.
const GRACE: Duration = Duration::from_millis(300);

/// Time that work has to begin to save itself.
const TO_BEGIN: Duration = Duration::from_secs(2);

/// Time that saving may take after work was told to stop.
const MOST: Duration = Duration::from_secs(60);

/// Knows whether the work is being saved.
#[derive(Default)]
pub(super) struct Saving {
    /// The flag that is raised while the work is being saved. Not set if it is never saved.
    flag: OnceLock<Arc<AtomicBool>>,
    /// Time since which the watchdog has waited.
    since: Mutex<Option<Instant>>,
}

impl Saving {
    pub(super) fn wait_for(&self, flag: Arc<AtomicBool>) {
        let _ = self.flag.set(flag);
    }

    /// Returns the time that work has to end.
    pub(super) fn grace(&self) -> Duration {
        if self.flag.get().is_some() { TO_BEGIN } else { GRACE }
    }

    /// Returns true if the watchdog has to wait, because the work is being saved.
    pub(super) fn goes_on(&self) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let is_saving = self.flag.get().is_some_and(|flag| flag.load(Ordering::Relaxed));
        is_saving && since.get_or_insert_with(Instant::now).elapsed() < MOST
    }
}
