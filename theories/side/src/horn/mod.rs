//! Transition systems with integers: constrained Horn clauses, and bounded runs, both by Z3.
//!
//! All relations have the same columns: the variables of the program. A rule says: if the relation `from` holds for the
//! variables, and the constraints hold, then the relation `to` holds for the new values. A rule without `from` is
//! initial, and a rule without `to` is a violation.
//!
//! [`invariants`] asks Spacer (A. Komuravelli, A. Gurfinkel, S. Chaki: SMT-based model checking for recursive programs,
//! CAV 2014) for relations that no violation meets. [`bounded`] looks for the shortest run to a violation (A. Biere et
//! al.: Symbolic model checking without BDDs, TACAS 1999). Nothing here is trusted: invariants and runs are checked by
//! others.
//!
//! Work is limited by Z3's own count of operations, so that answers are the same on each machine, and by a generous
//! time, because some parts of Z3 count nothing. Each query has a thread and a Z3 of its own, since a Z3 that was
//! interrupted is not used again.

#[cfg(feature = "z3")]
mod answer;
#[cfg(feature = "z3")]
mod solver;

use crate::door::{self, Asker};
use model::data::{Constraint, Linear, Symbol};
use model::{Stop, VariableId};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// Rules over relations that all have the variables of a program as columns.
#[derive(Clone, Debug, Default)]
pub struct Horn {
    /// The number of variables.
    pub variables: usize,
    /// The number of relations.
    pub relations: usize,
    /// The rules.
    pub rules: Vec<Rule>,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The relation before the step; `None` for initial rules.
    pub from: Option<usize>,
    /// What holds before the step. Symbols other than variables are local to the rule.
    pub constraints: Vec<Constraint>,
    /// The relation after the step; `None` for violations.
    pub to: Option<usize>,
    /// The variables that change, with their new values. In initial rules the others are 0.
    pub updates: Vec<(VariableId, Linear)>,
}

/// For each relation: clauses of constraints over variables.
pub type Invariants = Vec<Vec<Vec<Constraint>>>;

/// An answer about rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HornAnswer {
    /// Relations that satisfy all rules and meet no violation.
    Safe(Invariants),
    /// A violation can be derived.
    Unsafe,
    /// The limit was reached, or the answer cannot be read.
    Unknown,
}

/// A step of a run: the number of the rule, and the values of its symbols that are not variables.
pub type RunStep = (usize, BTreeMap<Symbol, BigInt>);

/// What is known about bounded runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounded {
    /// No run with fewer steps than this ends in a violation. The initial rule and the violation do not count.
    pub depth: usize,
    /// A shortest run to a violation, from an initial rule to the rule of the violation.
    pub run: Option<Vec<RunStep>>,
}

/// Looks for relations that no violation meets, within `limit` operations of Z3. Returns the operations, too. Without
/// Z3, nothing is known, after 0 operations.
#[must_use]
pub fn invariants(horn: &Horn, limit: u32, stop: &Stop) -> (HornAnswer, u32) {
    if !door::opens(Asker::Horn) {
        return (HornAnswer::Unknown, 0);
    }
    #[cfg(feature = "z3")]
    return solver::in_thread(stop, limit, || solver::invariants(horn, limit)).unwrap_or((HornAnswer::Unknown, 0));
    #[cfg(not(feature = "z3"))]
    unreachable!("there is no Z3 for {limit} operations on {} rules: {stop:?}", horn.rules.len());
}

/// Looks for a shortest run to a violation with at least `depth` steps, within `limit` operations of Z3. Shorter runs
/// are assumed to end in no violation. Returns the operations, too. Without Z3, nothing is known, after 0 operations.
#[must_use]
pub fn bounded(horn: &Horn, depth: usize, limit: u32, stop: &Stop) -> (Bounded, u32) {
    let unknown = Bounded { depth, run: None };
    if !door::opens(Asker::Horn) {
        return (unknown, 0);
    }
    #[cfg(feature = "z3")]
    return solver::in_thread(stop, limit, || solver::bounded(horn, depth, limit)).unwrap_or((unknown, 0));
    #[cfg(not(feature = "z3"))]
    unreachable!("there is no Z3 for {limit} operations on {} rules: {stop:?}", horn.rules.len());
}
