//! The forms in which later invariants and exclusions use the invariants that have been checked.

use super::firing::saturated;
use crate::work::Work;
use crate::{Check, reject};
use model::{AtMost, ConcurrencyRelation, PlaceId, Vector};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// Tokens on places, as pairs of a place and its count: places ascending, no zeros.
pub(super) type Cube = Vec<(u32, u64)>;

/// Vectors that are never covered, with an index: each vector is listed at the one of its places that occurs in
/// the fewest vectors.
#[derive(Debug)]
pub(super) struct Basis {
    /// For each place: the vectors listed there.
    at: Vec<Vec<u32>>,
    pub(super) vectors: Vec<Cube>,
    /// For each vector: a mask of 128 bits, in which each place of the vector sets one bit. If a cube covers
    /// the vector, its mask has all of these bits.
    marks: Vec<u128>,
}

fn marks(vector: &[(u32, u64)]) -> u128 {
    vector.iter().fold(0, |marks, (p, _)| marks | 1 << (p.wrapping_mul(0x9E37_79B1) >> 25))
}

/// Returns true if every marking that covers `large` covers `small`. Both must be in ascending order of places.
pub(super) fn covers(large: &[(u32, u64)], small: &[(u32, u64)]) -> bool {
    debug_assert!(large.is_sorted_by(|a, b| a.0 < b.0) && small.is_sorted_by(|a, b| a.0 < b.0), "places ascend");
    let mut rest = large.iter();
    small.iter().all(|(p, n)| rest.by_ref().find(|(q, _)| q >= p).is_some_and(|(q, m)| q == p && m >= n))
}

impl Basis {
    pub(super) fn new(places: usize, vectors: &[Vector], work: &mut Work<'_>) -> Check<Self> {
        let mut counts = vec![0u32; places];
        let mut cubes = Vec::with_capacity(vectors.len());
        for vector in vectors {
            work.spend(1 + vector.len() as u64)?;
            let ascending = vector.windows(2).all(|w| w[0].0 < w[1].0);
            if !ascending || vector.iter().any(|(p, n)| p.index() >= places || n.is_zero()) {
                return reject("the places of a vector must be known and ascending, its numbers positive");
            }
            vector.iter().for_each(|(p, _)| counts[p.index()] += 1);
            cubes.push(vector.iter().map(|(p, n)| (p.0, saturated(n))).collect::<Cube>());
        }
        let mut at = vec![Vec::new(); places];
        for (number, cube) in cubes.iter().enumerate() {
            match cube.iter().min_by_key(|(p, _)| counts[*p as usize]) {
                Some((place, _)) => at[*place as usize].push(number as u32),
                None => return reject("every marking covers the empty vector"),
            }
        }
        let marks = cubes.iter().map(|cube| marks(cube)).collect();
        Ok(Self { at, vectors: cubes, marks })
    }

    /// Returns true if `cube` covers one of the vectors.
    pub(super) fn has_below(&self, cube: &[(u32, u64)], work: &mut Work<'_>) -> Check<bool> {
        let marks = marks(cube);
        for (place, _) in cube {
            let here = &self.at[*place as usize];
            work.spend(1 + here.len() as u64 / 4)?;
            let below = |v: &&u32| self.marks[**v as usize] & !marks == 0 && covers(cube, &self.vectors[**v as usize]);
            if here.iter().find(below).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

const NO_ROW: u32 = u32::MAX;

/// A relation with a lookup by place.
#[derive(Debug)]
pub(super) struct Relation<'a> {
    pub(super) pairs: &'a ConcurrencyRelation,
    /// For each place: its row in the relation, or [`NO_ROW`] if the place is not in the relation.
    row: Vec<u32>,
}

impl<'a> Relation<'a> {
    pub(super) fn new(places: usize, pairs: &'a ConcurrencyRelation, work: &mut Work<'_>) -> Check<Self> {
        work.spend((places + pairs.places().len()) as u64)?;
        work.grow(places * size_of::<u32>())?;
        let mut row = vec![NO_ROW; places];
        let mut next = 0;
        for (number, place) in pairs.places().iter().enumerate() {
            if place.index() < next || place.index() >= places {
                return reject("the places of a relation of pairs must be known and ascending");
            }
            next = place.index() + 1;
            row[place.index()] = number as u32;
        }
        Ok(Self { pairs, row })
    }

    pub(super) fn row_of(&self, place: u32) -> Option<usize> {
        let row = self.row[place as usize];
        (row != NO_ROW).then_some(row as usize)
    }

    /// Returns true if the relation allows `p` and `q` together; for `p == q`: if it allows two tokens on `p`.
    pub(super) fn allows(&self, p: u32, q: u32) -> bool {
        match (self.row_of(p), self.row_of(q)) {
            (Some(a), Some(b)) => {
                debug_assert_eq!(self.pairs.allows(a, b), self.pairs.allows(b, a), "it is symmetric");
                self.pairs.allows(a, b)
            }
            _ => true,
        }
    }

    /// Returns the rows of these places as a bit set.
    pub(super) fn rows_of(&self, places: &[bool]) -> Vec<u64> {
        let mut rows = vec![0; self.pairs.words()];
        for (row, place) in self.pairs.places().iter().enumerate().filter(|(_, place)| places[place.index()]) {
            debug_assert!(self.row_of(place.0) == Some(row), "rows and places are numbered alike");
            rows[row / 64] |= 1 << (row % 64);
        }
        rows
    }

    /// Returns true if the relation allows these tokens (each place once, no zeros).
    pub(super) fn allows_vector(&self, vector: &[(u32, u64)]) -> bool {
        let alone = |i: usize, (p, n): (u32, u64)| {
            (n < 2 || self.allows(p, p)) && vector[..i].iter().all(|(q, _)| self.allows(p, *q))
        };
        vector.iter().enumerate().all(|(i, entry)| alone(i, *entry))
    }
}

/// A bound without negative weights on potentially marked places.
#[derive(Debug)]
pub(super) struct Bound<'a> {
    pub(super) invariant: &'a AtMost,
}

impl Bound<'_> {
    fn weight(&self, place: u32) -> Option<&BigInt> {
        let terms = &self.invariant.terms;
        terms.binary_search_by_key(&place, |(p, _)| p.0).ok().map(|at| &terms[at].1)
    }

    /// Returns true if every marking that covers `vector` exceeds the bound.
    pub(super) fn excludes(&self, vector: &[(u32, u64)], work: &mut Work<'_>) -> Check<bool> {
        work.spend(vector.len() as u64)?;
        let mut sum = BigInt::ZERO;
        for (place, count) in vector {
            if let Some(weight) = self.weight(*place) {
                sum += weight * count;
            }
        }
        Ok(sum > self.invariant.at_most)
    }

    /// Returns true if no marking within the bound satisfies `sum of c(p) * m(p) >= at_least`, where all c are
    /// positive. This uses the ratio r of weights: if c <= r * w on all places, then the sum of `c(p) * m(p)`
    /// is at most `r * b`.
    pub(super) fn contradicts(
        &self,
        potentially_marked: &[bool],
        terms: &[(PlaceId, BigInt)],
        at_least: &BigInt,
    ) -> bool {
        let below = |(place, c): &(PlaceId, BigInt)| {
            !potentially_marked[place.index()]
                || self.weight(place.0).is_some_and(|w| w.is_positive() && c * &self.invariant.at_most < at_least * w)
        };
        at_least.is_positive() && terms.iter().all(below)
    }
}
