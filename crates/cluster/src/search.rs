//! The search: all workers expand a level, agree what they met, and go on with the next level.
//!
//! What the workers agree on depends on whole levels only, so neither the number of workers nor the time that messages
//! take has an influence on it. A violation of level `n` ends the search after level `n`, and its run has `n` steps,
//! which no other run undercuts.
//!
//! A level costs one agreement. Workers report on a level when they have expanded it, and while the reports travel, the
//! last states of the next level arrive. So no report says how many states the next level has: a level without states
//! ends the search.

use crate::begin::{Begun, begin};
use crate::links::Links;
use crate::logs::Logs;
use crate::shard::{Report, Shard};
use crate::{Error, Space, runs};
use model::{Certificate, Goal, Reason, Stop, Trace};
use search::PackedStates;
use serde::{Deserialize, Serialize};

/// What is searched for.
pub struct Question<'a> {
    /// The goals to decide.
    pub goals: &'a [Goal],
    /// True if the search goes on until all states are known, also if all goals are reached.
    pub explore_all: bool,
    /// Ends the search at a limit.
    pub stop: &'a Stop,
    /// Which levels each worker searches alone. All workers need the same sizes.
    pub alone: Alone,
    /// Called after each level.
    pub on_level: &'a dyn Fn(&Counts),
}

impl Question<'_> {
    /// Returns the goals that are not reached, with their numbers.
    pub(crate) fn open(&self, progress: &Progress) -> Vec<(usize, Goal)> {
        let is_open = |number: &usize| progress.hits.iter().all(|hit| hit.goal != *number);
        (0..self.goals.len()).filter(is_open).map(|number| (number, self.goals[number])).collect()
    }

    /// Returns true if no goal is left to search for.
    pub(crate) fn is_done(&self, progress: &Progress) -> bool {
        !self.goals.is_empty() && !self.explore_all && self.open(progress).is_empty()
    }
}

/// Each worker searches the levels alone that begin the search, as long as they are smaller than these sizes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Alone {
    /// Number of states in these levels.
    pub states: usize,
    /// Number of states in a level, for each worker: all expand this level in the time of an agreement.
    pub level: usize,
}

impl Alone {
    /// Measured on two cores with 2 to 8 processes.
    pub const USUAL: Self = Self { states: 1 << 20, level: 128 };
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

/// How a search goes on after a level.
pub(crate) enum Step<S> {
    /// With the next level.
    On,
    /// From the beginning, in a space with wider slots.
    Again(S),
    /// Not at all: the level has no states.
    End,
    /// Not at all, for this reason.
    Stuck(Reason),
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

/// Searches. All workers call this with the same space and question. `logs` is the log of this worker, if the search is
/// saved.
///
/// # Errors
/// If the connection to another worker fails, or the log of a worker.
pub fn search<S: Space>(
    links: &mut Links<'_>,
    space: S,
    question: &Question<'_>,
    mut logs: Option<Logs>,
) -> Result<Outcome, Error> {
    let mut now = match &mut logs {
        Some(logs) => logs.resume(links, &space, question)?,
        None => begin(links, &space, &[], question)?,
    };
    while now.stuck.is_none() && !question.is_done(&now.progress) {
        let report = now.shard.expand(links, &question.open(&now.progress), question.stop)?;
        let states = report.states;
        match now.progress.step(&now.shard.space, report) {
            Step::End => break,
            Step::Stuck(reason) => now.stuck = Some(reason),
            Step::Again(_) => {
                let widened = std::mem::take(&mut now.progress.widened);
                drop(now);
                now = begin(links, &space, &widened, question)?;
                if let Some(logs) = logs.as_mut().filter(|_| now.stuck.is_none()) {
                    logs.restart(links, &now.progress, question)?;
                }
            }
            Step::On => {
                if let Some(logs) = logs.as_mut().filter(|_| now.shard.incomplete.is_none()) {
                    logs.level(&now.shard, &now.progress, states)?;
                }
                (question.on_level)(&now.progress.counts);
            }
        }
    }
    if let Some(logs) = &mut logs {
        logs.sync()?;
    }
    finish(links, now, question)
}

impl Progress {
    /// The beginning of a search in a space of which these slots were widened.
    pub(crate) fn new(space: &impl Space, widened: Vec<Vec<usize>>) -> Self {
        Self { widened, cut: space.initial_is_cut(), ..Self::default() }
    }

    /// Takes account of what all workers met in a level.
    pub(crate) fn step<S: Space>(&mut self, space: &S, report: Report) -> Step<S> {
        if let Some(reason) = report.stuck() {
            return Step::Stuck(reason);
        }
        if report.states == 0 {
            return Step::End;
        }
        if report.slots.is_empty() {
            self.add(report);
            return Step::On;
        }
        let Some(wider) = space.wider(&report.slots) else { return Step::Stuck(Reason::Overflow) };
        let widened = [&self.widened[..], &[report.slots]].concat();
        *self = Self::new(&wider, widened);
        Step::Again(wider)
    }

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

fn finish<S: Space>(links: &mut Links<'_>, begun: Begun<S>, question: &Question<'_>) -> Result<Outcome, Error> {
    let Begun { mut whole, mut shard, progress, stuck } = begun;
    let mut runs = Vec::new();
    for hit in &progress.hits {
        runs.push((question.goals[hit.goal], runs::reconstruct(links, &mut whole, &mut shard, hit)?));
    }
    let rest: Vec<Goal> = question.open(&progress).into_iter().map(|(_, goal)| goal).collect();
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
