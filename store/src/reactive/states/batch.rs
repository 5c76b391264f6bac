//! Reading and looking for many states together.
//!
//! Nearly all the time of a search over millions of states goes to waiting for memory: the parts of a state lie anywhere in tables
//! of many megabytes. The processor waits for several places at once if the look-ups that need them do not hang on each other and
//! come close together. So states are looked for in batches, pair by pair: first the entries where the searches begin are
//! read for all, then the keys that these name, and only then anything is compared or added, in order, so that numbers are those
//! of one search after another. (Chen, Ailamaki, Gibbons, Mowry 2004, "Improving hash join performance through prefetching", do so
//! for joins; reading ahead needs no special instruction.)

use super::super::interner::Ahead;
use super::{ABSENT, Missing, Pair, Part, StateNumber, States, unfold_pair};

/// States to expand, and states to look for that are like them.
#[derive(Debug, Default)]
pub(in super::super) struct Batch {
    /// The lanes of the sources, and the numbers of their pairs.
    sources: Rows,
    /// The same of the states to look for; the numbers are filled in on the way.
    wanted: Rows,
    /// Where among the sources each of them comes from.
    from: Vec<u32>,
    /// Searches in the table of one pair, and the places of the states they are for.
    searches: Vec<(u32, Ahead)>,
    /// Is the state new?
    is_new: Vec<bool>,
    /// What the states at these places lack.
    lacking: Vec<(u32, Missing)>,
}

/// States in parts, row by row.
#[derive(Debug, Default)]
struct Rows {
    lanes: Vec<u32>,
    numbers: Vec<u32>,
}

impl Pair {
    /// The two sides, in a row of lanes and one of numbers.
    #[inline]
    fn sides(&self, lanes: &[u32], numbers: &[u32]) -> (u32, u32) {
        let value = |part: Part| match part {
            Part::Lane(lane) => lanes[lane],
            Part::Pair(pair) => numbers[pair],
        };
        (value(self.left), value(self.right))
    }

    /// Is a pair missing that would be one of these sides?
    fn lacks(&self, sides: (u32, u32)) -> bool {
        let lacks = |part, value| matches!(part, Part::Pair(_)) && value == ABSENT;
        lacks(self.left, sides.0) || lacks(self.right, sides.1)
    }
}

impl Batch {
    /// Bytes in use.
    pub(in super::super) fn bytes(&self) -> usize {
        let words = self.sources.lanes.capacity() + self.sources.numbers.capacity() + self.wanted.lanes.capacity();
        4 * (words + self.wanted.numbers.capacity() + self.from.capacity())
            + self.searches.capacity() * size_of::<(u32, Ahead)>()
            + self.is_new.capacity()
            + self.lacking.capacity() * size_of::<(u32, Missing)>()
    }
}

impl States {
    /// Begins a batch: the sources are `count` states from `first` on.
    pub(in super::super) fn fetch(&self, batch: &mut Batch, first: StateNumber, count: usize) {
        let (width, depth) = (self.packing.lanes(), self.pairs.len());
        let Batch { sources, wanted, from, .. } = batch;
        sources.lanes.resize(count * width, 0);
        sources.numbers.resize(count * depth, 0);
        wanted.lanes.clear();
        wanted.numbers.clear();
        from.clear();
        for (number, row) in (first..).zip(sources.numbers.chunks_exact_mut(depth)) {
            row[depth - 1] = number;
        }
        for (i, pair) in self.pairs.iter().enumerate().rev() {
            let rows = sources.numbers.chunks_exact_mut(depth).zip(sources.lanes.chunks_exact_mut(width));
            rows.for_each(|(numbers, lanes)| unfold_pair(i, pair, numbers, lanes));
        }
    }

    /// The values of a source.
    pub(in super::super) fn source(&self, batch: &Batch, source: usize, state: &mut [i32]) {
        let width = self.packing.lanes();
        self.packing.unpack(&batch.sources.lanes[source * width..][..width], state);
    }

    /// Adds a state to look for, which differs from a source in some slots.
    ///
    /// # Panics
    /// If one of these has a value that it cannot have.
    pub(in super::super) fn look_for(&self, batch: &mut Batch, source: usize, state: &[i32], changed: &[u32]) {
        let width = self.packing.lanes();
        let begin = batch.wanted.lanes.len();
        batch.wanted.lanes.extend_from_slice(&batch.sources.lanes[source * width..][..width]);
        self.packing.put(state, changed, &mut batch.wanted.lanes[begin..]);
        batch.wanted.numbers.resize(batch.wanted.numbers.len() + self.pairs.len(), 0);
        batch.from.push(u32::try_from(source).expect("a batch is small"));
    }

    /// Numbers the states that are looked for, adding those that are new, and shows for each, in order, its source, its number and
    /// whether it is new. False if there are too many states, or parts of them.
    pub(in super::super) fn intern_all(
        &mut self,
        batch: &mut Batch,
        mut visit: impl FnMut(u32, StateNumber, bool),
    ) -> bool {
        let (width, depth) = (self.packing.lanes(), self.pairs.len());
        let Batch { sources, wanted, from, searches, is_new, .. } = batch;
        is_new.clear();
        is_new.resize(from.len(), false);
        for (i, pair) in self.pairs.iter_mut().enumerate() {
            searches.clear();
            for (place, &source) in from.iter().enumerate() {
                let (here, there) = (place * depth, source as usize * depth);
                let old = &sources.numbers[there..][..depth];
                let old_sides = pair.sides(&sources.lanes[source as usize * width..][..width], old);
                let sides = pair.sides(&wanted.lanes[place * width..][..width], &wanted.numbers[here..][..depth]);
                if sides == old_sides {
                    wanted.numbers[here + i] = old[i];
                    continue;
                }
                searches.push((u32::try_from(place).expect("a batch is small"), pair.table.ahead(sides)));
            }
            pair.table.read_ahead(searches);
            for (place, search) in &*searches {
                let Some((number, new)) = pair.table.settle(search) else { return false };
                wanted.numbers[*place as usize * depth + i] = number;
                is_new[*place as usize] = new;
            }
        }
        for ((&source, numbers), &new) in from.iter().zip(wanted.numbers.chunks_exact(depth)).zip(&*is_new) {
            visit(source, numbers[depth - 1], new);
        }
        true
    }

    /// Shows what the states that are looked for lack, with the place of the source each of them comes from: those of one state one
    /// after the other, ending with the whole; of those that are there, nothing.
    pub(in super::super) fn find_all(&self, batch: &mut Batch, mut visit: impl FnMut(usize, Missing)) {
        let (width, depth) = (self.packing.lanes(), self.pairs.len());
        let Batch { sources, wanted, from, searches, lacking, .. } = batch;
        lacking.clear();
        for (i, pair) in self.pairs.iter().enumerate() {
            searches.clear();
            let mut lack = |place: u32, (left, right): (u32, u32)| {
                let pair = u32::try_from(i).expect("pairs are no more than slots");
                lacking.push((place, Missing { pair, left, right }));
                ABSENT
            };
            for (place, &source) in (0_u32..).zip(&*from) {
                let (here, there) = (place as usize * depth, source as usize * depth);
                let old = &sources.numbers[there..][..depth];
                let old_sides = pair.sides(&sources.lanes[source as usize * width..][..width], old);
                let row = &wanted.lanes[place as usize * width..][..width];
                let sides = pair.sides(row, &wanted.numbers[here..][..depth]);
                if sides == old_sides {
                    wanted.numbers[here + i] = old[i];
                } else if pair.lacks(sides) {
                    wanted.numbers[here + i] = lack(place, sides);
                } else {
                    searches.push((place, pair.table.ahead(sides)));
                }
            }
            pair.table.read_ahead(searches);
            for (place, search) in &*searches {
                let number = pair.table.found(search).unwrap_or_else(|| lack(*place, search.pair()));
                wanted.numbers[*place as usize * depth + i] = number;
            }
        }
        // Of one state they come in the order of the pairs, and stay so.
        lacking.sort_by_key(|(place, _)| *place);
        for &(place, part) in &*lacking {
            visit(from[place as usize] as usize, part);
        }
    }
}
