//! The initial markings, as backward search sees them.

use crate::markings::vector::Dense;
use analysis::rules::Rules;

/// Which vectors an initial marking covers.
#[derive(Debug)]
pub(crate) struct Start {
    /// By place: the greatest initial count; `u32::MAX`: any.
    most: Vec<u32>,
    /// Places that never run short: any number of tokens at the start, and nothing ever takes note of how many are
    /// there but by asking for some. No guard has an upper end there, every effect keeps them, and they go into no
    /// other place. With more tokens at the start, the same run is possible with more of them all along, so vectors
    /// leave these places out.
    free: Vec<bool>,
}

impl Start {
    /// Vectors keep all places.
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

    /// Does no initial marking have `n` tokens on `place`?
    pub(crate) fn excludes(&self, place: u32, n: u32) -> bool {
        debug_assert!(n > 0, "every marking has no token at least");
        n > self.most[place as usize]
    }

    /// Does an initial marking cover it?
    pub(crate) fn meets(&self, vector: &[(u32, u32)]) -> bool {
        !vector.iter().any(|&(p, n)| self.excludes(p, n))
    }

    pub(crate) fn meets_dense(&self, vector: &Dense) -> bool {
        !vector.places().iter().any(|&p| self.excludes(p, vector.get(p)))
    }
}
