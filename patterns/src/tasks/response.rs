//! Computes the largest set of tasks for which response times are guaranteed, and the states that these
//! response times exclude.
//!
//! The argument is at [`model::Unreachable::ResponseTimes`]. The level of a task contains the task, the tasks
//! that it does not keep from running, the tasks that these tasks do not keep from running, and so on. Only
//! tasks of the level can delay the task. If the busy period of the level (Lehoczky 1990) is at most the period
//! of the task, no job ends later than this busy period. Tasks that fail a condition are removed until all
//! remaining tasks qualify, so the result is a greatest fixed point. This takes several rounds: the event of a
//! removed task serves no task, so other tasks that do not block it must be removed, too.

use super::conditions::{Conditions, SideCondition};
use super::shape::{Matrix, TaskThread};
use crate::requests::Requests;
use model::{EventId, LocalId, Task, Thread, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// A task with the matrix for the bound on its response times.
struct Served {
    shape: TaskThread,
    matrix: Matrix,
}

/// Tasks, and the states of their threads that no run visits, ascending.
pub(super) type Late = (Vec<Task>, Vec<(ThreadId, LocalId)>);

/// Returns the largest set of tasks and the states that it excludes. Returns `None` if no state is excluded.
pub(super) fn excluded(
    threads: &[Thread],
    shapes: Vec<TaskThread>,
    requests: &Requests,
    keep: Conditions,
) -> Option<Late> {
    let served = largest_set(threads, shapes, requests, keep);
    let mut states = Vec::new();
    for Served { shape, matrix } in &served {
        let without = matrix.pairs.iter().enumerate().filter(|(_, pair)| pair.is_none());
        states.extend(without.map(|(s, _)| (shape.task.thread, LocalId::new(s))));
    }
    (!states.is_empty()).then(|| (served.into_iter().map(|s| s.shape.task).collect(), states))
}

/// Removes tasks until every remaining task qualifies.
fn largest_set(threads: &[Thread], shapes: Vec<TaskThread>, requests: &Requests, keep: Conditions) -> Vec<Served> {
    let of_period = |shape: TaskThread| {
        let thread = &threads[shape.task.thread.index()];
        let matrix = shape.matrix(thread, shape.task.period, requests, keep).ok()?;
        Some(Served { shape, matrix })
    };
    let mut served: Vec<Served> = shapes.into_iter().filter_map(of_period).collect();
    let once: BTreeSet<EventId> = served.iter().map(|s| s.shape.task.event).collect();
    loop {
        let own: BTreeMap<EventId, usize> = served.iter().enumerate().map(|(k, s)| (s.shape.task.event, k)).collect();
        let harmless = |event: &EventId| {
            let dropped = once.contains(event) && !keep.keep(SideCondition::LevelInSet);
            own.contains_key(event) || dropped || !keep.keep(SideCondition::ForeignBlocked)
        };
        let directs: Vec<BTreeSet<usize>> = served.iter().map(|s| direct(s, &own)).collect();
        let bounds: Vec<Option<u32>> = (0..served.len())
            .map(|k| {
                let passes = &served[k].matrix.passes;
                if !passes.iter().all(|e| harmless(&e)) {
                    return None;
                }
                let period = served[k].shape.task.period;
                let overload = (!keep.keep(SideCondition::Schedulable)).then_some(period);
                let bound = |of: &mut dyn Iterator<Item = usize>| {
                    busy_period(&of.map(|j| served[j].shape.task).collect::<Vec<Task>>(), period)
                };
                // The tasks that delay the task directly are a part of its level. If even their busy period is
                // too long, the level need not be computed.
                let direct = bound(&mut directs[k].iter().copied());
                direct.and_then(|_| bound(&mut level(k, &directs, keep))).or(overload)
            })
            .collect();
        let whole = served.len();
        let mut next = Vec::new();
        let mut narrowed = Vec::new();
        for (task, bound) in served.into_iter().zip(bounds) {
            let Some(bound) = bound else { continue };
            let thread = &threads[task.shape.task.thread.index()];
            narrowed.push(task.shape.matrix(thread, bound, requests, keep).ok());
            next.push(task);
        }
        served = next;
        if served.len() == whole {
            // The matrix for the bound has fewer pairs than the matrix for the whole period, so the conditions
            // checked above hold for it, too.
            let bounded = served.into_iter().zip(narrowed);
            return bounded.filter_map(|(s, matrix)| Some(Served { matrix: matrix?, ..s })).collect();
        }
    }
}

/// Returns the tasks that some pending state of `task` does not keep from running.
fn direct(task: &Served, own: &BTreeMap<EventId, usize>) -> BTreeSet<usize> {
    task.matrix.passes.iter().filter_map(|event| own.get(&event).copied()).collect()
}

/// Returns all tasks that may delay task `k`, including `k`, ascending.
fn level(k: usize, directs: &[BTreeSet<usize>], keep: Conditions) -> impl Iterator<Item = usize> + use<> {
    let mut level = BTreeSet::from([k]);
    let mut new = vec![k];
    while let Some(task) = new.pop() {
        for &other in &directs[task] {
            if level.insert(other) && keep.keep(SideCondition::LevelClosed) {
                new.push(other);
            }
        }
    }
    level.into_iter()
}

/// Returns the least L > 0 with L = sum of ceil(L / period) * work, if it is at most `most`.
fn busy_period(tasks: &[Task], most: u32) -> Option<u32> {
    let demand = |length: u64| -> u64 {
        tasks.iter().map(|t| length.div_ceil(u64::from(t.period)).saturating_mul(u64::from(t.work))).sum()
    };
    let mut length = 1;
    loop {
        let next = demand(length);
        if next > u64::from(most) {
            return None;
        }
        if next == length {
            return u32::try_from(length).ok();
        }
        length = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(parameters: &[(u32, u32)]) -> Vec<Task> {
        let task = |(k, &(period, work)): (usize, &(u32, u32))| {
            let (thread, event) = (ThreadId::new(k), EventId::new(k));
            Task { thread, event, period, work, offset: 0 }
        };
        parameters.iter().enumerate().map(task).collect()
    }

    #[test]
    fn busy_periods_of_the_paper() {
        let paper = tasks(&[(5, 1), (6, 1), (9, 3), (11, 2)]);
        let bounds: Vec<_> = (1..=4).map(|n| busy_period(&paper[..n], 99)).collect();
        assert_eq!(bounds, [Some(1), Some(2), Some(5), Some(9)]);
        assert_eq!(busy_period(&paper, 8), None);
        assert_eq!(busy_period(&tasks(&[(2, 1), (2, 1)]), 9), Some(2), "the whole processor");
        assert_eq!(busy_period(&tasks(&[(2, 1), (3, 2)]), 1_000_000), None, "more than the processor");
    }
}
