//! Alphabets: the classes of positions that a formula distinguishes, and sets of classes.
//!
//! A position of a run of a reactive program has exactly one letter. Letters that a formula does not name are
//! distinguished only by their kind. So the alphabet of a formula has a class for each letter that it names, one class
//! for all other inputs, and one for all other outputs.
//!
//! At a position of a run of a behavioral program several letters may hold. The alphabet has a class for each
//! combination of truths that some step of the explored graph has ([`crate::program`]).

use model::{Letter, Ltl};

/// A class of letters; see [`Alphabet`].
pub(crate) type Class = usize;

/// The classes of positions that a formula distinguishes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Alphabet {
    count: usize,
    /// For reactive programs: the letters that the formula names, ascending (inputs first). Class k is the k-th of
    /// these letters. `None` for behavioral programs.
    named: Option<Vec<Letter>>,
}

impl Alphabet {
    /// Returns the alphabet of a formula about a reactive program.
    pub(crate) fn of(formula: &Ltl) -> Self {
        let mut named: Vec<Letter> = formula.letters().collect();
        named.sort_unstable();
        named.dedup();
        Self { count: named.len() + 2, named: Some(named) }
    }

    /// Returns an alphabet with `count` classes that may follow each other in any order.
    pub(crate) fn plain(count: usize) -> Self {
        Self { count, named: None }
    }

    /// Returns the number of classes.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Returns the class of a letter of a reactive program.
    pub(crate) fn class(&self, letter: Letter) -> Class {
        let named = self.named.as_deref().unwrap_or(&[]);
        match (named.binary_search(&letter), letter) {
            (Ok(class), _) => class,
            (Err(_), Letter::Input(_)) => named.len(),
            (Err(_), _) => named.len() + 1,
        }
    }

    /// Returns true if the letters of this class are inputs. Without kinds of letters, all count as inputs, because an
    /// input may follow any letter.
    pub(crate) fn is_input(&self, class: Class) -> bool {
        let Some(named) = &self.named else { return true };
        named.get(class).map_or(class == named.len(), |letter| matches!(letter, Letter::Input(_)))
    }

    /// Returns the set of no class.
    pub(crate) fn none(&self) -> Letters {
        Letters { count: self.count, words: vec![0; self.count.div_ceil(Letters::WORD)].into() }
    }

    /// Returns the set of all classes.
    pub(crate) fn all(&self) -> Letters {
        self.none().complement()
    }

    /// Returns the set of one class.
    pub(crate) fn one(&self, class: Class) -> Letters {
        let mut set = self.none();
        set.insert(class);
        set
    }
}

/// A set of classes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Letters {
    count: usize,
    words: Box<[u64]>,
}

impl Letters {
    const WORD: usize = u64::BITS as usize;

    pub(crate) fn insert(&mut self, class: Class) {
        debug_assert!(class < self.count);
        self.words[class / Self::WORD] |= 1 << (class % Self::WORD);
    }

    pub(crate) fn contains(&self, class: Class) -> bool {
        self.words[class / Self::WORD] >> (class % Self::WORD) & 1 == 1
    }

    pub(crate) fn is_none(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn is_all(&self) -> bool {
        self.words.iter().map(|word| word.count_ones() as usize).sum::<usize>() == self.count
    }

    /// Returns true if the set has no class, or all.
    pub(crate) fn is_constant(&self) -> bool {
        self.is_none() || self.is_all()
    }

    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    pub(crate) fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
    }

    pub(crate) fn join(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    pub(crate) fn complement(&self) -> Self {
        let mut words: Box<[u64]> = self.words.iter().map(|word| !word).collect();
        if let (Some(last), used @ 1..) = (words.last_mut(), self.count % Self::WORD) {
            *last &= u64::MAX >> (Self::WORD - used);
        }
        Self { count: self.count, words }
    }
}
