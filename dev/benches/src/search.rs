//! A search without the check of its evidence. The benchmark of rates uses it to measure the cost of the engine
//! itself. The runner starts itself again, so that each search is a separate process, like all other measured
//! commands.

use crate::args::SearchArgs;
use crate::corpus::Program;
use crate::process::{self, Limits};
use crate::tool;
use model::{Budget, Engine, Problem, ProgramTask, Stats, Turn};
use programs::dpllt::Dpllt;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The counters of a search alone, and the CPU seconds of its process, reading the file included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alone {
    pub(crate) counted: Counted,
    pub(crate) cpu: f64,
}

/// The output of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Counted {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) splits: Option<u64>,
}

/// Runs the hidden command `search`: searches all states of a file and prints the counters.
///
/// # Errors
///
/// If the file is not a behavioral program.
pub(crate) fn run(args: &SearchArgs) -> io::Result<()> {
    let task = ProgramTask::of(&read(&args.file)?).ok_or_else(|| io::Error::other("this is no behavioral program"))?;
    let stats = if args.dpllt {
        exhaust(Dpllt::new(&task, &[], programs::dpllt::Options { batch: args.batch, lemmas_only: false }))
    } else {
        exhaust(programs::explore(
            &task,
            ::search::explicit::Options { explore_all: true, ..::search::explicit::Options::default() },
        ))
    };
    let counted =
        Counted { states: stats.states, transitions: stats.transitions, splits: stats.more.get("splits").copied() };
    writeln!(io::stdout(), "{}", serde_json::to_string(&counted)?)
}

/// Reads a model in any format.
///
/// # Errors
///
/// If the model cannot be read, with the message of the reader.
pub(crate) fn read(path: &Path) -> io::Result<Problem> {
    let source = formats::Source { name: path.display().to_string(), bytes: tool::bytes(path)? };
    let read = readers::read(source, None, &formats::Limits::default()).map_err(|e| io::Error::other(e.to_string()))?;
    Ok(read.problem)
}

fn exhaust(mut engine: impl Engine) -> Stats {
    let mut budget = Budget::unlimited(Arc::default());
    while !matches!(engine.run(&mut budget), Turn::Done) {}
    engine.stats()
}

/// Searches `program` in a separate process. With `dpllt`, a `batch` of `None` adapts the batch size. Returns
/// `None` if the process was killed.
///
/// # Errors
///
/// If the process does not start or its output is unusable.
pub(crate) fn measure(
    program: &Program,
    dpllt: bool,
    batch: Option<usize>,
    limits: Limits,
) -> io::Result<Option<Alone>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("search").arg(&program.path);
    if dpllt {
        command.arg("--dpllt");
    }
    if let Some(batch) = batch {
        command.args(["--batch", &batch.to_string()]);
    }
    let run = process::run(&mut command, limits)?;
    if run.killed.is_some() {
        return Ok(None);
    }
    let counted = serde_json::from_str(&run.stdout)
        .map_err(|e| io::Error::other(format!("search of {}: {e}; {}", program.expected.name, run.stderr.trim())))?;
    Ok(Some(Alone { counted, cpu: run.cpu }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_see_the_whole_space() {
        let task = ProgramTask::of_program(Arc::new(crate::promela::tests::numbers(&[2, 3])));
        let explicit = exhaust(programs::explore(
            &task,
            ::search::explicit::Options { explore_all: true, ..::search::explicit::Options::default() },
        ));
        let dpllt = exhaust(Dpllt::new(&task, &[], programs::dpllt::Options { batch: Some(1), lemmas_only: false }));
        assert_eq!((explicit.states, explicit.transitions), (7, 7));
        assert_eq!(dpllt.states, 7);
        assert!(dpllt.more.contains_key("splits"));
    }
}
