//! Reference numbers of reachable states for programs.

use model::{Goal, Program};

/// Returns the number of reachable composite states (`None` if there are more than `most`), and whether bad
/// states and deadlocks are among them.
pub(crate) fn explore(program: &Program, most: usize) -> Option<(usize, bool, bool)> {
    let truth = testkit::program::truth(program, most)?;
    let has = |goal| truth.shortest.contains_key(&goal);
    Some((truth.states as usize, has(Goal::Bad), has(Goal::Deadlock)))
}
