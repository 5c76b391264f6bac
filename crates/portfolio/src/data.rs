//! Engines for programs with unbounded data.
//!
//! Besides the engine for data, the engines for behavioral programs search for a proof about `bad` on the skeleton of
//! the program, in which all values are forgotten ([`mod@model::observed`]). There, patterns recognise threads and cut
//! off parts of the state space. If an engine finds a run into a bad state of the skeleton, they all end.

use crate::engines;
use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::plan::{Subject, entrants, unsupported};
use crate::program;
use crate::row::{Call, Data};
use model::{Budget, Claim, DataTask, Engine, Goal, Problem, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};
use programs::symbolic::{Concrete, Projections, Symbolic};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The beginning of the random numbers of runs with known values.
const SEED: u64 = 1;

pub(crate) fn plan<'a>(problem: &Problem, task: DataTask, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (goals, explore_all) = (task.goals().to_vec(), options.explore_all);
    let by_data = options.engine.is_none_or(|row| !row.data.is_empty());
    let by_skeleton = !explore_all && options.engine.is_none_or(|row| !row.program.is_empty());
    let abstracted = if by_skeleton { model::observed(problem, &[Goal::Bad]) } else { None };
    let mut list = Vec::new();
    if by_data {
        let task = Arc::new(task);
        let subject = Subject { task, entries: |row| row.data, goals, threads: 0, explore_all, is_bounded: false };
        list = entrants::<Data>(&subject, options);
    } else {
        let others: Vec<Goal> = goals.into_iter().filter(|goal| abstracted.is_none() || *goal != Goal::Bad).collect();
        if !others.is_empty() {
            list.push(unsupported(others));
        }
    }
    if let Some(abstracted) = abstracted {
        let is_over = Arc::new(AtomicBool::new(false));
        let inner = program::plain(abstracted.task(), options, false);
        list.extend(inner.into_iter().map(|entrant| {
            let engine = Box::new(Above { engine: entrant.engine, is_over: Arc::clone(&is_over) });
            Entrant { engine, goals: Some(vec![Goal::Bad]), ..entrant }
        }));
    }
    list
}

/// Creates the search for proofs about few threads, and the search for invariants and bounded runs.
pub(crate) fn symbolic<'a>(call: &Call<'a, Data>) -> Vec<Entrant<'a>> {
    let (all, few) = (Arc::clone(&call.task), Arc::clone(&call.task));
    let make = move || -> Option<Box<dyn Engine>> { Some(Box::new(Symbolic::new((*all).clone()))) };
    let make_few = move || -> Option<Box<dyn Engine>> { Some(Box::new(Projections::new(&few)?)) };
    let name = engines::SYMBOLIC.name;
    vec![Entrant::made(name, make_few).only_for(vec![Goal::Bad]), Entrant::made(name, make)]
}

/// Creates the search for runs with known values. Its runs need not be shortest ones, so it begins later than the
/// search for bounded runs.
pub(crate) fn explicit<'a>(call: &Call<'a, Data>) -> Vec<Entrant<'a>> {
    let task = Arc::clone(&call.task);
    let make = move || -> Option<Box<dyn Engine>> { Some(Box::new(Concrete::new(&task, SEED))) };
    let role = if call.by_name { Role::Main } else { Role::Follower };
    vec![Entrant::made(engines::EXPLICIT.name, make).in_role(role)]
}

/// An engine on an abstraction: a system with more runs. A proof about the abstraction is a proof about the system. A
/// run need not be one of the system, so it shows that the abstraction is too coarse.
struct Above<'a> {
    engine: Box<dyn Engine + 'a>,
    /// True if the abstraction is known to be too coarse. Shared by all engines on it.
    is_over: Arc<AtomicBool>,
}

impl Engine for Above<'_> {
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
