//! Starts a simulation with a run that `check --evidence` wrote. The steps of the run are taken first. The user
//! can take them back like other steps.

use crate::cli::args::{Common, SimulateArgs};
use crate::cli::evidence::read;
use crate::cli::exit::{Exit, usage};
use impasse::certify;
use impasse::model::{Claim, Problem, Stop, Trace};
use view::machine::path::Path;
use view::machine::{Explored, MachineError};

/// A run, and the number of steps of it with which the simulation starts.
pub(crate) struct InitialRun {
    trace: Trace,
    pub(crate) steps: u64,
}

impl InitialRun {
    /// Returns the run as a path, and the number of steps to take at first.
    ///
    /// # Errors
    /// If the run is not one of the system.
    pub(crate) fn path(&self, machine: &dyn Explored) -> Result<(Path, usize), MachineError> {
        let (path, _) = machine.path_of(&self.trace)?;
        let steps = usize::try_from(self.steps).unwrap_or(usize::MAX).min(path.picks.len());
        Ok((path, steps))
    }
}

/// Returns the problem, and the run to start with, if there is one.
pub(crate) fn load(
    problem: Problem,
    args: &SimulateArgs,
    common: &Common,
) -> Result<(Problem, Option<InitialRun>), Exit> {
    let Some(path) = &args.from else { return Ok((problem, None)) };
    let (problem, claim) = read::claim(problem, path, common)?;
    let Claim::Unsafe { trace, .. } = &claim else {
        return Err(usage(&format!("{path} proves that a property holds, so it has no run to start with")));
    };
    // The steps are taken without a check, so the run must be checked before.
    if let Err(refusal) = certify::confirm(&problem, &claim, &certify::Options::default(), &Stop::default()) {
        tell!("error: {path} is not a run of {}: {refusal}", args.file);
        return Err(Exit::Input);
    }
    let length = trace.len().unwrap_or(u64::MAX);
    let steps = args.at.unwrap_or(length);
    if steps > length {
        return Err(usage(&format!("the run has {length} steps, so there is no step {steps}")));
    }
    let before = InitialRun { trace: trace.clone(), steps };
    Ok((problem, Some(before)))
}
