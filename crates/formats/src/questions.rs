//! What a format of goals in a file of their own is, and the change of the goals of a problem.

use crate::error::Error;
use crate::source::{Limits, Source};
use model::{Problem, Questions};

/// Changes the goals of `problem`. `name` is the source that errors name.
///
/// # Errors
/// Goals that do not fit the system. The problem is then unchanged.
pub fn change(problem: &mut Problem, name: &str, change: impl FnOnce(&mut Questions)) -> Result<(), Box<Error>> {
    *problem = problem.clone().changed(change).map_err(|mismatch| Error::unfit(name, &mismatch))?;
    Ok(())
}

/// A function that reads a goal file and replaces the goals of the problem by the goals of the file. It returns
/// warnings.
pub type GoalsReader = fn(&Source, &mut Problem, &Limits) -> Result<Vec<Error>, Box<Error>>;

/// A format for goals in a file of their own.
pub struct GoalsFormat {
    /// The name of the format on the command line.
    pub name: &'static str,
    /// The extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// Reads a file.
    pub read: GoalsReader,
}
