//! Reasons as minimisation and bumping look at them: read only, and not into those that are too long.

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

    /// The reason to look into, if there is one that may lead somewhere.
    pub(super) fn walkable(self, var: Var) -> Option<Reason> {
        match self.trail.reason(var) {
            Reason::Clause(clause) if self.clauses.len(clause) > self.longest => None,
            reason @ (Reason::Clause(_) | Reason::Binary(..)) => Some(reason),
            Reason::None | Reason::Theory => None,
        }
    }

    /// The literal at a place of a reason: for a clause all its literals, the implied one too.
    pub(super) fn literal(self, reason: Reason, at: usize) -> Option<Lit> {
        match reason {
            Reason::Clause(clause) => (at < self.clauses.len(clause)).then(|| self.clauses.lit(clause, at)),
            Reason::Binary(_, other) => (at == 0).then_some(other),
            Reason::None | Reason::Theory => None,
        }
    }

    /// All of them.
    pub(super) fn literals(self, reason: Reason) -> impl Iterator<Item = Lit> + 'a {
        (0..).map_while(move |at| self.literal(reason, at))
    }
}
