//! The order that expands the state nearest to a goal first. Among equally near states, the one found last
//! comes first.
//!
//! A reachable goal is usually found early. If no goal is reachable, the search takes as long as with any other
//! order. The runs found are not shortest ones.

use super::order::Order;
use crate::exploration::Exploration;
use crate::step::Stepper;
use crate::table::StateId;
use model::ExpansionKind;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// A stepper that estimates how far states are from a goal.
pub trait Guided: Stepper {
    /// Returns an estimate of the distance to the nearest goal: smaller is nearer.
    fn distance(&mut self, packed: &[u64]) -> u64;
}

/// The states that wait for expansion.
#[derive(Debug, Default)]
pub struct Nearest {
    open: BinaryHeap<(Reverse<u64>, StateId)>,
    expanded: usize,
    packed: Vec<u64>,
}

/// Bytes per waiting state, in a vector that may be doubling its capacity.
const ENTRY: usize = 2 * size_of::<(Reverse<u64>, StateId)>();

impl<S: Guided> Order<S> for Nearest {
    const LISTS: bool = true;

    fn found(&mut self, space: &mut Exploration<S>, id: StateId, is_covered: bool) {
        if !is_covered {
            self.packed.clear();
            self.packed.extend_from_slice(space.packed(id));
            let distance = space.stepper_mut().distance(&self.packed);
            self.open.push((Reverse(distance), id));
        }
    }

    fn is_exhausted(&mut self, _: &Exploration<S>) -> bool {
        self.open.is_empty()
    }

    fn is_beyond(&mut self, _: &Exploration<S>, _: u64) -> bool {
        false
    }

    fn growth_bytes(&mut self, space: &Exploration<S>) -> usize {
        let Some(&(_, next)) = self.open.peek() else { return 0 };
        match space.growth_bytes_of(next) {
            0 => 0,
            bytes => bytes.saturating_add(space.len().saturating_mul(ENTRY)),
        }
    }

    fn expand(
        &mut self,
        space: &mut Exploration<S>,
        _: usize,
        mut visit: impl FnMut(StateId, ExpansionKind) -> ControlFlow<()>,
    ) {
        let Some(&(_, id)) = self.open.peek() else { return };
        let kind = space.step(id);
        if kind != ExpansionKind::Overflow {
            self.pass(space, id);
        }
        let _ = visit(id, kind);
    }

    fn pass(&mut self, space: &mut Exploration<S>, id: StateId) {
        let popped = self.open.pop();
        debug_assert_eq!(popped.map(|(_, next)| next), Some(id), "it is the next one");
        space.record_step(id);
        self.expanded += 1;
    }

    fn work(&self, space: &Exploration<S>) -> u64 {
        (self.expanded as u64).saturating_mul(1 + space.looking())
    }

    fn expanded(&self) -> usize {
        self.expanded
    }

    fn repacked(&mut self, _: usize) {}
}
