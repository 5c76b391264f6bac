//! "Check this": a lens for the file, one for each property that it names, and the answers of the last check.

use super::check::{CHECK, Checks, Key, SHOW_RUN};
use super::documents::Document;
use lsp_types::{CodeLens, Command};
use serde_json::json;
use std::ops::Range;

/// Returns the lenses of a text. A text that cannot be parsed has none.
pub(super) fn lenses(document: &Document, checks: &Checks) -> Option<Vec<CodeLens>> {
    let index = document.index()?;
    let place = index.goals.first().map_or_else(|| document.first_word(), |(_, place)| place.clone());
    let mut lenses = vec![lens(document, checks, &place, None)];
    if index.goals.len() > 1 {
        let asked = index.goals.iter();
        lenses.extend(asked.map(|(goal, place)| lens(document, checks, place, Some(goal.to_string()))));
    }
    for answer in checks.answers(&document.uri) {
        let stale = if answer.version == document.version { "" } else { ", before the last change" };
        let run = if answer.run.is_some() { " (click to see the run)" } else { "" };
        let title = format!("{}: {}{stale}{run}", answer.property, answer.verdict);
        let show = if answer.run.is_some() { SHOW_RUN } else { "" };
        let place = index.goals.iter().find(|(goal, _)| goal.to_string() == answer.property);
        let place = place.map_or(place_of(&lenses), |(_, place)| document.lines.region(&document.text, place.clone()));
        lenses.push(CodeLens {
            range: place,
            command: Some(command(document, title, show, Some(&answer.property))),
            data: None,
        });
    }
    Some(lenses)
}

fn place_of(lenses: &[CodeLens]) -> lsp_types::Range {
    lenses.first().map(|lens| lens.range).unwrap_or_default()
}

fn lens(document: &Document, checks: &Checks, place: &Range<usize>, property: Option<String>) -> CodeLens {
    let key = Key { uri: document.uri.clone(), property };
    let title = match (checks.is_running(&key), &key.property) {
        (true, Some(property)) => format!("checking {property} .."),
        (true, None) => "checking ..".to_owned(),
        (false, Some(property)) => format!("check {property}"),
        (false, None) => "check this".to_owned(),
    };
    let command = command(document, title, CHECK, key.property.as_deref());
    let range = document.lines.region(&document.text, place.clone());
    CodeLens { range, command: Some(command), data: None }
}

fn command(document: &Document, title: String, command: &str, property: Option<&str>) -> Command {
    let mut argument = json!({ "uri": document.uri });
    if let Some(property) = property {
        argument["property"] = json!(property);
    }
    Command { title, command: command.to_owned(), arguments: Some(vec![argument]) }
}
