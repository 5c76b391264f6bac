//! Engines for programs with unbounded data.
//!
//! Besides the engine for data, the engines for behavioral programs search for a proof about `bad` on the skeleton of
//! the program, in which all values are forgotten ([`mod@model::observed`]). There, patterns recognise threads and cut
//! off parts of the state space. If an engine finds a run into a bad state of the skeleton, they all end.

use crate::entrant::{Entrant, Role};
use crate::program;
use crate::row::{Call, Data, Entry, Row, SystemKind};
use crate::select::{Selection, Subject};
use model::{Budget, Claim, DataTask, Engine, Goal, Problem, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};
use programs::symbolic::{Concrete, Projections, Symbolic};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The beginning of the random numbers of runs with known values.
const SEED: u64 = 1;

impl SystemKind for Data {
    type Task<'a> = DataTask;

    fn entries(row: &Row) -> &'static [Entry<Self>] {
        row.data
    }
}

pub(crate) fn plan<'a>(problem: &Problem, task: DataTask, from: Selection<'a>) -> Vec<Entrant<'a>> {
    let (goals, engine) = (task.goals().to_vec(), from.options.engine);
    let by_data = engine.is_none_or(|row| !row.data.is_empty());
    let by_skeleton = !from.options.explore_all && engine.is_none_or(|row| !row.program.is_empty());
    let abstracted = if by_skeleton { model::observed(problem, &[Goal::Bad]) } else { None };
    let mut list = Vec::new();
    if by_data {
        list = from.entrants::<Data>(&Subject::new(task, goals));
    } else {
        let others: Vec<Goal> = goals.into_iter().filter(|goal| abstracted.is_none() || *goal != Goal::Bad).collect();
        list.extend((!others.is_empty()).then(|| Entrant::unsupported(others)));
    }
    if let Some(abstracted) = abstracted {
        let is_over = Arc::new(AtomicBool::new(false));
        let inner = program::plain(abstracted.task(), from, false);
        list.extend(inner.into_iter().map(|entrant| {
            let engine = Box::new(Overapproximation { engine: entrant.engine, is_over: Arc::clone(&is_over) });
            Entrant { engine, goals: Some(vec![Goal::Bad]), ..entrant }
        }));
    }
    list
}

/// Creates the search for proofs about few threads, and the search for invariants and bounded runs.
pub(crate) fn symbolic<'a>(call: &Call<'a, Data>) -> Vec<Entrant<'a>> {
    let few = call.paid(0, |call| Some(Box::new(Projections::new(&call.task)?)));
    vec![few.only_for(vec![Goal::Bad]), call.entrant(|call| Symbolic::new((*call.task).clone()))]
}

/// Creates the search for runs with known values. Its runs need not be shortest ones, so it begins later than the
/// search for bounded runs.
pub(crate) fn explicit<'a>(call: &Call<'a, Data>) -> Vec<Entrant<'a>> {
    vec![call.entrant(|call| Concrete::new(&call.task, SEED)).in_role(call.role(Role::Follower))]
}

/// An engine on an abstraction: a system with more runs. A proof about the abstraction is a proof about the system. A
/// run need not be one of the system, so it shows that the abstraction is too coarse.
struct Overapproximation<'a> {
    engine: Box<dyn Engine + 'a>,
    /// True if the abstraction is known to be too coarse. Shared by all engines on it.
    is_over: Arc<AtomicBool>,
}

impl Engine for Overapproximation<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.is_over.load(Ordering::Relaxed) {
            return Turn::Done;
        }
        match self.engine.run(budget) {
            Turn::Claims(Claim::Unsafe { .. }) => {
                self.is_over.store(true, Ordering::Relaxed);
                Turn::Done
            }
            turn => turn,
        }
    }

    fn refused(&mut self, goal: Goal) {
        self.engine.refused(goal);
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.engine.settled(goals);
    }

    fn claims_shortest(&self, _: Goal) -> bool {
        false
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.engine.save(since, to)
    }

    fn restore(&mut self, from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        self.engine.restore(from, stop)
    }

    fn stats(&self) -> Stats {
        self.engine.stats()
    }
}
