//! Reader for lists of temporal formulas, as the RERS challenges publish them. Reference: `docs/reactive.md`. Formulas
//! about behavioral programs have other propositions ([`mod@names`]).
//!
//! There are two layouts. In the layout of 2012, each block is a formula, a line of English and a line of
//! dashes. In the layout since 2013, the lines `#inputs [..]` and `#outputs [..]` come first, and each block is
//! a line `#K: English` and a formula. The reader accepts both layouts. If there are lines of dashes, a formula
//! is the first line of the list and the first line after each line of dashes. Otherwise, every line that does
//! not begin with `#` is a formula. Lines that begin with `#` are comments, and the numbers K in them are
//! checked. Formulas are numbered from 0.

pub mod arguments;
pub mod names;
mod parse;

use formats::codes;
use formats::comments::{self, Comments};
use formats::error::{Error, Text, printable};
use formats::questions::{self, GoalsFormat};
use formats::source::{Limits, Source};
use model::{Goal, Ltl, Problem, Property, SystemModel, TemporalId};
use names::{Names, ProgramNames};
use std::sync::Arc;

/// The largest number of parts of a question. Larger formulas are beyond the engines.
const MOST_NODES: usize = 1 << 14;

/// Comments are lines that begin with `#`.
const COMMENTS: Comments = Comments { line: &["#"], at_start: true, block: None, quote: None };

/// Lists of formulas for reactive programs and behavioral programs.
pub const LIST: GoalsFormat = GoalsFormat { name: "ltl", extensions: &["txt", "ltl"], read: read_goals };

/// Parses the formulas of a list about reactive programs, in order.
///
/// # Errors
/// Mistakes in the text, with their place.
pub fn properties(name: &str, text: &str, limits: &Limits) -> Result<Vec<Ltl>, Box<Error>> {
    list(name, text, &Names::Reactive, limits)
}

fn list(name: &str, text: &str, names: &Names<'_>, limits: &Limits) -> Result<Vec<Ltl>, Box<Error>> {
    let text = Text { name, text };
    let mut formulas: Vec<Ltl> = Vec::new();
    let mut nodes = 0;
    // In the first layout a line of English follows each formula.
    let mut is_english = false;
    let dashed = text.text.lines().any(is_dashes);
    let mut at = 0;
    for line in text.text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim();
        if content.is_empty() {
            continue;
        }
        if let Some(number) = number(content) {
            if number != Some(formulas.len()) {
                let message = "the formulas are not numbered in order from 0";
                let error = text.error(&codes::LTL_NUMBER, start..start + content.len(), message);
                return Err(error.label(format!("expected #{}", formulas.len())));
            }
            continue;
        }
        if content.starts_with('#') {
            continue;
        }
        if is_dashes(content) {
            is_english = false;
            continue;
        }
        if std::mem::replace(&mut is_english, dashed) {
            continue;
        }
        let from = start + (line.len() - line.trim_start().len());
        let formula = parse::formula(text, from..from + content.len(), names)?;
        nodes += formula.nodes().len();
        if nodes > limits.formula_nodes {
            let message = format!("the formulas have more than {} parts", limits.formula_nodes);
            return Err(text.error(&codes::LIMIT_FORMULA, from..from + content.len(), message).label("too large"));
        }
        formulas.push(formula);
    }
    Ok(formulas)
}

/// Returns the names for formulas about a system. `None` if there are no temporal formulas about systems of its kind.
pub fn names(system: &SystemModel) -> Option<Names<'_>> {
    match system {
        SystemModel::Reactive(_) => Some(Names::Reactive),
        SystemModel::Rwb(program) => Some(Names::Program(ProgramNames::new(program))),
        _ => None,
    }
}

/// Parses the text from byte `at` on as one formula.
pub fn formula(text: Text<'_>, at: usize, names: &Names<'_>, limits: &Limits) -> Result<Ltl, Box<Error>> {
    let formula = parse::formula(text, at..text.text.len(), names)?;
    if formula.nodes().len() > MOST_NODES {
        let message = format!("the formula has more than {MOST_NODES} parts");
        let error = text.error(&codes::LTL_SIZE, at..text.text.len(), message).label("too large");
        return Err(error.hint("ask smaller questions one by one"));
    }
    if formula.nodes().len() > limits.formula_nodes {
        let message = format!("the formula has more than {} parts", limits.formula_nodes);
        return Err(text.error(&codes::LIMIT_FORMULA, at..text.text.len(), message).label("too large"));
    }
    Ok(formula)
}

/// True for a line of dashes.
fn is_dashes(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|b| b == b'-')
}

/// Returns the K of a line `#K: English`, or `Some(None)` if K does not fit `usize`.
fn number(line: &str) -> Option<Option<usize>> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (digits, _) = rest.split_once(':')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())
}

/// Replaces the temporal properties of the problem by the formulas of the list. Properties about error labels
/// are kept.
fn read_goals(source: &Source, problem: &mut Problem, limits: &Limits) -> Result<Vec<Error>, Box<Error>> {
    let system = problem.system().clone();
    let Some(names) = names(&system) else {
        let error = Error::whole(&codes::GOALS_SYSTEM, &source.name, "lists of temporal formulas are about programs");
        return Err(error.hint("expected a program in a .c, .rwb, .json or .js file; ask nets by --ask, or in .xml"));
    };
    let formulas = list(&source.name, &comments::text(source, &COMMENTS)?, &names, limits)?;
    if formulas.is_empty() {
        let message = format!("there is no formula in {}", printable(&source.name));
        return Err(Error::whole(&codes::INPUT_EMPTY, &source.name, message));
    }
    questions::change(problem, &source.name, |asked| {
        asked.temporal = formulas.into_iter().map(Arc::new).collect();
        asked.properties.retain(|p| !matches!(p.goal, Goal::Temporal(_)));
        let property = |k| Property::never(format!("ltl:{k}"), Goal::Temporal(TemporalId::new(k)));
        asked.properties.extend((0..asked.temporal.len()).map(property));
    })?;
    Ok(Vec::new())
}
