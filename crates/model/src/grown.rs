//! What grows in a search or while a program is read: the variable of a thread that took the most values so far, or the
//! place with the most tokens. Only reports use it.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

/// What has grown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Grown {
    /// A variable of a thread with the number of values that it took so far.
    Variable {
        /// The name of the thread.
        thread: String,
        /// The name of the variable.
        variable: String,
        /// The least and the greatest value, if the variable has a range.
        range: Option<(i64, i64)>,
        /// The number of values so far.
        values: u64,
    },
    /// A place of a net.
    Place {
        /// The name of the place.
        place: String,
        /// Tokens in one of the markings so far. Other markings may have more.
        tokens: u64,
    },
}

impl Grown {
    /// The least number of states after which a search looks for the variable. It looks again whenever the number of
    /// states has doubled, so the cost is in proportion to the states.
    const FIRST: usize = 1 << 8;

    /// Returns how much it has grown, to be compared with others.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Variable { values: size, .. } | Self::Place { tokens: size, .. } => *size,
        }
    }

    /// Returns a range as it is written in a program. `least` and `most` belong to it.
    #[must_use]
    pub fn range_text(least: i64, most: i64) -> String {
        most.checked_add(1).map_or_else(|| format!("{least}..={most}"), |end| format!("{least}..{end}"))
    }

    /// Returns true if a search with this number of states is to look for the variable.
    #[must_use]
    pub fn is_due(states: usize) -> bool {
        states >= Self::FIRST && states.is_power_of_two()
    }
}

/// What has grown the most so far, for a reader that may be stopped. Clones share the content.
#[derive(Clone, Default, Debug)]
pub struct Growth(Arc<Mutex<Option<Grown>>>);

impl Growth {
    /// Records what has grown, if nothing else has grown more.
    pub fn note(&self, new: Grown) {
        let mut most = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if most.as_ref().is_none_or(|old| old.size() <= new.size()) {
            *most = Some(new);
        }
    }

    /// Returns what has grown the most so far. This function never waits: the thread that reads may be
    /// suspended because of the memory limit.
    #[must_use]
    pub fn most(&self) -> Option<Grown> {
        match self.0.try_lock() {
            Ok(most) => most.clone(),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().clone(),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Limits that differ in nothing else are equal.
impl PartialEq for Growth {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Growth {}

/// The least and the greatest value of each variable of a program, if it has a range. Programs that differ in nothing
/// else are equal, and have the same hash.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ranges(pub(crate) Arc<[Option<(i64, i64)>]>);

impl PartialEq for Ranges {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Ranges {}

impl std::hash::Hash for Ranges {
    fn hash<H: std::hash::Hasher>(&self, _state: &mut H) {}
}
