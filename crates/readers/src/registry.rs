//! The list of all formats, and the choice among them.

use crate::dot;
use circuits_read::{aiger, btor2};
use formats::error::{Error, printable};
use formats::format::{Format, Read};
use formats::source::{Limits, Source};
use formats::{codes, input, suggest};
use nets_read::{bpmn, lola, pnml, spec, tina, tts};
use programs_read::{json, rwb};
use std::path::Path;

/// All formats of problems. (Formulas in conjunctive normal form are read by [`formats::read_cnf`].)
pub const ALL: &[&Format] = &[
    &rwb::FORMAT,
    &json::FORMAT,
    &spec::FORMAT,
    &tts::FORMAT,
    &pnml::FORMAT,
    &pnml::TAPN,
    &bpmn::FORMAT,
    &lola::FORMAT,
    &tina::FORMAT,
    &aiger::ASCII,
    &aiger::BINARY,
    &btor2::FORMAT,
    &reactive_read::FORMAT,
    #[cfg(feature = "bpjs")]
    &bpjs::FORMAT,
    &dot::FORMAT,
];

/// Finds a format by its name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Format> {
    ALL.iter().copied().find(|f| f.name == name)
}

/// Finds the format of a file by the extension of its path; an ending `.xz` or `.gz` is ignored.
#[must_use]
pub fn by_path(path: &str) -> Option<&'static Format> {
    let path = path.strip_suffix(".xz").or_else(|| path.strip_suffix(".gz")).unwrap_or(path);
    let extension = Path::new(path).extension()?.to_str()?;
    ALL.iter().copied().find(|f| f.extensions.contains(&extension))
}

/// Checks what is known of an input before it is read: its name, and its number of bytes (0 if it is not known).
///
/// # Errors
/// The name does not tell the format, or the input has more bytes than are read.
pub fn check_unread(name: &str, format: Option<&str>, length: u64, limits: &Limits) -> Result<(), Box<Error>> {
    if format.is_none() && by_path(name).is_none() {
        return Err(unknown_extension(name));
    }
    if length > limits.bytes as u64 { Err(input::too_large(name, limits)) } else { Ok(()) }
}

/// Reads a problem, and decompresses it first if necessary. Without `format`, the extension of the name chooses
/// the format.
///
/// # Errors
/// Mistakes in the input, and a format that is unknown or cannot be read.
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

/// Reads several files as one program: a reactive C program and the bodies of some of its functions, or BPjs
/// programs, one after the other.
///
/// # Errors
/// Mistakes in one of the inputs, and a format of which each program is one file.
pub fn read_files(sources: Vec<Source>, format: Option<&str>, limits: &Limits) -> Result<Read, Box<Error>> {
    let mut files = Vec::with_capacity(sources.len());
    let mut found = None;
    for Source { name, bytes } in sources {
        let (stem, bytes) = input::decompress(&name, bytes, limits)?;
        found = found.or_else(|| format.map_or_else(|| by_path(&stem), by_name));
        files.push(Source { name, bytes });
    }
    match (found.map_or("", |format| format.name), &*files) {
        ("c", [source, bodies]) => reactive_read::read_with_bodies(source, bodies, limits),
        #[cfg(feature = "bpjs")]
        ("bpjs", files) => bpjs::read_files(files, limits),
        _ => {
            let name = files.first().map_or("", |file| &file.name);
            let message =
                "only a BPjs program, or a reactive C program with functions in another file, has several files";
            Err(Error::whole(&codes::INPUT_UNKNOWN_FORMAT, name, message))
        }
    }
}

/// Returns the limits on an input with this name and format, for a process that may use `memory` bytes.
/// Generated C programs may be far larger than other texts, because they are read without a syntax tree.
#[must_use]
pub fn limits_for(path: &str, format: Option<&str>, memory: usize) -> Limits {
    let usual = Limits::within(memory);
    let found = format.map_or_else(|| by_path(path), by_name);
    match found {
        Some(found) if found.name == reactive_read::FORMAT.name => Limits { bytes: 1 << 31, ..usual },
        _ => usual,
    }
}

/// True if this `.rwb` text leaves a number open (`const n = *`), so that the result of reading may be a net
/// instead of a program. The text is split into tokens but not parsed. In a text with errors, only the tokens
/// before the first invalid token are examined.
#[must_use]
pub fn leaves_numbers_open(text: &[u8], limits: &Limits) -> bool {
    rwb::leaves_numbers_open(text, limits)
}

fn unknown_format(source: &str, name: &str) -> Box<Error> {
    let message = format!("there is no format `{}`", printable(name));
    let error = Error::whole(&codes::INPUT_UNKNOWN_FORMAT, source, message);
    let names: Vec<&str> = ALL.iter().filter(|f| f.read.is_some()).map(|f| f.name).collect();
    suggest::hinted(error, name, names.iter().copied(), &format!("expected one of {}", names.join(", ")))
}

fn unknown_extension(source: &str) -> Box<Error> {
    let known = ALL.iter().filter(|f| f.read.is_some()).flat_map(|f| f.extensions);
    let known: Vec<String> = known.map(|e| format!(".{e}")).collect();
    let error = Error::whole(&codes::INPUT_UNKNOWN_FORMAT, source, "the name of the file does not tell its format");
    // Models of well-known tools that are not read.
    match Path::new(source).extension().and_then(|extension| extension.to_str()) {
        Some("pml" | "prom" | "spin") => {
            return error.hint("Promela is not read; docs/coming_from/spin.md shows how to write such models");
        }
        Some("smv") => {
            return error.hint("SMV is not read; docs/coming_from/aiger.md says how circuits are made of such models");
        }
        _ => {}
    }
    error.hint(format!("expected a name that ends in one of {}", known.join(", ")))
}
