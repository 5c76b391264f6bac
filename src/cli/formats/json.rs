//! For programs: an object for each file on a line of its own, and at the end a summary. Of a single file both are one object, so that
//! all output is one JSON text.

use super::Format;
use crate::cli::board::Filed;
use crate::cli::json::{FileReport, SCHEMA, Summary};
use serde::Serialize;

pub(super) struct Json {
    several: bool,
    /// The only file, until its summary is known.
    only: Option<FileReport>,
}

impl Json {
    pub(super) fn new(several: bool) -> Self {
        Self { several, only: None }
    }
}

/// The last line after several files.
#[derive(Serialize)]
struct End<'a> {
    schema: u32,
    summary: &'a Summary,
}

impl Format for Json {
    fn file(&mut self, filed: &Filed) -> String {
        if self.several {
            return line(&filed.report);
        }
        self.only = Some(filed.report.clone());
        String::new()
    }

    fn end(&mut self, summary: &Summary) -> String {
        match self.only.take() {
            Some(report) => line(&FileReport { summary: Some(summary.clone()), ..report }),
            None => line(&End { schema: SCHEMA, summary }),
        }
    }
}

fn line(object: &impl Serialize) -> String {
    serde_json::to_string(object).expect("keys are text, and nothing fails") + "\n"
}
