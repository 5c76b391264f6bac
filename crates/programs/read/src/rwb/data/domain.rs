//! The types of values, and the values of a type.

/// Type of a value. Values are stored as numbers: `false` is 0, and the values of an enum count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ty {
    Int,
    Bool,
    /// The number of the enum.
    Enum(usize),
}

/// A type with its smallest and largest value. Only numbers may have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Domain {
    pub(super) ty: Ty,
    pub(super) range: Option<(i64, i64)>,
}

impl Domain {
    pub(super) fn contains(&self, value: i128) -> bool {
        self.range.is_none_or(|(least, most)| (i128::from(least)..=i128::from(most)).contains(&value))
    }
}

/// Domains with at most this many values are made concrete: a variable of such a domain has one value at a location.
const CONCRETE: u64 = 64;

/// Returns the smallest and the largest value of a domain if it is small.
pub(super) fn small(domain: &Domain) -> Option<(i64, i64)> {
    domain.range.filter(|(least, most)| most.abs_diff(*least) < CONCRETE)
}

/// True if values of the domain are not enumerated.
pub(super) fn is_large(domain: &super::domain::Domain) -> bool {
    small(domain).is_none()
}
