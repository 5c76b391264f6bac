//! Follows some words of memories by latches (Bjesse 2008: A practical approach to word level model checking of
//! industrial netlists).
//!
//! A circuit with memories, without them, is an abstraction: ports read any words. A [`Tracker`] names a port and a
//! number of frames, the delay. The tracked circuit has a *location*, an address that never changes, and follows the
//! words at this address by latches, in the memory of the port and in those on which it depends. Ports with this
//! address must read these words. The outputs count only in frames in which the port of the tracker had this address
//! `delay` frames earlier, if there was such a frame.
//!
//! If an output of the tracked circuit cannot be true, it cannot be true in the circuit with its memories. Proof:
//! take a run that counts, in which the output is true in the last frame, t. Give the location of each tracker the
//! address of its port in the frame t - delay, and any address if there is no such frame. Give the latches of the
//! words the words that the memories have at the locations. By the definition of their next functions, they have
//! these words in all frames. As the run counts, each port reads the word of its memory. So the constraints that were
//! added are true in each frame. The condition on the location is true in frame t, by the choice of the location. So
//! the run of the tracked circuit makes its output true in frame t.
//!
//! The nodes of the circuit keep their numbers, and so do its inputs, latches and outputs. The engines and the kernel
//! of the checker use this function, as part of the meaning of the evidence.

use super::{Array, Memories, Port};
use crate::certificate::Clauses;
use crate::circuit::{Circuit, CircuitBuilder, Gate, Reset, Signal};
use crate::ids::{ContentsId, LatchId, MemoryId, PortId};
use std::collections::{BTreeMap, BTreeSet};

/// A word that the proof of an output follows: the one that a port reads some frames before the output is true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tracker {
    /// The port.
    pub port: PortId,
    /// The number of frames, at most [`Tracker::LONGEST`].
    pub delay: u32,
}

impl Tracker {
    /// The longest delay. A longer one would make a large circuit from a short evidence file.
    pub const LONGEST: u32 = 1 << 12;
    /// The largest number of trackers.
    pub const MOST: usize = 1 << 8;
}

/// Evidence that outputs of a circuit with memories cannot be true: clauses of the tracked circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackingProof {
    /// The trackers.
    pub trackers: Vec<Tracker>,
    /// Gates that are added to the tracked circuit, so that clauses can speak of them: the operands of conjunctions.
    pub gates: Vec<(Signal, Signal)>,
    /// The clauses. Their bits are latches and nodes of this circuit, and they exclude its outputs.
    pub clauses: Clauses,
}

/// The contents of memories at one location, in a frame: a word for each memory.
type Words = BTreeMap<MemoryId, Vec<Signal>>;

impl Circuit {
    /// Returns an upper bound of the number of nodes that [`Circuit::tracking`] adds for this tracker.
    ///
    /// # Panics
    /// Panics if there is no such port.
    #[must_use]
    pub fn nodes_to_track(&self, tracker: Tracker) -> u64 {
        let memories = self.memories();
        let index = memories.memories[memories.ports[tracker.port.index()].memory.index()].index;
        let width = memories.memories.iter().map(|memory| memory.width).max().unwrap_or(0);
        let reads = (memories.ports.len() + memories.arrays.len() + memories.memories.len() + 2) as u64;
        reads.saturating_mul(8 * (u64::from(index) + u64::from(width) + 1)).saturating_add(tracker.delay.into())
    }

    /// Returns the circuit without memories, with words that follow these trackers. It has no justice property.
    ///
    /// # Panics
    /// Panics if there is no such port, if a latch has no next function, or if the result has 2^31 nodes.
    #[must_use]
    pub fn tracking(&self, trackers: &[Tracker]) -> Circuit {
        let mut tracking =
            Tracking { memories: self.memories(), builder: CircuitBuilder::from(self.gates_only()), first: None };
        let conditions: Vec<Signal> = trackers.iter().map(|tracker| tracking.track(*tracker)).collect();
        let condition = tracking.builder.all(&conditions);
        for output in self.outputs() {
            let signal = tracking.builder.and(output.signal, condition);
            tracking.builder.circuit_mut().output(signal, output.name.clone());
        }
        tracking.builder.finish()
    }

    /// Returns the nodes, latches and constraints.
    fn gates_only(&self) -> Circuit {
        let mut copy = Circuit::default();
        for gate in &self.gates()[1..] {
            match *gate {
                Gate::And(a, b) => _ = copy.and(a, b),
                Gate::Latch(id) => {
                    let latch = &self.latches()[id.index()];
                    copy.latch(latch.reset, latch.name.clone());
                }
                Gate::Input(input) => _ = copy.input(self.inputs()[input as usize].name.clone()),
                Gate::False => unreachable!("only node 0 is the constant"),
            }
        }
        for (number, latch) in self.latches().iter().enumerate() {
            copy.set_next(LatchId::new(number), latch.next.expect("every latch has one"));
        }
        self.constraints().iter().for_each(|constraint| copy.constrain(*constraint));
        debug_assert_eq!(copy.gates(), self.gates(), "nodes keep their numbers");
        copy
    }
}

struct Tracking<'m> {
    memories: &'m Memories,
    builder: CircuitBuilder,
    /// True in the first frame only.
    first: Option<Signal>,
}

impl Tracking<'_> {
    /// Follows a word. Returns the condition on the location.
    fn track(&mut self, tracker: Tracker) -> Signal {
        let port = &self.memories.ports[tracker.port.index()];
        let location: Vec<Signal> = port.address.iter().map(|_| self.latch(Reset::Open)).map(|(_, bit)| bit).collect();
        for &bit in &location {
            self.set_next(bit, bit);
        }
        // Other memories that are read at the same address are followed at the same location: proofs compare them.
        let same = self.memories.ports.iter().filter(|other| other.address == port.address);
        let words = self.words(same.map(|other| other.memory).collect(), &location);
        for other in self.memories.ports.iter().filter(|other| words.contains_key(&other.memory)) {
            self.read(other, &location, &words);
        }
        let mut condition = self.equal(&port.address, &location);
        for _ in 0..tracker.delay {
            let (_, earlier) = self.latch(Reset::One);
            self.set_next(earlier, condition);
            condition = earlier;
        }
        condition
    }

    /// Requires that a port with the address `location` reads the word there.
    fn read(&mut self, port: &Port, location: &[Signal], words: &Words) {
        let is_there = self.equal(&port.address, location);
        let is_read = self.equal(&port.value, &words[&port.memory]);
        let constraint = self.builder.or(!is_there, is_read);
        if constraint != Signal::TRUE {
            self.builder.circuit_mut().constrain(constraint);
        }
    }

    /// Adds the words at the location, of some memories and of those on which they depend.
    fn words(&mut self, memories: Vec<MemoryId>, location: &[Signal]) -> Words {
        let needed = self.dependencies(memories);
        let (mut held, mut words) = (Words::new(), Words::new());
        for &id in &needed {
            let of = &self.memories.memories[id.index()];
            let resets = self.resets(id);
            let bits: Vec<Signal> = match of.next {
                Some(_) => resets.iter().map(|reset| self.latch(*reset).1).collect(),
                None => (0..of.width).map(|_| self.builder.circuit_mut().input(None)).collect(),
            };
            let word = match of.init {
                Some(init) if resets.contains(&Reset::Open) => {
                    let init = self.at(init, location, &words);
                    let first = self.first();
                    self.choose(first, &init, &bits)
                }
                _ => bits.clone(),
            };
            held.insert(id, bits);
            words.insert(id, word);
        }
        for &id in &needed {
            if let Some(next) = self.memories.memories[id.index()].next {
                let next = self.at(next, location, &words);
                let bits = held[&id].clone();
                bits.iter().zip(next).for_each(|(bit, next)| self.set_next(*bit, next));
            }
        }
        words
    }

    /// Returns the reset values of the latches of a word: constants, if all words of the memory are so at first.
    fn resets(&self, id: MemoryId) -> Vec<Reset> {
        let memory = &self.memories.memories[id.index()];
        let constant = |bit: &Signal| match *bit {
            Signal::FALSE => Some(Reset::Zero),
            Signal::TRUE => Some(Reset::One),
            _ => None,
        };
        let word = match (memory.init.map(|init| &self.memories.arrays[init.index()]), memory.next) {
            (Some(Array::Fill(word)), Some(_)) => word.iter().map(constant).collect(),
            _ => None,
        };
        word.unwrap_or_else(|| vec![Reset::Open; memory.width as usize])
    }

    /// Returns the memories on which the contents of these depend, ascending, and these.
    fn dependencies(&self, mut open: Vec<MemoryId>) -> BTreeSet<MemoryId> {
        let mut needed = BTreeSet::new();
        while let Some(memory) = open.pop() {
            if !needed.insert(memory) {
                continue;
            }
            let of = &self.memories.memories[memory.index()];
            for root in [of.init, of.next].into_iter().flatten() {
                for part in self.memories.parts(root) {
                    if let Array::Memory(other) = self.memories.arrays[part.index()] {
                        open.push(other);
                    }
                }
            }
        }
        needed
    }

    /// Returns the word of an array at the location.
    fn at(&mut self, root: ContentsId, location: &[Signal], words: &Words) -> Vec<Signal> {
        let mut known: BTreeMap<ContentsId, Vec<Signal>> = BTreeMap::new();
        for part in self.memories.parts(root) {
            let word = match &self.memories.arrays[part.index()] {
                Array::Memory(memory) => words[memory].clone(),
                Array::Fill(word) => word.clone(),
                Array::Write { array, address, value } => {
                    let is_there = self.equal(address, location);
                    self.choose(is_there, value, &known[array])
                }
                Array::Choose { condition, yes, no } => self.choose(*condition, &known[yes], &known[no]),
            };
            known.insert(part, word);
        }
        known.remove(&root).expect("an array is its own last part")
    }

    fn latch(&mut self, reset: Reset) -> (LatchId, Signal) {
        let circuit = self.builder.circuit_mut();
        let id = circuit.latch(reset, None);
        (id, circuit.latches()[id.index()].signal)
    }

    fn set_next(&mut self, latch: Signal, next: Signal) {
        let circuit = self.builder.circuit_mut();
        let Gate::Latch(id) = circuit.gates()[latch.node()] else { unreachable!("the signal of a latch") };
        circuit.set_next(id, next);
    }

    fn first(&mut self) -> Signal {
        if let Some(first) = self.first {
            return first;
        }
        let (_, first) = self.latch(Reset::One);
        self.set_next(first, Signal::FALSE);
        *self.first.insert(first)
    }

    fn equal(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let same: Vec<Signal> = a.iter().zip(b).map(|(a, b)| !self.builder.xor(*a, *b)).collect();
        self.builder.all(&same)
    }

    fn choose(&mut self, condition: Signal, yes: &[Signal], no: &[Signal]) -> Vec<Signal> {
        let bits = yes.iter().zip(no);
        bits.map(|(yes, no)| if yes == no { *yes } else { self.builder.either(condition, *yes, *no) }).collect()
    }
}
