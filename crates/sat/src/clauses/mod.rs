//! The clause arena: one vector of words that contains all clauses. Each clause is a header of five words,
//! followed by its literals. `lists.rs` has lists of the clauses that can be deleted.
//!
//! Propagation reads a clause's length, saved position and first literals together, so they are adjacent.
//! Deleted clauses stay in the arena until a collection copies the others into a new arena (`collect.rs`). Each
//! old copy then contains the position of the new one.
//!
//! Invariants:
//!
//! 1. Headers and literals fill the arena without gaps.
//! 2. `garbage_words` is the number of words in garbage clauses.
//! 3. Every clause that is not garbage and not permanently given is in the list of its kind.
//! 4. The first two literals of a clause of at least two literals are the watched ones (`watches.rs`).

mod check;
mod collect;
mod lists;
mod reference;

pub(crate) use collect::collect;
pub(crate) use reference::{ClauseKind, ClauseRef};

use crate::lit::Lit;
use crate::proof::ClauseId;
use lists::Lists;

// Indices of header words.
const ID: usize = 0;
/// Header word with the index at which the last search for a replacement watch ended (Gent 2013). Without this
/// index, a clause of 10^5 literals that become false one after the other costs quadratic time.
const POSITION: usize = 2;
const FLAGS: usize = 3;
const LENGTH: usize = 4;
const HEADER: usize = 5;

// Flag bits. The bits above the flags contain the number of reductions that the clause still survives (two
// bits), and the glue.
const LEARNT: u32 = 1;
const GARBAGE: u32 = 2;
const TEMPORARY: u32 = 4;
const REMOVABLE: u32 = 8;
const VIVIFIED: u32 = 16;
/// The clause was copied, and its POSITION word contains the new position.
const MOVED: u32 = 32;
const USED_SHIFT: u32 = 6;
const USED: u32 = 3 << USED_SHIFT;
const GLUE_SHIFT: u32 = 8;

impl ClauseKind {
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

/// A mutable view of one clause for propagation.
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

    /// The watched literal other than `lit`.
    pub(crate) fn other_watch(&self, lit: Lit) -> Lit {
        let [first, second, ..] = *self.literals else { unreachable!("unit clauses are not watched") };
        debug_assert!(first == lit.0 || second == lit.0, "a clause is watched by its first two literals");
        Lit(first ^ second ^ lit.0)
    }

    /// Watches `first` and the literal at index `at` instead of `first` and `old`.
    pub(crate) fn watch(&mut self, first: Lit, at: usize, old: Lit) {
        debug_assert!(at >= 2 && self.other_watch(old) == first);
        self.literals[0] = first.0;
        self.literals[1] = self.literals[at];
        self.literals[at] = old.0;
    }

    /// Puts the watched literal `first` in front of the other watched literal.
    pub(crate) fn put_first(&mut self, first: Lit, second: Lit) {
        debug_assert_eq!(self.other_watch(second), first);
        self.literals[0] = first.0;
        self.literals[1] = second.0;
    }

    /// An index of at least 2 with a literal that satisfies `wanted`, or `None`. The search starts where the
    /// last one ended and wraps around.
    #[inline]
    pub(crate) fn find(&mut self, wanted: impl Fn(Lit) -> bool) -> Option<usize> {
        if let [_, _, third] = *self.literals {
            return wanted(Lit(third)).then_some(2);
        }
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
    pub(crate) fn add(&mut self, literals: &[Lit], id: ClauseId, kind: ClauseKind, glue: u32) -> ClauseRef {
        let at = self.words.len();
        assert!(at + HEADER + literals.len() < ClauseRef::LIMIT, "the clause arena is full (8 GB)");
        let used = if kind == ClauseKind::Learnt { 1 << USED_SHIFT } else { 0 };
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

    #[inline]
    pub(crate) fn open(&mut self, clause: ClauseRef) -> Open<'_> {
        let Some((header, rest)) = self.words[clause.0 as usize..].split_first_chunk_mut::<HEADER>() else {
            unreachable!("a clause has a header")
        };
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

    pub(crate) fn kind(&self, clause: ClauseRef) -> ClauseKind {
        match self.word(clause, FLAGS) & (LEARNT | TEMPORARY | REMOVABLE) {
            0 => ClauseKind::Given,
            LEARNT => ClauseKind::Learnt,
            REMOVABLE => ClauseKind::Removable,
            _ => ClauseKind::Temporary,
        }
    }

    /// Makes a learnt clause a given one. Needed if a given clause is deleted or replaced because this clause
    /// exists.
    pub(crate) fn set_given(&mut self, clause: ClauseRef) {
        debug_assert!(matches!(self.kind(clause), ClauseKind::Given | ClauseKind::Learnt));
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

    /// True if vivification has tried the clause since `set_vivified(false)`.
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

    /// The number of reductions that the clause still survives.
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

    /// All clauses that are not garbage, in order of position in the arena.
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

    /// Size of the arena in words.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn garbage_words(&self) -> usize {
        self.garbage_words
    }

    pub(crate) fn is_wasteful(&self) -> bool {
        self.garbage_words > self.words.len() / 4
    }

    /// An empty arena with capacity for all clauses that are not garbage. The caller fills it with `copy_to`.
    fn successor(&self) -> Self {
        debug_assert!(self.garbage_words <= self.words.len());
        let words = Vec::with_capacity(self.words.len() - self.garbage_words);
        Self { words, garbage_words: 0, lists: Lists::default() }
    }

    /// Copies a clause unless it was copied before. Returns its new position.
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

    /// The new position of a copied clause.
    fn moved(&self, clause: ClauseRef) -> ClauseRef {
        debug_assert!(self.has(clause, MOVED));
        ClauseRef(self.word(clause, POSITION))
    }
}

impl Clauses {
    /// The learnt clauses, oldest first. Some may be garbage, or given clauses by now.
    pub(crate) fn learnt(&self) -> &[ClauseRef] {
        &self.lists.learnt
    }

    /// Takes the list of temporary clauses. Some may be garbage.
    pub(crate) fn take_temporary(&mut self) -> Vec<ClauseRef> {
        std::mem::take(&mut self.lists.temporary)
    }

    /// Takes a removable clause out of its list, if it is still there.
    pub(crate) fn take_removable(&mut self, id: ClauseId) -> Option<ClauseRef> {
        self.lists.removable.remove(&id)
    }

    /// Adds a clause that was added between queries and is false to the list of pending clauses. The next query
    /// handles it.
    pub(crate) fn defer(&mut self, clause: ClauseRef) {
        debug_assert!(!self.is_garbage(clause));
        self.lists.pending.push(clause);
    }

    /// Takes the list of pending clauses. Some of them may be garbage.
    pub(crate) fn take_pending(&mut self) -> Vec<ClauseRef> {
        std::mem::take(&mut self.lists.pending)
    }

    /// Removes garbage from the lists, and given clauses from the list of learnt ones.
    pub(super) fn retain(&mut self) {
        let mut lists = std::mem::take(&mut self.lists);
        let lives = |clause: &ClauseRef| !self.is_garbage(*clause);
        lists.learnt.retain(|clause| lives(clause) && self.kind(*clause) == ClauseKind::Learnt);
        lists.temporary.retain(lives);
        lists.pending.retain(lives);
        lists.removable.retain(|_, clause| lives(clause));
        self.lists = lists;
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
        let a = old.add(&lits(&[1, 2]), ClauseId(1), ClauseKind::Given, 0);
        let b = old.add(&lits(&[3, -4, 5]), ClauseId(1 << 40), ClauseKind::Learnt, 3);
        old.set_garbage(a);
        let mut new = old.successor();
        let moved = old.copy_to(&mut new, b);
        assert_eq!((old.copy_to(&mut new, b), old.moved(b)), (moved, moved));
        assert_eq!(new.lits(moved).collect::<Vec<_>>(), lits(&[3, -4, 5]));
        assert_eq!((new.id(moved), new.glue(moved), new.used(moved)), (ClauseId(1 << 40), 3, 1));
        assert_eq!(new.kind(moved), ClauseKind::Learnt);
        assert_eq!(new.iter().collect::<Vec<_>>(), [moved]);
    }

    #[test]
    fn the_search_for_a_watch_goes_on_where_it_ended_and_wraps() {
        let mut clauses = Clauses::default();
        let c = clauses.add(&lits(&[1, 2, 3, 4, 5]), ClauseId(1), ClauseKind::Given, 0);
        let mut open = clauses.open(c);
        assert_eq!(open.find(|lit| lit.to_dimacs() >= 4), Some(3));
        assert_eq!(open.find(|lit| lit.to_dimacs() >= 3), Some(3));
        assert_eq!(open.find(|lit| lit.to_dimacs() == 3), Some(2));
        assert_eq!(open.find(|lit| lit.to_dimacs() == 1), None);
    }
}
