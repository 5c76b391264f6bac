//! The goals of a task as vectors.

use crate::coverability::start::Start;
use crate::coverability::vector::{MOST, Vector};
use crate::targets::{self, Cube};
use model::{Goal, NetTask};

/// Maximal number of minimal markings of a goal.
const MINIMAL: usize = 20_000;

/// A goal of the search.
#[derive(Debug)]
pub(crate) struct CoverGoal {
    pub(crate) goal: Goal,
    /// The minimal markings of the goal.
    pub(crate) cubes: Vec<Cube>,
    /// The minimal markings as vectors of obligations, without free places (see `Start`).
    pub(crate) targets: Vec<Vector>,
    /// The goal is blocked below this level.
    pub(crate) level: u32,
    /// True if the goal is neither claimed nor given up.
    pub(crate) is_open: bool,
}

/// The covering goals of `task` that have few minimal markings.
pub(crate) fn goals(task: &NetTask, start: &Start) -> Vec<CoverGoal> {
    task.goals.iter().filter_map(|&goal| asked(task, goal, start)).collect()
}

fn asked(task: &NetTask, goal: Goal, start: &Start) -> Option<CoverGoal> {
    let cubes = targets::minimal(task.formula(goal)?, MINIMAL)?;
    let entry = |&(p, n): &(u32, u64)| Some((p, u32::try_from(n).ok().filter(|n| *n < MOST)?));
    let target = |cube: &Cube| cube.iter().filter(|e| !start.is_free(e.0)).map(entry).collect::<Option<Vector>>();
    let targets = cubes.iter().map(target).collect::<Option<Vec<_>>>()?;
    debug_assert_eq!(cubes.len(), targets.len());
    Some(CoverGoal { goal, cubes, targets, level: 1, is_open: true })
}
