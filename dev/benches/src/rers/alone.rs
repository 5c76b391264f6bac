//! Our exploration without the check of its evidence. It shows the cost of the engine itself. The runner starts
//! itself again (the hidden command `explore`), so that the exploration is measured as a separate process, like
//! the peers. The measurement includes reading the program.

use crate::args::ExploreArgs;
use crate::process::{self, Limits};
use crate::search;
use ::search::explicit::Options;
use model::{Budget, Engine, ReactiveTask, Turn};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Work units between two checks of the number of states.
const TURN: u64 = 1 << 16;

/// The counters and costs of an exploration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) counted: Counted,
    pub(super) cpu: f64,
    pub(super) wall: f64,
    pub(super) peak: u64,
}

/// The output of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Counted {
    pub(super) states: u64,
    pub(super) is_complete: bool,
    /// Number of reachable labels.
    pub(super) labels: usize,
}

/// Runs the hidden command.
///
/// # Errors
///
/// If the file is not a reactive program.
pub(crate) fn run(args: &ExploreArgs) -> io::Result<()> {
    let problem = search::read(&args.file)?;
    let task = ReactiveTask::of(&problem).ok_or_else(|| io::Error::other("this is no reactive program"))?;
    let counted = explore(&task, args.jobs, args.most);
    writeln!(io::stdout(), "{}", serde_json::to_string(&counted)?)
}

fn explore(task: &ReactiveTask, jobs: usize, most: u64) -> Counted {
    let mut engine = reactive::explore(task, Options { explore_all: true, jobs, disk: None });
    let mut labels = 0;
    while engine.stats().states < most {
        let mut budget = Budget::new(TURN, Arc::default());
        match engine.run(&mut budget) {
            Turn::Claims(claim) => labels += usize::from(matches!(claim, model::Claim::Unsafe { .. })),
            Turn::More => {}
            Turn::Done => break,
        }
    }
    Counted { states: engine.stats().states, is_complete: engine.is_complete(), labels }
}

/// Explores a program in a separate process. Returns the reason if there is no result.
pub(super) fn measure(program: &Path, most: u64, jobs: usize, limits: Limits) -> io::Result<Result<Found, String>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("explore").arg(program).args(["--most", &most.to_string(), "--jobs", &jobs.to_string()]);
    let done = process::run(&mut command, limits)?;
    if let Some(killed) = done.killed {
        return Ok(Err(format!("{killed:?}")));
    }
    let counted = serde_json::from_str(&done.stdout)
        .map_err(|e| io::Error::other(format!("explore {}: {e}; {}", program.display(), done.stderr.trim())))?;
    Ok(Ok(Found { counted, cpu: done.cpu, wall: done.wall, peak: done.peak }))
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{LAMP, LAMP_STATES};
    use super::*;

    #[test]
    fn the_search_alone_counts_and_stops() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("lamp.c");
        std::fs::write(&path, LAMP).expect("written");
        let task = ReactiveTask::of(&search::read(&path).expect("read")).expect("a reactive program");
        for jobs in [1, 2] {
            let all = explore(&task, jobs, 1000);
            assert_eq!(all, Counted { states: LAMP_STATES, is_complete: true, labels: 1 });
            assert!(!explore(&task, jobs, 1).is_complete);
        }
    }
}
