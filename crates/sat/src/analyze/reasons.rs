//! Read-only access to reasons for minimisation and bumping, which ignore reasons that are too long.

use crate::bcp::Bcp;
use crate::clauses::Clauses;
use crate::lit::{Lit, Var};
use crate::trail::{Reason, Trail};

#[derive(Clone, Copy)]
pub(super) struct Reasons<'a> {
    pub(super) trail: &'a Trail,
    pub(super) clauses: &'a Clauses,
    pub(super) longest: usize,
}

impl<'a> Reasons<'a> {
    pub(super) fn of(bcp: &'a Bcp<'_>) -> Self {
        Self { trail: bcp.trail, clauses: bcp.clauses, longest: bcp.options.minimize_length }
    }

    /// The reason of a variable, unless it is a decision, a theory reason, or a clause that is too long.
    pub(super) fn walkable(self, var: Var) -> Option<Reason> {
        match self.trail.reason(var) {
            Reason::Clause(clause) if self.clauses.len(clause) > self.longest => None,
            reason @ (Reason::Clause(_) | Reason::Binary(..)) => Some(reason),
            Reason::None | Reason::Theory => None,
        }
    }

    /// The literal at index `at` of a reason. A long clause includes the implied literal, a binary reason does
    /// not.
    pub(super) fn literal(self, reason: Reason, at: usize) -> Option<Lit> {
        match reason {
            Reason::Clause(clause) => (at < self.clauses.len(clause)).then(|| self.clauses.lit(clause, at)),
            Reason::Binary(_, other) => (at == 0).then_some(other),
            Reason::None | Reason::Theory => None,
        }
    }

    /// All literals of a reason: the literals that `literal` returns for increasing indices.
    pub(super) fn literals(self, reason: Reason) -> impl Iterator<Item = Lit> + 'a {
        (0..).map_while(move |at| self.literal(reason, at))
    }
}
