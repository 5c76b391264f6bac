//! Obligations: vectors that lead to a goal. Each must be shown not to be covered within some number of steps.
//!
//! The lowest level comes first: obligations near the initial markings either lead to a run or yield lemmas
//! that help with all other obligations. Among equals the latest comes first, so the search is depth-first. A
//! blocked obligation is queued again one level higher (Een, Mishchenko, Brayton 2011). The search can
//! therefore find runs that are longer than the number of frames.

use crate::coverability::vector::Vector;
use std::collections::BinaryHeap;

/// A vector from which a goal is reached.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) vector: Vector,
    /// `Ok`: the transition that leads from this vector to a marking that covers the vector of another node,
    /// and that node. `Err`: this node is the target with this number.
    pub(crate) next: Result<(u32, u32), u32>,
    /// Predecessors before this position are blocked at the level where the node is queued.
    pub(crate) position: u32,
}

/// The obligations of one goal.
#[derive(Debug, Default)]
pub(crate) struct Obligations {
    nodes: Vec<Node>,
    /// The queue, greatest element first; `Reverse` puts low levels first.
    queue: BinaryHeap<(std::cmp::Reverse<u32>, u32)>,
}

impl Obligations {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.queue.clear();
    }

    /// Adds the target with this number, to be blocked at `level`.
    pub(crate) fn target(&mut self, vector: Vector, number: u32, level: u32) -> u32 {
        self.push(Node { vector, next: Err(number), position: 0 }, level)
    }

    /// Adds a vector from which `transition` leads to node `next`.
    pub(crate) fn before(&mut self, vector: Vector, transition: u32, next: u32, level: u32) -> u32 {
        debug_assert!((next as usize) < self.nodes.len(), "an obligation leads to an earlier one");
        self.push(Node { vector, next: Ok((transition, next)), position: 0 }, level)
    }

    fn push(&mut self, node: Node, level: u32) -> u32 {
        let id = u32::try_from(self.nodes.len()).expect("memory ends before 2^32 obligations");
        self.nodes.push(node);
        self.queue.push((std::cmp::Reverse(level), id));
        id
    }

    /// Queues a node again. Its predecessors before `position` are blocked.
    pub(crate) fn again(&mut self, node: u32, level: u32, position: u32) {
        debug_assert!(level > 0, "at the start there is nothing to be blocked");
        self.nodes[node as usize].position = position;
        self.queue.push((std::cmp::Reverse(level), node));
    }

    /// Takes the next node from the queue, with its level.
    pub(crate) fn pop(&mut self) -> Option<(u32, u32)> {
        self.queue.pop().map(|(level, node)| (node, level.0))
    }

    pub(crate) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    /// Checks chains and queue.
    ///
    /// # Panics
    ///
    /// Panics if a chain does not lead to a target, or if a node is queued above level `top` or twice.
    pub(crate) fn check(&self, top: u32) {
        for (id, node) in (0u32..).zip(&self.nodes) {
            assert!(node.next.is_err() || node.next.is_ok_and(|(_, next)| next < id), "node {id} leads nowhere");
            assert!(node.vector.is_sorted() && node.vector.iter().all(|e| e.1 > 0));
        }
        let mut queued: Vec<u32> = self.queue.iter().map(|(_, id)| *id).collect();
        assert!(self.queue.iter().all(|(level, _)| level.0 <= top), "an obligation is queued above level {top}");
        queued.sort_unstable();
        assert!(queued.windows(2).all(|pair| pair[0] != pair[1]), "an obligation is queued twice");
    }

    /// The transitions from a node to its target, and the target's number.
    pub(crate) fn path(&self, mut id: u32) -> (Vec<u32>, u32) {
        let mut steps = Vec::new();
        loop {
            match self.node(id).next {
                Ok((transition, next)) => {
                    steps.push(transition);
                    id = next;
                }
                Err(target) => return (steps, target),
            }
        }
    }
}
