//! The initial markings, as backward search needs them.

use crate::coverability::vector::Dense;
use crate::rules::Rules;

/// The vectors that an initial marking covers.
#[derive(Debug)]
pub(crate) struct Start {
    /// For each place, the greatest initial count; `u32::MAX` if the count is unlimited.
    most: Vec<u32>,
    /// For each place, true if it is free. A place is free if it satisfies all of these:
    ///
    /// 1. Its initial count is unlimited.
    /// 2. No guard has an upper limit on it.
    /// 3. Every effect on it keeps its tokens.
    /// 4. It is not a source of any other place.
    ///
    /// Vectors leave free places out. This is sound: if a run needs more tokens on a free place, start it with
    /// more tokens there. By 2 to 4 the same run is possible, and has these additional tokens in every marking.
    free: Vec<bool>,
}

impl Start {
    /// Makes the data without free places, so vectors contain all places.
    pub(crate) fn with_all(rules: &Rules) -> Self {
        let most = rules.initial_most.iter().map(|&n| u32::try_from(n).unwrap_or(u32::MAX)).collect();
        Self { most, free: vec![false; rules.places()] }
    }

    pub(crate) fn new(rules: &Rules) -> Self {
        let mut free: Vec<bool> = rules.initial_most.iter().map(|&n| n == u64::MAX).collect();
        for t in 0..rules.transitions() {
            for guard in rules.guards.row(t).iter().filter(|g| g.most < u64::MAX) {
                free[guard.place as usize] = false;
            }
            for change in rules.changes.row(t) {
                let Some((from, to)) = change.sources else { continue };
                let sources = &rules.sources[from as usize..to as usize];
                sources.iter().filter(|s| **s != change.place).for_each(|s| free[*s as usize] = false);
                if !sources.contains(&change.place) {
                    free[change.place as usize] = false;
                }
            }
        }
        Self { free, ..Self::with_all(rules) }
    }

    pub(crate) fn is_free(&self, place: u32) -> bool {
        self.free[place as usize]
    }

    /// True if no initial marking has `n` tokens on `place`.
    pub(crate) fn excludes(&self, place: u32, n: u32) -> bool {
        debug_assert!(n > 0, "every marking has no token at least");
        n > self.most[place as usize]
    }

    /// True if an initial marking covers the vector.
    pub(crate) fn meets(&self, vector: &[(u32, u32)]) -> bool {
        !vector.iter().any(|&(p, n)| self.excludes(p, n))
    }

    pub(crate) fn meets_dense(&self, vector: &Dense) -> bool {
        !vector.places().iter().any(|&p| self.excludes(p, vector.get(p)))
    }
}
