//! The clause arena: every clause in one vector, a header of six words and then its literals.
//!
//! Propagation reads a clause's length, saved position and first literals together, so they lie together. Deleted
//! clauses stay until `compact`, which moves the others and tells where they went.

use crate::lit::Lit;
use crate::proof::ClauseId;

/// Where a clause lies in the arena. Valid until the next `compact`.
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
const LENGTH: usize = 0;
const FLAGS: usize = 1;
const ACTIVITY: usize = 2;
/// Where the last search for a replacement watch ended (Gent 2013): without it, a clause of 10^5 literals that are refuted
/// one after the other costs quadratic time.
const POSITION: usize = 3;
const ID: usize = 4;
const HEADER: usize = 6;

// Bits of the flags; the glue lies above them.
const LEARNT: u32 = 1;
const GARBAGE: u32 = 2;
const USED: u32 = 4;
const GLUE_SHIFT: u32 = 3;

#[derive(Default)]
pub(crate) struct Clauses {
    words: Vec<u32>,
    garbage_words: usize,
}

/// A clause opened for propagation.
pub(crate) struct Open<'a> {
    position: &'a mut u32,
    literals: &'a mut [u32],
}

impl Open<'_> {
    pub(crate) fn len(&self) -> usize {
        self.literals.len()
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
        let found = self.literals[start..].iter().position(|&word| wanted(Lit(word))).map(|at| start + at);
        let found = found
            .or_else(|| self.literals[2..start.max(2)].iter().position(|&word| wanted(Lit(word))).map(|at| 2 + at))?;
        *self.position = found as u32;
        Some(found)
    }
}

impl Clauses {
    pub(crate) fn add(&mut self, literals: &[Lit], id: ClauseId, learnt: bool, glue: u32) -> ClauseRef {
        let at = self.words.len();
        assert!(at + HEADER + literals.len() < ClauseRef::LIMIT, "the clause arena is full (8 GB)");
        let flags = if learnt { LEARNT | USED } else { 0 } | glue.min(u32::MAX >> GLUE_SHIFT) << GLUE_SHIFT;
        self.words.extend([literals.len() as u32, flags, 0, 2, id.0 as u32, (id.0 >> 32) as u32]);
        self.words.extend(literals.iter().map(|lit| lit.0));
        ClauseRef(at as u32)
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
        let start = clause.0 as usize + HEADER;
        self.words.swap(start + i, start + j);
    }

    pub(crate) fn open(&mut self, clause: ClauseRef) -> Open<'_> {
        let (header, rest) = self.words[clause.0 as usize..].split_at_mut(HEADER);
        Open { literals: &mut rest[..header[LENGTH] as usize], position: &mut header[POSITION] }
    }

    pub(crate) fn id(&self, clause: ClauseRef) -> ClauseId {
        ClauseId(u64::from(self.word(clause, ID)) | u64::from(self.word(clause, ID + 1)) << 32)
    }

    pub(crate) fn is_learnt(&self, clause: ClauseRef) -> bool {
        self.word(clause, FLAGS) & LEARNT != 0
    }

    pub(crate) fn is_garbage(&self, clause: ClauseRef) -> bool {
        self.word(clause, FLAGS) & GARBAGE != 0
    }

    pub(crate) fn set_garbage(&mut self, clause: ClauseRef) {
        debug_assert!(!self.is_garbage(clause));
        self.garbage_words += HEADER + self.len(clause);
        *self.word_mut(clause, FLAGS) |= GARBAGE;
    }

    pub(crate) fn glue(&self, clause: ClauseRef) -> u32 {
        self.word(clause, FLAGS) >> GLUE_SHIFT
    }

    /// Was it in a conflict since `forget_use`?
    pub(crate) fn is_used(&self, clause: ClauseRef) -> bool {
        self.word(clause, FLAGS) & USED != 0
    }

    pub(crate) fn forget_use(&mut self, clause: ClauseRef) {
        *self.word_mut(clause, FLAGS) &= !USED;
    }

    /// Notes that the clause was in a conflict, and its glue if that is better than before.
    pub(crate) fn use_again(&mut self, clause: ClauseRef, glue: u32) {
        let glue = glue.min(self.glue(clause));
        let flags = self.word_mut(clause, FLAGS);
        *flags = *flags & (LEARNT | GARBAGE) | USED | glue << GLUE_SHIFT;
    }

    pub(crate) fn activity(&self, clause: ClauseRef) -> f32 {
        f32::from_bits(self.word(clause, ACTIVITY))
    }

    pub(crate) fn set_activity(&mut self, clause: ClauseRef, activity: f32) {
        *self.word_mut(clause, ACTIVITY) = activity.to_bits();
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

    pub(crate) fn is_wasteful(&self) -> bool {
        self.garbage_words > self.words.len() / 4
    }

    /// Drops the garbage. References must then go through the answer.
    pub(crate) fn compact(&mut self) -> Moved {
        let mut words = Vec::with_capacity(self.words.len() - self.garbage_words);
        let mut moved = Vec::new();
        for clause in self.iter() {
            moved.push((clause, ClauseRef(words.len() as u32)));
            let start = clause.0 as usize;
            words.extend_from_slice(&self.words[start..start + HEADER + self.len(clause)]);
        }
        let mut forward = std::mem::replace(&mut self.words, words);
        for (old, new) in moved {
            forward[old.0 as usize + ID] = new.0;
        }
        self.garbage_words = 0;
        Moved { forward }
    }
}

/// Where the clauses went. Asking for a deleted clause is an error of the caller.
pub(crate) struct Moved {
    forward: Vec<u32>,
}

impl Moved {
    pub(crate) fn to(&self, old: ClauseRef) -> ClauseRef {
        debug_assert!(self.forward[old.0 as usize + FLAGS] & GARBAGE == 0);
        ClauseRef(self.forward[old.0 as usize + ID])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lits(numbers: &[i32]) -> Vec<Lit> {
        numbers.iter().map(|&n| Lit::from_dimacs(n)).collect()
    }

    #[test]
    fn compaction_keeps_the_living() {
        let mut clauses = Clauses::default();
        let a = clauses.add(&lits(&[1, 2]), ClauseId(1), false, 0);
        let b = clauses.add(&lits(&[3, -4, 5]), ClauseId(1 << 40), true, 3);
        clauses.set_activity(b, 2.5);
        clauses.set_garbage(a);
        let moved = clauses.compact();
        let b = moved.to(b);
        assert_eq!(clauses.lits(b).collect::<Vec<_>>(), lits(&[3, -4, 5]));
        assert_eq!((clauses.id(b), clauses.glue(b), clauses.activity(b)), (ClauseId(1 << 40), 3, 2.5));
        assert!(clauses.is_learnt(b) && clauses.is_used(b));
        assert_eq!(clauses.iter().collect::<Vec<_>>(), [b]);
    }

    #[test]
    fn the_search_for_a_watch_goes_on_where_it_ended_and_wraps() {
        let mut clauses = Clauses::default();
        let c = clauses.add(&lits(&[1, 2, 3, 4, 5]), ClauseId(1), false, 0);
        let mut open = clauses.open(c);
        assert_eq!(open.find(|lit| lit.to_dimacs() >= 4), Some(3));
        assert_eq!(open.find(|lit| lit.to_dimacs() >= 3), Some(3));
        assert_eq!(open.find(|lit| lit.to_dimacs() == 3), Some(2));
        assert_eq!(open.find(|lit| lit.to_dimacs() == 1), None);
    }
}
