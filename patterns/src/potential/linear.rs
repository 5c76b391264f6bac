//! Finds candidates for potentials as solutions of linear programs (microlp: a sparse simplex method in pure
//! Rust). The solutions are floats, so they are only proposals.

use super::exact::Potentials;
use super::firing::{Case, Firings, Moves, Place};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use model::{LocalId, ThreadId};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};

/// Greatest factor by which solutions are scaled before they are rounded. Solutions are corners of a
/// polyhedron, so their coordinates are fractions. All factors from 1 on are tried as a common denominator.
pub(super) const SCALES: u32 = 12;

/// Bound on the absolute value of weights. Counters need smaller ones.
const WEIGHT: f64 = 1e4;

/// Objective coefficient that rewards small weights. Each pair of states that is not kept apart costs 1.
const SMALL: f64 = 1e-4;

/// The purpose of a potential.
pub(super) enum Aim {
    /// The potential excludes a local state.
    Exclude(Place),
    /// The potential keeps a local state apart from as many of the other states as possible.
    KeepApart(Place, Vec<Place>),
}

/// One term of a linear inequality.
type Term = (Variable, f64);

/// A linear program. Weights are variables, and the conditions on them are rows.
struct Program {
    problem: Problem,
    weights: Vec<Vec<Variable>>,
    /// For each thread: a variable that is at most the least weight of a reachable state.
    least: Vec<Variable>,
    /// For each list of moves of a thread: a variable that is at least the gain of each move. `None` if no move
    /// changes the weight.
    gains: BTreeMap<(ThreadId, Moves), Option<Variable>>,
    /// Rows added so far, each as the variables of gains with a sum of at most 0.
    rows: BTreeSet<Vec<usize>>,
}

/// Returns weights as floats, for each thread and state. Their sum does not grow in any case that `known`
/// allows, and they fulfil `aim`. Returns `None` if there is no solution.
pub(super) fn solve(firings: &Firings, known: &Potentials<'_>, aim: &Aim) -> Option<Vec<Vec<f64>>> {
    let mut program = Program::new(firings);
    for case in &firings.cases {
        program.add(case, known);
    }
    match aim {
        Aim::Exclude(place) => program.exceed_start(&[*place], None),
        Aim::KeepApart(place, partners) => {
            for partner in partners {
                let given_up = program.problem.add_var(1.0, (0.0, 1.0));
                program.exceed_start(&[*place, *partner], Some(given_up));
            }
        }
    }
    // The library panics where rounding errors break its assertions. Without a solution, there is one potential
    // less.
    let solved = panic::catch_unwind(AssertUnwindSafe(|| program.problem.solve())).ok()?;
    let solution = solved.ok()?.into_solution().ok()?;
    let values = |row: &Vec<Variable>| row.iter().map(|v| solution.var_value(*v)).collect();
    Some(program.weights.iter().map(values).collect())
}

/// Returns the weights times `scale`, rounded to integers. Returns `None` if one is too large or not a number.
pub(super) fn rounded(weights: &[Vec<f64>], scale: u32) -> Option<Vec<Vec<i64>>> {
    let integer = |w: &f64| {
        let scaled = (w * f64::from(scale)).round();
        (scaled.abs() <= 1e9).then_some(scaled as i64)
    };
    weights.iter().map(|row| row.iter().map(integer).collect()).collect()
}

impl Program {
    /// Creates variables for weights. Only differences of weights matter. So initial states may be given
    /// weights of at most 0, and the sum at the start is then at most 0.
    fn new(firings: &Firings) -> Self {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let mut weights = Vec::new();
        let mut least = Vec::new();
        for (reachable, initial) in firings.reachable.iter().zip(&firings.initial) {
            let bounds = |s: usize| match (initial.contains(&LocalId::new(s)), initial.len()) {
                (true, 1) => (0.0, 0.0),
                (true, _) => (-WEIGHT, 0.0),
                (false, _) => (-WEIGHT, WEIGHT),
            };
            let row: Vec<Variable> = (0..reachable.len()).map(|s| problem.add_var(0.0, bounds(s))).collect();
            let lower = problem.add_var(-SMALL, (-WEIGHT, 0.0));
            for (weight, _) in row.iter().zip(reachable).filter(|(_, reached)| **reached) {
                problem.add_constraint([(lower, 1.0), (*weight, -1.0)], ComparisonOp::Le, 0.0);
            }
            weights.push(row);
            least.push(lower);
        }
        Self { problem, weights, least, gains: BTreeMap::new(), rows: BTreeSet::new() }
    }

    /// Adds the row which states that the sum does not grow in this case.
    fn add(&mut self, case: &Case, known: &Potentials<'_>) {
        let Some(possible) = known.possible(case) else { return };
        let Place { thread, state } = case.requester;
        let mut sum: Vec<Variable> = Vec::new();
        sum.extend(self.gain(thread, case.targets.iter().map(|t| (state, *t)).collect()));
        sum.extend(possible.into_iter().filter_map(|(thread, moves)| self.gain(thread, moves)));
        if !sum.is_empty() && self.rows.insert(sum.iter().map(Variable::idx).collect()) {
            let terms: Vec<Term> = sum.into_iter().map(|v| (v, 1.0)).collect();
            self.problem.add_constraint(terms, ComparisonOp::Le, 0.0);
        }
    }

    /// Returns a variable that is at least the gain of each of the moves.
    fn gain(&mut self, thread: ThreadId, moves: Moves) -> Option<Variable> {
        if let Some(known) = self.gains.get(&(thread, moves.clone())) {
            return *known;
        }
        let stays = moves.iter().any(|(s, t)| s == t);
        let leaves = moves.iter().any(|(s, t)| s != t);
        let gain = leaves.then(|| {
            let gain = self.problem.add_var(0.0, (if stays { 0.0 } else { -2.0 * WEIGHT }, 2.0 * WEIGHT));
            let row = &self.weights[thread.index()];
            for (s, t) in moves.iter().filter(|(s, t)| s != t) {
                let terms = [(gain, 1.0), (row[t.index()], -1.0), (row[s.index()], 1.0)];
                self.problem.add_constraint(terms, ComparisonOp::Ge, 0.0);
            }
            gain
        });
        self.gains.insert((thread, moves), gain);
        gain
    }

    /// Adds a row: the sum is at least 1 in every state that contains the local states at `places`. So it
    /// exceeds its start, which is at most 0. If `given_up` is 1, a sum of 0 suffices.
    fn exceed_start(&mut self, places: &[Place], given_up: Option<Variable>) {
        let mut terms: Vec<Term> =
            places.iter().map(|p| (self.weights[p.thread.index()][p.state.index()], 1.0)).collect();
        let others = self.least.iter().enumerate().filter(|(i, _)| places.iter().all(|p| p.thread.index() != *i));
        terms.extend(others.map(|(_, least)| (*least, 1.0)));
        terms.extend(given_up.map(|v| (v, 1.0)));
        self.problem.add_constraint(terms, ComparisonOp::Ge, 1.0);
    }
}
