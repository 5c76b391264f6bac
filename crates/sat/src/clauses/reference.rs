//! References to clauses in the arena, and the kinds of clauses.

/// Position of a clause in the arena. Valid until the next collection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ClauseRef(pub(super) u32);

impl ClauseRef {
    /// Upper bound on the number of words in the arena. It is 2^31, so that a position leaves one bit of a
    /// watch free.
    pub(super) const LIMIT: usize = 1 << 31;

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// The kind of a clause: where it comes from, and how long it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClauseKind {
    /// Given from outside, permanently.
    Given,
    /// Given from outside, until it is removed.
    Removable,
    /// Follows from other clauses and may be forgotten.
    Learnt,
    /// Given for the next queries only, or learnt from such clauses.
    Temporary,
}
