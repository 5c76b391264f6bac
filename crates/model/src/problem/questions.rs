//! The questions of a problem.

use crate::assumption::Assumption;
use crate::ctl::Ctl;
use crate::fairness::Fairness;
use crate::formula::Formula;
use crate::goal::Property;
use crate::ids::PlaceId;
use crate::ltl::Ltl;
use num_bigint::BigUint;
use std::sync::Arc;

/// The questions about a system, and the assumptions about its runs.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// The properties. No two have the same goal. The list may be empty, because a file may contain no
    /// question.
    pub properties: Vec<Property>,
    /// The formulas that goals refer to, by [`crate::FormulaId`]. They are over the places of the net (for
    /// thread-transition systems and programs: over the places that represent their states).
    pub formulas: Vec<Arc<Formula>>,
    /// The temporal formulas that goals refer to, by [`crate::TemporalId`], over letters of the reactive
    /// program or of the behavioral program.
    pub temporal: Vec<Arc<Ltl>>,
    /// The formulas of computation tree logic that goals refer to, by [`crate::BranchingId`], for nets and
    /// thread-transition systems.
    pub branching: Vec<Arc<Ctl>>,
    /// The sums that goals ask for the largest value of, by [`crate::BoundId`], for nets and thread-transition systems:
    /// places, each with the factor of its token count.
    pub sums: Vec<Sum>,
    /// Fairness assumptions, for programs only. Temporal formulas and questions about hot threads are about the runs
    /// that satisfy all of them.
    pub fairness: Vec<Fairness>,
    /// Assumptions, for programs only: only violating runs that satisfy all of them count. `safe` means that no
    /// such run exists, and a trace is valid only if it satisfies them.
    pub assumptions: Vec<Assumption>,
}

/// A sum of token counts: places with positive factors, ascending, each place once. It may be empty.
pub type Sum = Arc<[(PlaceId, BigUint)]>;
