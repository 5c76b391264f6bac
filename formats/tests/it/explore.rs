//! What programs mean, counted.

use model::{Goal, Program};

/// The number of reachable composite states (`None` beyond `most`), and whether bad states and deadlocks are among them.
pub(crate) fn explore(program: &Program, most: usize) -> Option<(usize, bool, bool)> {
    let truth = testkit::program::truth(program, most)?;
    let has = |goal| truth.shortest.contains_key(&goal);
    Some((truth.states as usize, has(Goal::Bad), has(Goal::Deadlock)))
}
