//! The interface through which the solver reports its clauses, so that an independent checker can verify a
//! refutation.
//!
//! A derived clause comes with hints, as in LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017).
//! Assume that all literals of the derived clause are false. Then each hinted clause in turn has exactly one
//! literal that is not false, which becomes true. In the last hinted clause all literals are false. Checkers
//! that use plain reverse unit propagation (DRAT) can ignore the hints.

use crate::lit::Lit;
use crate::theory::Tag;

/// Number of a logged clause, from 1, in order of logging.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClauseId(pub u64);

/// A listener to the clause log. The solver calls it for each step.
pub trait Proof: Send {
    /// Reports a clause given from outside: by `add_clause`, as a theory lemma, or as a theory's explanation.
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]);

    /// Reports a clause that follows by unit propagation along `hints` from clauses logged and not deleted.
    /// `hints` lists all clauses that the propagation needs, in order. It may be empty if
    /// [`Proof::wants_hints`] is false.
    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]);

    /// Reports that later derivations do not use this clause.
    fn delete(&mut self, id: ClauseId);

    /// True if hints are to be collected. [`crate::Solver::set_proof`] queries it once.
    fn wants_hints(&self) -> bool {
        true
    }
}
