//! Reports as JSON, for programs. Each file is an object on a line of its own. A summary follows. For a
//! single file, the summary is part of its object, so that the whole output is one JSON text.

use super::Format;
use crate::cli::board::Filed;
use crate::cli::json::{FileReport, SCHEMA, Summary};
use serde::Serialize;

pub(super) struct Json {
    several: bool,
    /// The report of the only file, until its summary is known.
    only: Option<FileReport>,
}

impl Json {
    pub(super) fn new(several: bool) -> Self {
        Self { several, only: None }
    }
}

/// The last line of the output for several files.
#[derive(Serialize)]
struct End<'a> {
    schema: u32,
    summary: &'a Summary,
}

impl Format for Json {
    fn file(&mut self, _: usize, filed: &Filed) -> String {
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
