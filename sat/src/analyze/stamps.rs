//! What a clause looks like by level, without clearing anything in between: each question has a number of its own.
//!
//! Invariant: an entry of an earlier question counts as none.

use crate::lit::Lit;
use crate::trail::Trail;

#[derive(Clone, Copy, Default)]
struct Entry {
    question: u64,
    /// How many literals there are on the level, and the lowest rank among them.
    count: u32,
    first: u32,
}

/// By decision level.
#[derive(Default)]
pub(super) struct Stamps {
    by_level: Vec<Entry>,
    now: u64,
}

impl Stamps {
    /// How many distinct levels there are.
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

    /// Forgets all levels and remembers those of these literals.
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

    /// May what is assigned at `rank` of `level` be implied by the literals remembered? Not if none of them comes
    /// before it.
    pub(super) fn may_lead_back(&self, (level, rank): (u32, u32)) -> bool {
        self.by_level.get(level as usize).is_some_and(|entry| entry.question == self.now && rank > entry.first)
    }

    /// Is there exactly one remembered literal on the level?
    pub(super) fn is_alone(&self, level: u32) -> bool {
        self.by_level.get(level as usize).is_some_and(|entry| entry.question == self.now && entry.count == 1)
    }
}
