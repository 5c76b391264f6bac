//! All formats in one list, and the choice among them.

use crate::error::{Error, WriteError, printable};
use crate::source::{Limits, Source};
use crate::{aiger, c, codes, dot, input, json, lola, pnml, rwb, spec, suggest, tts};
use model::{Net, Problem, Program, ThreadSystem};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// From a source to the problem that it poses.
pub type Reader = fn(&Source, &Limits) -> Result<Read, Box<Error>>;
/// From a problem to bytes.
pub type Writer = fn(&Problem, &mut dyn io::Write) -> Result<(), WriteError>;

/// A way to write down problems.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// As in `--input-format`.
    pub name: &'static str,
    /// Without the dot.
    pub extensions: &'static [&'static str],
    /// One sentence.
    pub doc: &'static str,
    /// Reads a problem, if the format can be read.
    pub read: Option<Reader>,
    /// Writes a problem, if the format can be written.
    pub write: Option<Writer>,
    /// Are the properties of a net or thread system, and the assumptions about a program, written as well?
    pub says_goals: bool,
}

impl Format {
    /// What it leaves out of `problem`, read from the source called `name`, without refusing to write the rest.
    #[must_use]
    pub fn leaves_out(&self, problem: &Problem, name: &str) -> Option<Box<Error>> {
        if self.says_goals {
            return None;
        }
        if !problem.assumptions().is_empty() {
            let message = format!("the format `{}` carries no assumptions: those of the model are left out", self.name);
            return Some(Error::whole(&codes::FORMAT_GOALS, name, message).warning());
        }
        if problem.properties().is_empty() || problem.system().as_program().is_some() {
            return None;
        }
        let what = match problem.properties() {
            [one] => format!("the property `{}` is", printable(&one.id)),
            several => format!("{} properties are", several.len()),
        };
        let message = format!("the format `{}` carries no properties: {what} left out", self.name);
        Some(Error::whole(&codes::FORMAT_GOALS, name, message).warning())
    }
}

/// What a file says.
#[derive(Clone, Debug)]
pub struct Read {
    /// The problem it poses.
    pub problem: Problem,
    /// What is legal but suspicious, in the order found.
    pub warnings: Vec<Error>,
}

/// Every format of problems. (Formulas in conjunctive normal form are read by [`crate::read_cnf`].)
pub const ALL: &[&Format] = &[
    &rwb::FORMAT,
    &json::FORMAT,
    &spec::FORMAT,
    &tts::FORMAT,
    &pnml::FORMAT,
    &pnml::TAPN,
    &lola::FORMAT,
    &aiger::ASCII,
    &aiger::BINARY,
    &c::FORMAT,
    &dot::FORMAT,
];

/// The format called `name`.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Format> {
    ALL.iter().copied().find(|f| f.name == name)
}

/// The format of a file called `path`, by its extension; an ending `.xz` or `.gz` does not count.
#[must_use]
pub fn by_path(path: &str) -> Option<&'static Format> {
    let path = path.strip_suffix(".xz").or_else(|| path.strip_suffix(".gz")).unwrap_or(path);
    let extension = Path::new(path).extension()?.to_str()?;
    ALL.iter().copied().find(|f| f.extensions.contains(&extension))
}

/// Reads a problem: decompresses, and chooses the format by `format` or else by the extension.
///
/// # Errors
/// Anything wrong with the input, and a format that is unknown or cannot be read.
pub fn read(source: Source, format: Option<&str>, limits: &Limits) -> Result<Read, Box<Error>> {
    let (stem, bytes) = input::decompress(&source.name, source.bytes, limits)?;
    let source = Source { name: source.name, bytes };
    let found = match format {
        Some(name) => by_name(name).ok_or_else(|| unknown_format(&source.name, name))?,
        None => by_path(&stem).ok_or_else(|| unknown_extension(&source.name))?,
    };
    let reader = found.read.ok_or_else(|| {
        Error::whole(
            &codes::INPUT_UNKNOWN_FORMAT,
            &source.name,
            format!("the format `{}` is for output only", found.name),
        )
    })?;
    reader(&source, limits)
}

/// Reads a reactive C program some of whose functions have their bodies in another file.
///
/// # Errors
/// Anything wrong with either input, and another format.
pub fn read_with_bodies(
    source: Source,
    bodies: Source,
    format: Option<&str>,
    limits: &Limits,
) -> Result<Read, Box<Error>> {
    let (stem, bytes) = input::decompress(&source.name, source.bytes, limits)?;
    let source = Source { name: source.name, bytes };
    let (_, bytes) = input::decompress(&bodies.name, bodies.bytes, limits)?;
    let bodies = Source { name: bodies.name, bytes };
    match format.map_or_else(|| by_path(&stem), by_name) {
        Some(found) if found.name == c::FORMAT.name => c::read_with_bodies(&source, &bodies, limits),
        _ => {
            let message = "only reactive C programs have functions in another file";
            Err(Error::whole(&codes::INPUT_UNKNOWN_FORMAT, &source.name, message))
        }
    }
}

/// The behavioral program to write in the format called `format`, which knows no other systems.
pub(crate) fn program_for<'p>(format: &str, problem: &'p Problem) -> Result<&'p Arc<Program>, WriteError> {
    let other = || WriteError::feature(format, problem.system().noun()).hint("it is for behavioral programs");
    problem.system().as_program().ok_or_else(other)
}

/// The net to write in the format called `format`, which knows no other systems.
pub(crate) fn net_for<'p>(format: &str, problem: &'p Problem) -> Result<&'p Arc<Net>, WriteError> {
    let other = || WriteError::feature(format, problem.system().noun()).hint("it is for nets");
    problem.system().as_net().ok_or_else(other)
}

/// The thread system to write in the format called `format`, which knows no other systems.
pub(crate) fn threads_for<'p>(format: &str, problem: &'p Problem) -> Result<&'p Arc<ThreadSystem>, WriteError> {
    let other = || WriteError::feature(format, problem.system().noun()).hint("it is for thread systems");
    problem.system().as_threads().ok_or_else(other)
}

/// The limits on an input of this name and format, for a process that may use `memory` bytes. Generated C programs
/// may be far larger than other texts: they are read without keeping a tree.
#[must_use]
pub fn limits_for(path: &str, format: Option<&str>, memory: usize) -> Limits {
    let usual = Limits::within(memory);
    let found = format.map_or_else(|| by_path(path), by_name);
    match found {
        Some(found) if found.name == c::FORMAT.name => Limits { bytes: 1 << 31, ..usual },
        _ => usual,
    }
}

/// Does this `.rwb` text leave a number open (`const n = *`), so that it may be a net rather than a program? Looks at
/// its words only; text with errors counts as far as it has words.
#[must_use]
pub fn leaves_numbers_open(text: &[u8], limits: &Limits) -> bool {
    rwb::leaves_numbers_open(text, limits)
}

fn unknown_format(source: &str, name: &str) -> Box<Error> {
    let message = format!("there is no format `{}`", printable(name));
    let error = Error::whole(&codes::INPUT_UNKNOWN_FORMAT, source, message);
    let names: Vec<&str> = ALL.iter().filter(|f| f.read.is_some()).map(|f| f.name).collect();
    match suggest::nearest(name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("expected one of {}", names.join(", "))),
    }
}

fn unknown_extension(source: &str) -> Box<Error> {
    let known = ALL.iter().filter(|f| f.read.is_some()).flat_map(|f| f.extensions);
    let known: Vec<String> = known.map(|e| format!(".{e}")).collect();
    Error::whole(&codes::INPUT_UNKNOWN_FORMAT, source, "the name of the file does not tell its format")
        .hint(format!("expected a name that ends in one of {}", known.join(", ")))
}
