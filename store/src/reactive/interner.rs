//! Keys of up to eight bytes, numbered in the order they come.
//!
//! The keys lie in chunks that never move. The index is open addressing with linear probing over 32-bit entries: a number and four
//! bits of the hash, so that most keys one meets on the way need not be read. It is cut into shards that grow one at a time, by half,
//! from capacities that are spread over a whole growth step: there is no moment at which everything is there twice, and the
//! load is about the same at all times.

/// Numbers have 28 bits.
const TAG_SHIFT: u32 = 28;
const MAX_KEYS: usize = (1 << TAG_SHIFT) - 1;
/// The bits of an entry that are a number.
const NUMBER: u32 = (1 << TAG_SHIFT) - 1;
/// An empty entry: the number that no key gets, under the tag that none has beside it.
const EMPTY: u32 = u32::MAX;
const SHARDS: usize = 64;
const CHUNK: usize = 1 << 13;

/// Numbers keys.
#[derive(Debug)]
pub(super) struct Interner {
    /// Bytes per key.
    width: usize,
    mask: u64,
    len: usize,
    chunks: Vec<Box<[u8]>>,
    shards: Box<[Shard]>,
}

/// A search whose first steps were made ahead of time. What they found stays true; what they did not find may be there by now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    key: u64,
    shard: u32,
    tag: u32,
    /// Where the first entry on the way is that may be that of the key.
    at: usize,
    /// That entry.
    entry: u32,
    /// The key of that entry; anything else if there is none.
    read: u64,
}

#[derive(Debug, Default)]
struct Shard {
    entries: Box<[u32]>,
    len: usize,
}

impl Shard {
    /// Where the search for a key with this hash begins.
    #[inline]
    fn start(&self, hash: u64) -> usize {
        let part = (hash >> 26) & 0xffff_ffff;
        usize::try_from((part * self.entries.len() as u64) >> 32).expect("within the entries")
    }
}

#[inline]
fn hash(key: u64) -> u64 {
    let mixed = (key ^ (key >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 32)
}

/// The shard takes the upper six bits, the place in it the 32 below, the tag the lowest four.
fn shard_of(hash: u64) -> usize {
    usize::try_from(hash >> 58).expect("six bits")
}

fn tag(hash: u64) -> u32 {
    u32::try_from(hash & 15).expect("four bits") << TAG_SHIFT
}

impl Interner {
    /// For keys of `width` bytes, at most 8.
    pub(super) fn new(width: usize) -> Self {
        debug_assert!(width <= 8, "a key is a word");
        let mask = if width == 8 { u64::MAX } else { (1 << (8 * width)) - 1 };
        Self { width, mask, len: 0, chunks: Vec::new(), shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The key of this number.
    #[inline]
    pub(super) fn key(&self, number: u32) -> u64 {
        let number = number as usize;
        let at = number % CHUNK * self.width;
        let bytes = self.chunks[number / CHUNK][at..at + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(bytes) & self.mask
    }

    /// The number of a key, and whether it is new. `None` if there are too many.
    pub(super) fn intern(&mut self, key: u64) -> Option<(u32, bool)> {
        debug_assert!(key & !self.mask == 0, "the key fits its width");
        let hash = hash(key);
        let shard = shard_of(hash);
        if (self.shards[shard].len + 1) * 5 > self.shards[shard].entries.len() * 4 {
            self.grow(shard);
        }
        let at = match self.probe(key, hash) {
            Ok(number) => return Some((number, false)),
            Err(at) => at,
        };
        if self.len == MAX_KEYS {
            return None;
        }
        let number = u32::try_from(self.len).expect("28 bits");
        self.shards[shard].entries[at] = number | tag(hash);
        self.shards[shard].len += 1;
        self.append(key);
        Some((number, true))
    }

    /// The number of a key.
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        let hash = hash(key);
        if self.shards[shard_of(hash)].len == 0 {
            return None;
        }
        self.probe(key, hash).ok()
    }

    /// The number of a key, or where in its shard, which has room, it would have its entry.
    fn probe(&self, key: u64, hash: u64) -> Result<u32, usize> {
        let (shard, tag) = (&self.shards[shard_of(hash)], tag(hash));
        let mut at = shard.start(hash);
        loop {
            let entry = shard.entries[at];
            if entry == EMPTY {
                return Err(at);
            }
            let number = entry & ((1 << TAG_SHIFT) - 1);
            if entry & !((1 << TAG_SHIFT) - 1) == tag && self.key(number) == key {
                return Ok(number);
            }
            at = if at + 1 == shard.entries.len() { 0 } else { at + 1 };
        }
    }

    /// Begins a search.
    #[inline]
    pub(super) fn ahead(&self, key: u64) -> Ahead {
        let hash = hash(key);
        let shard = shard_of(hash);
        let at = self.shards[shard].start(hash);
        let shard = u32::try_from(shard).expect("six bits");
        Ahead { key, shard, tag: tag(hash), at, entry: EMPTY, read: !key }
    }

    /// Goes on with searches for which nothing was read yet. Each loop reads what the one before has found the places of, and little
    /// else, so that many places are waited for at once.
    pub(super) fn read_ahead<T>(&self, searches: &mut [(T, Ahead)]) {
        for (_, search) in &mut *searches {
            // A shard without entries begins where it ends.
            search.entry = self.shards[search.shard as usize].entries.get(search.at).copied().unwrap_or(EMPTY);
        }
        for (_, search) in &mut *searches {
            let entries = &self.shards[search.shard as usize].entries;
            while search.entry != EMPTY && search.entry & !NUMBER != search.tag {
                search.at = if search.at + 1 == entries.len() { 0 } else { search.at + 1 };
                search.entry = entries[search.at];
            }
        }
        for (_, search) in searches {
            if search.entry != EMPTY {
                search.read = self.key(search.entry & NUMBER);
            }
        }
    }

    /// Ends it: as [`Interner::intern`].
    #[inline]
    pub(super) fn settle(&mut self, search: &Ahead) -> Option<(u32, bool)> {
        if search.read == search.key { Some((search.entry & NUMBER, false)) } else { self.intern(search.key) }
    }

    fn append(&mut self, key: u64) {
        if self.len.is_multiple_of(CHUNK) {
            // Seven bytes more, so that a whole word can be read everywhere.
            self.chunks.push(vec![0; CHUNK * self.width + 8].into());
        }
        let at = self.len % CHUNK * self.width;
        let chunk = self.chunks.last_mut().expect("it was opened");
        chunk[at..at + self.width].copy_from_slice(&key.to_le_bytes()[..self.width]);
        self.len += 1;
    }

    fn grow(&mut self, shard: usize) {
        let old = std::mem::take(&mut self.shards[shard].entries);
        let capacity = match old.len() {
            // Spread between 8 and 12.
            0 => 8 + shard * 4 / SHARDS,
            // In small steps the spread would be lost to rounding.
            len if len < 4096 => len + len / 2 + shard % 7,
            len => len + len / 2,
        };
        self.shards[shard].entries = vec![EMPTY; capacity].into();
        // All keys are read before anything hangs on one of them: memory is waited for once for many.
        let rest = old.iter().filter(|&&entry| entry != EMPTY).map(|&entry| (entry, hash(self.key(entry & NUMBER))));
        let rest: Vec<(u32, u64)> = rest.collect();
        for (entry, hash) in rest {
            let shard = &mut self.shards[shard];
            let mut at = shard.start(hash);
            while shard.entries[at] != EMPTY {
                at = if at + 1 == capacity { 0 } else { at + 1 };
            }
            shard.entries[at] = entry;
        }
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let index: usize = self.shards.iter().map(|shard| shard.entries.len() * 4).sum();
        index + self.chunks.len() * (CHUNK * self.width + 8)
    }

    /// About the bytes that the next few thousand keys may take beyond that.
    pub(super) fn growth_bytes(&self) -> usize {
        let largest = self.shards.iter().map(|shard| shard.entries.len()).max().unwrap_or(0);
        4 * (largest + largest / 2) * 4 + (CHUNK * self.width + 8) * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn keys_are_numbered_in_order() {
        for width in [0, 1, 3, 5, 8] {
            let mut interner = Interner::new(width);
            let mut known: BTreeMap<u64, u32> = BTreeMap::new();
            let mut random = 1_u64;
            for _ in 0..100_000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let key = ((random >> 20) % 60_000 * 0x1_0001_0001) & interner.mask;
                let next = u32::try_from(known.len()).unwrap();
                let expected = *known.entry(key).or_insert(next);
                assert_eq!(interner.intern(key), Some((expected, expected == next)));
            }
            assert_eq!(interner.len(), known.len());
            for (&key, &number) in &known {
                assert_eq!(interner.key(number), key);
            }
        }
    }
}
