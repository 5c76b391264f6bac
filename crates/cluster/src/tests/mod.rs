//! Clusters of threads: timely gives each worker a thread of this process. All else is as with processes.

mod net;
mod resume;
mod truth;

use crate::{Alone, Counts, Links, Logs, Outcome, Question, Space, search};
use kernel::{Checked, Refusal, Work, confirm_shared};
use model::{Goal, Problem, Stop, Trace};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use timely::Config;

/// What the first worker reports; all others must report the same.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Said {
    counts: Counts,
    runs: Vec<(Goal, Trace)>,
    rest: Vec<Goal>,
    /// The result of the check of the shares. `None` if there is no evidence or nothing to prove.
    checked: Option<Result<Checked, Refusal>>,
}

/// How a cluster searches.
#[derive(Clone, Default)]
struct How {
    workers: usize,
    explore_all: bool,
    alone: Alone,
    /// A folder for logs, and the identity of the run.
    logs: Option<(PathBuf, String)>,
    /// The number of levels after which all workers panic.
    ends: Option<u64>,
    /// Counts the levels that the first worker completes.
    levels: Arc<AtomicU64>,
}

/// Several sizes of what workers search alone, from nothing to all.
fn alone(seed: u64) -> Alone {
    let level = [0, 1, 5, usize::MAX][seed as usize % 4];
    Alone { states: if seed.is_multiple_of(3) { 20 } else { usize::MAX }, level }
}

fn workers(workers: usize) -> How {
    How { workers, ..How::default() }
}

/// Searches, and checks the evidence for `problem` if there is any. Returns what each worker said.
fn each<S: Space>(space: &S, goals: &[Goal], problem: &Problem, how: &How) -> Vec<Result<Said, String>> {
    let (space, goals, problem, how) = (space.clone(), goals.to_vec(), problem.clone(), how.clone());
    let config = if how.workers == 1 { Config::thread() } else { Config::process(how.workers) };
    let guards = timely::execute(config, move |worker| {
        let mut links = Links::new(worker);
        let number = links.number();
        let stop = Stop::default();
        let logs = how.logs.as_ref().map(|(dir, run)| Logs::new(dir, number, run.clone()));
        let ends = |counts: &Counts| {
            how.levels.fetch_add(u64::from(number == 0), Ordering::Relaxed);
            assert!(how.ends != Some(counts.levels), "this worker ends here");
        };
        let (explore_all, alone) = (how.explore_all, how.alone);
        let question = Question { goals: &goals, explore_all, stop: &stop, alone, on_level: &ends };
        let Outcome { counts, runs, rest, share, .. } =
            search(&mut links, space.clone(), &question, logs).map_err(|error| error.to_string())?;
        let checked = share
            .ok()
            .filter(|_| !rest.is_empty())
            .map(|share| confirm_shared(&problem, &rest, &share, &mut links, &mut Work::new(u64::MAX, &stop)));
        Ok(Said { counts, runs, rest, checked })
    });
    guards.expect("threads start").join().into_iter().map(|said| said.unwrap_or_else(Err)).collect()
}

/// Searches, and checks that all workers say the same.
fn said<S: Space>(space: &S, goals: &[Goal], problem: &Problem, how: &How) -> Said {
    let all: Vec<Said> = each(space, goals, problem, how).into_iter().map(|said| said.expect("no error")).collect();
    assert!(all.iter().all(|said| *said == all[0]), "{all:#?}");
    all.into_iter().next().expect("there is a worker")
}

/// A problem that holds a program, with all of its plain goals.
fn of_program(program: model::Program) -> Problem {
    Problem::of_program_with(Arc::new(program), &[Goal::Bad, Goal::Deadlock]).expect("goals of programs")
}
