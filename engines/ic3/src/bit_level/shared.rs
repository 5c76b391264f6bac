//! A proof of one output of a circuit helps with the others (n stations of which no two have the token: an output for
//! each pair).
//!
//! The clauses that prove an output hold in every frame, and every step keeps all of them together.
//! 1. An output that they exclude, too, is claimed with the same proof, so that the checker reads it once.
//! 2. The searches for the others *know* them: they are in the solvers of all frames but the first, and in the proof.
//!    They are not pushed. (As lemmas, which are pushed one by one, they made a ring of 24 stations slower.)
//!
//! A search gets the clauses of a proof only if its output depends on all their latches, and only if they are many
//! compared with those it knows, because its proof contains all of them.

use super::cube::Cube;
use super::saved::Values;
use super::search::Phase;
use super::solvers::FrameSolver;
use super::{Bits, CircuitIc3, Source};
use model::{Circuit, Gate, Goal, LatchId, Signal};
use sat::{DecidedBy, Limits, SolveResult};

/// Outputs in a row that a proof does not exclude, before the others are not asked about. Bounds the number of queries
/// to this factor times the number of outputs.
const MOST_MISSES: usize = 4;
/// Conflict limit of a query.
const CONFLICTS: u64 = 1_000;
/// A search knows at most this many clauses.
const MOST_KNOWN: usize = 2_000;
/// New clauses are given if at most this many times as many were known.
const RATIO: usize = 4;

impl<S: Source> Bits<S> {
    /// True if the bad signal is false in every frame in which these cubes are excluded.
    pub(super) fn is_excluded_by(&mut self, cubes: &[Values]) -> bool {
        if self.frames.is_empty() {
            self.open_first();
        }
        let mut solver = FrameSolver::new(false);
        let cubes: Vec<_> = cubes.iter().map(|values| self.cube_of(values)).collect();
        self.hear_clauses();
        solver.grow(&self.table, &self.clauses, DecidedBy::Theory);
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

    /// Adds cubes that are excluded in every frame, and that every step excludes if they and those known before are
    /// excluded before it.
    fn know(&mut self, cubes: Vec<Cube>) {
        for solver in self.solvers.iter_mut().skip(1) {
            solver.grow(&self.table, &self.clauses, DecidedBy::Theory);
            for cube in &cubes {
                solver.exclude(cube);
            }
        }
        self.known.extend(cubes);
        self.known.sort_unstable();
    }

    /// Knows the cubes from a proof, unless they are few compared with those known before.
    fn learn_from(&mut self, proof: &[Values]) {
        debug_assert!(!matches!(self.phase, Phase::Over(_)), "the search is open");
        let mut cubes: Vec<Cube> = proof.iter().map(|values| self.cube_of(values)).collect();
        cubes.retain(|cube| self.known.binary_search(cube).is_err());
        if !cubes.is_empty() && cubes.len() * RATIO >= self.known.len() && self.known.len() + cubes.len() <= MOST_KNOWN
        {
            self.know(cubes);
        }
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

impl CircuitIc3 {
    /// Gives the clauses of a proof to the searches for other outputs, if not too many of them are those that the search
    /// knew.
    pub(super) fn share(&mut self, clauses: &[Values], known: usize) {
        if clauses.len().saturating_sub(known) * RATIO < known {
            return;
        }
        let cubes: Vec<Values> = clauses.iter().map(excluded).collect();
        let circuit = self.source.circuit();
        for asked in &mut self.open {
            let Goal::Output(output) = asked.goal else { continue };
            let signal = circuit.outputs()[output.index()].signal;
            let cone = asked.cone.get_or_insert_with(|| latches_of(circuit, signal));
            if cubes.iter().flatten().all(|(latch, _)| cone.binary_search(latch).is_ok()) {
                asked.bits.learn_from(&cubes);
            }
        }
    }
}

/// The latches on which the signal or a constraint depends in some frame, ascending.
fn latches_of(circuit: &Circuit, signal: Signal) -> Vec<LatchId> {
    let latch = |node: usize| match circuit.gates()[node] {
        Gate::Latch(latch) => Some(latch),
        _ => None,
    };
    let mut latches: Vec<LatchId> = circuit.cone([signal]).into_iter().filter_map(latch).collect();
    latches.sort_unstable();
    latches
}

/// The cube that a clause excludes.
fn excluded(clause: &Values) -> Values {
    clause.iter().map(|&(latch, value)| (latch, !value)).collect()
}
