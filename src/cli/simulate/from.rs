//! Beginning where a run of `check --evidence` leads: its steps are taken first, and can be taken back like others.

use crate::cli::args::{Common, SimulateArgs};
use crate::cli::exit::Exit;
use crate::cli::{replay, usage};
use impasse::certify;
use impasse::model::{Claim, Move, Problem, Stop, Trace};

/// A run, as far as it is taken.
pub(crate) struct Before {
    pub(crate) trace: Trace,
    pub(crate) steps: u64,
}

impl Before {
    /// The steps to take, one by one.
    pub(crate) fn moves(&self) -> impl Iterator<Item = &Move> {
        let all = self.trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
        all.zip(0..self.steps).map(|(step, _)| step)
    }
}

/// The problem, and the run to begin with, if there is one.
pub(crate) fn load(problem: Problem, args: &SimulateArgs, common: &Common) -> Result<(Problem, Option<Before>), Exit> {
    let Some(path) = &args.from else { return Ok((problem, None)) };
    let (problem, claim) = replay::evidence(problem, path, common)?;
    let Claim::Unsafe { trace, .. } = &claim else {
        return Err(usage(&format!("{path} is no run: it shows why a property holds")));
    };
    // Steps are taken as they are written, so they have to be those of a run.
    if let Err(refusal) = certify::confirm(&problem, &claim, &certify::Options::default(), &Stop::default()) {
        tell!("error: {path} is no run of {}: {refusal}", args.file);
        return Err(Exit::Input);
    }
    let length = trace.len().unwrap_or(u64::MAX);
    let steps = args.at.unwrap_or(length);
    if steps > length {
        return Err(usage(&format!("the run has {length} steps, so there is no step {steps}")));
    }
    let before = Before { trace: trace.clone(), steps };
    Ok((problem, Some(before)))
}
