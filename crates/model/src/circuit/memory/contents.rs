//! The contents of memories along a run, as far as the run reads or writes them.
//!
//! Words that the system leaves open are fixed when they are first read. So the cost of a run depends on the number of
//! its reads and writes, and not on the size of the memory. Copies of open contents have the same open words.
//!
//! One frame may still be much work: many memories may get the contents of one long chain of writes. So each function
//! asks for its work before it is done, in bits of addresses and words.

use super::{Array, Memories, Memory};
use crate::circuit::signal::Signal;
use crate::ids::{ContentsId, MemoryId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bits of a word or of an address, lowest first.
pub type Word = Vec<bool>;

/// Charges work, in bits. Returns false if the work may not be done: then the contents are of no further use.
pub type Charge<'c> = dyn FnMut(u64) -> bool + 'c;

/// Open contents: those of a memory in a frame.
type Open = (u64, MemoryId);

/// What a memory has at addresses that were not written.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Base {
    Fill(Word),
    Open(Open),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Held {
    base: Base,
    written: BTreeMap<Word, Word>,
}

impl Held {
    /// What an array is: a word or the contents of a memory, and what is written there.
    fn of(
        base: Result<Word, MemoryId>,
        writes: Vec<(Word, Word)>,
        copied: impl FnOnce(MemoryId) -> Option<Held>,
    ) -> Option<Held> {
        let mut held = match base {
            Ok(word) => Held { base: Base::Fill(word), written: BTreeMap::new() },
            Err(memory) => copied(memory)?,
        };
        held.written.extend(writes);
        Some(held)
    }
}

/// The contents of memories in a frame of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    memories: Arc<Memories>,
    /// The contents of each memory. In the first frame, only of those that have been needed.
    now: Vec<Held>,
    /// The open words that have been read, of memories without initial contents in the first frame, and of those
    /// without next contents in further frames.
    chosen: BTreeMap<Open, BTreeMap<Word, Word>>,
    frame: u64,
}

impl Contents {
    /// The contents before the first frame.
    #[must_use]
    pub fn new(memories: &Arc<Memories>) -> Self {
        Self { memories: Arc::clone(memories), now: Vec::new(), chosen: BTreeMap::new(), frame: 0 }
    }

    /// Returns the word of a memory at an address. An open word becomes `given`. `value` gives the values of the nodes
    /// of the frame that are smaller than those of the port's value. `None` if the work is too much.
    pub fn read(
        &mut self,
        memory: MemoryId,
        (address, given): (&[bool], &[bool]),
        value: &dyn Fn(Signal) -> bool,
        charge: &mut Charge<'_>,
    ) -> Option<Word> {
        self.begin(memory.index() + 1, value, charge)?;
        charge(bits(address.len() + given.len())).then_some(())?;
        let Held { base, written } = &self.now[memory.index()];
        if let Some(word) = written.get(address) {
            return Some(word.clone());
        }
        Some(match base {
            Base::Fill(word) => word.clone(),
            Base::Open(open) => {
                let words = self.chosen.entry(*open).or_default();
                words.entry(address.to_vec()).or_insert_with(|| given.to_vec()).clone()
            }
        })
    }

    /// Returns the open words that have been read: the memory, the frame in which it had the word, the address and the
    /// word.
    pub fn chosen(&self) -> impl Iterator<Item = (MemoryId, u64, &[bool], &[bool])> + '_ {
        self.chosen.iter().flat_map(|((frame, memory), words)| {
            words.iter().map(|(address, word)| (*memory, *frame, &address[..], &word[..]))
        })
    }

    /// Computes the first `count` memories of the first frame. Later, all are known.
    fn begin(&mut self, count: usize, value: &dyn Fn(Signal) -> bool, charge: &mut Charge<'_>) -> Option<()> {
        while self.now.len() < count {
            let held = match self.memories.memories[self.now.len()].init {
                None => self.any(self.now.len()),
                Some(init) => {
                    let Resolved { base, writes } = self.resolved(init, value, charge)?;
                    let copied = |memory: MemoryId| self.copied(&self.now[memory.index()], memory, charge);
                    Held::of(base, writes, copied)?
                }
            };
            self.now.push(held);
        }
        Some(())
    }

    /// Open contents of this memory.
    fn any(&self, memory: usize) -> Held {
        Held { base: Base::Open((self.frame, MemoryId::new(memory))), written: BTreeMap::new() }
    }

    /// Copies contents of a memory.
    fn copied(&self, held: &Held, memory: MemoryId, charge: &mut Charge<'_>) -> Option<Held> {
        let Memory { index, width, .. } = self.memories.memories[memory.index()];
        let each = bits(index as usize + width as usize);
        charge((held.written.len() as u64).saturating_mul(each)).then(|| held.clone())
    }

    /// Returns what an array is in this frame.
    fn resolved(&self, array: ContentsId, value: &dyn Fn(Signal) -> bool, charge: &mut Charge<'_>) -> Option<Resolved> {
        let word = |signals: &[Signal]| signals.iter().map(|signal| value(*signal)).collect::<Word>();
        let (mut at, mut writes) = (array, Vec::new());
        let base = loop {
            let array = &self.memories.arrays[at.index()];
            charge(bits(array.size())).then_some(())?;
            match array {
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
        Some(Resolved { base, writes })
    }

    /// Advances to the next frame. `value` gives the values of all nodes of the frame that ends. `None` if the work is
    /// too much.
    pub fn step(&mut self, value: &dyn Fn(Signal) -> bool, charge: &mut Charge<'_>) -> Option<()> {
        charge(self.memories.memories.len() as u64).then_some(())?;
        if self.memories.memories.is_empty() {
            // Nothing is held, so that the contents are the same in all frames.
            return Some(());
        }
        self.begin(self.memories.memories.len(), value, charge)?;
        let next = |memory: &Memory| memory.next.map(|next| self.resolved(next, value, charge).ok_or(())).transpose();
        let plans: Vec<Option<Resolved>> = self.memories.memories.iter().map(next).collect::<Result<_, ()>>().ok()?;
        let mut uses = vec![0; plans.len()];
        for plan in plans.iter().flatten() {
            if let Err(memory) = plan.base {
                uses[memory.index()] += 1;
            }
        }
        self.frame += 1;
        let mut before: Vec<Option<Held>> = std::mem::take(&mut self.now).into_iter().map(Some).collect();
        for (number, plan) in plans.into_iter().enumerate() {
            let held = match plan {
                None => self.any(number),
                Some(Resolved { base, writes }) => Held::of(base, writes, |memory| {
                    let at = memory.index();
                    uses[at] -= 1;
                    match before[at].take() {
                        Some(held) if uses[at] > 0 => {
                            let copy = self.copied(&held, memory, charge)?;
                            before[at] = Some(held);
                            Some(copy)
                        }
                        held => Some(held.expect("it is taken at its last use")),
                    }
                })?,
            };
            self.now.push(held);
        }
        Some(())
    }
}

/// What an array is in a frame.
struct Resolved {
    /// The word or the memory with which it begins.
    base: Result<Word, MemoryId>,
    /// What is written there, in order.
    writes: Vec<(Word, Word)>,
}

/// The work for this many bits.
fn bits(count: usize) -> u64 {
    1 + count as u64
}
