//! Evidence about nets that lists no markings: facts that hold in every reachable marking, and why they leave no goal
//! marking.
//!
//! Facts stand in an order, and each may rest on those before it, so that cheap ones (which places can be marked,
//! which of them together) carry dear ones (vectors that are never covered). Places are those of the system as read;
//! of a thread system shared states, then local states ([`crate::ThreadSystem::shared_place`]).
//!
//! Facts found after slicing hold of the net as read: what is said of kept places, and only forbids tokens, is kept
//! by transitions that merely take tokens away. Facts that fewer tokens could break speak of places only all of whose
//! changes are in the slice ([`crate::NetTask::whole`]).

use crate::clausal::{Clausal, Derivation};
use crate::formula::NodeId;
use crate::goal::Goal;
use crate::ids::PlaceId;
use num_bigint::{BigInt, BigUint};

/// Token counts by place: ascending, each place once, no zeros. A marking covers it if it has at least these tokens.
pub type Vector = Vec<(PlaceId, BigUint)>;

/// Facts, and the goals that they exclude.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invariant {
    /// Each holds in every initial marking, and after every transition that is enabled in a marking in which it and
    /// all facts before it hold.
    pub facts: Vec<NetFact>,
    /// For each claimed goal, once: why no marking satisfies it and all facts.
    pub exclusions: Vec<(Goal, Exclusion)>,
}

/// Which runs a bounded answer is about: those that never have more than `most` tokens on the counted places together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Within {
    /// The bound.
    pub most: BigUint,
    /// Ascending, each once. No shared states of thread systems: only threads are counted.
    pub counted: Vec<PlaceId>,
}

/// Something that holds in every reachable marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetFact {
    /// Places without mark are empty, as in [`crate::Markable`].
    Markable(Vec<bool>),
    /// Places that are never marked together. With it goes which places can be marked at all as far as it goes: the
    /// least set with those marked at the start and those that transitions mark that need only places of the set,
    /// allowed together.
    Pairs(Pairs),
    /// `sum of weight * tokens <= at_most`.
    AtMost(AtMost),
    /// One of these places is marked: a trap.
    SomeMarked(Vec<PlaceId>),
    /// None of these vectors is covered.
    NeverCovered(Vec<Vector>),
    /// Clauses over [`crate::Bit::AtLeast`], kept all together.
    Clauses(Clausal),
}

/// `sum of weight * tokens <= at_most`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AtMost {
    /// Places with their weights (of any sign): ascending, each once, no zeros.
    pub terms: Vec<(PlaceId, BigInt)>,
    /// The bound.
    pub at_most: BigInt,
}

/// Which places of a list may hold tokens at the same time. About other places it says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairs {
    /// The places spoken of: ascending, each once.
    places: Vec<PlaceId>,
    /// A symmetric matrix of bits, a row per place, `words` to a row. On the diagonal: may it hold two tokens?
    bits: Vec<u64>,
    words: usize,
}

impl Pairs {
    /// No two tokens at the same time, on any of `places` (ascending, each once). `places^2 / 8` bytes.
    #[must_use]
    pub fn none(places: Vec<PlaceId>) -> Self {
        let words = places.len().div_ceil(64);
        Self { bits: vec![0; words * places.len()], words, places }
    }

    /// The places spoken of, by row.
    #[must_use]
    pub fn places(&self) -> &[PlaceId] {
        &self.places
    }

    /// The row of a place, if it is spoken of. `O(log places)`.
    #[must_use]
    pub fn row_of(&self, place: PlaceId) -> Option<usize> {
        self.places.binary_search(&place).ok()
    }

    /// 64-bit words of a row.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The bits of a row: which places may be marked beside its own.
    #[must_use]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    /// May the places of rows `a` and `b` be marked together (with `a` = `b`: may it hold two tokens)?
    #[must_use]
    pub fn allows(&self, a: usize, b: usize) -> bool {
        self.bits[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    /// Allows the places of rows `a` and `b` to be marked together. Says whether that is new.
    pub fn allow(&mut self, a: usize, b: usize) -> bool {
        let new = !self.allows(a, b);
        self.bits[a * self.words + b / 64] |= 1 << (b % 64);
        self.bits[b * self.words + a / 64] |= 1 << (a % 64);
        new
    }

    /// How many pairs are allowed, a place with itself among them. Looks at all bits.
    #[must_use]
    pub fn allowed(&self) -> u64 {
        let ones: u64 = self.bits.iter().map(|word| u64::from(word.count_ones())).sum();
        let twice = (0..self.places.len()).filter(|&row| self.allows(row, row)).count() as u64;
        (ones + twice) / 2
    }

    /// Does it allow this vector: each place with two tokens or more twice, and all pairs of places? Places that it
    /// does not speak of do not matter. Quadratic in the vector.
    #[must_use]
    pub fn allow_vector(&self, vector: &[(PlaceId, BigUint)]) -> bool {
        let one = BigUint::from(1u8);
        let rows: Vec<(usize, bool)> = vector.iter().filter_map(|(p, n)| Some((self.row_of(*p)?, *n > one))).collect();
        let alone = rows.iter().all(|&(a, several)| !several || self.allows(a, a));
        alone && rows.iter().enumerate().all(|(i, &(a, _))| rows[..i].iter().all(|&(b, _)| self.allows(a, b)))
    }
}

/// Why no marking satisfies a goal and all facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exclusion {
    /// Of the goal's formula without terms of negative weight (which asks for less), and without places that cannot
    /// be marked, the facts exclude each minimal marking one by one: it marks what cannot be marked, or two places
    /// that are never marked together, or is above the bound of an [`AtMost`] without negative weights, or covers
    /// what is never covered.
    Minimal,
    /// By cases. A deadlock counts as the formula [`crate::deadlock`].
    Cases(Cases),
    /// By a refutation of the checker's formula "a marking that satisfies the goal, and all [`NetFact::Clauses`]";
    /// `None` until it is proven. A deadlock counts as the formula [`crate::deadlock`].
    Refuted(Option<Derivation>),
}

/// A propositional refutation of a goal's formula.
///
/// Its variables are the nodes of the formula ([`NodeId`] `n` is variable `n + 1`), and for the `i`-th split, counted
/// from 0, of `n` nodes: `n + 1 + 2i` that it holds, `n + 2 + 2i` that its negation holds (an inequality as well).
/// Clauses to begin with: the formula holds; a node that holds makes all or some of its children hold; of a split one
/// side holds; and, for each lemma, that not all of its atoms hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cases {
    /// Inequalities to tell cases apart that the formula does not have.
    pub splits: Vec<crate::Linear>,
    /// Inequalities that do not hold together.
    pub lemmas: Vec<CaseLemma>,
    /// Clauses that follow one after the other by unit propagation from all clauses before them (reverse unit
    /// propagation); after the last one, propagation alone ends in a conflict. Literals as in DIMACS.
    pub steps: Vec<Vec<i32>>,
}

/// Some inequalities (by variable, see [`Cases`]) do not hold together where the facts hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseLemma {
    /// Variables of inequalities, each once.
    pub atoms: Vec<u32>,
    /// Why.
    pub why: Why,
}

/// Why inequalities do not hold together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// Farkas: the inequalities times their multipliers (one per atom, in their order), minus the facts (by position;
    /// of kind `AtMost`, or `SomeMarked` read as one) times theirs, is a sum that has no positive weight on a place
    /// that can be marked, and should yet be positive.
    Sum {
        /// By atom.
        multipliers: Vec<BigUint>,
        /// Facts with their multipliers.
        facts: Vec<(u32, BigUint)>,
    },
    /// The least tokens that the inequalities ask of single places are a vector that the facts exclude, as for
    /// [`Exclusion::Minimal`]. Inequalities with a positive weight on just one place that can be marked count; others
    /// say nothing here.
    Excluded,
}

/// The variable of a node, see [`Cases`].
#[must_use]
pub fn variable(node: NodeId) -> i32 {
    i32::try_from(node.index() + 1).expect("readers limit formulas")
}
