//! Lists of temporal formulas, as the RERS challenges hand them out. Reference: `docs/reactive.md`.
//!
//! Two layouts: a formula, a line of English and a line of dashes (2012); or `#inputs [..]`, `#outputs [..]` and
//! blocks of a line `#K: English` and a formula (2013 and later). Where there are dashes, the first line after them
//! is the formula; lines that begin with `#` are comments, whose numbers are checked; every other line is a formula.
//! Formulas are numbered from 0.

mod parse;

use crate::codes;
use crate::comments::{self, Comments};
use crate::error::{Error, Text, printable};
use crate::goals::{self, GoalsFormat};
use crate::source::{Limits, Source};
use model::{Goal, Ltl, Problem, Property, TemporalId};
use std::sync::Arc;

/// Lines that begin with `#`.
const COMMENTS: Comments = Comments { line: &["#"], at_start: true, block: None, quote: None };

/// Lists of formulas for reactive programs.
pub(crate) const LIST: GoalsFormat = GoalsFormat { name: "ltl", extensions: &["txt", "ltl"], read: read_goals };

/// The formulas of a list, in order.
///
/// # Errors
/// Anything wrong with the text, with its place.
pub fn properties(name: &str, text: &str, limits: &Limits) -> Result<Vec<Ltl>, Box<Error>> {
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
        let formula = parse::formula(text, from..from + content.len())?;
        nodes += formula.nodes().len();
        if nodes > limits.formula_nodes {
            let message = format!("the formulas have more than {} parts", limits.formula_nodes);
            return Err(text.error(&codes::LIMIT_FORMULA, from..from + content.len(), message).label("too large"));
        }
        formulas.push(formula);
    }
    Ok(formulas)
}

/// The formula that the text is from `at` on.
pub(crate) fn formula(text: Text<'_>, at: usize, limits: &Limits) -> Result<Ltl, Box<Error>> {
    let formula = parse::formula(text, at..text.text.len())?;
    if formula.nodes().len() > limits.formula_nodes {
        let message = format!("the formula has more than {} parts", limits.formula_nodes);
        return Err(text.error(&codes::LIMIT_FORMULA, at..text.text.len(), message).label("too large"));
    }
    Ok(formula)
}

/// Is it a line of dashes?
fn is_dashes(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|b| b == b'-')
}

/// The K of a line `#K: English`; `Some(None)` if it is none that fits.
fn number(line: &str) -> Option<Option<usize>> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (digits, _) = rest.split_once(':')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())
}

/// Adds the formulas to what is asked; error labels are asked all the same.
fn read_goals(source: &Source, problem: &mut Problem, limits: &Limits) -> Result<Vec<Error>, Box<Error>> {
    if problem.system().as_reactive().is_none() {
        let error = Error::whole(&codes::GOALS_SYSTEM, &source.name, "temporal formulas are about reactive programs");
        return Err(error.hint("expected a program in a .c file"));
    }
    let formulas = properties(&source.name, &comments::text(source, &COMMENTS)?, limits)?;
    if formulas.is_empty() {
        let message = format!("there is no formula in {}", printable(&source.name));
        return Err(Error::whole(&codes::INPUT_EMPTY, &source.name, message));
    }
    goals::change(problem, &source.name, |asked| {
        asked.temporal = formulas.into_iter().map(Arc::new).collect();
        asked.properties.retain(|p| !matches!(p.goal, Goal::Temporal(_)));
        let property = |k| Property::never(format!("ltl:{k}"), Goal::Temporal(TemporalId::new(k)));
        asked.properties.extend((0..asked.temporal.len()).map(property));
    })?;
    Ok(Vec::new())
}
