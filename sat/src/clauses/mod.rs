//! The clauses: an arena with all of them in one vector of words, a header of five and then its literals; and lists of
//! those that come and go (`lists.rs`).
//!
//! Propagation reads a clause's length, saved position and first literals together, so they lie together. Deleted
//! clauses stay until a collection, which copies the others into a new arena (`collect.rs`) and leaves behind where
//! they went.
//!
//! Invariants: headers and literals fill the arena without gaps; `garbage_words` counts what garbage takes; every
//! clause that is not garbage and not given for good is in the list of its kind; the first two literals of a clause of
//! two and more are the watched ones (`watches.rs`).

mod check;
mod collect;
mod lists;

pub(crate) use collect::collect;

use crate::lit::Lit;
use crate::proof::ClauseId;
use lists::Lists;

/// Where a clause lies in the arena. Valid until the next collection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ClauseRef(u32);

impl ClauseRef {
    /// The arena holds fewer than 2^31 words, so that a watch has a bit to spare.
    const LIMIT: usize = 1 << 31;

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

// Header words.
const ID: usize = 0;
/// Where the last search for a replacement watch ended (Gent 2013): without it, a clause of 10^5 literals that are
/// refuted one after the other costs quadratic time.
const POSITION: usize = 2;
const FLAGS: usize = 3;
const LENGTH: usize = 4;
const HEADER: usize = 5;

// Bits of the flags; above them how often the clause may still be passed over by reduction (two bits), then the glue.
const LEARNT: u32 = 1;
const GARBAGE: u32 = 2;
const TEMPORARY: u32 = 4;
const REMOVABLE: u32 = 8;
const VIVIFIED: u32 = 16;
/// The clause was copied; its new place stands where its position was.
const MOVED: u32 = 32;
const USED_SHIFT: u32 = 6;
const USED: u32 = 3 << USED_SHIFT;
const GLUE_SHIFT: u32 = 8;

/// What kind of clause it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Given from outside, for good.
    Given,
    /// Given from outside, until it is removed.
    Removable,
    /// Follows from others: may be forgotten.
    Learnt,
    /// Given or learnt for the next queries only.
    Temporary,
}

impl Kind {
    fn bits(self) -> u32 {
        match self {
            Self::Given => 0,
            Self::Removable => REMOVABLE,
            Self::Learnt => LEARNT,
            Self::Temporary => TEMPORARY,
        }
    }
}

#[derive(Default)]
pub(crate) struct Clauses {
    words: Vec<u32>,
    garbage_words: usize,
    lists: Lists,
}

/// A clause opened for propagation.
pub(crate) struct Open<'a> {
    position: &'a mut u32,
    is_garbage: bool,
    literals: &'a mut [u32],
}

impl Open<'_> {
    pub(crate) fn len(&self) -> usize {
        self.literals.len()
    }

    pub(crate) fn is_garbage(&self) -> bool {
        self.is_garbage
    }

    pub(crate) fn lit(&self, at: usize) -> Lit {
        Lit(self.literals[at])
    }

    pub(crate) fn swap(&mut self, i: usize, j: usize) {
        self.literals.swap(i, j);
    }

    /// First place from 2 on, beginning where the last search ended, that satisfies `wanted`.
    pub(crate) fn find(&mut self, wanted: impl Fn(Lit) -> bool) -> Option<usize> {
        let start = (*self.position as usize).min(self.literals.len());
        let (before, after) = self.literals.split_at(start);
        let found = match after.iter().position(|&word| wanted(Lit(word))) {
            Some(at) => start + at,
            None => 2 + before.get(2..)?.iter().position(|&word| wanted(Lit(word)))?,
        };
        *self.position = found as u32;
        Some(found)
    }
}

impl Clauses {
    /// Stores a clause, and lists it by its kind.
    pub(crate) fn add(&mut self, literals: &[Lit], id: ClauseId, kind: Kind, glue: u32) -> ClauseRef {
        let at = self.words.len();
        assert!(at + HEADER + literals.len() < ClauseRef::LIMIT, "the clause arena is full (8 GB)");
        let used = if kind == Kind::Learnt { 1 << USED_SHIFT } else { 0 };
        let flags = kind.bits() | used | glue.min(u32::MAX >> GLUE_SHIFT) << GLUE_SHIFT;
        self.words.extend([id.0 as u32, (id.0 >> 32) as u32, 2, flags, literals.len() as u32]);
        self.words.extend(literals.iter().map(|lit| lit.0));
        let clause = ClauseRef(at as u32);
        self.lists.enter(clause, id, kind);
        clause
    }

    fn word(&self, clause: ClauseRef, at: usize) -> u32 {
        self.words[clause.0 as usize + at]
    }

    fn word_mut(&mut self, clause: ClauseRef, at: usize) -> &mut u32 {
        &mut self.words[clause.0 as usize + at]
    }

    pub(crate) fn len(&self, clause: ClauseRef) -> usize {
        self.word(clause, LENGTH) as usize
    }

    pub(crate) fn lit(&self, clause: ClauseRef, at: usize) -> Lit {
        debug_assert!(at < self.len(clause));
        Lit(self.word(clause, HEADER + at))
    }

    pub(crate) fn lits(&self, clause: ClauseRef) -> impl ExactSizeIterator<Item = Lit> + '_ {
        let start = clause.0 as usize + HEADER;
        self.words[start..start + self.len(clause)].iter().map(|&word| Lit(word))
    }

    pub(crate) fn swap(&mut self, clause: ClauseRef, i: usize, j: usize) {
        debug_assert!(i < self.len(clause) && j < self.len(clause));
        let start = clause.0 as usize + HEADER;
        self.words.swap(start + i, start + j);
    }

    pub(crate) fn open(&mut self, clause: ClauseRef) -> Open<'_> {
        let (header, rest) = self.words[clause.0 as usize..].split_at_mut(HEADER);
        Open {
            literals: &mut rest[..header[LENGTH] as usize],
            is_garbage: header[FLAGS] & GARBAGE != 0,
            position: &mut header[POSITION],
        }
    }

    pub(crate) fn id(&self, clause: ClauseRef) -> ClauseId {
        ClauseId(u64::from(self.word(clause, ID)) | u64::from(self.word(clause, ID + 1)) << 32)
    }

    fn has(&self, clause: ClauseRef, flag: u32) -> bool {
        self.word(clause, FLAGS) & flag != 0
    }

    pub(crate) fn kind(&self, clause: ClauseRef) -> Kind {
        match self.word(clause, FLAGS) & (LEARNT | TEMPORARY | REMOVABLE) {
            0 => Kind::Given,
            LEARNT => Kind::Learnt,
            REMOVABLE => Kind::Removable,
            _ => Kind::Temporary,
        }
    }

    /// Something given now leans on it.
    pub(crate) fn set_given(&mut self, clause: ClauseRef) {
        debug_assert!(matches!(self.kind(clause), Kind::Given | Kind::Learnt));
        debug_assert!(!self.is_garbage(clause));
        *self.word_mut(clause, FLAGS) &= !(LEARNT | USED);
    }

    pub(crate) fn is_garbage(&self, clause: ClauseRef) -> bool {
        self.has(clause, GARBAGE)
    }

    pub(crate) fn set_garbage(&mut self, clause: ClauseRef) {
        debug_assert!(!self.is_garbage(clause));
        self.garbage_words += HEADER + self.len(clause);
        *self.word_mut(clause, FLAGS) |= GARBAGE;
    }

    /// Has vivification tried it since `set_vivified(false)`?
    pub(crate) fn is_vivified(&self, clause: ClauseRef) -> bool {
        self.has(clause, VIVIFIED)
    }

    pub(crate) fn set_vivified(&mut self, clause: ClauseRef, is: bool) {
        let flags = self.word_mut(clause, FLAGS);
        *flags = if is { *flags | VIVIFIED } else { *flags & !VIVIFIED };
    }

    pub(crate) fn glue(&self, clause: ClauseRef) -> u32 {
        self.word(clause, FLAGS) >> GLUE_SHIFT
    }

    /// How often reduction passes the clause over.
    pub(crate) fn used(&self, clause: ClauseRef) -> u32 {
        (self.word(clause, FLAGS) & USED) >> USED_SHIFT
    }

    pub(crate) fn set_used(&mut self, clause: ClauseRef, used: u32) {
        debug_assert!(used < 4);
        let flags = self.word_mut(clause, FLAGS);
        *flags = *flags & !USED | used << USED_SHIFT;
    }

    pub(crate) fn set_glue(&mut self, clause: ClauseRef, glue: u32) {
        let flags = self.word_mut(clause, FLAGS);
        *flags = *flags & !(u32::MAX << GLUE_SHIFT) | glue.min(u32::MAX >> GLUE_SHIFT) << GLUE_SHIFT;
    }

    /// All clauses that are not garbage, in order of creation.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ClauseRef> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            (next < self.words.len()).then(|| {
                let clause = ClauseRef(next as u32);
                next += HEADER + self.len(clause);
                clause
            })
        })
        .filter(|&clause| !self.is_garbage(clause))
    }

    /// Size of the arena.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn garbage_words(&self) -> usize {
        self.garbage_words
    }

    pub(crate) fn is_wasteful(&self) -> bool {
        self.garbage_words > self.words.len() / 4
    }

    /// An arena with room for what is not garbage here. To be filled by `copy_to`.
    fn successor(&self) -> Self {
        debug_assert!(self.garbage_words <= self.words.len());
        let words = Vec::with_capacity(self.words.len() - self.garbage_words);
        Self { words, garbage_words: 0, lists: Lists::default() }
    }

    /// Copies a clause, once: answers where it is now.
    fn copy_to(&mut self, new: &mut Self, clause: ClauseRef) -> ClauseRef {
        debug_assert!(!self.is_garbage(clause));
        if self.has(clause, MOVED) {
            return ClauseRef(self.word(clause, POSITION));
        }
        let start = clause.0 as usize;
        let moved = ClauseRef(new.words.len() as u32);
        new.words.extend_from_slice(&self.words[start..start + HEADER + self.len(clause)]);
        *self.word_mut(clause, FLAGS) |= MOVED;
        *self.word_mut(clause, POSITION) = moved.0;
        moved
    }

    /// Where a copied clause is now.
    fn moved(&self, clause: ClauseRef) -> ClauseRef {
        debug_assert!(self.has(clause, MOVED));
        ClauseRef(self.word(clause, POSITION))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lits(numbers: &[i32]) -> Vec<Lit> {
        numbers.iter().map(|&n| Lit::from_dimacs(n)).collect()
    }

    #[test]
    fn copying_keeps_everything_but_the_place() {
        let mut old = Clauses::default();
        let a = old.add(&lits(&[1, 2]), ClauseId(1), Kind::Given, 0);
        let b = old.add(&lits(&[3, -4, 5]), ClauseId(1 << 40), Kind::Learnt, 3);
        old.set_garbage(a);
        let mut new = old.successor();
        let moved = old.copy_to(&mut new, b);
        assert_eq!((old.copy_to(&mut new, b), old.moved(b)), (moved, moved));
        assert_eq!(new.lits(moved).collect::<Vec<_>>(), lits(&[3, -4, 5]));
        assert_eq!((new.id(moved), new.glue(moved), new.used(moved)), (ClauseId(1 << 40), 3, 1));
        assert_eq!(new.kind(moved), Kind::Learnt);
        assert_eq!(new.iter().collect::<Vec<_>>(), [moved]);
    }

    #[test]
    fn the_search_for_a_watch_goes_on_where_it_ended_and_wraps() {
        let mut clauses = Clauses::default();
        let c = clauses.add(&lits(&[1, 2, 3, 4, 5]), ClauseId(1), Kind::Given, 0);
        let mut open = clauses.open(c);
        assert_eq!(open.find(|lit| lit.to_dimacs() >= 4), Some(3));
        assert_eq!(open.find(|lit| lit.to_dimacs() >= 3), Some(3));
        assert_eq!(open.find(|lit| lit.to_dimacs() == 3), Some(2));
        assert_eq!(open.find(|lit| lit.to_dimacs() == 1), None);
    }
}
