//! Obligations: cubes of states that all lead to the bad signal. Each must be blocked at some level.
//!
//! The obligation with the lowest level comes first; among equals, the one farthest from the bad signal. A blocked
//! obligation is queued again one level higher (Een, Mishchenko, Brayton 2011), also if there is no such frame yet: it
//! is then blocked as soon as this frame is opened. The search can therefore find runs that are longer than the number
//! of frames, and it need not find the same obligations again in each new frame. On a sorting network of 16 words, this
//! halves the number of lemmas.

use super::cube::Cube;
use sat::Lit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of obligations beyond which none are kept for the next frame, so that they do not use up the memory.
const KEPT: usize = 1 << 20;

/// A cube from which the bad signal is reached.
#[derive(Debug)]
pub(super) struct Obligation {
    pub(super) cube: Cube,
    /// Literals of inputs. With these inputs (inputs not listed are false), every state of the cube steps into
    /// the cube of `next`, or makes the bad signal true if `next` is `None`.
    pub(super) inputs: Box<[Lit]>,
    /// The next obligation on the way to the bad signal.
    pub(super) next: Option<u32>,
    /// Number of steps to the bad signal.
    depth: u32,
}

/// All obligations, and the queue of those still to be blocked.
#[derive(Debug, Default)]
pub(super) struct Obligations {
    all: Vec<Obligation>,
    /// The queued obligations: level, depth and index.
    queue: BinaryHeap<(Reverse<usize>, u32, Reverse<u32>)>,
}

impl Obligations {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.queue.clear();
    }

    /// Adds an obligation without queueing it. Returns its index.
    pub(super) fn add(&mut self, cube: Cube, inputs: Box<[Lit]>, next: Option<u32>) -> u32 {
        debug_assert!(cube.is_sorted());
        let depth = next.map_or(0, |next| self.get(next).depth + 1);
        self.all.push(Obligation { cube, inputs, next, depth });
        u32::try_from(self.all.len() - 1).expect("memory ends before 2^32 obligations")
    }

    pub(super) fn get(&self, id: u32) -> &Obligation {
        &self.all[id as usize]
    }

    /// Queues an obligation, to be blocked at `level`.
    pub(super) fn queue(&mut self, id: u32, level: usize) {
        debug_assert!(level > 0, "at the start there is nothing to be blocked");
        self.queue.push((Reverse(level), self.get(id).depth, Reverse(id)));
    }

    /// Checks depths and levels.
    ///
    /// # Panics
    ///
    /// Panics if a depth is not the length of the obligation's chain, or if an obligation is queued above level
    /// `top`.
    pub(super) fn check(&self, top: usize) {
        for (id, obligation) in (0u32..).zip(&self.all) {
            let depth = obligation.next.map_or(0, |next| {
                assert!(next < id, "an obligation leads to an earlier one");
                self.get(next).depth + 1
            });
            assert_eq!(obligation.depth, depth, "depths count the steps to the bad signal");
        }
        for &(Reverse(level), depth, Reverse(id)) in &self.queue {
            assert!((1..=top).contains(&level), "obligation {id} is queued at level {level} of {top}");
            assert_eq!(depth, self.get(id).depth);
        }
    }

    /// Takes the next obligation from the queue, with its level. `None` if all are queued above the level `top`.
    pub(super) fn pop(&mut self, top: usize) -> Option<(u32, usize)> {
        let &(Reverse(level), _, Reverse(id)) = self.queue.peek()?;
        if level > top {
            return None;
        }
        self.queue.pop();
        Some((id, level))
    }

    /// Keeps the obligations for a new frame if they may be kept, and are not too many.
    pub(super) fn begin_frame(&mut self, keep: bool) {
        if !keep || self.all.len() > KEPT {
            self.clear();
        }
    }
}
