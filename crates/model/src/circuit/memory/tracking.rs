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
//! words the words that the memories have at the locations. In the first frame, a word with initial contents is the one
//! of these contents, whatever the latches have. By the definition of their next functions, the latches have the words
//! of the memories in all frames after it; a memory without next contents has inputs in their place, which may be any
//! word. As the run counts, each port reads the word of its memory. So the constraints that were added are true in each
//! frame. The condition on the location is true in frame t, by the choice of the location, and because the latches
//! that delay it are true at first. So the run of the tracked circuit makes its output true in frame t. Words may be
//! followed that no port needs: they add no condition.
//!
//! The nodes of the circuit keep their numbers, and so do its inputs, latches and outputs. The engines and the kernel
//! of the checker use this function, as part of the meaning of the evidence.

use super::Port;
use super::located::{Locating, Location};
use crate::certificate::Clauses;
use crate::circuit::signal::Signal;
use crate::circuit::{Circuit, CircuitBuilder, Gate, Reset};
use crate::ids::PortId;

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

/// The words of memories that a proof follows by latches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Followed {
    /// Those of these trackers ([`Circuit::tracking`]).
    Some(Vec<Tracker>),
    /// All words of all memories ([`Circuit::expanded`]).
    All,
}

/// Evidence that outputs of a circuit with memories cannot be true: clauses of a circuit without memories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackingProof {
    /// The words that this circuit follows.
    pub followed: Followed,
    /// Gates that are added to this circuit, so that clauses can speak of them: the operands of conjunctions.
    pub gates: Vec<(Signal, Signal)>,
    /// The clauses. Their bits are latches and nodes of this circuit, and they exclude its outputs.
    pub clauses: Clauses,
}

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
        let (copy, own) = (self.without_ends(), self.gates().len());
        let signals = (0..own).map(|node| Signal::new(node, false)).collect();
        let mut locating = Locating::new(self.memories(), CircuitBuilder::from(copy), signals);
        locating.copy_ends(self);
        let conditions: Vec<Signal> = trackers.iter().map(|tracker| track(&mut locating, *tracker)).collect();
        let condition = locating.builder.all(&conditions);
        for output in self.outputs() {
            let signal = locating.builder.and(output.signal, condition);
            locating.builder.circuit_mut().output(signal, output.name.clone());
        }
        locating.builder.finish()
    }

    /// Returns the nodes, and latches without next functions.
    fn without_ends(&self) -> Circuit {
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
        debug_assert_eq!(copy.gates(), self.gates(), "nodes keep their numbers");
        copy
    }
}

/// Follows a word. Returns the condition on the location.
fn track(locating: &mut Locating<'_>, tracker: Tracker) -> Signal {
    let memories = locating.memories;
    let port = &memories.ports[tracker.port.index()];
    let address: Vec<Signal> = port.address.iter().map(|_| locating.latch(Reset::Open)).collect();
    address.iter().for_each(|bit| locating.set_next(*bit, *bit));
    let mut location = Location::new(address);
    // Other memories that are read at the same address are followed at the same location: proofs compare them.
    let same = memories.ports.iter().filter(|other| other.address == port.address);
    for memory in locating.dependencies(same.map(|other| other.memory)) {
        locating.follow(memory, &mut location);
    }
    for other in memories.ports.iter().filter(|other| location.words.contains_key(&other.memory)) {
        read(locating, other, &location);
    }
    locating.advance(&mut location);
    let mut condition = locating.equal(&port.address, &location.address);
    for _ in 0..tracker.delay {
        let earlier = locating.latch(Reset::One);
        locating.set_next(earlier, condition);
        condition = earlier;
    }
    condition
}

/// Requires that a port with the address of the location reads the word there.
fn read(locating: &mut Locating<'_>, port: &Port, location: &Location) {
    let is_there = locating.equal(&port.address, &location.address);
    let is_read = locating.equal(&port.value, &location.words[&port.memory]);
    let constraint = locating.builder.or(!is_there, is_read);
    if constraint != Signal::TRUE {
        locating.builder.circuit_mut().constrain(constraint);
    }
}
