//! The memories that the arrays of a system become, and the sorts that they are of.

use super::gates::Bits;
use crate::btor2::ops::Op;
use crate::btor2::sorts::Sort;
use crate::btor2::system::{Kind, System};
use formats::source::Limits;
use hashbrown::HashMap;
use model::circuit::memory::Memories;
use model::{ContentsId, MemoryId};

/// In a system with justice properties, larger arrays are memories. This does not depend on the memory of the machine,
/// because evidence is about the circuit that was read.
const BITS_WITH_JUSTICE: u64 = 1 << 20;

/// The memories found so far.
pub(super) struct MemoryParts {
    /// The sorts of which arrays are memories.
    sorts: Vec<Sort>,
    pub(super) memories: Memories,
    /// For each node with such a sort: its contents.
    pub(super) contents: HashMap<usize, ContentsId>,
    /// The value of each port.
    pub(super) ports: HashMap<(MemoryId, Bits), Bits>,
    /// For each memory that is a state: the number of the state.
    pub(super) states: Vec<(MemoryId, usize)>,
}

impl MemoryParts {
    pub(super) fn new(system: &System<'_>, needed: &[bool], limits: &Limits) -> Self {
        // No engine finds infinite runs of circuits with memories.
        let most = if system.justice.is_empty() { limits.array_bits } else { limits.array_bits.max(BITS_WITH_JUSTICE) };
        let is_large = |sort: Sort| match sort {
            Sort::Array { .. } => sort.bits().is_none_or(|bits| bits > most),
            Sort::Bits(_) => false,
        };
        let mut sorts: Vec<Sort> = Vec::new();
        for (_, node) in system.nodes.iter().enumerate().filter(|(at, _)| needed[*at]) {
            if is_large(node.sort) && !sorts.contains(&node.sort) {
                sorts.push(node.sort);
            }
        }
        for (_, node) in system.nodes.iter().enumerate().filter(|(at, _)| needed[*at]) {
            if let Kind::Operation { op: Op::Eq | Op::Neq, operands, .. } = node.kind {
                let compared = system.sort(operands[0]);
                sorts.retain(|sort| *sort != compared);
            }
        }
        let (contents, ports) = (HashMap::new(), HashMap::new());
        Self { sorts, memories: Memories::default(), contents, ports, states: Vec::new() }
    }

    /// True if arrays of this sort are memories.
    pub(super) fn are_of(&self, sort: Sort) -> bool {
        self.sorts.contains(&sort)
    }
}
