//! Frames: vectors that are known not to be covered within a number of steps.
//!
//! Frame i consists of the markings that no lemma of level i or more blocks. It contains all markings reachable
//! in at most i steps (Bradley 2011; for well-structured systems Kloos, Majumdar, Niksic, Piskac 2013). Each
//! lemma is stored once, at the highest level where it is known to hold (delta encoding). Frames do not depend
//! on a goal, so lemmas learnt for one goal serve the next.
//!
//! Each lemma is in the list of one of its places. A query scans only the lists of its own places, from the
//! highest level down to the level of the query. A signature of 128 bits rules out nearly all lemmas that the
//! queried vector does not cover.

use crate::coverability::vector::{Dense, Vector, signature};
use std::cell::Cell;

/// The level of lemmas that hold in every reachable marking.
pub(crate) const FOREVER: u32 = u32::MAX;

/// A vector that is never covered within `level` steps.
#[derive(Debug)]
pub(crate) struct Lemma {
    pub(crate) vector: Vector,
    /// 0 if the lemma has been removed.
    pub(crate) level: u32,
    /// The place with the list that contains the lemma.
    list_number: u32,
    /// The predecessor that kept the lemma from holding one level higher.
    pub(crate) witness: Option<Vector>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    signature: u128,
    level: u32,
    lemma: u32,
}

#[derive(Debug)]
pub(crate) struct Frames {
    lemmas: Vec<Lemma>,
    unused: Vec<u32>,
    /// For each place, its list of lemmas, highest levels first.
    lists: Vec<Vec<Entry>>,
    queries: Cell<u64>,
    scanned: Cell<u64>,
}

impl Frames {
    pub(crate) fn new(places: usize) -> Self {
        let lists = vec![Vec::new(); places];
        Self { lemmas: Vec::new(), unused: Vec::new(), lists, queries: Cell::new(0), scanned: Cell::new(0) }
    }

    /// Adds the lemma that `vector`, which is not empty, is not covered within `level` steps.
    pub(crate) fn add(&mut self, vector: Vector, level: u32) -> u32 {
        debug_assert!(level > 0, "level 0 is the initial set");
        debug_assert!(vector.is_sorted() && vector.iter().all(|e| e.1 > 0));
        let shortest = vector.iter().map(|e| e.0).min_by_key(|p| self.lists[*p as usize].len());
        let list_number = shortest.expect("the empty vector is covered at once");
        let signature = signature(&vector);
        let lemma = Lemma { vector, level, list_number, witness: None };
        let id = match self.unused.pop() {
            Some(id) => {
                self.lemmas[id as usize] = lemma;
                id
            }
            None => {
                self.lemmas.push(lemma);
                u32::try_from(self.lemmas.len() - 1).expect("memory ends before 2^32 lemmas")
            }
        };
        self.enter(list_number, Entry { signature, level, lemma: id });
        id
    }

    fn enter(&mut self, list_number: u32, entry: Entry) {
        let list = &mut self.lists[list_number as usize];
        let at = list.partition_point(|e| e.level >= entry.level);
        list.insert(at, entry);
    }

    fn entry(&mut self, id: u32) -> (&mut Vec<Entry>, usize) {
        let list = &mut self.lists[self.lemmas[id as usize].list_number as usize];
        let at = list.iter().position(|e| e.lemma == id).expect("a lemma is in the list of its home");
        (list, at)
    }

    pub(crate) fn raise(&mut self, id: u32, level: u32) {
        debug_assert!((1..=level).contains(&self.lemmas[id as usize].level), "what holds longer holds");
        let (list, at) = self.entry(id);
        let entry = list.remove(at);
        let list_number = self.lemmas[id as usize].list_number;
        self.enter(list_number, Entry { level, ..entry });
        let lemma = &mut self.lemmas[id as usize];
        lemma.level = level;
        lemma.witness = None;
    }

    pub(crate) fn remove(&mut self, id: u32) {
        debug_assert!(self.lemmas[id as usize].level > 0, "it is there");
        let (list, at) = self.entry(id);
        list.remove(at);
        let lemma = &mut self.lemmas[id as usize];
        (lemma.level, lemma.vector, lemma.witness) = (0, Box::default(), None);
        self.unused.push(id);
    }

    pub(crate) fn lemma(&self, id: u32) -> &Lemma {
        &self.lemmas[id as usize]
    }

    pub(crate) fn set_witness(&mut self, id: u32, witness: Vector) {
        debug_assert!((1..FOREVER).contains(&self.lemmas[id as usize].level), "nothing keeps it from holding");
        self.lemmas[id as usize].witness = Some(witness);
    }

    /// Calls `stop` with lemmas of at least `level` that block `vector` until it returns true. Returns that
    /// lemma.
    pub(crate) fn find(&self, vector: &Dense, level: u32, mut stop: impl FnMut(u32) -> bool) -> Option<u32> {
        self.queries.set(self.queries.get() + 1);
        let outside = !vector.signature();
        for &p in vector.places() {
            let list = &self.lists[p as usize];
            let mut scanned = 0;
            for (looked, entry) in (1..).zip(list) {
                if entry.level < level {
                    break;
                }
                if entry.signature & outside == 0
                    && vector.covers(&self.lemmas[entry.lemma as usize].vector)
                    && stop(entry.lemma)
                {
                    self.scanned.set(self.scanned.get() + looked);
                    return Some(entry.lemma);
                }
                scanned = looked;
            }
            self.scanned.set(self.scanned.get() + scanned);
        }
        None
    }

    /// Returns a lemma of at least `level` that blocks `vector`.
    pub(crate) fn blocker(&self, vector: &Dense, level: u32) -> Option<u32> {
        self.find(vector, level, |_| true)
    }

    /// Returns the highest level of a lemma that blocks `vector`, or 0 if no lemma blocks it.
    pub(crate) fn highest(&self, vector: &Dense) -> u32 {
        let outside = !vector.signature();
        let blocks = |e: &&Entry| e.signature & outside == 0 && vector.covers(&self.lemmas[e.lemma as usize].vector);
        let of = |p: &u32| self.lists[*p as usize].iter().find(blocks).map_or(0, |e| e.level);
        vector.places().iter().map(of).max().unwrap_or(0)
    }

    /// The ids and levels of all lemmas.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0u32..).zip(&self.lemmas).filter(|(_, l)| l.level > 0).map(|(id, l)| (id, l.level))
    }

    /// A number above all ids of lemmas, including the ids of removed lemmas.
    pub(crate) fn width(&self) -> usize {
        self.lemmas.len()
    }

    pub(crate) fn queries(&self) -> u64 {
        self.queries.get()
    }

    /// Number of list entries scanned.
    pub(crate) fn scanned(&self) -> u64 {
        self.scanned.get()
    }

    /// Checks the lists of lemmas.
    ///
    /// # Panics
    ///
    /// Panics unless each lemma is in one list, which belongs to one of its places, with its level, and lists
    /// are sorted by descending level.
    pub(crate) fn check_invariants(&self) {
        let mut listed = vec![0; self.lemmas.len()];
        for (p, list) in (0u32..).zip(&self.lists) {
            for entry in list {
                let lemma = self.lemma(entry.lemma);
                listed[entry.lemma as usize] += 1;
                assert_eq!((lemma.list_number, lemma.level), (p, entry.level));
                assert!(lemma.vector.iter().any(|e| e.0 == p));
                assert_eq!(entry.signature, signature(&lemma.vector));
            }
            assert!(list.is_sorted_by(|a, b| a.level >= b.level));
        }
        assert!(self.lemmas.iter().zip(&listed).all(|(l, n)| usize::from(l.level > 0) == *n));
    }
}
