//! IC3 on markings: coverability for arbitrarily many tokens.
//!
//! This is IC3 (Bradley 2011) for well-structured systems (Kloos, Majumdar, Niksic, Piskac 2013). Frame k is
//! given by vectors that are not covered within k steps. It is strengthened by the lemmas that block
//! predecessors of the goal, until some frame is an invariant or a run is found. The cubes are vectors, and
//! predecessors are exact, so no solver is needed. The concurrency relation, and linear bounds where they help,
//! strengthen all frames. They are looked up instead of stored as lemmas.
//!
//! `search` is the loop. `obligations`, `block`, `generalize` and `push` are the parts of IC3. `frames`,
//! `predecessors`, `start` and `invariants` answer queries about markings. `certificate` and `trace` make the
//! evidence.

mod block;
mod certificate;
pub(crate) mod frames;
mod generalize;
mod goals;
pub(crate) mod invariants;
mod obligations;
pub(crate) mod predecessors;
mod push;
mod saved;
mod search;
mod start;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod trace;
pub(crate) mod vector;

use crate::invariants::Invariants;
use model::{Budget, Engine, Goal, NetTask, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};
use predecessors::{BackwardNet, Net};
use search::FrameSearch;
use std::sync::Arc;
use vector::Vector;

/// IC3 for the covering goals of a task; it makes no claims about other goals. On nets without upper limits in
/// guards, it ends with an answer if it has enough time. With such limits it may end without an answer.
pub struct Ic3 {
    task: NetTask,
    invariants: Arc<Invariants>,
    /// Vectors of an earlier search, for the first turn.
    saved: Vec<Vector>,
    /// Created in the first turn, because it needs invariants that are computed then.
    started: Option<Box<(BackwardNet, FrameSearch)>>,
}

impl Ic3 {
    /// Makes the engine. `invariants` must be about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, invariants: Arc<Invariants>) -> Self {
        Self { task, invariants, saved: Vec::new(), started: None }
    }
}

impl Engine for Ic3 {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let (rules, pairs, marked) =
            (self.invariants.rules(), self.invariants.pairs(budget), self.invariants.marked(budget));
        let (shape, search) = &mut **self.started.get_or_insert_with(|| {
            let shape = BackwardNet::new(rules, self.invariants.firing(budget), pairs);
            let mut search = FrameSearch::new(Net { rules, shape: &shape, pairs, marked }, &self.task);
            search.remember(std::mem::take(&mut self.saved));
            Box::new((shape, search))
        });
        search.run(Net { rules, shape, pairs, marked }, &self.task, &self.invariants, budget)
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        if let Some(started) = &mut self.started {
            started.1.settled(goals);
        }
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.started.as_ref().map_or(Ok(None), |started| started.1.save(since, to))
    }

    /// The mark differs from those of later checkpoints, so that the next one saves everything.
    fn restore(&mut self, from: &mut dyn Saved, _: &Stop) -> Result<Option<u64>, Unrestored> {
        self.saved = saved::restore(self.invariants.rules().places(), from)?;
        Ok((!self.saved.is_empty()).then_some(u64::MAX))
    }

    fn stats(&self) -> Stats {
        self.started.as_ref().map_or_else(Stats::default, |started| started.1.stats())
    }
}
