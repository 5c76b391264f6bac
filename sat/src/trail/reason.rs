//! Why a literal is true, and how that is kept in two words.

use crate::clauses::ClauseRef;
use crate::lit::Lit;

/// Why a literal is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// Decided; or fixed at level 0, where the reason is not needed.
    None,
    Clause(ClauseRef),
    /// A clause of two literals, and the other one, which saves a look at the clause.
    Binary(ClauseRef, Lit),
    /// Implied by the theory, which has not been asked yet why.
    Theory,
}

impl Reason {
    /// The clause it is, if it is one.
    pub(crate) fn clause(self) -> Option<ClauseRef> {
        match self {
            Self::Clause(clause) | Self::Binary(clause, _) => Some(clause),
            Self::None | Self::Theory => None,
        }
    }

    /// The same after clauses moved in memory.
    pub(super) fn moved(self, to: impl Fn(ClauseRef) -> ClauseRef) -> Self {
        match self {
            Self::Clause(clause) => Self::Clause(to(clause)),
            Self::Binary(clause, other) => Self::Binary(to(clause), other),
            Self::None | Self::Theory => self,
        }
    }
}

/// In the place of a clause.
const NO_REASON: u32 = u32::MAX;
const THEORY: u32 = u32::MAX - 1;
/// In the place of the other literal of a binary clause.
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

    /// The clause moved in memory, if it is one.
    pub(super) fn move_to(&mut self, moved: impl Fn(ClauseRef) -> ClauseRef) {
        if self.clause < THEORY {
            self.clause = moved(ClauseRef::from_bits(self.clause)).bits();
        }
    }
}
