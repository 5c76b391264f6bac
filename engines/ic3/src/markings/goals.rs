//! The goals of a task as vectors.

use crate::markings::start::Start;
use crate::markings::vector::{MOST, Vector};
use analysis::targets::{self, Cube};
use model::{Goal, NetTask};

/// Most minimal markings of one goal.
const MINIMAL: usize = 20_000;

/// A goal.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) goal: Goal,
    /// Its minimal markings.
    pub(crate) cubes: Vec<Cube>,
    /// As obligations: without places that never run short.
    pub(crate) targets: Vec<Vector>,
    /// Blocked below this level.
    pub(crate) level: u32,
    /// Not claimed, not given up.
    pub(crate) is_open: bool,
}

/// The covering goals of `task` that have few minimal markings.
pub(crate) fn goals(task: &NetTask, start: &Start) -> Vec<Asked> {
    task.goals.iter().filter_map(|&goal| asked(task, goal, start)).collect()
}

fn asked(task: &NetTask, goal: Goal, start: &Start) -> Option<Asked> {
    let cubes = targets::minimal(task.formula(goal)?, MINIMAL)?;
    let entry = |&(p, n): &(u32, u64)| Some((p, u32::try_from(n).ok().filter(|n| *n < MOST)?));
    let target = |cube: &Cube| cube.iter().filter(|e| !start.is_free(e.0)).map(entry).collect::<Option<Vector>>();
    let targets = cubes.iter().map(target).collect::<Option<Vec<_>>>()?;
    debug_assert_eq!(cubes.len(), targets.len());
    Some(Asked { goal, cubes, targets, level: 1, is_open: true })
}
