//! SARIF 2.1.0 (OASIS, 2020), as code scanning services read it: a result for each violation, for each
//! unknown property, and for each error and warning about a file. A safe property is no result, because
//! services show every result as an alert.
//!
//! Rules are the kinds of properties, and the codes of errors and warnings that `impasse explain` explains.
//! Columns count characters, as in our errors. The run of a violation is a code flow, if lines of the model are known.

use super::{Format, Standing, last_answers, standing, verdict};
use crate::cli::board::Filed;
use crate::cli::flow::FlowStep;
use crate::cli::json::{PropertyReport, Summary};
use crate::cli::notes::{Note, Place};
use impasse::formats::codes;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// All results so far. They are written at the end, because the log is one object.
#[derive(Default)]
pub(super) struct Sarif {
    results: Vec<Value>,
    /// The id and title of each rule, in the order of their numbers.
    rules: Vec<(&'static str, &'static str)>,
    numbers: BTreeMap<&'static str, usize>,
}

impl Format for Sarif {
    fn file(&mut self, _: usize, filed: &Filed) -> String {
        let file = &filed.report.file;
        for note in &filed.report.notes.errors {
            self.note(note, "error");
        }
        for note in &filed.report.notes.warnings {
            self.note(note, "warning");
        }
        for (property, body) in last_answers(filed) {
            self.answer(file, property, body);
        }
        String::new()
    }

    fn end(&mut self, summary: &Summary) -> String {
        let rule = |(id, title): &(&str, &str)| json!({"id": id, "shortDescription": {"text": title}});
        let driver = json!({
            "name": "impasse",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": self.rules.iter().map(rule).collect::<Vec<_>>(),
        });
        let invocation = json!({
            // A violation is no failure of the tool. A file that was not read is a failure.
            "executionSuccessful": summary.not_read == 0 && summary.exit < 64,
            "exitCode": summary.exit,
        });
        let run = json!({
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": std::mem::take(&mut self.results),
        });
        json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}).to_string() + "\n"
    }
}

impl Sarif {
    fn rule(&mut self, id: &'static str, title: &'static str) -> usize {
        *self.numbers.entry(id).or_insert_with(|| {
            self.rules.push((id, title));
            self.rules.len() - 1
        })
    }

    fn note(&mut self, note: &Note, level: &str) {
        let rule = self.rule(note.code, codes::find(note.code).map_or("An error", |code| code.title));
        let text = note.help.iter().fold(note.message.clone(), |text, help| format!("{text}\nHelp: {help}"));
        self.results.push(json!({
            "ruleId": note.code,
            "ruleIndex": rule,
            "level": level,
            "message": {"text": text},
            "locations": [location(&note.file, note.place)],
        }));
    }

    fn answer(&mut self, file: &str, property: &PropertyReport, body: &str) {
        let (kind, level) = match standing(property) {
            Standing::Holds => return,
            Standing::Violated => ("fail", "error"),
            Standing::Unknown => ("open", "none"),
        };
        let id = property.kind.unwrap_or("property");
        let rule = self.rule(id, title(id));
        let body = body.trim_end();
        let text = if body.is_empty() { verdict(property) } else { format!("{}\n{body}", verdict(property)) };
        let end = property.flow.last().map(line);
        let mut result = json!({
            "ruleId": id,
            "ruleIndex": rule,
            "kind": kind,
            "level": level,
            "message": {"text": text},
            "locations": [location(file, end)],
            // In two reports, the same property of the same file counts as the same finding, even if the
            // violating runs differ.
            "partialFingerprints": {"property/v1": format!("{file}:{}", property.id)},
            "properties": {"property": property.id, "engine": property.engine, "reason": property.reason},
        });
        if !property.flow.is_empty() {
            let step = |step: &FlowStep| {
                let mut location = location(file, Some(line(step)));
                location["message"] = json!({"text": step.text});
                json!({"location": location})
            };
            let locations: Vec<Value> = property.flow.iter().map(step).collect();
            result["codeFlows"] = json!([{"threadFlows": [{"locations": locations}]}]);
        }
        self.results.push(result);
    }
}

/// Returns what is wrong if a property of this kind is violated.
fn title(kind: &str) -> &'static str {
    match kind {
        "bad" => "A bad state is reachable",
        "deadlock" => "A deadlock is reachable",
        "cover" | "reach" => "A target is reachable, or a state that should be reachable is not",
        "output" => "A bad state of the circuit is reachable",
        "justice" => "A justice property of the circuit is violated",
        "error" => "An error label is reachable",
        "ltl" => "A temporal formula is violated",
        _ => "A property is violated",
    }
}

/// Returns the place of a step: its line as a whole.
fn line(step: &FlowStep) -> Place {
    Place { line: step.line, column: 0, length: 0 }
}

fn location(file: &str, place: Option<Place>) -> Value {
    let artifact = json!({"uri": uri(file)});
    let physical = match place {
        None => json!({"artifactLocation": artifact}),
        Some(Place { line, column: 0, .. }) => {
            json!({"artifactLocation": artifact, "region": {"startLine": line}})
        }
        Some(Place { line, column, length }) => json!({
            "artifactLocation": artifact,
            "region": {"startLine": line, "startColumn": column, "endColumn": column + length},
        }),
    };
    json!({"physicalLocation": physical})
}

/// Returns the path as a URI reference (RFC 3986). Characters that a reference cannot contain are encoded.
/// Absolute paths become `file:` URIs.
fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if plain(byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("a/b c.rwb"), "a/b%20c.rwb");
        assert_eq!(uri("/tmp/ä.rwb"), "file:///tmp/%C3%A4.rwb");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }
}
