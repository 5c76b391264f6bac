//! Hand-written programs with one change: an edge, a request, a block or an initial state.

use impasse::formats::{Limits, Source};
use impasse::model::{LocalId, Problem, Program, SystemModel, Thread, ThreadId};
use std::io;
use std::path::Path;
use std::sync::Arc;
use testkit::Random;
use testkit::program::disturb;

/// Returns the behavioral programs in `dir`, by name. Other files are skipped.
pub(crate) fn programs(dir: &Path) -> io::Result<Vec<Arc<Program>>> {
    let mut paths: Vec<_> = std::fs::read_dir(dir)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "rwb"));
    paths.sort_unstable();
    let mut programs = Vec::new();
    for path in paths {
        let source = Source { name: path.display().to_string(), bytes: std::fs::read(&path)? };
        let read = readers::read(source, None, &Limits::default());
        let problem: Problem = read.map_err(|e| io::Error::other(format!("{}: {e}", path.display())))?.problem;
        if let SystemModel::Rwb(program) = problem.system() {
            programs.push(Arc::clone(program));
        }
    }
    Ok(programs)
}

/// Returns the mutant of one of `programs` for `seed`. `programs` must not be empty.
pub(crate) fn mutant(programs: &[Arc<Program>], seed: u64) -> Program {
    let random = &mut Random::new(seed.wrapping_mul(0x9e6c_63d0_876a_9a1f));
    let original = &programs[random.below(programs.len())];
    let mut threads = original.threads().to_vec();
    disturb(random, &mut threads, original.events().len());
    let mutant = Program::new(original.events().to_vec(), threads, original.check().to_vec());
    let finals = |(t, thread): (usize, &Thread)| {
        let states = (0..thread.states.len()).map(LocalId::new);
        states.filter(|s| original.is_final(ThreadId::new(t), *s)).collect()
    };
    let finals = original.threads().iter().enumerate().map(finals).collect();
    mutant.expect("a change keeps the rules").with_finals(finals)
}
