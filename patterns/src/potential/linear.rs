//! Potentials as solutions of linear programs (microlp: a sparse simplex method in pure Rust). What comes out are floats, a
//! proposal and no more.

use super::exact::Potentials;
use super::firing::{Case, Firings, Moves, Place};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use model::{LocalId, ThreadId};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};

/// Solutions are corners, whose numbers are fractions: they are tried with every common denominator up to this.
pub(super) const SCALES: u32 = 12;

/// Weights are between minus this and this, which is more than counters need.
const WEIGHT: f64 = 1e4;

/// What small weights are worth, against states kept apart.
const SMALL: f64 = 1e-4;

/// What a potential is to do.
pub(super) enum Aim {
    /// Exclude a local state.
    Exclude(Place),
    /// Keep a local state apart from as many of the others as possible.
    KeepApart(Place, Vec<Place>),
}

/// One term of a linear inequality.
type Term = (Variable, f64);

/// A linear program: weights are variables, and what they must not do are rows.
struct Program {
    problem: Problem,
    weights: Vec<Vec<Variable>>,
    /// By thread: at most its least weight.
    least: Vec<Variable>,
    /// The largest gain over moves of a thread; `None` if nothing is gained or lost.
    gains: BTreeMap<(ThreadId, Moves), Option<Variable>>,
    /// Rows that are there: gains that together are at most 0.
    rows: BTreeSet<Vec<usize>>,
}

/// Weights by thread and state that do not grow, given what `known` keeps apart, and do what `aim` says; as floats.
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
    // The library asserts where rounding leads it astray; without a solution there is one potential less.
    let solved = panic::catch_unwind(AssertUnwindSafe(|| program.problem.solve())).ok()?;
    let solution = solved.ok()?.into_solution().ok()?;
    let values = |row: &Vec<Variable>| row.iter().map(|v| solution.var_value(*v)).collect();
    Some(program.weights.iter().map(values).collect())
}

/// The weights times `scale`, as integers; `None` if they are no numbers to speak of.
pub(super) fn rounded(weights: &[Vec<f64>], scale: u32) -> Option<Vec<Vec<i64>>> {
    let integer = |w: &f64| {
        let scaled = (w * f64::from(scale)).round();
        (scaled.abs() <= 1e9).then_some(scaled as i64)
    };
    weights.iter().map(|row| row.iter().map(integer).collect()).collect()
}

impl Program {
    /// Weights, of which initial ones are at most 0: what counts are differences, so that `start` may be 0.
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

    /// The sum does not grow in this case.
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

    /// A variable at least as large as what any of the moves gains.
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

    /// The sum with the states at `places` is more than 0, which is at least its start, unless that is given up.
    fn exceed_start(&mut self, places: &[Place], given_up: Option<Variable>) {
        let mut terms: Vec<Term> =
            places.iter().map(|p| (self.weights[p.thread.index()][p.state.index()], 1.0)).collect();
        let others = self.least.iter().enumerate().filter(|(i, _)| places.iter().all(|p| p.thread.index() != *i));
        terms.extend(others.map(|(_, least)| (*least, 1.0)));
        terms.extend(given_up.map(|v| (v, 1.0)));
        self.problem.add_constraint(terms, ComparisonOp::Ge, 1.0);
    }
}
