//! The contents of memories along a run, as far as the run reads or writes them.
//!
//! Words that the system leaves open are fixed when they are first read. So the cost of a run depends on the number of
//! its reads and writes, and not on the size of the memory. Copies of open contents have the same open words.

use super::{Array, Memories};
use crate::circuit::Signal;
use crate::ids::{ContentsId, MemoryId};
use std::collections::BTreeMap;

/// The bits of a word or of an address, lowest first.
pub type Word = Vec<bool>;

/// What a memory has at addresses that were not written.
#[derive(Clone, PartialEq, Debug)]
enum Base {
    Fill(Word),
    /// The open words with this number.
    Open(usize),
}

#[derive(Clone, PartialEq, Debug)]
struct Held {
    base: Base,
    written: BTreeMap<Word, Word>,
}

/// Open words: those of a memory in a frame.
#[derive(Clone, PartialEq, Debug)]
struct Open {
    memory: MemoryId,
    frame: u64,
    /// The words, as far as they have been read.
    words: BTreeMap<Word, Word>,
}

/// The contents of memories in a frame of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Contents<'m> {
    memories: &'m Memories,
    /// The contents of each memory. In the first frame, only of those that have been needed.
    now: Vec<Held>,
    /// For each memory without initial contents in the first frame, and for each one without next contents in each
    /// further frame.
    open: Vec<Open>,
    frame: u64,
}

impl<'m> Contents<'m> {
    /// The contents before the first frame.
    #[must_use]
    pub fn new(memories: &'m Memories) -> Self {
        Self { memories, now: Vec::new(), open: Vec::new(), frame: 0 }
    }

    /// Returns the word of a memory at an address. An open word becomes `given`. `value` gives the values of the nodes
    /// of the frame that are smaller than those of the port's value.
    pub fn read(&mut self, memory: MemoryId, address: &[bool], given: &[bool], value: &dyn Fn(Signal) -> bool) -> Word {
        self.begin(memory.index() + 1, value);
        let Held { base, written } = &self.now[memory.index()];
        if let Some(word) = written.get(address) {
            return word.clone();
        }
        match base {
            Base::Fill(word) => word.clone(),
            Base::Open(number) => {
                let words = &mut self.open[*number].words;
                words.entry(address.to_vec()).or_insert_with(|| given.to_vec()).clone()
            }
        }
    }

    /// Returns the open words that have been read: the memory, the frame in which it had the word, the address and the
    /// word.
    pub fn chosen(&self) -> impl Iterator<Item = (MemoryId, u64, &[bool], &[bool])> + '_ {
        self.open.iter().flat_map(|open| {
            open.words.iter().map(|(address, word)| (open.memory, open.frame, &address[..], &word[..]))
        })
    }

    /// Computes the first `count` memories of the first frame. Later, all are known.
    fn begin(&mut self, count: usize, value: &dyn Fn(Signal) -> bool) {
        while self.now.len() < count {
            let held = match self.memories.memories[self.now.len()].init {
                None => self.any(self.now.len()),
                Some(init) => {
                    let (base, written) = self.resolved(init, value);
                    let mut held = match base {
                        Ok(word) => Held { base: Base::Fill(word), written: BTreeMap::new() },
                        Err(memory) => self.now[memory.index()].clone(),
                    };
                    held.written.extend(written);
                    held
                }
            };
            self.now.push(held);
        }
    }

    /// Open contents of this memory.
    fn any(&mut self, memory: usize) -> Held {
        self.open.push(Open { memory: MemoryId::new(memory), frame: self.frame, words: BTreeMap::new() });
        Held { base: Base::Open(self.open.len() - 1), written: BTreeMap::new() }
    }

    /// Returns the word or the memory with which an array begins, and what is written there, in order.
    fn resolved(
        &self,
        array: ContentsId,
        value: &dyn Fn(Signal) -> bool,
    ) -> (Result<Word, MemoryId>, Vec<(Word, Word)>) {
        let word = |signals: &[Signal]| signals.iter().map(|signal| value(*signal)).collect::<Word>();
        let (mut at, mut writes) = (array, Vec::new());
        let base = loop {
            match &self.memories.arrays[at.index()] {
                Array::Memory(memory) => break Err(*memory),
                Array::Fill(signals) => break Ok(word(signals)),
                Array::Write { array, address, value } => {
                    writes.push((word(address), word(value)));
                    at = *array;
                }
                Array::Choose { condition, yes, no } => at = if value(*condition) { *yes } else { *no },
            }
        };
        writes.reverse();
        (base, writes)
    }

    /// Advances to the next frame. `value` gives the values of all nodes of the frame that ends. Returns the number of
    /// words that were written or copied.
    pub fn step(&mut self, value: &dyn Fn(Signal) -> bool) -> usize {
        self.begin(self.memories.memories.len(), value);
        let plans: Vec<_> =
            (self.memories.memories.iter()).map(|memory| memory.next.map(|next| self.resolved(next, value))).collect();
        let mut uses = vec![0; plans.len()];
        for (base, _) in plans.iter().flatten() {
            if let Err(memory) = base {
                uses[memory.index()] += 1;
            }
        }
        self.frame += 1;
        let mut before: Vec<Option<Held>> = std::mem::take(&mut self.now).into_iter().map(Some).collect();
        let mut moved = 0;
        for (number, plan) in plans.into_iter().enumerate() {
            let held = match plan {
                None => self.any(number),
                Some((base, writes)) => {
                    let mut held = match base {
                        Ok(word) => Held { base: Base::Fill(word), written: BTreeMap::new() },
                        Err(memory) => {
                            let at = memory.index();
                            uses[at] -= 1;
                            let held = if uses[at] == 0 { before[at].take() } else { before[at].clone() };
                            let held = held.expect("it is taken at its last use");
                            moved += if uses[at] == 0 { 0 } else { held.written.len() };
                            held
                        }
                    };
                    moved += writes.len();
                    held.written.extend(writes);
                    held
                }
            };
            self.now.push(held);
        }
        moved
    }
}
