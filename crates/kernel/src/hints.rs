//! Derivations with hints, as in LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017).
//!
//! To derive a clause, all of its literals are assumed false. Each hinted clause in turn must have exactly one
//! literal that is not false; that literal is then made true. The last hinted clause must have no such literal.
//!
//! 1. Every model of the hinted clauses satisfies the derived clause. Proof: suppose a model makes all literals
//!    of the derived clause false. Then the literals found must be true in the model, one after the other, and
//!    the last hinted clause is false in it: a contradiction.
//!
//! Checking needs no search: its cost is the total length of the hinted clauses, and no clause has watched
//! literals.
//!
//! The clauses are stored one behind the other in one vector: two words for the number of the clause, one for
//! its length, then its literals. When more than half of the vector belongs to deleted clauses, the live
//! clauses are moved together.

use crate::places::Places;
use crate::work::Work;
use crate::{Check, Refusal, reject};

/// Number of words before the literals of a clause.
const HEADER: usize = 3;

/// The number stored for a deleted clause.
const DEAD: u64 = u64::MAX;

/// The vector is not compacted while at most this many words are dead.
const SMALL: usize = 1 << 12;

/// A set of numbered clauses, to which clauses are added and from which they are deleted.
#[derive(Debug)]
pub struct Hinted {
    words: Vec<u32>,
    dead_words: usize,
    places: Places,
    /// For each literal code: true if the literal is false in the current derivation.
    is_false: Vec<bool>,
    /// The codes of the literals that are false in the current derivation.
    falsified: Vec<u32>,
}

/// Returns the code of a literal: twice its variable, counted from 0, plus one if the literal is negated.
fn code(literal: i32) -> u32 {
    2 * (literal.unsigned_abs() - 1) + u32::from(literal < 0)
}

impl Hinted {
    /// Creates an empty set for literals of the variables 1 to `variables`. The caller must reject all other
    /// literals.
    ///
    /// # Errors
    /// If the memory limit does not allow tables of this size.
    pub fn new(variables: usize, work: &Work<'_>) -> Check<Self> {
        work.grow(2 * variables)?;
        Ok(Self {
            words: Vec::new(),
            dead_words: 0,
            places: Places::default(),
            is_false: vec![false; 2 * variables],
            falsified: Vec::new(),
        })
    }

    /// Returns true if there is a clause with this number.
    #[must_use]
    pub fn has(&self, id: u64) -> bool {
        self.places.get(id).is_some()
    }

    /// Words in use, for live and deleted clauses together.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Adds a clause under a number that no clause has yet.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn add(&mut self, id: u64, clause: &[i32], work: &mut Work<'_>) -> Check<()> {
        debug_assert!(id != DEAD && !self.has(id), "a clause has a number of its own");
        debug_assert!(clause.iter().all(|&l| l != 0 && (code(l) as usize) < self.is_false.len()), "literals are known");
        let size = HEADER + clause.len();
        work.spend(size as u64)?;
        if self.words.len() + size > self.words.capacity() {
            work.grow(2 * size_of::<u32>() * (self.words.capacity() + size) + self.places.growth())?;
        }
        let place =
            u32::try_from(self.words.len()).ok().filter(|place| *place < u32::MAX).ok_or(Refusal::ResourceLimit)?;
        self.words.extend([id as u32, (id >> 32) as u32, clause.len() as u32]);
        self.words.extend(clause.iter().map(|&literal| code(literal)));
        self.places.add(id, place);
        Ok(())
    }

    /// Deletes a clause. Returns false if no clause has this number.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn delete(&mut self, id: u64, work: &mut Work<'_>) -> Check<bool> {
        let Some(place) = self.places.remove(id) else { return Ok(false) };
        let place = place as usize;
        debug_assert_eq!(self.words[place..place + 2], [id as u32, (id >> 32) as u32], "it has this number");
        self.words[place..place + 2].fill(u32::MAX);
        self.dead_words += HEADER + self.words[place + 2] as usize;
        if self.dead_words > SMALL && 2 * self.dead_words > self.words.len() {
            self.collect(work)?;
        }
        Ok(true)
    }

    /// Moves the live clauses together.
    fn collect(&mut self, work: &mut Work<'_>) -> Check<()> {
        work.spend(self.words.len() as u64)?;
        let (mut from, mut to) = (0, 0);
        while from < self.words.len() {
            let id = u64::from(self.words[from]) | u64::from(self.words[from + 1]) << 32;
            let next = from + HEADER + self.words[from + 2] as usize;
            if id != DEAD {
                debug_assert_eq!(self.places.get(id), Some(from as u32), "it lies where it was put");
                self.words.copy_within(from..next, to);
                self.places.set(id, to as u32);
                to += next - from;
            }
            from = next;
        }
        debug_assert!(from == self.words.len() && to + self.dead_words == from, "all the dead are gone, and only they");
        self.words.truncate(to);
        self.dead_words = 0;
        Ok(())
    }

    /// Checks that `clause` follows from the hinted clauses. A tautology needs no hints.
    ///
    /// # Errors
    /// If the hints do not derive the clause, or if a resource limit is exceeded.
    pub fn check(&mut self, clause: &[i32], hints: impl Iterator<Item = u64>, work: &mut Work<'_>) -> Check<()> {
        debug_assert!(self.falsified.is_empty(), "nothing is assumed beforehand");
        work.spend(1 + clause.len() as u64)?;
        let is_tautology = clause.iter().any(|&literal| !self.falsify(code(literal)));
        let result = if is_tautology { Ok(()) } else { self.walk(hints, work) };
        for literal in self.falsified.drain(..) {
            self.is_false[literal as usize] = false;
        }
        result
    }

    /// Makes a literal false. Returns false if its negation is false already.
    fn falsify(&mut self, literal: u32) -> bool {
        if self.is_false[literal as usize ^ 1] {
            return false;
        }
        if !self.is_false[literal as usize] {
            self.is_false[literal as usize] = true;
            self.falsified.push(literal);
        }
        true
    }

    fn walk(&mut self, hints: impl Iterator<Item = u64>, work: &mut Work<'_>) -> Check<()> {
        let mut conflict = false;
        for id in hints {
            if conflict {
                return reject(format!("hint {id} comes after the conflict"));
            }
            let Some(place) = self.places.get(id) else { return reject(format!("hint {id} names no clause")) };
            match self.left(place as usize, work)? {
                Left::Nothing => conflict = true,
                Left::One(literal) => _ = self.falsify(literal ^ 1),
                Left::More => return reject(format!("hint {id} is a clause with more than one literal left")),
            }
        }
        if conflict { Ok(()) } else { reject("its hints do not lead to a conflict") }
    }

    fn left(&self, place: usize, work: &mut Work<'_>) -> Check<Left> {
        let start = place + HEADER;
        let clause = &self.words[start..start + self.words[place + 2] as usize];
        work.spend(1 + clause.len() as u64)?;
        let mut left = Left::Nothing;
        for &literal in clause.iter().filter(|literal| !self.is_false[**literal as usize]) {
            left = match left {
                Left::Nothing => Left::One(literal),
                Left::One(other) if other == literal => left,
                _ => return Ok(Left::More),
            };
        }
        Ok(left)
    }
}

/// The literals of a clause that are not false.
#[derive(Clone, Copy)]
enum Left {
    Nothing,
    /// One literal, which may occur several times.
    One(u32),
    More,
}
