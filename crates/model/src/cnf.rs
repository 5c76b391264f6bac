//! Propositional formulas in conjunctive normal form, with the conventions of the DIMACS file format.

/// A formula over the variables `1..=vars`. A literal is the number of a variable, negative if negated; it is
/// never 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cnf {
    /// Number of variables. The absolute value of each literal is at most this number.
    pub vars: u32,
    /// The clauses as written. They may contain duplicate literals and tautologies, which the solver handles.
    pub clauses: Vec<Vec<i32>>,
}

/// One step of an LRAT proof that a formula is unsatisfiable. Clauses are identified by numbers. The clauses of
/// the formula have the numbers from 1 on in their order, and the number of each added clause is larger than
/// all numbers before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LratStep<'a> {
    /// Adds a clause that follows from the clauses present at this point. [`crate::ProofStep::Derived`]
    /// explains the hints.
    Add {
        /// The number of the clause.
        id: u64,
        /// The literals of the clause.
        clause: &'a [i32],
        /// The numbers of the clauses that the new clause follows from.
        hints: &'a [u64],
    },
    /// Removes the clauses with these numbers.
    Delete(&'a [u64]),
}
