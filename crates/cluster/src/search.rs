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
use crate::progress::{Counts, Question, Step};
use crate::shard::Shard;
use crate::{Error, Space, runs};
use model::{Certificate, Goal, Reason, Trace};
use search::PackedStates;

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
