//! The rows of a set of valuations: packed into words, sorted, and looked up in a hash table of row numbers.
//!
//! Slots with few values come first in the order, so that neighbours agree on most of them. For each slot, the
//! words of a row store the position of the value among the values that occur. If more than [`FEW`] values
//! occur, the words store the distance of the value from the least value instead.

use super::slots::Slots;
use crate::keys::Key;
use crate::{Check, Refusal, reject};
use kernel::Work;
use kernel::keys::mixed;
use model::StateSet;
use std::hint::black_box;
use std::ops::ControlFlow;

/// Largest number of values of a slot that are listed.
const FEW: usize = 64;
/// The highest bit of the first word. It is set in every row.
const TAKEN: u64 = 1 << 63;
/// Number of bits of a word that fields may use.
const USED: u32 = 63;
/// Largest number of rows that are looked up at once.
pub(crate) const BATCH: usize = 64;
const NONE: u32 = u32::MAX;

/// The values that occur in a slot.
#[derive(Clone)]
struct Occurring {
    lo: i32,
    hi: i32,
    /// The values, ascending. `None` if they are more than [`FEW`].
    few: Option<Vec<i32>>,
    last: i32,
}

impl Occurring {
    fn add(&mut self, value: i32) {
        if value == self.last && self.lo <= self.hi {
            return;
        }
        self.last = value;
        self.lo = self.lo.min(value);
        self.hi = self.hi.max(value);
        if let Some(few) = &mut self.few
            && let Err(at) = few.binary_search(&value)
        {
            few.insert(at, value);
            if few.len() > FEW {
                self.few = None;
            }
        }
    }

    /// Number of values that the field must distinguish.
    fn size(&self) -> u64 {
        match &self.few {
            Some(few) => few.len() as u64,
            None => i64::from(self.hi).abs_diff(i64::from(self.lo)) + 1,
        }
    }
}

/// The position of a slot in the words of a row.
#[derive(Clone)]
struct Field {
    pub word: usize,
    pub shift: u32,
    mask: u64,
    occurring: Occurring,
}

impl Field {
    fn code(&self, value: i32) -> Option<u64> {
        match &self.occurring.few {
            Some(few) => few.binary_search(&value).ok().map(|at| at as u64),
            None if (self.occurring.lo..=self.occurring.hi).contains(&value) => {
                Some(value.abs_diff(self.occurring.lo).into())
            }
            None => None,
        }
    }

    fn value(&self, words: &[u64]) -> i32 {
        let code = words[self.word] >> self.shift & self.mask;
        match &self.occurring.few {
            Some(few) => few[code as usize],
            None => self.occurring.lo.wrapping_add(code as i32),
        }
    }
}

/// How rows are packed into words.
pub(crate) struct Packing {
    /// For each slot: its field.
    fields: Vec<Field>,
    pub(crate) words: usize,
}

impl Packing {
    fn new(occurring: Vec<Occurring>) -> Self {
        let mut order: Vec<usize> = (0..occurring.len()).collect();
        order.sort_by_key(|&slot| occurring[slot].size());
        let mut fields: Vec<Field> =
            occurring.into_iter().map(|occurring| Field { word: 0, shift: 0, mask: 0, occurring }).collect();
        let (mut word, mut left) = (0, USED);
        for slot in order {
            let field = &mut fields[slot];
            let bits = u64::BITS - field.occurring.size().saturating_sub(1).leading_zeros();
            if bits > left {
                (word, left) = (word + 1, USED);
            }
            left -= bits;
            (field.word, field.shift, field.mask) = (word, left, (1 << bits) - 1);
        }
        Self { fields, words: word + 1 }
    }

    /// Writes the value of a slot into the words of a row that has no value there yet. Returns false if the
    /// value never occurs.
    pub(crate) fn put(&self, words: &mut [u64], slot: usize, value: i32) -> bool {
        let field = &self.fields[slot];
        let code = field.code(value);
        words[field.word] |= code.unwrap_or(0) << field.shift;
        code.is_some()
    }

    pub(crate) fn value(&self, words: &[u64], slot: usize) -> i32 {
        self.fields[slot].value(words)
    }

    /// Returns the words of a row. `None` if a value never occurs in its slot, or if the row has the wrong
    /// length.
    pub(crate) fn pack<K: Key>(&self, row: &[i32]) -> Option<K> {
        let mut key = self.empty::<K>();
        let fits = (0..).zip(row).all(|(slot, &value)| self.put(key.as_mut(), slot, value));
        (row.len() == self.fields.len() && fits).then_some(key)
    }

    /// Returns the words of a row without values.
    pub(crate) fn empty<K: Key>(&self) -> K {
        let mut key = K::zeros(self.words);
        key.as_mut()[0] = TAKEN;
        key
    }

    pub(crate) fn unpack(&self, words: &[u64]) -> Vec<i32> {
        self.fields.iter().map(|field| field.value(words)).collect()
    }
}

/// Reads the set a first time, to determine how its rows are packed.
pub(crate) fn survey(slots: &Slots<'_>, set: &dyn StateSet, work: &mut Work<'_>) -> Check<Packing> {
    let none = Occurring { lo: i32::MAX, hi: i32::MIN, few: Some(Vec::new()), last: 0 };
    let mut occurring = vec![none; slots.slots.len()];
    each(slots, set, work, &mut |row| {
        for (occurring, &value) in occurring.iter_mut().zip(row) {
            occurring.add(value.cast_signed());
        }
        Ok(())
    })?;
    for (slot, occurring) in occurring.iter().enumerate() {
        let ends = [occurring.lo, occurring.hi];
        if !set.is_empty() && ends.iter().any(|&value| slots.meaning(slot, value).is_none()) {
            return reject(format!("`{}` has no such cell", slots.program.name(slots.slots[slot].0)));
        }
    }
    Ok(Packing::new(occurring))
}

fn each(
    slots: &Slots<'_>,
    set: &dyn StateSet,
    work: &mut Work<'_>,
    visit: &mut dyn FnMut(&[u32]) -> Check<()>,
) -> Check<()> {
    let mut result = Ok(());
    let _ = set.for_each(&mut |row| {
        result = match work.spend(1) {
            Ok(()) if row.len() != slots.slots.len() => reject("a row does not have one number for each slot"),
            Ok(()) => visit(row),
            Err(refusal) => Err(refusal),
        };
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    result
}

/// The rows, sorted.
pub(crate) struct Rows<K> {
    pub(crate) packing: Packing,
    pub(crate) keys: Vec<K>,
    /// A hash table of row numbers with linear probing. About two thirds of its entries are taken.
    table: Vec<u32>,
    /// A hash of the set that does not depend on the order of the rows.
    pub(crate) hash: u64,
}

impl<K: Key + Ord> Rows<K> {
    pub(crate) fn read(slots: &Slots<'_>, set: &dyn StateSet, packing: Packing, work: &mut Work<'_>) -> Check<Self> {
        let expected = usize::try_from(set.len()).map_err(|_| Refusal::ResourceLimit)?;
        if expected >= NONE as usize {
            return Err(Refusal::ResourceLimit);
        }
        let outside = if size_of::<K>() < packing.words * 8 { packing.words * 8 + 16 } else { 0 };
        let size = expected + expected / 2 + 1;
        work.grow(expected.saturating_mul(size_of::<K>() + outside).saturating_add(size * 4))?;
        let mut keys: Vec<K> = Vec::new();
        keys.try_reserve_exact(expected).map_err(|_| Refusal::ResourceLimit)?;
        let mut hash = 0u64;
        let mut whole = Vec::new();
        each(slots, set, work, &mut |row| {
            if keys.len() == expected {
                return reject(format!("the set announces {expected} rows and lists more"));
            }
            whole.clear();
            whole.extend(row.iter().map(|&value| value.cast_signed()));
            let Some(key) = packing.pack(&whole) else {
                return reject("the set lists other rows when it is read again");
            };
            keys.push(key);
            hash = hash.wrapping_add(row.iter().fold(0, |hash, &value| mixed(&[hash, value.into()])));
            Ok(())
        })?;
        if keys.len() != expected {
            return reject(format!("the set announces {expected} rows and lists {}", keys.len()));
        }
        work.spend(expected as u64)?;
        keys.sort_unstable();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            let row = slots.describe(&packing.unpack(pair[0].as_ref()));
            return reject(format!("the row {row} is listed twice"));
        }
        let mut rows = Self { packing, keys, table: vec![NONE; size], hash };
        for number in 0..expected {
            work.spend(1)?;
            let mut place = rows.hash_slot(&rows.keys[number]);
            while rows.table[place] != NONE {
                place = rows.after(place);
            }
            rows.table[place] = u32::try_from(number).unwrap_or(NONE);
        }
        Ok(rows)
    }

    pub(crate) fn row(&self, number: usize) -> Vec<i32> {
        self.packing.unpack(self.keys[number].as_ref())
    }

    fn hash_slot(&self, key: &K) -> usize {
        ((u128::from(key.mixed()) * self.table.len() as u128) >> 64) as usize
    }

    fn after(&self, place: usize) -> usize {
        if place + 1 == self.table.len() { 0 } else { place + 1 }
    }

    /// Looks up the numbers of rows, at most [`BATCH`] at once. The inner error is the position of a row that
    /// is not in the set. All first table entries are read before any of them is used, so that the memory
    /// accesses overlap.
    pub(crate) fn find(&self, keys: &[K], numbers: &mut Vec<u32>, work: &mut Work<'_>) -> Check<Result<(), usize>> {
        let mut hash_slots = [0; BATCH];
        let mut near = 0;
        for (hash_slot, key) in hash_slots.iter_mut().zip(keys) {
            *hash_slot = self.hash_slot(key);
            near ^= self.table[*hash_slot];
        }
        for hash_slot in &hash_slots[..keys.len()] {
            near ^= self.keys.get(self.table[*hash_slot] as usize).map_or(0, |key| key.as_ref()[0] as u32);
        }
        black_box(near);
        numbers.clear();
        for (index, (key, mut place)) in keys.iter().zip(hash_slots).enumerate() {
            loop {
                work.spend(1)?;
                let number = self.table[place];
                match self.keys.get(number as usize) {
                    None => return Ok(Err(index)),
                    Some(found) if found == key => break numbers.push(number),
                    Some(_) => place = self.after(place),
                }
            }
        }
        Ok(Ok(()))
    }
}
