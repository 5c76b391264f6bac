//! Reading and looking for many states together.
//!
//! Nearly all the time of a search over millions of states goes to waiting for memory: the parts of a state lie anywhere in tables
//! of many megabytes. The processor waits for several places at once if the look-ups that need them do not hang on each other and
//! come close together. So states are looked for in batches, group by group: first the entries where the searches begin are
//! read for all, then the rows that these name, and only then anything is compared or added, in order, so that numbers are those
//! of one search after another. (Chen, Ailamaki, Gibbons, Mowry 2004, "Improving hash join performance through prefetching", do so
//! for joins; reading ahead needs no special instruction.)

use super::super::interner::{Ahead, Row};
use super::{Group, StateNumber, States, unfold_group};

use rayon::ThreadPool;

/// A number that no group has.
const ABSENT: u32 = u32::MAX;

/// Parts of states that are not there, to be added.
#[derive(Debug, Default)]
pub(in super::super) struct Missing {
    /// Of each group which states lack it, by their places in `from`, and what it would hold: numbers of groups that are missing
    /// themselves are [`ABSENT`]. The states that lack the last group, the whole, are all that lack anything.
    groups: Vec<Vec<(u32, Row)>>,
    /// Of each state that was looked for, its source.
    from: Vec<u32>,
    /// The numbers of the groups that are added, state by state.
    numbers: Vec<u32>,
}

impl Missing {
    /// Forgets everything.
    pub(in super::super) fn clear(&mut self) {
        self.groups.iter_mut().for_each(Vec::clear);
        self.from.clear();
    }

    /// Bytes of what is noted, and of the numbers to come.
    pub(in super::super) fn noted_bytes(&self) -> usize {
        let lacking: usize = self.groups.iter().map(Vec::len).sum();
        lacking * size_of::<(u32, Row)>() + self.from.len() * size_of::<u32>() * (1 + self.groups.len())
    }

    /// Bytes in use.
    pub(in super::super) fn bytes(&self) -> usize {
        self.groups.iter().map(|lacking| lacking.capacity() * size_of::<(u32, Row)>()).sum::<usize>()
            + 4 * (self.from.capacity() + self.numbers.capacity())
    }
}

/// States to expand, and states to look for that are like them.
#[derive(Debug, Default)]
pub(in super::super) struct Batch {
    /// The parts of the sources, one after the other.
    sources: Vec<u32>,
    /// The same of the states to look for; the numbers of groups are filled in on the way.
    wanted: Vec<u32>,
    /// Where among the sources each of them comes from.
    from: Vec<u32>,
    /// Searches in the table of one group, and the places of the states they are for.
    searches: Vec<(u32, Ahead)>,
    /// Is the state new?
    is_new: Vec<bool>,
}

impl Group {
    /// Is a part missing? Its place is then one of a group; there are `lanes` before those.
    fn lacks(&self, lanes: usize, row: Row) -> bool {
        self.parts.iter().zip(row).any(|(&place, value)| place >= lanes && value == ABSENT)
    }
}

impl Batch {
    /// Bytes in use.
    pub(in super::super) fn bytes(&self) -> usize {
        4 * (self.sources.capacity() + self.wanted.capacity() + self.from.capacity())
            + self.searches.capacity() * size_of::<(u32, Ahead)>()
            + self.is_new.capacity()
    }
}

impl States {
    /// Begins a batch: the sources are `count` states from `first` on.
    pub(in super::super) fn fetch(&self, batch: &mut Batch, first: StateNumber, count: usize) {
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

    /// How many parts a state has, the 0 at the end among them.
    fn width(&self) -> usize {
        self.whole() + 2
    }

    /// The values of a source.
    pub(in super::super) fn source(&self, batch: &Batch, source: usize, state: &mut [i32]) {
        let parts = &batch.sources[source * self.width()..];
        self.packing.unpack(&parts[..self.packing.lanes()], state);
    }

    /// Adds a state to look for, which differs from a source in some slots.
    ///
    /// # Panics
    /// If one of these has a value that it cannot have.
    pub(in super::super) fn look_for(&self, batch: &mut Batch, source: usize, state: &[i32], changed: &[u32]) {
        let (width, begin) = (self.width(), batch.wanted.len());
        batch.wanted.extend_from_slice(&batch.sources[source * width..][..width]);
        self.packing.put(state, changed, &mut batch.wanted[begin..][..self.packing.lanes()]);
        batch.from.push(u32::try_from(source).expect("a batch is small"));
    }

    /// Numbers the states that are looked for, adding those that are new, and shows for each, in order, its source, its number and
    /// whether it is new. False if there are too many states, or parts of them.
    pub(in super::super) fn intern_all(
        &mut self,
        batch: &mut Batch,
        mut visit: impl FnMut(u32, StateNumber, bool),
    ) -> bool {
        let (lanes, width) = (self.packing.lanes(), self.width());
        let Batch { sources, wanted, from, searches, is_new } = batch;
        is_new.clear();
        is_new.resize(from.len(), false);
        for (i, group) in self.groups.iter_mut().enumerate() {
            searches.clear();
            for ((place, &source), parts) in (0_u32..).zip(&*from).zip(wanted.chunks_exact(width)) {
                // A state has the numbers of its source; where no part has changed, that is right.
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

    /// Notes what the states that are looked for lack; their sources are counted from `base` on.
    pub(in super::super) fn find_all(&self, batch: &mut Batch, base: u32, missing: &mut Missing) {
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
                // The whole is looked for once only: where it is added, if need be.
                if lanes + i == self.whole() {
                    lacking.push((begin + place, row));
                    continue;
                }
                // What hangs on a missing part is not there either.
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

    /// Adds what is missing in some chunks, unless it was added in the meantime, and shows of each state that lacked something, in
    /// order, its chunk, its source, its number and whether it is new. False if there are too many states.
    pub(in super::super) fn add_all(
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

/// Room for what is added.
#[derive(Debug, Default)]
pub(in super::super) struct Adding {
    rows: Vec<Row>,
    numbers: Vec<(u32, bool)>,
}

impl Adding {
    /// Bytes in use.
    pub(in super::super) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>() + self.numbers.capacity() * size_of::<(u32, bool)>()
    }
}
