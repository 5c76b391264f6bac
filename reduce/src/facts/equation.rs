//! The state equation: linear bounds on markings, by linear programming, checked in integers.

use super::Facts;
use model::{AtMost, Budget};

/// A linear bound without negative weights that excludes `vector`.
#[must_use]
pub fn refute(_facts: &Facts, _vector: &[(u32, u64)], _budget: &mut Budget) -> Option<AtMost> {
    None
}
