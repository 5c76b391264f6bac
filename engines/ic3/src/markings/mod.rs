//! IC3 on markings: coverability for any number of tokens.
//!
//! IC3 (Bradley 2011) for well-structured systems (Kloos, Majumdar, Niksic, Piskac 2013): frames of vectors that are
//! not covered within so many steps, strengthened by what it takes to block the predecessors of the goal, until some
//! frame is an invariant or a run is found. States are vectors, predecessors exact, so no solver is needed. The pair
//! relation stands behind all frames as a lemma that is looked up, and linear bounds do so where they help.
//!
//! `search` is the loop; `obligations`, `block`, `generalize` and `push` are IC3; `frames`, `predecessors`, `start` and
//! `known` are what it asks about markings; `certificate` and `trace` are what it hands out.

mod block;
mod certificate;
pub(crate) mod frames;
mod generalize;
mod goals;
pub(crate) mod known;
mod obligations;
pub(crate) mod predecessors;
mod push;
mod search;
mod start;
#[cfg(test)]
pub(crate) mod tests;
mod trace;
pub(crate) mod vector;

use analysis::facts::Facts;
use model::{Budget, Engine, Goal, NetTask, Stats, Turn};
use predecessors::{Net, Shape};
use search::Search;
use std::sync::Arc;

/// IC3 for the covering goals of a task; it has nothing to say about others. On nets without upper ends of guards it
/// ends with an answer if it has time; with them it may end without one.
pub struct Ic3 {
    task: NetTask,
    facts: Arc<Facts>,
    /// Made in the first turn, as facts are.
    started: Option<Box<(Shape, Search)>>,
}

impl Ic3 {
    /// `facts` are about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, facts: Arc<Facts>) -> Self {
        Self { task, facts, started: None }
    }
}

impl Engine for Ic3 {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let (rules, pairs, marked) = (self.facts.rules(), self.facts.pairs(budget), self.facts.marked(budget));
        let (shape, search) = &mut **self.started.get_or_insert_with(|| {
            let shape = Shape::new(rules, self.facts.firing(budget), pairs);
            let search = Search::new(Net { rules, shape: &shape, pairs, marked }, &self.task);
            Box::new((shape, search))
        });
        search.run(Net { rules, shape, pairs, marked }, &self.task, &self.facts, budget)
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: these claims are no candidates.
    }

    fn settled(&mut self, goals: &[Goal]) {
        if let Some(started) = &mut self.started {
            started.1.settled(goals);
        }
    }

    fn stats(&self) -> Stats {
        self.started.as_ref().map_or_else(Stats::default, |started| started.1.stats())
    }
}
