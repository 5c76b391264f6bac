//! Errors and warnings about inputs, as records of reports.

use impasse::formats;
use miette::Diagnostic;
use serde::Serialize;

/// An error or a warning, as a record of a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Note {
    /// The code that `impasse explain` explains.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// The file that the note is about: the model, or a file that belongs to the model.
    pub(crate) file: String,
    /// `None` if the note is about the file as a whole.
    pub(crate) place: Option<Place>,
}

/// A place in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Place {
    /// Line number, from 1.
    pub(crate) line: usize,
    /// Column in characters, from 1.
    pub(crate) column: usize,
    /// Length in characters, at most to the end of the line. 0 at the end of a line.
    pub(crate) length: usize,
}

impl Note {
    pub(crate) fn new(error: &formats::Error) -> Self {
        let place = |(line, column)| Place { line, column, length: error.length().unwrap_or(0) };
        Self {
            code: error.code(),
            message: error.message().to_owned(),
            help: error.help().map(|help| help.to_string()),
            file: error.source_name().to_owned(),
            place: error.line_column().map(place),
        }
    }
}

/// Errors and warnings of a file.
#[derive(Clone, Default, Debug, Serialize)]
pub(crate) struct Notes {
    pub(crate) errors: Vec<Note>,
    pub(crate) warnings: Vec<Note>,
}
