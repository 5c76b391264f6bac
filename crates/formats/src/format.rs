//! What a file format is: its names, and the functions that read and write it.

use crate::codes;
use crate::error::{Error, WriteError, printable};
use crate::source::{Limits, Source};
use model::{Family, Problem};
use std::io;

/// A function that reads a problem from a source.
pub type Reader = fn(&Source, &Limits) -> Result<Read, Box<Error>>;
/// A function that writes a problem as bytes.
pub type Writer = fn(&Problem, &mut dyn io::Write) -> Result<(), WriteError>;

/// A file format for problems.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name, as in `--input-format`.
    pub name: &'static str,
    /// The extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// The kind of system that the format is for.
    pub family: Family,
    /// A description in one sentence.
    pub doc: &'static str,
    /// Reads a problem, if the format can be read.
    pub read: Option<Reader>,
    /// Writes a problem, if the format can be written.
    pub write: Option<Writer>,
    /// True if the format can express the properties of nets and thread-transition systems, and assumptions
    /// about programs.
    pub says_goals: bool,
}

impl Format {
    /// Returns a warning if the format can write the system of `problem`, but not all of its properties and
    /// assumptions. `name` is the source of the problem.
    #[must_use]
    pub fn leaves_out(&self, problem: &Problem, name: &str) -> Option<Box<Error>> {
        if self.says_goals {
            return None;
        }
        if !problem.assumptions().is_empty() {
            let message =
                format!("the format `{}` cannot express assumptions: those of the model are left out", self.name);
            return Some(Error::whole(&codes::FORMAT_GOALS, name, message).warning());
        }
        if problem.properties().is_empty() || problem.system().as_program().is_some() {
            return None;
        }
        let what = match problem.properties() {
            [one] => format!("the property `{}` is", printable(&one.id)),
            several => format!("{} properties are", several.len()),
        };
        let message = format!("the format `{}` cannot express properties: {what} left out", self.name);
        Some(Error::whole(&codes::FORMAT_GOALS, name, message).warning())
    }
}

/// The contents of a file.
#[derive(Clone, Debug)]
pub struct Read {
    /// The problem.
    pub problem: Problem,
    /// Warnings about what is legal but suspicious, in the order found.
    pub warnings: Vec<Error>,
}
