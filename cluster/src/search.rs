//! The search: all workers expand a level, agree what they met, and go on with the next level.
//!
//! What the workers agree on depends on whole levels only, so neither the number of workers nor the time that messages
//! take has an influence on it. A violation of level `n` ends the search after level `n`, and its run has `n` steps,
//! which no other run undercuts.
//!
//! A level costs one agreement. Workers report on a level when they have expanded it, and while the reports travel, the
//! last states of the next level arrive. So no report says how many states the next level has: a level without states
//! ends the search.

use crate::links::Links;
use crate::logs::Logs;
use crate::shard::{Report, Shard};
use crate::{Error, Space, runs};
use model::{Certificate, Goal, Reason, Stop, Trace};
use serde::{Deserialize, Serialize};
use store::PackedStates;

/// What is searched for.
pub struct Question<'a> {
    /// The goals to decide.
    pub goals: &'a [Goal],
    /// True if the search goes on until all states are known, also if all goals are reached.
    pub explore_all: bool,
    /// Ends the search at a limit.
    pub stop: &'a Stop,
    /// The log of this worker, if the search is saved.
    pub logs: Option<Logs>,
    /// Called after each level.
    pub on_level: &'a dyn Fn(&Counts),
}

/// Counts of all workers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Number of complete levels. Level 0 has the initial states.
    pub levels: u64,
    /// Number of states in them.
    pub states: u64,
    /// Number of transitions from these states.
    pub transitions: u64,
}

/// A goal that is reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Hit {
    /// The number of the goal.
    pub(crate) goal: usize,
    pub(crate) level: usize,
    /// The least state of the goal in this level.
    pub(crate) state: Vec<u64>,
}

/// What all workers know after a level, and what has to be known to go on after it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(crate) counts: Counts,
    pub(crate) hits: Vec<Hit>,
    pub(crate) cut: bool,
    pub(crate) overflown: bool,
    /// The slots that were widened, each time that the search began again.
    pub(crate) widened: Vec<Vec<usize>>,
}

/// The result of a search, in each worker.
#[derive(Debug)]
pub struct Outcome {
    /// Counts of all workers.
    pub counts: Counts,
    /// A shortest run to each goal that is reached.
    pub runs: Vec<(Goal, Trace)>,
    /// The goals that are not reached.
    pub rest: Vec<Goal>,
    /// The share of this worker in the evidence that no run reaches them, or the reason why there is none.
    pub share: Result<Certificate, Reason>,
    /// Number of states of this worker.
    pub own: u64,
}

/// Searches. All workers call this with the same space and question.
///
/// # Errors
/// If the connection to another worker fails, or the log of a worker.
pub fn search<S: Space>(links: &mut Links<'_>, space: S, question: Question<'_>) -> Result<Outcome, Error> {
    let Question { goals, explore_all, stop, mut logs, on_level } = question;
    let (mut shard, mut progress) = match &mut logs {
        Some(logs) => logs.resume(links, space)?,
        None => (Shard::new(space, links), Progress::default()),
    };
    if progress.counts.levels == 0 {
        progress.cut = shard.space.initial_is_cut();
    }
    let mut stuck = None;
    loop {
        let open = open(goals, &progress.hits);
        let is_done = open.is_empty() && !goals.is_empty() && !explore_all;
        if is_done {
            break;
        }
        let whole = shard.expand(links, &open, stop)?;
        stuck = whole.stuck();
        if stuck.is_some() || whole.states == 0 {
            break;
        }
        if !whole.slots.is_empty() {
            let Some(wider) = shard.space.wider(&whole.slots) else {
                stuck = Some(Reason::Overflow);
                break;
            };
            drop(shard);
            let widened = [&progress.widened[..], &[whole.slots]].concat();
            progress = Progress { widened, cut: wider.initial_is_cut(), ..Progress::default() };
            shard = Shard::new(wider, links);
            if let Some(logs) = &mut logs {
                logs.restart(links, &progress)?;
            }
            continue;
        }
        let states = whole.states;
        progress.add(whole);
        if let Some(logs) = logs.as_mut().filter(|_| shard.incomplete.is_none()) {
            logs.level(&shard, &progress, states)?;
        }
        on_level(&progress.counts);
    }
    if let Some(logs) = &mut logs {
        logs.sync()?;
    }
    finish(links, shard, goals, progress, stuck)
}

fn open(goals: &[Goal], hits: &[Hit]) -> Vec<(usize, Goal)> {
    let is_open = |number: &usize| hits.iter().all(|hit| hit.goal != *number);
    (0..goals.len()).filter(is_open).map(|number| (number, goals[number])).collect()
}

impl Progress {
    /// Adds a level.
    fn add(&mut self, whole: Report) {
        let level = usize::try_from(self.counts.levels).expect("a level has a state");
        self.counts.levels += 1;
        self.counts.states += whole.states;
        self.counts.transitions += whole.transitions;
        self.hits.extend(whole.hits.into_iter().map(|(goal, state)| Hit { goal, level, state }));
        self.hits.sort_by_key(|hit| (hit.level, hit.goal));
        self.cut |= whole.cut;
        self.overflown |= whole.overflown;
    }
}

fn finish<S: Space>(
    links: &mut Links<'_>,
    mut shard: Shard<S>,
    goals: &[Goal],
    progress: Progress,
    stuck: Option<Reason>,
) -> Result<Outcome, Error> {
    let mut runs = Vec::new();
    for hit in &progress.hits {
        runs.push((goals[hit.goal], runs::reconstruct(links, &mut shard, hit)?));
    }
    let rest: Vec<Goal> = open(goals, &progress.hits).into_iter().map(|(_, goal)| goal).collect();
    let own = shard.table.len() as u64;
    let missing = match (stuck, progress.overflown, progress.cut) {
        (Some(reason), _, _) => Some(reason),
        (None, true, _) => Some(Reason::Overflow),
        (None, false, true) => Some(Reason::Bound),
        _ => None,
    };
    let share = match missing {
        Some(reason) => Err(reason),
        None => {
            let Shard { space, table, .. } = shard;
            let states = PackedStates::new(space.clone(), table);
            Ok(space.share(Box::new(states)))
        }
    };
    Ok(Outcome { counts: progress.counts, runs, rest, share, own })
}
