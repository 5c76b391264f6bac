//! Numbers many rows at once, by several workers.
//!
//! Each worker has some of the shards to itself, and looks up the rows that belong to these shards, in the
//! order of the list. A new row gets an entry at once, with a provisional number that denotes its position in
//! the list, so that the same row further on is found. Then the new rows are numbered in the order of the list,
//! regardless of the worker that found them, and the workers write these numbers into the entries. Nothing is
//! locked, and the numbers are those of adding one row after another.

use super::rows::{Row, Rows};
use super::shard::{Shard, TOGETHER, hash};
use super::{Ahead, Interner, MAX_ROWS, SHARDS, read_ahead, shard_of};

use rayon::ThreadPool;

/// Fewer rows than this are numbered by one worker.
const WORTH_SHARING: usize = 1 << 10;

/// The shards of a worker, and its results.
struct Share<'a> {
    first: usize,
    shards: &'a mut [Shard],
    /// Positions in the list, with numbers, which may be provisional.
    found: Vec<(usize, u32)>,
    new: Vec<New>,
}

/// A row that the table did not contain.
struct New {
    /// Its position in the list.
    place: usize,
    /// Its entry: the shard among those of the worker, and the position in the shard.
    shard: usize,
    at: usize,
}

impl Share<'_> {
    /// Looks up the rows of the list that belong to these shards, and adds entries for new ones.
    fn enter(&mut self, rows: &Rows, list: &[Row]) {
        let Self { first, shards, found, new } = self;
        let mut counts = vec![0; shards.len()];
        let mut own: Vec<(usize, u64)> = Vec::with_capacity(list.len() * shards.len() / SHARDS * 2);
        for (place, &row) in list.iter().enumerate() {
            let hash = hash(row);
            if let Some(count) = shard_of(hash).checked_sub(*first).and_then(|shard| counts.get_mut(shard)) {
                *count += 1;
                own.push((place, hash));
            }
        }
        let most = rows.len() + list.len();
        for ((i, shard), count) in shards.iter_mut().enumerate().zip(counts) {
            if count > 0 && !shard.has_room(count, most) {
                *shard = shard.grown(rows, count, most, (*first + i, SHARDS));
            }
        }
        let mut searches = Vec::with_capacity(TOGETHER);
        for some in own.chunks(TOGETHER) {
            searches.clear();
            let ahead = |&(place, hash): &(usize, u64)| {
                let shard = shard_of(hash) - *first;
                ((place, hash), Ahead::new(list[place], hash, shard, &shards[shard]))
            };
            searches.extend(some.iter().map(ahead));
            read_ahead(rows, shards, &mut searches);
            for &((place, hash), ref search) in &searches {
                if search.is_found {
                    found.push((place, search.entry));
                    continue;
                }
                let shard = shard_of(hash) - *first;
                let is_row = |number: u32| match (number as usize).checked_sub(rows.len()) {
                    Some(provisional) => list[provisional] == list[place],
                    None => rows.get(number) == list[place],
                };
                match shards[shard].probe(hash, is_row) {
                    Ok(number) => found.push((place, number)),
                    Err(at) => {
                        let number = u32::try_from(rows.len() + place).expect("there is room");
                        shards[shard].entries[at] = shards[shard].entry(number, hash);
                        shards[shard].len += 1;
                        new.push(New { place, shard, at });
                    }
                }
            }
        }
    }

    /// Writes the final numbers into the new entries.
    fn number(&mut self, numbers: &[(u32, bool)]) {
        for &New { place, shard, at } in &self.new {
            let shard = &mut self.shards[shard];
            let mask = shard.mask();
            let entry = &mut shard.entries[at];
            *entry = *entry & !mask | numbers[place].0;
        }
    }
}

/// Calls `work` for each share, all in parallel.
fn at_once(pool: &ThreadPool, shares: &mut [Share<'_>], work: impl Fn(&mut Share<'_>) + Sync) {
    pool.in_place_scope(|scope| {
        let Some((own, others)) = shares.split_first_mut() else { return };
        let work = &work;
        for other in others {
            scope.spawn(move |_| work(other));
        }
        work(own);
    });
}

impl Interner {
    /// Stores the number of each row in `numbers`, and true if it is new, as [`Interner::intern`] would for one
    /// row after the other. The threads of `pool` help. Returns false if there are too many rows.
    pub(crate) fn intern_all(&mut self, list: &[Row], pool: &ThreadPool, numbers: &mut Vec<(u32, bool)>) -> bool {
        numbers.clear();
        if list.len() < WORTH_SHARING || self.rows.len() + list.len() >= MAX_ROWS {
            let mut searches = Vec::with_capacity(TOGETHER);
            for some in list.chunks(TOGETHER) {
                searches.clear();
                searches.extend(some.iter().map(|&row| ((), self.ahead(row))));
                self.read_ahead(&mut searches);
                for (_, search) in &searches {
                    let Some(found) = self.settle(search) else { return false };
                    numbers.push(found);
                }
            }
            return true;
        }
        let Self { rows, shards } = self;
        let size = SHARDS.div_ceil(pool.current_num_threads() + 1);
        let share = |(i, shards)| Share { first: i * size, shards, found: Vec::new(), new: Vec::new() };
        let mut shares: Vec<Share<'_>> = shards.chunks_mut(size).enumerate().map(share).collect();
        at_once(pool, &mut shares, |share| share.enter(rows, list));
        let before = rows.len();
        numbers.resize(list.len(), (0, false));
        for share in &shares {
            share.found.iter().for_each(|&(place, number)| numbers[place].0 = number);
            share.new.iter().for_each(|new| numbers[new.place].1 = true);
        }
        for (place, &row) in list.iter().enumerate() {
            if numbers[place].1 {
                numbers[place].0 = u32::try_from(rows.len()).expect("there is room");
                rows.push(row);
            } else if let Some(same) = (numbers[place].0 as usize).checked_sub(before) {
                numbers[place].0 = numbers[same].0;
            }
        }
        at_once(pool, &mut shares, |share| share.number(numbers));
        let entered = || self.shards.iter().map(|shard| shard.len).sum::<usize>();
        debug_assert_eq!(entered(), self.rows.len(), "each row has an entry");
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_number_as_one_does() {
        for workers in [2, 3, 7, 64, 100] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers - 1).build().unwrap();
            let (mut one, mut several) = (Interner::new(), Interner::new());
            let (mut random, mut tally) = (testkit::Random::new(1), (0, 0));
            for round in 1..20_u64 {
                let mut list: Vec<Row> = Vec::new();
                for _ in 0..WORTH_SHARING as u64 * (round % 4) + round {
                    // Many rows occur twice in a list, and some in earlier lists.
                    let value = u32::try_from((random.bits() >> 33) % (round * 1500)).unwrap();
                    list.push([value, value % 7, 0, value / 3]);
                }
                let (mut expected, mut numbers) = (Vec::new(), Vec::new());
                expected.extend(list.iter().map(|&row| one.intern(row).unwrap()));
                assert!(several.intern_all(&list, &pool, &mut numbers));
                tally.0 += expected.iter().filter(|(_, new)| *new).count();
                tally.1 += expected.iter().filter(|(_, new)| !*new).count();
                assert_eq!(numbers, expected);
                assert!(list.iter().zip(&expected).all(|(&row, found)| several.find(row) == Some(found.0)));
                assert!(list.iter().zip(&expected).all(|(&row, found)| several.row(found.0) == row));
            }
            assert_eq!(one.len(), several.len());
            assert!(tally.0 > 10_000 && tally.1 > 10_000, "new and known: {tally:?}");
        }
    }
}
