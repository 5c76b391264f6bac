//! Pushing: lemmas that are inductive one level higher go there. Where a level keeps none of its own, everything above
//! it holds forever.
//!
//! After the levels that obligations have seen, pushing goes on for some rounds: what moves along together, and leaves
//! nothing behind, is an invariant, whatever lemmas for other goals got stuck lower down. Each lemma remembers the
//! predecessor that stopped it the last time; mostly it still does.

use crate::markings::block::is_blocked;
use crate::markings::frames::FOREVER;
use crate::markings::predecessors::Net;
use crate::markings::search::Search;

/// Rounds beyond the top level.
const FURTHER: u32 = 24;

/// Where pushing stands.
#[derive(Debug, Default)]
pub(crate) struct Pushing {
    level: u32,
    /// Lemmas of the level.
    ids: Vec<u32>,
    next: usize,
}

impl Search {
    pub(crate) fn start_pushing(&mut self, net: Net<'_>) {
        self.check(net);
        self.push_from(1);
    }

    fn push_from(&mut self, level: u32) {
        debug_assert!((1..FOREVER).contains(&level));
        let ids = self.frames.ids().filter(|(_, l)| *l == level).map(|(id, _)| id).collect();
        self.pushing = Pushing { level, ids, next: 0 };
    }

    /// Looks at one lemma. False when there is nothing left to push.
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

    /// The level is through.
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
