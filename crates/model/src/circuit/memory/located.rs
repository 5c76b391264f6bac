//! The words of memories at one *location*, an address that is the same in all frames, in a circuit without memories.
//!
//! The word of a memory at a location is held by latches, from frame to frame. The word that an array has there is made
//! of the words of the memories, of what is written in the frame, and of comparisons of addresses with the location.
//! Each array is looked at once for a location.

use super::{Array, Memories};
use crate::circuit::signal::Signal;
use crate::circuit::{CircuitBuilder, Gate, Reset};
use crate::ids::{ContentsId, LatchId, MemoryId};
use std::collections::{BTreeMap, BTreeSet};

/// A location, with the words there at the start of a frame.
#[derive(Clone, Debug)]
pub(super) struct Location {
    /// The address.
    pub(super) address: Vec<Signal>,
    /// The word of each memory that is followed.
    pub(super) words: BTreeMap<MemoryId, Vec<Signal>>,
    /// The latches of the words, which are the words themselves but in the first frame.
    held: BTreeMap<MemoryId, Vec<Signal>>,
    /// The words of arrays.
    arrays: BTreeMap<ContentsId, Vec<Signal>>,
}

impl Location {
    pub(super) fn new(address: Vec<Signal>) -> Self {
        Self { address, words: BTreeMap::new(), held: BTreeMap::new(), arrays: BTreeMap::new() }
    }
}

/// Builds a circuit without memories from one with memories.
pub(super) struct Locating<'m> {
    pub(super) memories: &'m Memories,
    pub(super) builder: CircuitBuilder,
    /// For each node of the circuit with memories, as far as it has been copied: its signal.
    pub(super) signals: Vec<Signal>,
    /// True in the first frame only.
    first: Option<Signal>,
}

impl<'m> Locating<'m> {
    pub(super) fn new(memories: &'m Memories, builder: CircuitBuilder, signals: Vec<Signal>) -> Self {
        Self { memories, builder, signals, first: None }
    }

    /// Returns the copy of a signal.
    pub(super) fn of(&self, signal: Signal) -> Signal {
        let copy = self.signals[signal.node()];
        if signal.is_negated() { !copy } else { copy }
    }

    /// Returns the copies of signals.
    pub(super) fn all(&self, signals: &[Signal]) -> Vec<Signal> {
        signals.iter().map(|signal| self.of(*signal)).collect()
    }

    /// Follows the word of a memory. The memories on which its initial contents depend are followed already.
    pub(super) fn follow(&mut self, id: MemoryId, at: &mut Location) {
        let of = &self.memories.memories[id.index()];
        let resets = self.resets(id);
        let bits: Vec<Signal> = match of.next {
            Some(_) => resets.iter().map(|reset| self.latch(*reset)).collect(),
            None => (0..of.width).map(|_| self.builder.circuit_mut().input(None)).collect(),
        };
        let word = match of.init {
            Some(init) if resets.contains(&Reset::Open) => {
                let init = self.word(init, at);
                let first = self.first();
                self.choose(first, &init, &bits)
            }
            _ => bits.clone(),
        };
        at.held.insert(id, bits);
        at.words.insert(id, word);
    }

    /// Gives all words that are followed their next functions. The memories on which they depend are followed, too.
    pub(super) fn advance(&mut self, at: &mut Location) {
        for (id, bits) in std::mem::take(&mut at.held) {
            if let Some(next) = self.memories.memories[id.index()].next {
                let next = self.word(next, at);
                bits.iter().zip(next).for_each(|(bit, next)| self.set_next(*bit, next));
            }
        }
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
    pub(super) fn dependencies(&self, memories: impl IntoIterator<Item = MemoryId>) -> BTreeSet<MemoryId> {
        let mut needed: BTreeSet<MemoryId> = memories.into_iter().collect();
        let mut is_known = vec![false; self.memories.arrays.len()];
        let mut open: Vec<MemoryId> = needed.iter().copied().collect();
        while let Some(memory) = open.pop() {
            let of = &self.memories.memories[memory.index()];
            let mut arrays: Vec<ContentsId> = [of.init, of.next].into_iter().flatten().collect();
            while let Some(array) = arrays.pop() {
                if std::mem::replace(&mut is_known[array.index()], true) {
                    continue;
                }
                let array = &self.memories.arrays[array.index()];
                arrays.extend(array.operands());
                if let Array::Memory(other) = *array
                    && needed.insert(other)
                {
                    open.push(other);
                }
            }
        }
        needed
    }

    /// Returns the word of an array.
    fn word(&mut self, root: ContentsId, at: &mut Location) -> Vec<Signal> {
        let mut open = vec![root];
        while let Some(&array) = open.last() {
            if at.arrays.contains_key(&array) {
                open.pop();
                continue;
            }
            let of = &self.memories.arrays[array.index()];
            let before = open.len();
            open.extend(of.operands().filter(|operand| !at.arrays.contains_key(operand)));
            if open.len() > before {
                continue;
            }
            let word = match of {
                Array::Memory(memory) => at.words[memory].clone(),
                Array::Fill(word) => self.all(word),
                Array::Write { array, address, value } => {
                    let (address, value) = (self.all(address), self.all(value));
                    let is_there = self.equal(&address, &at.address);
                    self.choose(is_there, &value, &at.arrays[array])
                }
                Array::Choose { condition, yes, no } => {
                    self.choose(self.of(*condition), &at.arrays[yes], &at.arrays[no])
                }
            };
            at.arrays.insert(array, word);
        }
        at.arrays[&root].clone()
    }

    pub(super) fn latch(&mut self, reset: Reset) -> Signal {
        let circuit = self.builder.circuit_mut();
        let id = circuit.latch(reset, None);
        circuit.latches()[id.index()].signal
    }

    pub(super) fn set_next(&mut self, latch: Signal, next: Signal) {
        let circuit = self.builder.circuit_mut();
        let Gate::Latch(id) = circuit.gates()[latch.node()] else { unreachable!("the signal of a latch") };
        circuit.set_next(id, next);
    }

    fn first(&mut self) -> Signal {
        if let Some(first) = self.first {
            return first;
        }
        let first = self.latch(Reset::One);
        self.set_next(first, Signal::FALSE);
        *self.first.insert(first)
    }

    pub(super) fn equal(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let same: Vec<Signal> = a.iter().zip(b).map(|(a, b)| !self.builder.xor(*a, *b)).collect();
        self.builder.all(&same)
    }

    pub(super) fn choose(&mut self, condition: Signal, yes: &[Signal], no: &[Signal]) -> Vec<Signal> {
        let bits = yes.iter().zip(no);
        bits.map(|(yes, no)| if yes == no { *yes } else { self.builder.either(condition, *yes, *no) }).collect()
    }

    /// Copies the next functions of latches, and the constraints. All nodes have been copied.
    pub(super) fn copy_ends(&mut self, circuit: &crate::circuit::Circuit) {
        for (number, latch) in circuit.latches().iter().enumerate() {
            let next = self.of(latch.next.expect("every latch has a next function"));
            self.builder.circuit_mut().set_next(LatchId::new(number), next);
        }
        for constraint in circuit.constraints() {
            let constraint = self.of(*constraint);
            self.builder.circuit_mut().constrain(constraint);
        }
    }
}
