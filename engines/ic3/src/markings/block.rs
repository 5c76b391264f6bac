//! Blocking an obligation: either all its predecessors are blocked one level lower, then a lemma comes of it, or one of
//! them is the next obligation.

use crate::markings::frames::{FOREVER, Frames};
use crate::markings::known::{Bounds, excluded};
use crate::markings::predecessors::{Hit, Net};
use crate::markings::search::Search;
use crate::markings::vector::{Dense, TooLarge};

/// What came of an obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Blocked {
    /// There is more to do.
    Working,
    /// An initial marking covers this node.
    Reached(u32),
}

/// Is `vector` known not to be covered in frame `level` (0: the initial markings)?
pub(crate) fn is_blocked(net: Net<'_>, bounds: &Bounds, frames: &Frames, vector: &Dense, level: u32) -> bool {
    if level == 0 {
        return !net.shape.start.meets_dense(vector);
    }
    excluded(net, bounds, vector).is_some() || frames.blocker(vector, level).is_some()
}

/// The levels up to which it is known that `vector` is not covered.
fn known_level(net: Net<'_>, bounds: &Bounds, frames: &Frames, vector: &Dense, least: u32) -> Option<u32> {
    if excluded(net, bounds, vector).is_some() {
        return Some(FOREVER);
    }
    frames.blocker(vector, least).map(|id| frames.lemma(id).level)
}

impl Search {
    /// A predecessor of `vector` that frame `level` does not block, into `predecessors.found`. Predecessors that cover
    /// the vector itself do not count: induction is relative.
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

    /// Is `vector` inductive at `level`: not covered there if it is not covered one level lower?
    pub(crate) fn is_inductive(&mut self, net: Net<'_>, vector: &[(u32, u32)], level: u32) -> bool {
        matches!(self.open_predecessor(net, vector, level - 1, 0), Ok(None))
    }

    /// Works on the obligation `node` at `level`; obligations go up to level `top`.
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

    /// A node is blocked up to level `known`.
    fn come_again(&mut self, node: u32, known: u32, top: u32) {
        debug_assert!(known > 0);
        if known < top {
            self.obligations.again(node, known + 1, 0);
        }
    }
}
