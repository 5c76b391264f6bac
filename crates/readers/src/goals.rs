//! The formats of goal files that accompany a model, and the choice among these formats.

use formats::error::{Error, printable};
use formats::questions::GoalsFormat;
use formats::source::{Limits, Source};
use formats::{codes, input};
use model::Problem;
use nets_read::{lola, mcc, tts};
use programs_read::ltl;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// All formats of goals.
const GOALS: &[&GoalsFormat] = &[
    &tts::PROP,
    &GoalsFormat { name: "mcc", extensions: &["xml"], read: mcc::read_properties },
    &ltl::LIST,
    &GoalsFormat { name: "formula", extensions: &["formula"], read: lola::read_formula },
];

/// Reads goals for the system of `problem`. They replace the properties and formulas of `problem`. Without
/// `format`, the extension of the name chooses the format. Returns warnings, and errors of questions that stay unknown
/// because they name what the system does not have.
///
/// # Errors
/// Mistakes in the input, an unknown format, and goals for another kind of system. The problem is then
/// unchanged.
pub fn read_goals(
    source: Source,
    format: Option<&str>,
    problem: &mut Problem,
    limits: &Limits,
) -> Result<Vec<Error>, Box<Error>> {
    let (stem, bytes) = input::decompress(&source.name, source.bytes, limits)?;
    let source = Source { name: source.name, bytes };
    let extension = Path::new(&stem).extension().and_then(|e| e.to_str());
    let found = GOALS.iter().find(|f| match format {
        Some(name) => f.name == name,
        None => extension.is_some_and(|e| f.extensions.contains(&e)),
    });
    let Some(found) = found else {
        let message = match format {
            Some(name) => format!("there is no format `{}` of goals", printable(name)),
            None => "the name of the file does not tell the format of its goals".to_owned(),
        };
        let names: Vec<&str> = GOALS.iter().map(|f| f.name).collect();
        let error = Error::whole(&codes::INPUT_UNKNOWN_FORMAT, &source.name, message);
        return Err(error.hint(format!("expected one of {}", names.join(", "))));
    };
    (found.read)(&source, problem, limits)
}

/// Returns the paths where a goal file for the model in the file `model` may be, best first.
#[must_use]
pub fn companions(model: &Path) -> Vec<PathBuf> {
    let extension = |path: &Path| path.extension().and_then(OsStr::to_str).map(str::to_owned);
    let plain = match extension(model).as_deref() {
        Some("xz" | "gz") => model.with_extension(""),
        _ => model.to_owned(),
    };
    let goals: &[&str] = match extension(&plain).as_deref() {
        Some("tts") => &["prop", "formula"],
        Some("lola" | "net" | "spec" | "pnml" | "tapn" | "bpmn") => &["formula"],
        _ => &[],
    };
    let names = goals.iter().flat_map(|goal| [with_ending(&plain, goal), plain.with_extension(goal)]);
    names.flat_map(|name| [name.clone(), with_ending(&name, "xz"), with_ending(&name, "gz")]).collect()
}

/// Appends one more extension to a path. (`Path::with_added_extension` needs a newer compiler than
/// `rust-version`.)
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
