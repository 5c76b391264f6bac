//! Follows all words of all memories by latches: small memories are then nothing but latches.
//!
//! The expanded circuit has a latch for each bit of each word of each memory (an input, if the memory has any contents
//! in each frame). Where the circuit has a port, the expanded one chooses among these words by the address.
//!
//! Both circuits have the same runs that count, with the same outputs. Proof: give each latch of a word the bit that
//! the memory has there. By the definition of the next functions it has this bit in all frames, so the value that is
//! chosen for a port is the word that the memory has at its address, which is the value of the port in a run that
//! counts. All other nodes are copied. The inputs of ports are unused in the expanded circuit.
//!
//! Inputs, latches and outputs of the circuit keep their numbers. The engines and the kernel of the checker use this
//! function, as part of the meaning of the evidence.

use super::located::{Locating, Location};
use crate::circuit::signal::Signal;
use crate::circuit::{Circuit, CircuitBuilder, Gate};
use crate::ids::{MemoryId, PortId};
use std::collections::BTreeMap;

impl Circuit {
    /// Returns an upper bound of the number of nodes of the expanded circuit.
    #[must_use]
    pub fn nodes_to_expand(&self) -> u64 {
        let memories = self.memories();
        let widths: std::collections::BTreeSet<u32> = memories.memories.iter().map(|memory| memory.index).collect();
        let words = widths.iter().map(|&index| 1_u64.checked_shl(index).unwrap_or(u64::MAX));
        let words = words.fold(0, u64::saturating_add);
        let bits = memories.memories.iter().map(|memory| u64::from(memory.index) + u64::from(memory.width));
        let parts = (memories.memories.len() + memories.arrays.len() + memories.ports.len()) as u64;
        let each = parts.saturating_mul(8 * (1 + bits.max().unwrap_or(0)));
        words.saturating_mul(each).saturating_add((self.gates().len() + 2) as u64)
    }

    /// Returns the expanded circuit, without memories and justice properties, and for each node of this circuit its
    /// signal there.
    ///
    /// # Panics
    /// Panics if a latch has no next function, or if the result has 2^31 nodes.
    #[must_use]
    pub fn expanded(&self) -> (Circuit, Vec<Signal>) {
        let mut copy = Circuit::default();
        for input in self.inputs() {
            copy.input(input.name.clone());
        }
        for latch in self.latches() {
            copy.latch(latch.reset, latch.name.clone());
        }
        let locating = Locating::new(self.memories(), CircuitBuilder::from(copy), Vec::new());
        let ports = self.ports_of_inputs();
        let words = vec![None; self.memories().ports.len()];
        Expanding { circuit: self, locating, locations: BTreeMap::new(), followed: 0, ports, words }.expand()
    }
}

struct Expanding<'c> {
    circuit: &'c Circuit,
    locating: Locating<'c>,
    /// For each width of addresses: all addresses, ascending.
    locations: BTreeMap<u32, Vec<Location>>,
    /// The number of memories of which all words are followed.
    followed: usize,
    /// For each input: its port.
    ports: Vec<Option<PortId>>,
    /// The words that ports read.
    words: Vec<Option<Vec<Signal>>>,
}

impl Expanding<'_> {
    fn expand(mut self) -> (Circuit, Vec<Signal>) {
        for gate in self.circuit.gates() {
            let signal = match *gate {
                Gate::False => Signal::FALSE,
                Gate::Input(input) => self.input(input as usize),
                Gate::Latch(latch) => self.locating.builder.circuit().latches()[latch.index()].signal,
                Gate::And(a, b) => {
                    let (a, b) = (self.locating.of(a), self.locating.of(b));
                    self.locating.builder.and(a, b)
                }
            };
            self.locating.signals.push(signal);
        }
        self.follow(self.circuit.memories().memories.len());
        let Self { circuit, mut locating, mut locations, .. } = self;
        locations.values_mut().flatten().for_each(|location| locating.advance(location));
        locating.copy_ends(circuit);
        for output in circuit.outputs() {
            let signal = locating.of(output.signal);
            locating.builder.circuit_mut().output(signal, output.name.clone());
        }
        (locating.builder.finish(), locating.signals)
    }

    /// Returns the signal of an input.
    fn input(&mut self, input: usize) -> Signal {
        let own = self.circuit.inputs()[input].signal;
        let Some(id) = self.ports[input] else { return self.locating.builder.circuit().inputs()[input].signal };
        if self.words[id.index()].is_none() {
            self.words[id.index()] = Some(self.read(id));
        }
        let bit = self.circuit.memories().ports[id.index()].value.iter().position(|bit| *bit == own);
        let word = self.words[id.index()].as_ref();
        word.zip(bit).map(|(word, bit)| word[bit]).expect("the input is a bit of its port")
    }

    /// Returns the word that a port reads: the words at all addresses, halved by each bit of the address.
    fn read(&mut self, id: PortId) -> Vec<Signal> {
        let port = &self.circuit.memories().ports[id.index()];
        self.follow(port.memory.index() + 1);
        let index = self.circuit.memories().memories[port.memory.index()].index;
        let word = |location: &Location| location.words[&port.memory].clone();
        let mut words: Vec<Vec<Signal>> = self.locations[&index].iter().map(word).collect();
        for bit in self.locating.all(&port.address) {
            let pairs = words.chunks(2);
            words = pairs.map(|pair| self.locating.choose(bit, &pair[1], &pair[0])).collect();
        }
        words.pop().expect("there is an address")
    }

    /// Follows the words of the first `count` memories. Initial contents depend on memories before.
    fn follow(&mut self, count: usize) {
        while self.followed < count {
            let id = MemoryId::new(self.followed);
            let index = self.circuit.memories().memories[id.index()].index;
            let locations = self.locations.entry(index).or_insert_with(|| addresses(index));
            locations.iter_mut().for_each(|location| self.locating.follow(id, location));
            self.followed += 1;
        }
    }
}

/// Returns all addresses of some bits, ascending.
fn addresses(bits: u32) -> Vec<Location> {
    let signal = |set: bool| if set { Signal::TRUE } else { Signal::FALSE };
    let address = |number: u64| (0..bits).map(|bit| signal(number >> bit & 1 == 1)).collect();
    (0..1_u64 << bits).map(|number| Location::new(address(number))).collect()
}
