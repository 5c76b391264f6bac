//! Data about the literals of a clause, for each level. Each set of literals has its own number, so old entries
//! need not be cleared.
//!
//! Invariant: an entry with an old number counts as empty.

use crate::lit::Lit;
use crate::trail::Trail;

#[derive(Clone, Copy, Default)]
struct Entry {
    question: u64,
    /// Number of literals on the level; `first` is the lowest rank among them.
    count: u32,
    first: u32,
}

/// One entry for each decision level.
#[derive(Default)]
pub(super) struct Stamps {
    by_level: Vec<Entry>,
    now: u64,
}

impl Stamps {
    /// Returns the number of distinct levels.
    pub(super) fn distinct(&mut self, levels: impl Iterator<Item = u32>) -> u32 {
        self.now += 1;
        let mut count = 0;
        for level in levels {
            let now = self.now;
            let entry = self.entry(level);
            count += u32::from(entry.question != now);
            entry.question = now;
        }
        count
    }

    fn entry(&mut self, level: u32) -> &mut Entry {
        if self.by_level.len() <= level as usize {
            self.by_level.resize((level as usize + 1).max(2 * self.by_level.len()), Entry::default());
        }
        &mut self.by_level[level as usize]
    }

    /// Forgets all levels, and records the levels and ranks of these literals.
    pub(super) fn remember(&mut self, literals: &[Lit], trail: &Trail) {
        self.now += 1;
        let now = self.now;
        for lit in literals {
            let (level, rank) = trail.order(lit.var());
            let entry = self.entry(level);
            if entry.question == now {
                entry.count += 1;
                entry.first = entry.first.min(rank);
            } else {
                *entry = Entry { question: now, count: 1, first: rank };
            }
        }
    }

    /// True if the recorded literals may imply a literal at `rank` of `level`, that is, if a recorded literal
    /// comes before it on the same level.
    pub(super) fn may_lead_back(&self, (level, rank): (u32, u32)) -> bool {
        self.by_level.get(level as usize).is_some_and(|entry| entry.question == self.now && rank > entry.first)
    }

    /// True if exactly one recorded literal is on the level.
    pub(super) fn is_alone(&self, level: u32) -> bool {
        self.by_level.get(level as usize).is_some_and(|entry| entry.question == self.now && entry.count == 1)
    }
}
