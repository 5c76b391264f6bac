//! Sets of states, packed and shared part by part.
//!
//! A state with few lanes ([`packing`]) is a row of a table, which stores each distinct row once and
//! numbers it ([`interner`]). A wider state is a tree: groups of lanes are rows, groups of the numbers of
//! these rows are rows again, and so on up to a single group, which is the whole state (Laarman, van de Pol,
//! Weber 2011, "Parallel recursive state compression for free", for pairs). A step changes few lanes, so a new
//! state shares most parts with the old state. The shared parts need neither look-up nor memory.
//!
//! Several workers may search for states at once, each with its own [`Batch`], as long as no worker adds states.
//! States that are not found are recorded ([`Missing`]) and added later. Parts of these states that were found
//! are not searched for again.

mod batch;
mod interner;
mod layout;
mod packing;

pub use batch::{Adding, Batch, Missing};

use interner::{Interner, Row};
use model::certificate::StateSet;
use packing::Packing;
use std::ops::ControlFlow;

/// Calls made within about a microsecond, if most of them are alike.
const CALLS_PER_UNIT: usize = 8;

/// Returns the usual work of `count` calls from a state, in units of about a microsecond.
#[must_use]
pub fn work_of_calls(count: usize) -> u64 {
    1 + (count / CALLS_PER_UNIT) as u64
}

/// The number of a state in its set, in the order of arrival.
pub type StateNumber = u32;

/// A group of parts of a state. The parts of a state are a sequence: the lanes, the numbers of the groups, and
/// a 0.
#[derive(Debug)]
struct Group {
    /// The positions of its parts in the sequence. If the group has fewer parts than this array, the other
    /// entries are the position of the 0 at the end.
    parts: [usize; interner::WIDTH],
    table: Interner,
}

/// Returns the groups of a plan.
fn groups(lanes: usize, plan: &[Vec<usize>]) -> Vec<Group> {
    let none = lanes + plan.len();
    let group = |places: &Vec<usize>| Group {
        parts: std::array::from_fn(|i| places.get(i).copied().unwrap_or(none)),
        table: Interner::new(),
    };
    plan.iter().map(group).collect()
}

impl Group {
    /// Returns the values of the group's parts.
    #[inline]
    fn row(&self, parts: &[u32]) -> Row {
        self.parts.map(|place| parts[place])
    }
}

/// The position of a reader: the state that was last read or searched for, in parts.
#[derive(Clone, Debug)]
pub struct Cursor {
    parts: Vec<u32>,
    /// The state that was last read, and its parts.
    last_state: Vec<i32>,
    last_parts: Vec<u32>,
    /// True if no state has been read.
    is_fresh: bool,
}

impl Cursor {
    fn new(slots: usize, parts: usize) -> Self {
        Self { parts: vec![0; parts], last_state: vec![0; slots], last_parts: vec![0; parts], is_fresh: true }
    }
}

/// Work of choosing an arrangement, as lanes * lanes * sampled states: about 0.1 s.
const SAMPLE_WORK: usize = 3 << 20;
/// States with more lanes are not rearranged, because too few of them could be sampled.
const MOST_LANES: usize = 1 << 7;

/// A set of states of a program.
#[derive(Debug)]
pub struct States {
    packing: Packing,
    /// The groups. The parts of a group come before it, and the last group is the whole state.
    groups: Vec<Group>,
    cursor: Cursor,
}

impl States {
    /// Returns an empty set for slots with the given values (`None`: any value), ascending.
    #[must_use]
    pub fn new<'a>(values: impl Iterator<Item = Option<&'a [i32]>>) -> Self {
        let packing = Packing::new(values);
        let lanes = packing.lanes();
        let groups = groups(lanes, &layout::balanced(lanes));
        let cursor = Cursor::new(packing.slots(), lanes + groups.len() + 1);
        Self { packing, groups, cursor }
    }

    /// Returns the number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.last().map_or(0, |group| group.table.len())
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of a state, and true if the state is new. A new state is added. Returns `None` if the
    /// set or a part's table has 2^32 - 2 entries already. Cheap if the state resembles the one last read.
    ///
    /// # Panics
    /// If a slot has a value that it cannot have.
    pub fn intern(&mut self, state: &[i32]) -> Option<(StateNumber, bool)> {
        let Self { packing, groups, cursor } = self;
        let Cursor { parts, last_state, last_parts, is_fresh } = cursor;
        let lanes = packing.lanes();
        parts[..lanes].copy_from_slice(&last_parts[..lanes]);
        packing.pack(state, (!*is_fresh).then_some(last_state), &mut parts[..lanes]);
        let mut last = (0, false);
        for (i, group) in groups.iter_mut().enumerate() {
            let row = group.row(parts);
            last = if !*is_fresh && row == group.row(last_parts) {
                (last_parts[lanes + i], false)
            } else {
                group.table.intern(row)?
            };
            parts[lanes + i] = last.0;
        }
        Some(last)
    }

    /// Returns a new cursor, for another reader.
    pub fn cursor(&self) -> Cursor {
        Cursor::new(self.packing.slots(), self.cursor.parts.len())
    }

    /// Reads the state with the given number into `state`.
    ///
    /// # Panics
    /// If there is no such state, or `state` does not have one value per slot.
    pub fn read(&mut self, number: StateNumber, state: &mut [i32]) {
        read(&self.packing, &self.groups, &mut self.cursor, number, state);
    }

    /// Reads the state with the given number, with a separate cursor.
    pub fn read_at(&self, cursor: &mut Cursor, number: StateNumber, state: &mut [i32]) {
        read(&self.packing, &self.groups, cursor, number, state);
    }

    /// Calls `visit` with all states in order, until `visit` breaks. This does not change the state that counts
    /// as last read.
    pub fn for_each<B>(&self, mut visit: impl FnMut(&[i32]) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut cursor = self.cursor();
        let mut state = vec![0; self.packing.slots()];
        for number in 0..self.len() {
            self.read_at(&mut cursor, u32::try_from(number).expect("32 bits"), &mut state);
            visit(&state)?;
        }
        ControlFlow::Continue(())
    }

    /// Regroups the parts so that each group takes few distinct joint values in the states so far. Parts that
    /// differ in almost every state are then near the top, in one large table instead of one on each level.
    /// Numbers of states do not change. Linear in the states, plus about 0.1 s.
    pub fn arrange(&mut self) {
        let lanes = self.packing.lanes();
        if lanes <= 2 || lanes > MOST_LANES || self.is_empty() {
            return;
        }
        let mut parts = vec![0; self.cursor.parts.len()];
        let (whole, len) = (self.whole(), self.len());
        let samples = len.min((SAMPLE_WORK / (lanes * lanes)).min(1 << 14));
        let mut sample: Vec<Vec<u32>> = vec![Vec::with_capacity(samples); lanes];
        for i in 0..samples {
            parts[whole] = u32::try_from(i * len / samples).expect("32 bits");
            unfold(&self.groups, lanes, &mut parts);
            sample.iter_mut().zip(&parts).for_each(|(sample, &lane)| sample.push(lane));
        }
        let old = std::mem::replace(&mut self.groups, groups(lanes, &layout::by_variety(sample)));
        let mut new = vec![0; lanes + self.groups.len() + 1];
        for number in 0..len {
            parts[whole] = u32::try_from(number).expect("32 bits");
            unfold(&old, lanes, &mut parts);
            new[..lanes].copy_from_slice(&parts[..lanes]);
            for (i, group) in self.groups.iter_mut().enumerate() {
                let found = group.table.intern(group.row(&new)).expect("no part has more values than states");
                new[lanes + i] = found.0;
            }
            debug_assert_eq!(new[self.whole()], parts[whole], "the same order");
        }
        self.cursor = Cursor::new(self.packing.slots(), new.len());
    }

    /// Returns the number of parts of a state.
    pub fn parts(&self) -> usize {
        self.whole() + 1
    }

    /// Returns the position of the last group, which is the whole state, among the parts.
    fn whole(&self) -> usize {
        self.packing.lanes() + self.groups.len() - 1
    }

    /// Returns true if a state has more than one group.
    #[must_use]
    pub fn is_tree(&self) -> bool {
        self.groups.len() > 1
    }

    /// Returns the bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.groups.iter().map(|group| group.table.bytes()).sum()
    }

    /// Returns an estimate of the additional bytes that the next few thousand states may take.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        self.groups.iter().map(|group| group.table.growth_bytes()).sum()
    }
}

fn read(packing: &Packing, groups: &[Group], cursor: &mut Cursor, number: StateNumber, state: &mut [i32]) {
    let (lanes, parts) = (packing.lanes(), &mut cursor.last_parts);
    parts[lanes + groups.len() - 1] = number;
    unfold(groups, lanes, parts);
    cursor.is_fresh = false;
    packing.unpack(&parts[..lanes], state);
    cursor.last_state.copy_from_slice(state);
}

/// Rows contain the 32 bits of each value.
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

/// Computes all other parts from the number of the whole state.
fn unfold(groups: &[Group], lanes: usize, parts: &mut [u32]) {
    for (i, group) in groups.iter().enumerate().rev() {
        unfold_group(lanes + i, group, parts);
    }
}

/// Computes the parts of a group from its number, which is at `place`.
#[inline]
fn unfold_group(place: usize, group: &Group, parts: &mut [u32]) {
    for (part, value) in group.parts.into_iter().zip(group.table.row(parts[place])) {
        parts[part] = value;
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
            let mut random = testkit::Random::new(7);
            let mut old = vec![0; slots];
            for round in 0..3000 {
                if round == 1000 {
                    states.arrange();
                }
                let state: Vec<i32> = values
                    .clone()
                    .map(|values| {
                        let n = usize::try_from(random.bits() >> 40).unwrap();
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
