//! Reads and searches for many states together.
//!
//! A search over millions of states spends nearly all its time waiting for memory, because the parts of a state
//! are spread over tables of many megabytes. The processor overlaps accesses that do not depend on each other
//! and are close together in time. So states are searched for in batches, group by group. First the entries
//! where the searches begin are read for all states, then the rows that these entries refer to. Only then are
//! rows compared or added, in order, so that the numbers are those of one search after another. (Chen,
//! Ailamaki, Gibbons, Mowry 2004, "Improving hash join performance through prefetching", do so for joins.
//! Reading ahead needs no special instruction.)

use super::interner::{Ahead, Row};
use super::{Group, StateNumber, States, unfold_group};

use rayon::ThreadPool;

/// Stands for a missing number: no group has it.
const ABSENT: u32 = u32::MAX;

/// Parts of states that are missing in the tables and have to be added.
#[derive(Debug, Default)]
pub struct Missing {
    /// For each group: the states that lack it, as indices into `from`, and its missing row. Numbers of groups
    /// that are missing themselves are [`ABSENT`] in the row. A state that lacks any group also lacks the last
    /// group, which is the whole state. The list of the last group contains every state that differs from its
    /// source, because the whole state is searched for only when it is added.
    groups: Vec<Vec<(u32, Row)>>,
    /// For each state that was searched for: its source.
    from: Vec<u32>,
    /// The numbers of the groups that are added, state by state.
    numbers: Vec<u32>,
}

impl Missing {
    /// Removes everything.
    pub fn clear(&mut self) {
        self.groups.iter_mut().for_each(Vec::clear);
        self.from.clear();
    }

    /// Returns the bytes of the recorded parts, and of the numbers to come.
    pub fn noted_bytes(&self) -> usize {
        let lacking: usize = self.groups.iter().map(Vec::len).sum();
        lacking * size_of::<(u32, Row)>() + self.from.len() * size_of::<u32>() * (1 + self.groups.len())
    }

    /// Returns the bytes in use.
    pub fn bytes(&self) -> usize {
        self.groups.iter().map(|lacking| lacking.capacity() * size_of::<(u32, Row)>()).sum::<usize>()
            + 4 * (self.from.capacity() + self.numbers.capacity())
    }
}

/// Source states, and states to search for that resemble them.
#[derive(Debug, Default)]
pub struct Batch {
    /// The parts of the sources, one after the other.
    sources: Vec<u32>,
    /// The parts of the states to search for. Numbers of groups are filled in during the search.
    wanted: Vec<u32>,
    /// For each state to search for: the index of its source.
    from: Vec<u32>,
    /// Searches in the table of one group, with the indices of their states.
    searches: Vec<(u32, Ahead)>,
    /// For each state to search for: true if it is new.
    is_new: Vec<bool>,
}

impl Group {
    /// Returns true if a part of the group is missing. Such a part is a group, so its position is at least
    /// `lanes`.
    fn lacks(&self, lanes: usize, row: Row) -> bool {
        self.parts.iter().zip(row).any(|(&place, value)| place >= lanes && value == ABSENT)
    }
}

impl Batch {
    /// Returns the bytes in use.
    pub fn bytes(&self) -> usize {
        4 * (self.sources.capacity() + self.wanted.capacity() + self.from.capacity())
            + self.searches.capacity() * size_of::<(u32, Ahead)>()
            + self.is_new.capacity()
    }
}

impl States {
    /// Begins a batch. Its sources are `count` states from `first` on.
    pub fn fetch(&self, batch: &mut Batch, first: StateNumber, count: usize) {
        let (lanes, width) = (self.packing.lanes(), self.width());
        let Batch { sources, wanted, from, .. } = batch;
        sources.resize(count * width, 0);
        wanted.clear();
        from.clear();
        for (number, parts) in (first..).zip(sources.chunks_exact_mut(width)) {
            (parts[self.whole()], parts[width - 1]) = (number, 0);
        }
        for (i, group) in self.groups.iter().enumerate().rev() {
            sources.chunks_exact_mut(width).for_each(|parts| unfold_group(lanes + i, group, parts));
        }
    }

    /// Returns the number of parts of a state, including the 0 at the end.
    fn width(&self) -> usize {
        self.whole() + 2
    }

    /// Reads the values of a source into `state`.
    pub fn source(&self, batch: &Batch, source: usize, state: &mut [i32]) {
        let parts = &batch.sources[source * self.width()..];
        self.packing.unpack(&parts[..self.packing.lanes()], state);
    }

    /// Adds a state to search for, which differs from a source in the slots `changed`.
    ///
    /// # Panics
    /// If one of these slots has a value that it cannot have.
    pub fn look_for(&self, batch: &mut Batch, source: usize, state: &[i32], changed: &[u32]) {
        let (width, begin) = (self.width(), batch.wanted.len());
        batch.wanted.extend_from_slice(&batch.sources[source * width..][..width]);
        self.packing.put(state, changed, &mut batch.wanted[begin..][..self.packing.lanes()]);
        batch.from.push(u32::try_from(source).expect("a batch is small"));
    }

    /// Numbers the states of the batch, and adds those that are new. Calls `visit` for each state in order,
    /// with its source, its number, and true if it is new. Returns false if there are too many states, or parts
    /// of states.
    pub fn intern_all(&mut self, batch: &mut Batch, mut visit: impl FnMut(u32, StateNumber, bool)) -> bool {
        let (lanes, width) = (self.packing.lanes(), self.width());
        let Batch { sources, wanted, from, searches, is_new } = batch;
        is_new.clear();
        is_new.resize(from.len(), false);
        for (i, group) in self.groups.iter_mut().enumerate() {
            searches.clear();
            for ((place, &source), parts) in (0_u32..).zip(&*from).zip(wanted.chunks_exact(width)) {
                // A state starts with the numbers of its source, which are right for each group without changed
                // parts.
                let row = group.row(parts);
                if row != group.row(&sources[source as usize * width..][..width]) {
                    searches.push((place, group.table.ahead(row)));
                }
            }
            group.table.read_ahead(searches);
            for (place, search) in &*searches {
                let Some((number, new)) = group.table.settle(search) else { return false };
                wanted[*place as usize * width + lanes + i] = number;
                is_new[*place as usize] = new;
            }
        }
        for ((&source, parts), &new) in from.iter().zip(wanted.chunks_exact(width)).zip(&*is_new) {
            visit(source, parts[width - 2], new);
        }
        true
    }

    /// Records the parts that the states of the batch lack. Sources are counted from `base` on.
    pub fn find_all(&self, batch: &mut Batch, base: u32, missing: &mut Missing) {
        let (lanes, width) = (self.packing.lanes(), self.width());
        let Batch { sources, wanted, from, searches, .. } = batch;
        let begin = u32::try_from(missing.from.len()).expect("a chunk is small");
        missing.from.extend(from.iter().map(|&source| base + source));
        missing.groups.resize_with(self.groups.len(), Vec::new);
        for ((i, group), lacking) in self.groups.iter().enumerate().zip(&mut missing.groups) {
            searches.clear();
            for ((place, &source), parts) in (0_u32..).zip(&*from).zip(wanted.chunks_exact(width)) {
                let row = group.row(parts);
                if row == group.row(&sources[source as usize * width..][..width]) {
                    continue;
                }
                // The whole state is searched for only once: when it is added.
                if lanes + i == self.whole() {
                    lacking.push((begin + place, row));
                    continue;
                }
                // A row that contains a missing part is missing, too.
                let is_hopeless = group.lacks(lanes, row);
                searches.push((place, if is_hopeless { Ahead::nothing(row) } else { group.table.ahead(row) }));
            }
            group.table.read_ahead(searches);
            for (place, search) in &*searches {
                wanted[*place as usize * width + lanes + i] = group.table.found(search).unwrap_or_else(|| {
                    lacking.push((begin + *place, search.row()));
                    ABSENT
                });
            }
        }
    }

    /// Adds the missing parts of some chunks, unless they have been added meanwhile. Calls `visit` for each
    /// state that is recorded in the list of the last group, in order, with its chunk, its source, its number,
    /// and true if it is new. Returns false if there are too many states.
    pub fn add_all(
        &mut self,
        chunks: &mut [&mut Missing],
        pool: &ThreadPool,
        Adding { rows, numbers }: &mut Adding,
        mut visit: impl FnMut(usize, u32, StateNumber, bool),
    ) -> bool {
        let (lanes, depth) = (self.packing.lanes(), self.groups.len());
        for chunk in &mut *chunks {
            chunk.numbers.resize(chunk.from.len() * depth, 0);
        }
        for (i, group) in self.groups.iter_mut().enumerate() {
            rows.clear();
            for chunk in &*chunks {
                rows.extend(chunk.groups[i].iter().map(|&(place, mut row)| {
                    for (value, part) in row.iter_mut().zip(group.parts) {
                        if *value == ABSENT && part >= lanes {
                            *value = chunk.numbers[place as usize * depth + part - lanes];
                        }
                    }
                    row
                }));
            }
            if !group.table.intern_all(rows, pool, numbers) {
                return false;
            }
            let mut found = numbers.iter();
            for (c, chunk) in chunks.iter_mut().enumerate() {
                for (&(place, _), &(number, is_new)) in chunk.groups[i].iter().zip(found.by_ref()) {
                    chunk.numbers[place as usize * depth + i] = number;
                    if i + 1 == depth {
                        visit(c, chunk.from[place as usize], number, is_new);
                    }
                }
            }
        }
        true
    }
}

/// Buffers for the parts that are added.
#[derive(Debug, Default)]
pub struct Adding {
    rows: Vec<Row>,
    numbers: Vec<(u32, bool)>,
}

impl Adding {
    /// Returns the bytes in use.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>() + self.numbers.capacity() * size_of::<(u32, bool)>()
    }
}
