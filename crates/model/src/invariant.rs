//! Certificates for nets: invariants that hold in every reachable marking, and for each goal the reason why no
//! marking satisfies both the goal and all invariants. Such a certificate lists no markings.
//!
//! The invariants are ordered, and each may depend on those before it. Thus cheap invariants (potentially
//! marked places, the concurrency relation) support expensive ones (vectors that are never covered). Places are
//! those of the system as read. For a thread-transition system these are the shared states, followed by the
//! local states ([`crate::ThreadTransitionSystem::shared_place`]).
//!
//! Invariants that were found after slicing hold for the net as read:
//! 1. An invariant that only forbids tokens on kept places (places that slicing keeps) also holds after the
//!    transitions that slicing removed. Proof: these transitions only take tokens from kept places.
//! 2. The removed transitions do not affect an invariant that fewer tokens could violate. Proof: such an
//!    invariant uses only places for which the slice contains all transitions that change them
//!    ([`crate::NetTask::whole`]).

use crate::clausal::{Clausal, Derivation};
use crate::formula::NodeId;
use crate::goal::Goal;
use crate::ids::PlaceId;
use num_bigint::{BigInt, BigUint};

/// Token counts as pairs of a place and its count: ascending, each place once, no zeros. A marking covers the
/// vector if it has at least these tokens.
pub type Vector = Vec<(PlaceId, BigUint)>;

/// Invariants, and the goals that they exclude.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InvariantCertificate {
    /// The invariants, in order. Each holds in every initial marking. It also holds after every transition that
    /// is enabled in a marking in which this invariant and all invariants before it hold.
    pub invariants: Vec<NetInvariant>,
    /// For each claimed goal, exactly once: the reason why no marking satisfies the goal and all invariants.
    pub exclusions: Vec<(Goal, Exclusion)>,
}

/// The runs that a bounded answer is about: runs in which the total number of tokens on the counted places
/// never exceeds `most`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Within {
    /// The largest allowed total number of tokens.
    pub most: BigUint,
    /// The counted places: ascending, each once. They contain no shared states of thread-transition systems,
    /// since only threads are counted.
    pub counted: Vec<PlaceId>,
}

/// An invariant of a net: a statement that holds in every reachable marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetInvariant {
    /// Places with the value false are empty, as in [`crate::PotentiallyMarked`].
    PotentiallyMarked(Vec<bool>),
    /// Pairs of places that are never marked together. The relation also determines which places can be marked
    /// at all. These places form the least set with two properties. It contains the places marked initially. If
    /// it contains all places that a transition needs, and the relation allows these places together, it
    /// contains all places that the transition marks.
    ConcurrencyRelation(ConcurrencyRelation),
    /// A linear inequality: `sum of weight * tokens <= at_most`.
    AtMost(AtMost),
    /// A trap: at least one of these places is marked.
    SomeMarked(Vec<PlaceId>),
    /// No reachable marking covers any of these vectors.
    NeverCovered(Vec<Vector>),
    /// Clauses over [`crate::Bit::AtLeast`]. Their conjunction is inductive.
    Clauses(Clausal),
}

/// A linear inequality: `sum of weight * tokens <= at_most`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AtMost {
    /// Places with their weights (of any sign): ascending, each once, no zeros.
    pub terms: Vec<(PlaceId, BigInt)>,
    /// The right side of the inequality.
    pub at_most: BigInt,
}

/// The concurrency relation on a list of places: the pairs of places that may be marked together. The relation
/// says nothing about other places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcurrencyRelation {
    /// The places of the relation: ascending, each once.
    places: Vec<PlaceId>,
    /// A symmetric bit matrix with one row of `words` words per place. A bit on the diagonal is 1 if the place
    /// may hold two tokens.
    bits: Vec<u64>,
    words: usize,
}

impl ConcurrencyRelation {
    /// Creates the empty relation on `places` (ascending, each once): it allows no two tokens at the same time
    /// on these places. Takes `places^2 / 8` bytes.
    #[must_use]
    pub fn none(places: Vec<PlaceId>) -> Self {
        let words = places.len().div_ceil(64);
        Self { bits: vec![0; words * places.len()], words, places }
    }

    /// The places of the relation, by row.
    #[must_use]
    pub fn places(&self) -> &[PlaceId] {
        &self.places
    }

    /// Returns the row of a place, if the relation contains the place. `O(log places)`.
    #[must_use]
    pub fn row_of(&self, place: PlaceId) -> Option<usize> {
        self.places.binary_search(&place).ok()
    }

    /// Returns the number of 64-bit words per row.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the bits of a row: bit `b` is 1 if the place of row `b` may be marked together with the place of
    /// this row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    /// Returns true if the places of rows `a` and `b` may be marked together. For `a` = `b`: true if the place
    /// may hold two tokens.
    #[must_use]
    pub fn allows(&self, a: usize, b: usize) -> bool {
        self.bits[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    /// Allows the places of rows `a` and `b` to be marked together. Returns true if the pair was not allowed
    /// before.
    pub fn allow(&mut self, a: usize, b: usize) -> bool {
        let new = !self.allows(a, b);
        self.bits[a * self.words + b / 64] |= 1 << (b % 64);
        self.bits[b * self.words + a / 64] |= 1 << (a % 64);
        new
    }

    /// Returns the number of allowed pairs, including pairs of a place with itself. Reads the whole matrix.
    #[must_use]
    pub fn allowed(&self) -> u64 {
        let ones: u64 = self.bits.iter().map(|word| u64::from(word.count_ones())).sum();
        let twice = (0..self.places.len()).filter(|&row| self.allows(row, row)).count() as u64;
        (ones + twice) / 2
    }

    /// Returns true if the relation allows a marking of this vector: all pairs of its places, and two tokens on
    /// each place with a count of at least two. Places outside the relation are ignored. The cost is quadratic
    /// in the size of the vector.
    #[must_use]
    pub fn allow_vector(&self, vector: &[(PlaceId, BigUint)]) -> bool {
        let one = BigUint::from(1u8);
        let rows: Vec<(usize, bool)> = vector.iter().filter_map(|(p, n)| Some((self.row_of(*p)?, *n > one))).collect();
        let alone = rows.iter().all(|&(a, several)| !several || self.allows(a, a));
        alone && rows.iter().enumerate().all(|(i, &(a, _))| rows[..i].iter().all(|&(b, _)| self.allows(a, b)))
    }
}

/// The reason why no marking satisfies a goal and all invariants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exclusion {
    /// The invariants exclude each minimal marking of a weaker formula. This is the goal's formula without
    /// terms of negative weight, and without places that are never marked. A minimal marking is excluded in one
    /// of these cases:
    /// * It marks a place that is never marked, or two places that are never marked together.
    /// * It exceeds the bound of an [`AtMost`] without negative weights.
    /// * It covers a vector that is never covered.
    Minimal,
    /// A case distinction on the goal's formula. If the goal is a deadlock, the formula is that of
    /// [`mod@crate::deadlock`].
    Cases(Cases),
    /// A refutation of the checker's formula "a marking that satisfies the goal and all
    /// [`NetInvariant::Clauses`]". `None` until it has been found. If the goal is a deadlock, its formula is
    /// that of [`mod@crate::deadlock`].
    Refuted(Option<Derivation>),
}

/// A propositional refutation of a goal's formula.
///
/// Variables: node `k` of the formula ([`NodeId`], from 0) is variable `k + 1`. If the formula has `n` nodes,
/// split `i` (from 0) has two variables: `n + 1 + 2i` means that the split's inequality holds, and `n + 2 + 2i`
/// means that its negation holds, which is an inequality as well.
///
/// Initial clauses:
/// * The formula holds.
/// * If a node holds, all of its children hold (for a conjunction), or at least one of them (for a
///   disjunction).
/// * For each split, the inequality or its negation holds.
/// * For each lemma, at least one of its atoms does not hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cases {
    /// Inequalities by which cases are distinguished, in addition to the inequalities of the formula.
    pub splits: Vec<crate::Linear>,
    /// Sets of inequalities that cannot hold together.
    pub lemmas: Vec<CaseLemma>,
    /// Derived clauses. Each follows by reverse unit propagation from the initial clauses and the derived
    /// clauses before it. After the last derived clause, unit propagation alone leads to a conflict. Literals
    /// are as in DIMACS.
    pub steps: Vec<Vec<i32>>,
}

/// Inequalities that cannot hold together in a marking in which all invariants hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseLemma {
    /// The variables of the inequalities (see [`Cases`]), each once.
    pub atoms: Vec<u32>,
    /// The reason.
    pub why: Why,
}

/// The reason why inequalities cannot hold together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// A linear combination (Farkas' lemma). Take the sum of the inequalities, each times its multiplier, and
    /// subtract the invariants, each times its multiplier. The result is an inequality that no marking
    /// satisfies: it has no positive weight on a potentially marked place, but it requires that its left side
    /// is positive.
    Sum {
        /// One multiplier per atom, in the order of [`CaseLemma::atoms`].
        multipliers: Vec<BigUint>,
        /// Invariants, by position in the certificate, with their multipliers. Each invariant is an `AtMost`,
        /// or a `SomeMarked` used as the corresponding inequality.
        invariants: Vec<(u32, BigUint)>,
    },
    /// The least token counts that the inequalities require of single places form a vector that the invariants
    /// exclude, in one of the cases that [`Exclusion::Minimal`] lists. Only inequalities with a positive weight
    /// on exactly one potentially marked place contribute.
    Excluded,
}

/// Returns the variable of a node, see [`Cases`].
#[must_use]
pub fn variable(node: NodeId) -> i32 {
    i32::try_from(node.index() + 1).expect("readers limit formulas")
}
