//! Memories: words at addresses, too many for a latch each.
//!
//! A circuit with memories sees them through *ports*. In each frame, a port has an address, which is a list of signals,
//! and a value, which is a list of inputs. Only runs count in which each value is the word that the memory has at the
//! address in this frame ([`Contents`]). So the gates, latches and constraints alone are an abstraction: a circuit in
//! which each port may read any word. What holds in all its runs holds in the runs that count.
//! [`super::Circuit::tracking`] makes the abstraction more exact.

mod contents;
mod expanded;
mod frame;
mod located;
mod tracking;

pub use contents::{Charge, Contents, Word};
pub use frame::{Frames, Reading};
pub use tracking::{Followed, Tracker, TrackingProof};

use super::signal::Signal;
use crate::ids::{ContentsId, MemoryId, PortId};

/// A memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    /// True if it is a state of the system as read, false if it is an input.
    pub is_state: bool,
    /// Its position among the states, or among the inputs, of the system as read.
    pub position: u32,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
    /// Number of bits of an address.
    pub index: u32,
    /// Number of bits of a word.
    pub width: u32,
    /// The contents in the first frame: an array over memories with smaller numbers. `None` if they are open.
    pub init: Option<ContentsId>,
    /// The contents one frame later. `None` if the memory has any contents in each frame (but the first, with `init`).
    pub next: Option<ContentsId>,
}

/// Contents of memories, computed from those in the same frame. Operands have smaller numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Array {
    /// The contents of a memory.
    Memory(MemoryId),
    /// This word at all addresses.
    Fill(Vec<Signal>),
    /// An array with another word at one address.
    Write {
        /// The array.
        array: ContentsId,
        /// The address.
        address: Vec<Signal>,
        /// The word.
        value: Vec<Signal>,
    },
    /// One of two arrays.
    Choose {
        /// True for the first array.
        condition: Signal,
        /// The first array.
        yes: ContentsId,
        /// The second array.
        no: ContentsId,
    },
}

impl Array {
    /// Returns the signals of the array itself, without those of its operands.
    #[must_use]
    pub fn signals(&self) -> Vec<Signal> {
        match self {
            Self::Memory(_) => Vec::new(),
            Self::Fill(word) => word.clone(),
            Self::Write { address, value, .. } => [&address[..], value].concat(),
            Self::Choose { condition, .. } => vec![*condition],
        }
    }

    /// Returns the number of signals of the array itself.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Memory(_) => 0,
            Self::Fill(word) => word.len(),
            Self::Write { address, value, .. } => address.len() + value.len(),
            Self::Choose { .. } => 1,
        }
    }

    /// Returns the arrays of which it is made.
    pub fn operands(&self) -> impl Iterator<Item = ContentsId> + use<> {
        let operands = match *self {
            Self::Memory(_) | Self::Fill(_) => [None, None],
            Self::Write { array, .. } => [Some(array), None],
            Self::Choose { yes, no, .. } => [Some(yes), Some(no)],
        };
        operands.into_iter().flatten()
    }
}

/// A port, through which the circuit sees a word of a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The memory.
    pub memory: MemoryId,
    /// The address. Its nodes are smaller than those of the value, and so are the nodes of the initial contents.
    pub address: Vec<Signal>,
    /// The word at the address: inputs of the circuit, not negated, which belong to no other port.
    pub value: Vec<Signal>,
}

/// The memories of a circuit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memories {
    /// The memories, by [`MemoryId`].
    pub memories: Vec<Memory>,
    /// The arrays, by [`ContentsId`].
    pub arrays: Vec<Array>,
    /// The ports, by [`PortId`].
    pub ports: Vec<Port>,
}

impl Memories {
    /// Adds a memory.
    pub fn add(&mut self, memory: Memory) -> MemoryId {
        self.memories.push(memory);
        MemoryId::new(self.memories.len() - 1)
    }

    /// Adds an array.
    pub fn array(&mut self, array: Array) -> ContentsId {
        self.arrays.push(array);
        ContentsId::new(self.arrays.len() - 1)
    }

    /// Adds a port.
    pub fn port(&mut self, port: Port) -> PortId {
        self.ports.push(port);
        PortId::new(self.ports.len() - 1)
    }

    /// True if there are no memories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// Returns the arrays on which `root` depends, ascending, and `root` itself as the last one.
    #[must_use]
    pub fn parts(&self, root: ContentsId) -> Vec<ContentsId> {
        let (mut parts, mut open) = (std::collections::BTreeSet::new(), vec![root]);
        while let Some(array) = open.pop() {
            if !parts.insert(array) {
                continue;
            }
            open.extend(self.arrays[array.index()].operands());
        }
        parts.into_iter().collect()
    }

    /// Returns all signals of arrays and addresses: what the circuit gives to the memories.
    pub fn signals(&self) -> impl Iterator<Item = Signal> + '_ {
        let addresses = self.ports.iter().flat_map(|port| &port.address).copied();
        self.arrays.iter().flat_map(Array::signals).chain(addresses)
    }

    /// Returns the memories with other signals.
    #[must_use]
    pub fn map(&self, of: impl Fn(Signal) -> Signal) -> Self {
        let all = |signals: &[Signal]| signals.iter().map(|signal| of(*signal)).collect::<Vec<Signal>>();
        let array = |array: &Array| match array {
            Array::Memory(memory) => Array::Memory(*memory),
            Array::Fill(word) => Array::Fill(all(word)),
            Array::Write { array, address, value } => {
                Array::Write { array: *array, address: all(address), value: all(value) }
            }
            Array::Choose { condition, yes, no } => Array::Choose { condition: of(*condition), yes: *yes, no: *no },
        };
        let port = |port: &Port| Port { memory: port.memory, address: all(&port.address), value: all(&port.value) };
        Self {
            memories: self.memories.clone(),
            arrays: self.arrays.iter().map(array).collect(),
            ports: self.ports.iter().map(port).collect(),
        }
    }
}
