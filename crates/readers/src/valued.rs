//! Variables of programs in questions: a program has local states, and not the values of variables. So a question that
//! names a variable has the program read again, with the values of this variable kept in all local states.

use crate::registry::{by_path, read};
use formats::error::Error;
use formats::format::Read;
use formats::source::{Limits, Source};
use model::{Problem, Variable};
use std::collections::BTreeSet;

type Res<T> = Result<T, Box<Error>>;

/// Reads a problem as [`read`] does. If the program has variables that one of the texts names, their values are known
/// in the questions.
///
/// # Errors
/// Those of [`read`]. With the values of the variables, a program may have too many states.
pub fn read_for(source: Source, format: Option<&str>, limits: &Limits, texts: &[&str]) -> Res<Read> {
    let name = format.or_else(|| by_path(&source.name).map(|format| format.name));
    if texts.is_empty() || name != Some("rwb") {
        return read(source, format, limits);
    }
    let found = read(source.clone(), format, limits)?;
    let kept = named_in(&found.problem, texts);
    if kept.is_empty() {
        return Ok(found);
    }
    read(source, format, &Limits { kept, ..limits.clone() })
}

/// Returns the variables that the texts may name: `Thread.variable`.
fn named_in(problem: &Problem, texts: &[&str]) -> BTreeSet<String> {
    let variables = problem.system().as_program().map_or(&[][..], |program| program.variables());
    let name = |variable: &Variable| {
        let thread = problem.system().as_program().map(|program| &program.thread(variable.thread).name);
        format!("{}.{}", thread.map_or("", String::as_str), variable.name)
    };
    variables.iter().map(name).filter(|name| texts.iter().any(|text| has_word(text, name))).collect()
}

/// True if the text has the word, with no letter or digit beside it.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
