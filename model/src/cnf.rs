//! Propositional formulas in conjunctive normal form, as DIMACS files carry them.

/// A formula over variables `1..=vars`. A literal is a variable number, negative when negated; never 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cnf {
    /// Number of variables; every literal's absolute value is at most this.
    pub vars: u32,
    /// Clauses as written: duplicates and tautologies are the solver's business.
    pub clauses: Vec<Vec<i32>>,
}
