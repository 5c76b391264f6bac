//! Counts of the reachable markings of a net.

use num_bigint::BigUint;

/// The counts that the Model Checking Contest asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Number of reachable markings.
    pub markings: BigUint,
    /// Number of pairs of a reachable marking and a transition that is enabled there.
    pub arcs: BigUint,
    /// The largest number of tokens on a place.
    pub place: BigUint,
    /// The largest number of tokens in a marking.
    pub marking: BigUint,
}
