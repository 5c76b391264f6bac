//! Obligations: cubes all of whose states lead to the bad signal, each to be blocked at some level.
//!
//! The lowest level goes first, among equals what is nearest to the bad signal. What has been blocked comes again one
//! level higher (Een, Mishchenko, Brayton 2011): so runs longer than the number of frames are found.

use super::cube::Cube;
use sat::Lit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A cube from which the bad signal is reached.
#[derive(Debug)]
pub(super) struct Obligation {
    pub(super) cube: Cube,
    /// With these inputs, those not named false, every state of the cube leads into the next one's cube, or makes the
    /// bad signal true.
    pub(super) inputs: Box<[Lit]>,
    /// The next one on the way.
    pub(super) next: Option<u32>,
    /// Steps to the bad signal.
    depth: u32,
}

/// What is still to be blocked.
#[derive(Debug, Default)]
pub(super) struct Obligations {
    all: Vec<Obligation>,
    queue: BinaryHeap<(Reverse<usize>, Reverse<u32>, Reverse<u32>)>,
}

impl Obligations {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.queue.clear();
    }

    /// A new one, not yet queued.
    pub(super) fn add(&mut self, cube: Cube, inputs: Box<[Lit]>, next: Option<u32>) -> u32 {
        debug_assert!(cube.is_sorted());
        let depth = next.map_or(0, |next| self.get(next).depth + 1);
        self.all.push(Obligation { cube, inputs, next, depth });
        u32::try_from(self.all.len() - 1).expect("memory ends before 2^32 obligations")
    }

    pub(super) fn get(&self, id: u32) -> &Obligation {
        &self.all[id as usize]
    }

    /// To be blocked at `level`.
    pub(super) fn queue(&mut self, id: u32, level: usize) {
        debug_assert!(level > 0, "at the start there is nothing to be blocked");
        self.queue.push((Reverse(level), Reverse(self.get(id).depth), Reverse(id)));
    }

    /// Panics if depths are not those of the chains, or one is queued above `top`.
    pub(super) fn check(&self, top: usize) {
        for (id, obligation) in (0u32..).zip(&self.all) {
            let depth = obligation.next.map_or(0, |next| {
                assert!(next < id, "an obligation leads to an earlier one");
                self.get(next).depth + 1
            });
            assert_eq!(obligation.depth, depth, "depths count the steps to the bad signal");
        }
        for &(Reverse(level), Reverse(depth), Reverse(id)) in &self.queue {
            assert!((1..=top).contains(&level), "obligation {id} is queued at level {level} of {top}");
            assert_eq!(depth, self.get(id).depth);
        }
    }

    /// The next one, with its level.
    pub(super) fn pop(&mut self) -> Option<(u32, usize)> {
        self.queue.pop().map(|(level, _, id)| (id.0, level.0))
    }
}
