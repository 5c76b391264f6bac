//! What the solver tells about its clauses, so that somebody else can check a refutation.
//!
//! A derived clause comes with hints, as in LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017): assume
//! all its literals false, then each hinted clause in turn has one literal left that is not false, and the last one
//! none. Who checks by plain reverse unit propagation (DRAT) need not look at them.

use crate::lit::Lit;
use crate::theory::Tag;

/// Number of a logged clause, from 1, in order of logging.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClauseId(pub u64);

/// A listener to the clause log.
pub trait Proof: Send {
    /// A clause given from outside: by `add_clause`, as a theory lemma, or as a theory's explanation.
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]);

    /// A clause that follows from those logged and not deleted, by unit propagation along `hints` (all of them, in
    /// order; empty if [`Proof::wants_hints`] is false).
    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]);

    /// A clause that later derivations do without.
    fn delete(&mut self, id: ClauseId);

    /// Are hints to be gathered? Asked once, by [`crate::Solver::set_proof`].
    fn wants_hints(&self) -> bool {
        true
    }
}
