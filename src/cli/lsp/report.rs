//! The answers of a report of `check`, as an editor shows them: a verdict in one line, a run as a page in Markdown, and
//! a run as a diagnostic with the places of its steps.

use super::documents::Document;
use impasse::formats::Read;
use impasse::model::{LocalId, ThreadId};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range as Region,
    Uri,
};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The largest numbers of steps that are shown: on a page, and with a diagnostic.
const STEPS: usize = 1000;
const RELATED: usize = 50;

/// The answer to a property.
pub(super) struct Answer {
    pub(super) property: String,
    /// The verdict in one line: `UNSAFE after 4 events`.
    pub(super) verdict: String,
    /// The version of the text that was checked.
    pub(super) version: i32,
    /// The run as a page, if there is one.
    pub(super) run: Option<String>,
    /// For each of the first steps of the run: what happens, and the line where.
    steps: Vec<(String, Option<u32>)>,
    why: String,
}

/// Where a state of a thread is.
#[derive(Clone, Copy)]
struct Place {
    line: u32,
    /// True for a place in a body. Its name is only a number.
    is_body: bool,
    is_bad: bool,
}

/// Where the states of the threads are, by the names of the threads and of the states.
#[derive(Default)]
pub(super) struct Places(BTreeMap<(String, String), Place>);

impl Places {
    pub(super) fn of(read: Option<&Read>) -> Self {
        let Some(program) = read.and_then(|read| read.problem.system().as_program()) else { return Self::default() };
        let mut places = BTreeMap::new();
        for (t, thread) in (0..).zip(program.threads()) {
            for (s, state) in (0..).zip(&thread.states) {
                if let Some(position) = program.position(ThreadId(t), LocalId(s)) {
                    let place = Place { line: position.line, is_body: position.is_body, is_bad: state.bad };
                    places.insert((thread.name.clone(), state.name.clone()), place);
                }
            }
        }
        Self(places)
    }

    fn get(&self, thread: &str, state: &str) -> Option<Place> {
        self.0.get(&(thread.to_owned(), state.to_owned())).copied()
    }

    /// Returns how a state is called: by its name, or by its line in a body.
    fn shown(&self, thread: &str, state: &Json) -> String {
        let Some(name) = state.as_str() else { return state.to_string() };
        let Some(place) = self.get(thread, name) else { return name.to_owned() };
        let mark = if place.is_bad { " (bad)" } else { "" };
        if place.is_body { format!("line {}{mark}", place.line) } else { format!("{name}{mark}") }
    }
}

/// Returns the answers of a report.
pub(super) fn answers(report: &Json, version: i32, file: &str, places: &Places) -> Vec<Answer> {
    let properties = report["properties"].as_array().into_iter().flatten();
    properties.map(|property| answer(property, version, file, places)).collect()
}

fn answer(property: &Json, version: i32, file: &str, places: &Places) -> Answer {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let trace = &property["trace"];
    let steps: Vec<&Json> = trace["steps"].as_array().into_iter().flatten().collect();
    let mut verdict = text(&property["answer"]).to_uppercase();
    if trace.is_object() {
        let count = property["evidence"]["length"].as_u64().unwrap_or(steps.len() as u64);
        let _ = write!(verdict, " after {count} {}", if count == 1 { "event" } else { "events" });
    }
    if let Some(reason) = property["reason"].as_str() {
        let _ = write!(verdict, " ({reason})");
    }
    let (id, why) = (text(&property["id"]), text(&trace["why"]));
    let run = trace.is_object().then(|| page(&format!("{file}: {id}: {verdict}"), property, &steps, places));
    let steps = steps.iter().take(RELATED).map(|step| (told(step, places), place(step, places))).collect();
    Answer { property: id, verdict, version, run, steps, why }
}

/// Makes the page about a run.
fn page(title: &str, property: &Json, steps: &[&Json], places: &Places) -> String {
    let engine = property["engine"].as_str().unwrap_or_default();
    let by = property["evidence"]["checked_by"].as_str().unwrap_or_default();
    let mut page = format!("# {title}\n\nFound by `{engine}`. The run is confirmed by the checker ({by}).\n\n");
    page.push_str("| step | event | requested by | what changes |\n|---:|---|---|---|\n");
    for step in steps.iter().take(STEPS) {
        let (event, by) = (cell(step["event"].as_str().unwrap_or_default()), cell(&requesters(step)));
        let _ = writeln!(page, "| {} | `{event}` | {by} | {} |", step["step"], cell(&changes(step, places)));
    }
    if steps.len() > STEPS || property["trace"]["complete"] == Json::Bool(false) {
        let _ = writeln!(page, "\nOnly the first {} steps are shown.", steps.len().min(STEPS));
    }
    if let Some(from) = property["trace"]["repeats_from"].as_u64() {
        let _ = writeln!(page, "\nThe run repeats from step {from} on for ever.");
    }
    if let Some(why) = property["trace"]["why"].as_str() {
        let mut lines = why.lines();
        let _ = writeln!(page, "\n{}\n", lines.next().unwrap_or_default());
        lines.for_each(|line| page.push_str(&format!("* {line}\n")));
    }
    page
}

/// Returns the text of a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn requesters(step: &Json) -> String {
    let names = step["requested_by"].as_array().into_iter().flatten();
    names.filter_map(Json::as_str).collect::<Vec<_>>().join(", ")
}

fn changes(step: &Json, places: &Places) -> String {
    let changes = step["changes"].as_array().into_iter().flatten().map(|change| {
        let name = change["name"].as_str().unwrap_or_default();
        let (from, to) = (places.shown(name, &change["from"]), places.shown(name, &change["to"]));
        format!("{name}: {from} -> {to}")
    });
    changes.collect::<Vec<_>>().join(", ")
}

/// Returns a step in one line.
fn told(step: &Json, places: &Places) -> String {
    let (number, event) = (&step["step"], step["event"].as_str().unwrap_or_default());
    let (by, changes) = (requesters(step), changes(step, places));
    let by = if by.is_empty() { String::new() } else { format!(", requested by {by}") };
    if changes.is_empty() {
        format!("step {number}: {event}{by}")
    } else {
        format!("step {number}: {event}{by}; {changes}")
    }
}

/// Returns the line where a step happens: that of the state in which the first thread was that it moves.
fn place(step: &Json, places: &Places) -> Option<u32> {
    let mut changes = step["changes"].as_array().into_iter().flatten();
    changes.find_map(|change| Some(places.get(change["name"].as_str()?, change["from"].as_str()?)?.line))
}

/// Returns a violation as a diagnostic, at the place where the text asks for the property.
pub(super) fn diagnostic(answer: &Answer, document: &Document) -> Option<Diagnostic> {
    answer.run.as_ref()?;
    let asked = document.index().and_then(|index| {
        index.goals.iter().find(|(goal, _)| goal.to_string() == answer.property).map(|(_, place)| place.clone())
    });
    let related = answer.steps.iter().filter_map(|(message, line)| {
        let line = line.and_then(|line| line.checked_sub(1))?;
        let text = document.lines.line(&document.text, line as usize)?;
        let indent = u32::try_from(text.len() - text.trim_start().len()).unwrap_or(0);
        let region = Region::new(Position::new(line, indent), Position::new(line, u32::MAX >> 1));
        let start = document.lines.offset(&document.text, region.start)?;
        let end = document.lines.offset(&document.text, region.end)?;
        let location = Location::new(document.uri.clone(), document.lines.region(&document.text, start..end));
        Some(DiagnosticRelatedInformation { location, message: message.clone() })
    });
    let message = format!("{}: {}\n{}", answer.property, answer.verdict, answer.why);
    Some(Diagnostic {
        range: document.lines.region(&document.text, asked.unwrap_or_else(|| document.first_word())),
        severity: Some(DiagnosticSeverity::WARNING),
        code: Some(NumberOrString::String("unsafe".to_owned())),
        source: Some("impasse".to_owned()),
        message: message.trim_end().to_owned(),
        related_information: Some(related.collect()),
        ..Diagnostic::default()
    })
}

/// Returns the name of the file of an address, with the ending of programs.
pub(super) fn file_name(uri: &Uri) -> String {
    let path = uri.path().as_str();
    let name = plain(path.rsplit('/').next().unwrap_or_default());
    let name = if name.is_empty() { "text".to_owned() } else { name };
    if name.ends_with(".rwb") { name } else { format!("{name}.rwb") }
}

/// Replaces characters that files may not have in their names.
pub(super) fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    text.chars()
        .take(100)
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect::<String>()
        .trim_start_matches('.')
        .to_owned()
}

/// Returns the address of a file.
pub(super) fn file_uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    let text = path.to_string_lossy().replace('\\', "/");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~' | b':') {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
