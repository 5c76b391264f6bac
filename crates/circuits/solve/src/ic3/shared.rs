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

use super::cube::{Cube, Values};
use super::engine::{OpenOutput, Proof};
use super::search::Phase;
use super::solvers::FrameSolver;
use super::{Bits, CircuitIc3, Source};
use model::{Budget, Circuit, Goal, Turn};
use sat::{Limits, SolveResult};

/// Outputs in a row that a proof does not exclude, before the others are not asked about. Bounds the number of queries
/// to this factor times the number of outputs.
const MOST_MISSES: usize = 4;
/// Outputs that one claim is made for at most. The first answers of the checker need not wait for all outputs.
const MOST_CLAIMED: usize = 100;
/// Clauses that are added to a solver in the time of a work unit.
const CUBES_PER_UNIT: u64 = 16;
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
        solver.grow(&self.table, &self.clauses, self.by);
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
            solver.grow(&self.table, &self.clauses, self.by);
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

impl Proof {
    /// Makes a proof of a search that knew this number of its clauses before.
    pub(super) fn new(clauses: Vec<Values>, known: usize) -> Self {
        let is_new = clauses.len().saturating_sub(known) * RATIO >= known;
        let cubes = clauses.iter().map(excluded).collect();
        Self { clauses, cubes, is_new, next: 0, misses: 0 }
    }

    /// Keeps the position when the search at this position is closed.
    pub(super) fn closed(&mut self, at: usize) {
        self.next -= usize::from(at < self.next);
    }

    fn is_used(&self, open: usize) -> bool {
        self.next >= open || (self.misses >= MOST_MISSES && !self.is_new)
    }
}

impl CircuitIc3 {
    /// Compares the proof found last with open outputs. Claims those that it excludes, some at a time, and gives its
    /// clauses to the searches for the others. `None` if the proof has been compared with all.
    pub(super) fn use_proof(&mut self, budget: &mut Budget) -> Option<Turn> {
        let mut goals = Vec::new();
        let mut goes_on = true;
        while goes_on && goals.len() < MOST_CLAIMED {
            let Some(proof) = &mut self.proof else { break };
            if proof.is_used(self.open.len()) {
                break;
            }
            let asked = &mut self.open[proof.next];
            let is_asked = proof.misses < MOST_MISSES;
            if is_asked && asked.bits.is_excluded_by(&proof.cubes) {
                proof.misses = 0;
                goals.push(asked.goal);
                let at = proof.next;
                self.close(at);
            } else {
                proof.misses += usize::from(is_asked);
                proof.next += 1;
                if proof.is_new {
                    asked.learn_from(&proof.cubes, self.source.circuit());
                }
            }
            goes_on = budget
                .spend(1 + self.proof.as_ref().map_or(0, |proof| proof.cubes.len() as u64) / CUBES_PER_UNIT)
                && budget.stop.raised().is_none()
                && !budget.stop.is_paused();
        }
        if !goals.is_empty() {
            goals.sort_unstable();
            return Some(Turn::Claims(self.claim(goals)));
        }
        if self.proof.as_ref().is_some_and(|proof| !proof.is_used(self.open.len())) {
            return Some(Turn::More);
        }
        self.proof = None;
        None
    }
}

impl OpenOutput {
    /// Lets the search know the cubes if its output depends on all their latches.
    fn learn_from(&mut self, cubes: &[Values], circuit: &Circuit) {
        let Goal::Output(output) = self.goal else { return };
        let signal = circuit.outputs()[output.index()].signal;
        let cone = self.cone.get_or_insert_with(|| circuit.cone_latches([signal]));
        if cubes.iter().flatten().all(|(latch, _)| cone.binary_search(latch).is_ok()) {
            self.bits.learn_from(cubes);
        }
    }
}

/// The cube that a clause excludes.
fn excluded(clause: &Values) -> Values {
    clause.iter().map(|&(latch, value)| (latch, !value)).collect()
}
