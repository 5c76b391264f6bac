//! The report formats of `check`. Each format is a file here and a row in [`by_name`].

mod hwmcc;
mod json;
mod junit;
mod mcc;
mod sarif;
mod text;

use super::args::ReportFormat;
use super::board::Filed;
use super::exit::Exit;
use super::json::{PropertyReport, Summary};
use super::report::Style;
use std::collections::BTreeMap;

/// A format of reports.
pub(crate) trait Format: Send {
    /// Returns the text for the file with number `i`, which is printed when the reports before it are printed.
    fn file(&mut self, i: usize, filed: &Filed) -> String;

    /// Returns the text for the end, when all files are done or work is cut off.
    fn end(&mut self, summary: &Summary) -> String;
}

/// Returns the format called `name`, for one file or `several`.
pub(crate) fn by_name(name: ReportFormat, style: Style, several: bool) -> Box<dyn Format> {
    match name {
        ReportFormat::Text => Box::new(text::Text { style, several }),
        ReportFormat::Json => Box::new(json::Json::new(several)),
        ReportFormat::Mcc => Box::new(mcc::Mcc),
        ReportFormat::Hwmcc => Box::new(hwmcc::Hwmcc),
        ReportFormat::Junit => Box::new(junit::Junit::default()),
        ReportFormat::Sarif => Box::new(sarif::Sarif::default()),
    }
}

/// Returns the answers of a file, each with the lines below it. If a question has several answers because
/// several bounds were tried, only the last one is returned.
fn last_answers(filed: &Filed) -> Vec<(&PropertyReport, &str)> {
    let all = filed.report.properties.iter().zip(filed.bodies.iter().map(String::as_str));
    let last: BTreeMap<&str, usize> = all.clone().enumerate().map(|(i, (p, _))| (p.id.as_str(), i)).collect();
    all.enumerate().filter(|(i, (p, _))| last.get(p.id.as_str()) == Some(i)).map(|(_, answer)| answer).collect()
}

/// What an answer means for the property as asked.
enum Standing {
    Holds,
    Violated,
    Unknown,
}

fn standing(property: &PropertyReport) -> Standing {
    match property.exit {
        Exit::Done => Standing::Holds,
        exit if exit.is_violation() => Standing::Violated,
        _ => Standing::Unknown,
    }
}

/// Returns a sentence that says the same as the headline of the text report.
fn verdict(property: &PropertyReport) -> String {
    match (property.answer, property.reason) {
        (answer @ ("safe" | "reachable" | "unreachable" | "unbounded"), _) => {
            format!("{} is {answer} ({})", property.id, property.engine)
        }
        (answer @ ("holds" | "fails"), _) => format!("{} {answer} ({})", property.id, property.engine),
        ("unsafe", _) => {
            let length = property.evidence.as_ref().and_then(|e| e.length).unwrap_or(0);
            let steps = view::text::plural(length, super::report::text::step(property));
            format!("{} is violated after {steps} ({})", property.id, property.engine)
        }
        (_, reason) => format!("{} is unknown: {}", property.id, reason.unwrap_or("gave_up")),
    }
}
