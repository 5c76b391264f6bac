//! The reason of a true literal, and its representation in two words.

use crate::clauses::ClauseRef;
use crate::lit::Lit;

/// The reason why a literal is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// The literal is a decision, or fixed at level 0, where the reason is not needed.
    None,
    Clause(ClauseRef),
    /// A clause of two literals, and its literal that is not implied. So the clause need not be read.
    Binary(ClauseRef, Lit),
    /// Implied by the theory, which has not explained it yet.
    Theory,
}

impl Reason {
    /// The clause of this reason, if it has one.
    pub(crate) fn clause(self) -> Option<ClauseRef> {
        match self {
            Self::Clause(clause) | Self::Binary(clause, _) => Some(clause),
            Self::None | Self::Theory => None,
        }
    }

    /// The same reason after clauses moved in memory.
    pub(super) fn moved(self, to: impl Fn(ClauseRef) -> ClauseRef) -> Self {
        match self {
            Self::Clause(clause) => Self::Clause(to(clause)),
            Self::Binary(clause, other) => Self::Binary(to(clause), other),
            Self::None | Self::Theory => self,
        }
    }
}

/// Special values of `Packed::clause`.
const NO_REASON: u32 = u32::MAX;
const THEORY: u32 = u32::MAX - 1;
/// Value of `Packed::other` if the reason is not a binary clause.
const LONG: u32 = u32::MAX;

/// A reason in two words.
#[derive(Clone, Copy)]
pub(super) struct Packed {
    clause: u32,
    other: u32,
}

impl Packed {
    pub(super) const NONE: Self = Self { clause: NO_REASON, other: LONG };

    pub(super) fn new(reason: Reason) -> Self {
        match reason {
            Reason::None => Self::NONE,
            Reason::Theory => Self { clause: THEORY, other: LONG },
            Reason::Clause(clause) => Self { clause: clause.bits(), other: LONG },
            Reason::Binary(clause, other) => Self { clause: clause.bits(), other: other.0 },
        }
    }

    pub(super) fn reason(self) -> Reason {
        match (self.clause, self.other) {
            (NO_REASON, _) => Reason::None,
            (THEORY, _) => Reason::Theory,
            (clause, LONG) => Reason::Clause(ClauseRef::from_bits(clause)),
            (clause, other) => Reason::Binary(ClauseRef::from_bits(clause), Lit(other)),
        }
    }

    /// Updates the clause reference, if there is one, after clauses moved in memory.
    pub(super) fn move_to(&mut self, moved: impl Fn(ClauseRef) -> ClauseRef) {
        if self.clause < THEORY {
            self.clause = moved(ClauseRef::from_bits(self.clause)).bits();
        }
    }
}
