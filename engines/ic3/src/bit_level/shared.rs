//! A proof of one output of a circuit may prove others.
//!
//! The clauses that prove an output hold in every frame. An output that they exclude, too, is claimed with the same
//! proof, so that the checker reads it once (n requests of which no two are granted together: an output for each pair).
//! Adding the clauses to the frames of the other searches was tried as well: for a ring of 24 stations with 276 outputs,
//! the searches need a fifth of the clauses, but 9 s instead of 6, because each frame pushes all clauses and each proof
//! contains them.

use super::saved::Values;
use super::solvers::FrameSolver;
use super::{Bits, CircuitIc3, Source};
use model::Goal;
use sat::{Limits, SolveResult};

/// Outputs in a row that a proof does not exclude, before the others are not asked about. Bounds the number of queries
/// to this factor times the number of outputs.
const MOST_MISSES: usize = 16;
/// Conflict limit of a query.
const CONFLICTS: u64 = 1_000;

impl<S: Source> Bits<S> {
    /// True if the bad signal is false in every frame in which these cubes are excluded.
    pub(super) fn is_excluded_by(&mut self, cubes: &[Values]) -> bool {
        if self.frames.is_empty() {
            self.open_first();
        }
        let mut solver = FrameSolver::new(false);
        let cubes: Vec<_> = cubes.iter().map(|values| self.cube_of(values)).collect();
        self.hear_clauses();
        solver.grow(&self.table, &self.clauses, sat::DecidedBy::Theory);
        for &constraint in &self.constraints {
            solver.add(&[constraint]);
        }
        for cube in &cubes {
            solver.exclude(cube);
        }
        let level = self.solvers.len();
        self.solvers.push(solver);
        let answer = self.reaches_bad(level, &Limits { conflicts: Some(CONFLICTS), stop: None });
        self.solvers.pop();
        answer == SolveResult::Unsat
    }
}

impl CircuitIc3 {
    /// Closes the searches for other outputs that these clauses exclude, and returns the outputs.
    pub(super) fn take_excluded(&mut self, clauses: &[Values]) -> Vec<Goal> {
        let cubes: Vec<Values> = clauses.iter().map(excluded).collect();
        let mut goals = Vec::new();
        let (mut at, mut misses) = (0, 0);
        while at < self.open.len() && misses < MOST_MISSES {
            if self.open[at].bits.is_excluded_by(&cubes) {
                goals.push(self.open[at].goal);
                self.close(at);
                misses = 0;
            } else {
                at += 1;
                misses += 1;
            }
        }
        goals
    }
}

/// The cube that a clause excludes.
fn excluded(clause: &Values) -> Values {
    clause.iter().map(|&(latch, value)| (latch, !value)).collect()
}
