//! Sets of states: packed, and shared part by part.
//!
//! Two lanes ([`super::packing`]) are a key. Wider states are trees: pairs of lanes are interned, pairs of their numbers again, and
//! so on up to one pair, which is the state (Laarman, van de Pol, Weber 2011, "Parallel recursive state compression for free").
//! A step changes few lanes, so most parts of a new state are those of the old one and need no look-up, and cost nothing.
//!
//! Several may look for states at once, each with a [`Cursor`] of its own, while nobody adds any. What they do not find they
//! note as [`Missing`] parts, which are then added without a second look at the others.

mod batch;

pub(super) use batch::Batch;

use super::interner::Interner;
use super::layout;
use super::packing::Packing;
use model::certificate::StateSet;
use std::ops::ControlFlow;

/// The number of a state in its set, in the order they came.
pub type StateNumber = u32;

/// Where a part of a state comes from.
#[derive(Clone, Copy, Debug)]
enum Part {
    Lane(usize),
    Pair(usize),
}

#[derive(Debug)]
struct Pair {
    left: Part,
    right: Part,
    table: Interner,
}

/// The pairs that a plan names: two places each in the list of the lanes and then the pairs.
fn pairs(lanes: usize, plan: &[(usize, usize)]) -> Vec<Pair> {
    let part = |place: usize| place.checked_sub(lanes).map_or(Part::Lane(place), Part::Pair);
    let pair = |&(left, right): &(usize, usize)| Pair { left: part(left), right: part(right), table: Interner::new() };
    plan.iter().map(pair).collect()
}

/// Where somebody reads: the state that was last read or looked for, in parts.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    lanes: Vec<u32>,
    numbers: Vec<u32>,
    /// The state that was last read, and its parts.
    last_state: Vec<i32>,
    last_lanes: Vec<u32>,
    last_numbers: Vec<u32>,
    /// None was read yet.
    is_fresh: bool,
}

impl Cursor {
    fn value(&self, part: Part) -> u32 {
        match part {
            Part::Lane(lane) => self.lanes[lane],
            Part::Pair(pair) => self.numbers[pair],
        }
    }

    /// Has the part not changed since the state was read?
    fn is_same(&self, part: Part) -> bool {
        match part {
            Part::Lane(lane) => self.lanes[lane] == self.last_lanes[lane],
            Part::Pair(pair) => self.numbers[pair] == self.last_numbers[pair],
        }
    }

    fn is_as_last(&self, pair: &Pair) -> bool {
        !self.is_fresh && self.is_same(pair.left) && self.is_same(pair.right)
    }

    /// Fills the lanes: those of the last state, but for the slots that differ.
    fn pack(&mut self, packing: &Packing, state: &[i32]) {
        self.lanes.copy_from_slice(&self.last_lanes);
        packing.pack(state, (!self.is_fresh).then_some(&self.last_state), &mut self.lanes);
    }
}

/// A pair that is not there: which of the pairs, and its two sides; a side that is itself missing is [`ABSENT`]. What a state
/// lacks is listed in the order of the pairs, and ends with the whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    pair: u32,
    left: u32,
    right: u32,
}

/// Lanes times lanes times states that are looked at for an arrangement: about 0.1 s.
const SAMPLE_WORK: usize = 3 << 20;

/// A number that no pair has.
const ABSENT: u32 = u32::MAX;

/// A set of states of a program.
#[derive(Debug)]
pub struct States {
    packing: Packing,
    /// Parts come first; the last is the whole.
    pairs: Vec<Pair>,
    cursor: Cursor,
}

impl States {
    /// An empty set; of each slot the values it can have (`None`: all), ascending.
    #[must_use]
    pub fn new<'a>(values: impl Iterator<Item = Option<&'a [i32]>>) -> Self {
        let packing = Packing::new(values);
        let lanes = packing.lanes();
        let pairs = pairs(lanes, &layout::balanced(lanes));
        let cursor = Cursor {
            lanes: vec![0; lanes],
            numbers: vec![0; pairs.len()],
            last_state: vec![0; packing.slots()],
            last_lanes: vec![0; lanes],
            last_numbers: vec![0; pairs.len()],
            is_fresh: true,
        };
        Self { packing, pairs, cursor }
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.last().map_or(0, |pair| pair.table.len())
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a state, and whether it is new. `None` if there are too many (2^32 - 1 of them).
    /// Cheap if the state is like the one last read.
    ///
    /// # Panics
    /// If a slot has a value that it cannot have.
    pub fn intern(&mut self, state: &[i32]) -> Option<(StateNumber, bool)> {
        let cursor = &mut self.cursor;
        cursor.pack(&self.packing, state);
        let mut last = (0, false);
        for (i, pair) in self.pairs.iter_mut().enumerate() {
            last = if cursor.is_as_last(pair) {
                (cursor.last_numbers[i], false)
            } else {
                pair.table.intern((cursor.value(pair.left), cursor.value(pair.right)))?
            };
            cursor.numbers[i] = last.0;
        }
        Some(last)
    }

    /// A place to read from, for somebody else.
    pub(super) fn cursor(&self) -> Cursor {
        Cursor { is_fresh: true, ..self.cursor.clone() }
    }

    /// Adds the state whose missing parts come first in a list, unless it was added in the meantime: the rest of the list, and
    /// what [`States::intern`] says.
    pub(super) fn add<'a>(&mut self, missing: &'a [Missing]) -> (&'a [Missing], Option<(StateNumber, bool)>) {
        let (top, numbers) = (self.pairs.len() - 1, &mut self.cursor.numbers);
        let count = missing.iter().position(|part| part.pair as usize == top).map_or(missing.len(), |last| last + 1);
        let (parts, rest) = missing.split_at(count);
        let mut last = None;
        for part in parts {
            let pair = &mut self.pairs[part.pair as usize];
            let side = |of: Part, value: u32| match of {
                Part::Pair(other) if value == ABSENT => numbers[other],
                _ => value,
            };
            let (left, right) = (side(pair.left, part.left), side(pair.right, part.right));
            last = pair.table.intern((left, right));
            let Some((number, _)) = last else { break };
            numbers[part.pair as usize] = number;
        }
        (rest, last)
    }

    /// The state of a number.
    ///
    /// # Panics
    /// If there is none, or `state` has not one value per slot.
    pub fn read(&mut self, number: StateNumber, state: &mut [i32]) {
        read(&self.packing, &self.pairs, &mut self.cursor, number, state);
    }

    /// The state of a number, for somebody else.
    pub(super) fn read_at(&self, cursor: &mut Cursor, number: StateNumber, state: &mut [i32]) {
        read(&self.packing, &self.pairs, cursor, number, state);
    }

    /// All states in order, without changing what was last read; until `visit` breaks off.
    pub fn for_each<B>(&self, mut visit: impl FnMut(&[i32]) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut cursor = self.cursor();
        let mut state = vec![0; self.packing.slots()];
        for number in 0..self.len() {
            self.read_at(&mut cursor, u32::try_from(number).expect("32 bits"), &mut state);
            visit(&state)?;
        }
        ControlFlow::Continue(())
    }

    /// Pairs the parts anew, so that those come together that vary least together in the states so far: what varies with every
    /// state then lies near the top, and makes one large table, not one on each level. Numbers stay as they are. Linear in
    /// the states, and about 0.1 s beside that.
    pub fn arrange(&mut self) {
        let lanes = self.packing.lanes();
        if lanes <= 2 || self.is_empty() {
            return;
        }
        let (mut numbers, mut new) = (self.cursor.numbers.clone(), self.cursor());
        let (top, len) = (self.pairs.len() - 1, self.len());
        let samples = len.min((SAMPLE_WORK / (lanes * lanes)).clamp(1 << 8, 1 << 14));
        let mut sample: Vec<Vec<u32>> = vec![Vec::with_capacity(samples); lanes];
        for i in 0..samples {
            numbers[top] = u32::try_from(i * len / samples).expect("32 bits");
            unfold(&self.pairs, &mut numbers, &mut new.lanes);
            sample.iter_mut().zip(&new.lanes).for_each(|(sample, &lane)| sample.push(lane));
        }
        let old = std::mem::replace(&mut self.pairs, pairs(lanes, &layout::by_variety(sample)));
        for number in 0..len {
            numbers[top] = u32::try_from(number).expect("32 bits");
            unfold(&old, &mut numbers, &mut new.lanes);
            for (i, pair) in self.pairs.iter_mut().enumerate() {
                let sides = (new.value(pair.left), new.value(pair.right));
                new.numbers[i] = pair.table.intern(sides).expect("no part has more values than states").0;
            }
            debug_assert_eq!(new.numbers[top] as usize, number, "the same order");
        }
        self.cursor.is_fresh = true;
    }

    /// Is a state more than one pair?
    #[cfg(test)]
    pub(super) fn is_tree(&self) -> bool {
        self.pairs.len() > 1
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pairs.iter().map(|pair| pair.table.bytes()).sum()
    }

    /// About the bytes that the next few thousand states may take beyond that.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        self.pairs.iter().map(|pair| pair.table.growth_bytes()).sum()
    }
}

fn read(packing: &Packing, pairs: &[Pair], cursor: &mut Cursor, number: StateNumber, state: &mut [i32]) {
    cursor.last_numbers[pairs.len() - 1] = number;
    unfold(pairs, &mut cursor.last_numbers, &mut cursor.last_lanes);
    cursor.is_fresh = false;
    packing.unpack(&cursor.last_lanes, state);
    cursor.last_state.copy_from_slice(state);
}

/// Rows hold the 32 bits of each value.
impl StateSet for States {
    fn len(&self) -> u64 {
        self.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut row = vec![0; self.packing.slots()];
        self.for_each(|state| {
            row.iter_mut().zip(state).for_each(|(row, value)| *row = value.cast_unsigned());
            visit(&row)
        })
    }
}

/// From the number of the whole to those of the parts and the lanes.
fn unfold(pairs: &[Pair], numbers: &mut [u32], lanes: &mut [u32]) {
    for (i, pair) in pairs.iter().enumerate().rev() {
        unfold_pair(i, pair, numbers, lanes);
    }
}

/// From the number of a pair to those of its sides.
#[inline]
fn unfold_pair(i: usize, pair: &Pair, numbers: &mut [u32], lanes: &mut [u32]) {
    let (left, right) = pair.table.pair(numbers[i]);
    for (part, value) in [(pair.left, left), (pair.right, right)] {
        match part {
            Part::Lane(lane) => lanes[lane] = value,
            Part::Pair(pair) => numbers[pair] = value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_as_they_were() {
        for slots in 0..12 {
            let few: [&[i32]; 3] = [&[4], &[-7, 3, 1_000_000], &[5, 6, 7, 8]];
            let values = (0..slots).map(|slot| if slot % 4 == 3 { None } else { Some(few[slot % 4]) });
            let mut states = States::new(values.clone());
            let mut all: Vec<Vec<i32>> = Vec::new();
            let mut random = 7_u64;
            let mut old = vec![0; slots];
            for round in 0..3000 {
                if round == 1000 {
                    states.arrange();
                }
                let state: Vec<i32> = values
                    .clone()
                    .map(|values| {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        let n = usize::try_from(random >> 40).unwrap();
                        values.map_or_else(|| i32::try_from(n % 50).unwrap() - 25, |values| values[n % values.len()])
                    })
                    .collect();
                let known = all.iter().position(|other| *other == state);
                let number = u32::try_from(known.unwrap_or(all.len())).unwrap();
                assert_eq!(states.intern(&state), Some((number, known.is_none())));
                if known.is_none() {
                    all.push(state);
                }
                states.read(number / 2, &mut old);
                assert_eq!(old, all[number as usize / 2]);
            }
            let mut listed = Vec::new();
            let end: ControlFlow<()> = states.for_each(|state| {
                listed.push(state.to_vec());
                ControlFlow::Continue(())
            });
            assert_eq!((end, listed), (ControlFlow::Continue(()), all));
        }
    }
}
