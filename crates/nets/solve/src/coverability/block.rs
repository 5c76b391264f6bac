//! Blocking an obligation. If all its predecessors are blocked one level lower, a lemma is learnt. Otherwise an
//! open predecessor becomes the next obligation.

use super::state::{Blocked, is_blocked};
use crate::coverability::frames::{FOREVER, Frames};
use crate::coverability::invariants::{Bounds, excluded};
use crate::coverability::predecessors::{Hit, Net};
use crate::coverability::search::FrameSearch;
use crate::coverability::vector::{Dense, TooLarge};

/// Returns a level, at least `least`, up to which `vector` is known not to be covered.
fn known_level(net: Net<'_>, bounds: &Bounds, frames: &Frames, vector: &Dense, least: u32) -> Option<u32> {
    if excluded(net, bounds, vector).is_some() {
        return Some(FOREVER);
    }
    frames.blocker(vector, least).map(|id| frames.lemma(id).level)
}

impl FrameSearch {
    /// Finds a predecessor of `vector` that frame `level` does not block, and stores it in
    /// `predecessors.found`. Predecessors that cover the vector itself do not count, because induction is
    /// relative.
    pub(crate) fn open_predecessor(
        &mut self,
        net: Net<'_>,
        vector: &[(u32, u32)],
        level: u32,
        position: u32,
    ) -> Result<Option<Hit>, TooLarge> {
        let Self { predecessors, frames, bounds, .. } = self;
        predecessors.find(net, vector, position, |found| !is_blocked(net, bounds, frames, found, level))
    }

    /// True if `vector` is inductive at `level`: if it is not covered one level lower, it is not covered at
    /// `level`.
    pub(crate) fn is_inductive(&mut self, net: Net<'_>, vector: &[(u32, u32)], level: u32) -> bool {
        matches!(self.open_predecessor(net, vector, level - 1, 0), Ok(None))
    }

    /// Works on the obligation `node` at `level`. The highest level of obligations is `top`.
    pub(crate) fn block(&mut self, net: Net<'_>, node: u32, level: u32, top: u32) -> Result<Blocked, TooLarge> {
        debug_assert!((1..=top).contains(&level));
        let vector = self.obligations.node(node).vector.clone();
        let position = self.obligations.node(node).position;
        self.asked.load(&vector);
        if position == 0 && net.shape.start.meets(&vector) {
            return Ok(Blocked::Reached(node));
        }
        if let Some(known) = known_level(net, &self.bounds, &self.frames, &self.asked, level) {
            self.come_again(node, known, top);
            return Ok(Blocked::Working);
        }
        if let Some(hit) = self.open_predecessor(net, &vector, level - 1, position)? {
            let before = self.predecessors.found.vector();
            let reached = net.shape.start.meets(&before);
            let new = self.obligations.before(before, hit.transition, node, level - 1);
            if reached {
                return Ok(Blocked::Reached(new));
            }
            debug_assert!(level > 1, "what is not in the initial set is blocked at level 0");
            self.obligations.again(node, level, hit.position);
            return Ok(Blocked::Working);
        }
        let lemma = self.generalize(net, &vector, level);
        debug_assert!(!net.shape.start.meets(&lemma), "lemmas hold at the start");
        let mut high = level;
        while high < top && self.is_inductive(net, &lemma, high + 1) {
            high += 1;
        }
        self.frames.add(lemma, high);
        self.learnt += 1;
        self.come_again(node, high, top);
        Ok(Blocked::Working)
    }

    /// Queues a node at level `known + 1`, because it is blocked up to level `known`.
    fn come_again(&mut self, node: u32, known: u32, top: u32) {
        debug_assert!(known > 0);
        if known < top {
            self.obligations.again(node, known + 1, 0);
        }
    }
}
