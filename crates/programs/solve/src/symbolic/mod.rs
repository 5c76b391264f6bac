//! Programs with unbounded data: invariants for all values, and shortest violations.
//!
//! 1. `graph` explores the controls (a location for each thread), whatever the values of the variables are.
//! 2. For each goal, `rules` makes constrained Horn clauses: a relation for each control, a rule for each edge, a rule
//!    for each way to violate the goal. `deadlock` computes under which conditions a control has no possible event.
//!    `live` forgets values that are not read again, `affine` and `intervals` add equations and bounds that hold at a
//!    control, and `inline` removes controls that are only passed.
//! 3. Queries take turns with growing limits ([`side::horn`]): for an inductive invariant, with fewer controls and with
//!    all of them, and for a shortest run.
//!
//! [`Projections`] searches in the same way for proofs about few threads. [`Concrete`] searches for violations with
//! known values.
//!
//! The invariant becomes a certificate without proofs; the caller adds them with [`contradiction`] before the check.
//!
//! ```
//! use impasse_programs::symbolic::Symbolic;
//! use model::data::DataProgram;
//! use model::{Budget, DataTask, Engine, Goal, Problem, Turn};
//! use std::sync::Arc;
//!
//! // Without threads there is one state, and it is a proper end.
//! let program = Arc::new(DataProgram::new(Vec::new(), Vec::new(), Vec::new()).unwrap());
//! let problem = Problem::of_data(program, &[Goal::Deadlock]).unwrap();
//! let mut engine = Symbolic::new(DataTask::of(&problem).unwrap());
//! let Turn::Claims(claim) = engine.run(&mut Budget::unlimited(Arc::default())) else { panic!("it is easy") };
//! assert!(matches!(claim, model::Claim::Safe { .. }));
//! ```

mod affine;
mod alone;
mod concrete;
pub mod contradiction;
mod deadlock;
mod eliminate;
mod graph;
mod inline;
mod intervals;
mod live;
mod outcomes;
mod projections;
mod rules;
mod smt;

#[cfg(test)]
mod tests;
pub mod witness;

pub use concrete::Concrete;
pub use projections::Projections;
pub use smt::horn_clauses;

use graph::Graph;
use model::data::Control;
use model::{Budget, Certificate, Claim, DataCertificate, DataTask, Engine, Goal, Reason, Stats, Turn};
use rules::Rules;
use side::horn::{self, HornAnswer, Invariants};

/// The first limit of a query, in operations of Z3, and the number of pairs of queries. Each other pair has twice the
/// limit.
const FIRST_LIMIT: u32 = 1 << 19;
const ROUNDS: u32 = 24;

/// Operations of Z3 for one unit of work: about two in a microsecond.
const OPERATIONS: u64 = 2;

/// The engine.
#[derive(Debug)]
pub struct Symbolic {
    task: DataTask,
    graph: Option<Graph>,
    /// Goals without a claim.
    open: Vec<Open>,
    queries: u64,
}

/// A goal in progress.
#[derive(Debug)]
struct Open {
    goal: Goal,
    /// `None` until the first turn.
    rules: Option<Rules>,
    /// The number of queries so far.
    round: u32,
    /// No run with fewer steps than this violates the goal.
    depth: usize,
}

impl Symbolic {
    /// Creates the engine.
    #[must_use]
    pub fn new(task: DataTask) -> Self {
        let open = task.goals().iter().map(|goal| Open { goal: *goal, rules: None, round: 0, depth: 0 }).collect();
        Self { task, graph: None, open, queries: 0 }
    }

    fn give_up(&mut self, goals: Vec<Goal>, reason: Reason) -> Turn {
        self.open.retain(|open| !goals.contains(&open.goal));
        Turn::Claims(Claim::Unknown { goals, reason })
    }

    /// Makes one query for the first goal. Returns a claim, or `None` if another query is needed.
    fn query(&mut self, budget: &mut Budget) -> Option<Turn> {
        let graph = self.graph.as_ref()?;
        let open = self.open.first_mut()?;
        let goal = open.goal;
        if open.rules.is_none() {
            open.rules = Rules::new(self.task.program(), graph, goal);
        }
        let Some(rules) = &open.rules else { return Some(self.give_up(vec![goal], Reason::Unsupported)) };
        if let Some(found) = rules.by_facts() {
            return Some(self.safe(goal, found));
        }
        if open.round >= 2 * ROUNDS {
            return Some(self.give_up(vec![goal], Reason::GaveUp));
        }
        let limit = FIRST_LIMIT << (open.round / 4);
        self.queries += 1;
        open.round += 1;
        if open.round % 2 == 1 {
            let is_inlined = open.round % 4 == 1;
            let (answer, spent) = horn::invariants(rules.horn_for_invariants(is_inlined), limit, &budget.stop);
            budget.spend(u64::from(spent) / OPERATIONS);
            let HornAnswer::Safe(found) = answer else { return None };
            let found = rules.complete(found, is_inlined)?;
            return Some(self.safe(goal, found));
        }
        let (found, spent) = horn::bounded(&rules.horn, open.depth, limit, &budget.stop);
        budget.spend(u64::from(spent) / OPERATIONS);
        open.depth = found.depth;
        let trace = rules.trace(self.task.program(), graph, &found.run?)?;
        self.open.remove(0);
        Some(Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }))
    }

    /// Claims that the goal is unreachable, with an invariant for each control.
    fn safe(&mut self, goal: Goal, found: Invariants) -> Turn {
        self.open.retain(|open| open.goal != goal);
        let controls = self.graph.as_ref().map_or(&[][..], |graph| &graph.controls);
        let is_bad =
            |control: usize| self.graph.as_ref().is_some_and(|graph| graph.is_bad(self.task.program(), control));
        let listed = controls.iter().zip(found).enumerate().filter_map(|(number, (locations, clauses))| {
            let is_reachable = !clauses.iter().any(Vec::is_empty) && !is_bad(number);
            is_reachable.then(|| Control { locations: locations.to_vec(), clauses })
        });
        let controls = listed.collect();
        let certificate = Certificate::Data(Box::new(DataCertificate { controls, proofs: Vec::new() }));
        Turn::Claims(Claim::Safe { goals: vec![goal], certificate })
    }
}

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.graph.is_none() && !self.open.is_empty() {
            self.graph = Graph::new(self.task.program(), &budget.stop);
            let Some(graph) = &self.graph else {
                if budget.stop.raised().is_some() {
                    return Turn::More;
                }
                let goals = self.open.iter().map(|open| open.goal).collect();
                return self.give_up(goals, Reason::GaveUp);
            };
            budget.stop.report_states(graph.controls.len() as u64);
            budget.spend(graph.edges.len() as u64);
        }
        while !self.open.is_empty() {
            if let Some(turn) = self.query(budget) {
                return turn;
            }
            if !budget.spend(1) {
                return Turn::More;
            }
            self.open.rotate_left(1);
        }
        Turn::Done
    }

    fn refused(&mut self, _: Goal) {}

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|open| goals.binary_search(&open.goal).is_err());
    }

    fn claims_shortest(&self, _: Goal) -> bool {
        true
    }

    fn stats(&self) -> Stats {
        let (states, transitions) =
            self.graph.as_ref().map_or((0, 0), |graph| (graph.controls.len() as u64, graph.edges.len() as u64));
        let mut stats = Stats { states, transitions, ..Stats::default() };
        stats.more.insert("z3_queries", self.queries);
        stats
    }
}
