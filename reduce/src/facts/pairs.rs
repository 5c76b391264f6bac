//! Which places may hold tokens at the same time.

use crate::rules::Rules;
use model::{Budget, Pairs};

/// Computes the relation; `None` if it would be too dear.
pub(super) fn pairs(_rules: &Rules, _budget: &mut Budget) -> Option<Pairs> {
    None
}
