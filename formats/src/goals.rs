//! Files of goals beside a model: which formats there are, and the choice among them.

use crate::codes;
use crate::error::{Error, printable};
use crate::source::{Limits, Source};
use crate::{input, lola, ltl, mcc, tts};
use model::Problem;
use std::path::Path;

/// From a file of goals, for the system of `problem`, to the problem with these goals instead of its own; returns warnings.
pub(crate) type GoalsReader = fn(&Source, &mut Problem, &Limits) -> Result<Vec<Error>, Box<Error>>;

/// A way to write down goals apart from the system.
pub(crate) struct GoalsFormat {
    /// As on the command line.
    pub(crate) name: &'static str,
    /// Without the dot.
    pub(crate) extensions: &'static [&'static str],
    pub(crate) read: GoalsReader,
}

/// Every format of goals.
const GOALS: &[&GoalsFormat] = &[
    &tts::PROP,
    &GoalsFormat { name: "mcc", extensions: &["xml"], read: mcc::read_properties },
    &ltl::LIST,
    &GoalsFormat { name: "formula", extensions: &["formula"], read: lola::read_formula },
];

/// Reads goals for the system of `problem`: they replace its properties and formulas. The format is chosen by `format` or
/// else by the extension. Returns warnings.
///
/// # Errors
/// Anything wrong with the input, an unknown format, and goals for another kind of system. The problem is unchanged then.
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

/// Names of files of goals to look for beside the model called `model_name`, best first.
#[must_use]
pub fn companions(model_name: &str) -> Vec<String> {
    let plain = model_name.strip_suffix(".xz").or_else(|| model_name.strip_suffix(".gz")).unwrap_or(model_name);
    let beside = |extension: &str, goals: &[&str]| {
        let stem = plain.strip_suffix(extension)?;
        Some(goals.iter().flat_map(|g| [format!("{plain}.{g}"), format!("{stem}.{g}")]).collect::<Vec<String>>())
    };
    let names = beside(".tts", &["prop", "formula"])
        .or_else(|| [".lola", ".spec", ".pnml", ".tapn"].iter().find_map(|e| beside(e, &["formula"])));
    names
        .unwrap_or_default()
        .iter()
        .flat_map(|name| ["", ".xz", ".gz"].map(|packed| format!("{name}{packed}")))
        .collect()
}
