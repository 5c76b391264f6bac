//! Pushing: lemmas that are inductive one level higher move there. If no lemma remains at a level, all lemmas
//! above it hold forever.
//!
//! Pushing continues for some rounds above the levels that obligations have reached. Lemmas that move up
//! together and leave a level empty are an invariant, even if lemmas for other goals remain at lower levels.
//! Each lemma stores the predecessor that stopped it last time, because the same predecessor usually stops it
//! again.

use super::state::{Pushing, is_blocked};
use crate::coverability::frames::FOREVER;
use crate::coverability::predecessors::Net;
use crate::coverability::search::FrameSearch;

/// Number of levels above the top level to which pushing continues.
const FURTHER: u32 = 24;

impl FrameSearch {
    pub(crate) fn start_pushing(&mut self, net: Net<'_>) {
        self.check(net);
        self.push_from(1);
    }

    fn push_from(&mut self, level: u32) {
        debug_assert!((1..FOREVER).contains(&level));
        let ids = self.frames.ids().filter(|(_, l)| *l == level).map(|(id, _)| id).collect();
        self.pushing = Pushing { level, ids, next: 0 };
    }

    /// Tries to push one lemma. Returns false when pushing is finished.
    pub(crate) fn push_one(&mut self, net: Net<'_>, top: u32) -> bool {
        let level = self.pushing.level;
        let Some(&id) = self.pushing.ids.get(self.pushing.next) else {
            return self.push_next_level(top);
        };
        self.pushing.next += 1;
        let lemma = self.frames.lemma(id);
        if lemma.level != level {
            return true;
        }
        let vector = lemma.vector.clone();
        self.asked.load(&vector);
        if self.frames.find(&self.asked, level, |other| other != id).is_some() {
            self.frames.remove(id);
            return true;
        }
        if let Some(witness) = &lemma.witness {
            self.asked.load(witness);
            if !is_blocked(net, &self.bounds, &self.frames, &self.asked, level) {
                return true;
            }
        }
        match self.open_predecessor(net, &vector, level, 0) {
            Ok(None) => {
                debug_assert!(level + 1 < FOREVER);
                self.frames.raise(id, level + 1);
            }
            Ok(Some(_)) => {
                let witness = self.predecessors.found.vector();
                self.frames.set_witness(id, witness);
            }
            Err(_) => {}
        }
        true
    }

    /// Finishes a level and starts the next. Returns false when pushing is finished.
    fn push_next_level(&mut self, top: u32) -> bool {
        let level = self.pushing.level;
        let stays = self.frames.ids().any(|(_, l)| l == level);
        let above: Vec<u32> = self.frames.ids().filter(|(_, l)| *l > level && *l < FOREVER).map(|(id, _)| id).collect();
        if !stays {
            above.into_iter().for_each(|id| self.frames.raise(id, FOREVER));
            return false;
        }
        if above.is_empty() || level >= top.saturating_add(FURTHER) {
            return false;
        }
        self.push_from(level + 1);
        true
    }
}
