//! Errors and warnings about inputs. They are printed on stderr for people, and kept as records for reports.

use super::args::Common;
use super::exit::Exit;
use super::input;
use impasse::formats;
use impasse::model::Growth;
use miette::Diagnostic;
use serde::Serialize;
use std::cell::RefCell;

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
    fn new(error: &formats::Error) -> Self {
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

/// Collects errors and warnings about inputs, and prints them.
pub(crate) struct Complaints<'a> {
    common: &'a Common,
    /// True if errors and warnings are only collected, because they were printed before.
    silent: bool,
    notes: RefCell<Notes>,
    /// What has grown while the input is read.
    growth: Growth,
}

impl<'a> Complaints<'a> {
    pub(crate) fn new(common: &'a Common) -> Self {
        Self { common, silent: false, notes: RefCell::default(), growth: Growth::default() }
    }

    /// Creates a collection that prints nothing.
    pub(crate) fn silent(common: &'a Common) -> Self {
        Self { silent: true, ..Self::new(common) }
    }

    /// Returns where readers record what grows.
    pub(crate) fn growth(&self) -> Growth {
        self.growth.clone()
    }

    pub(crate) fn common(&self) -> &'a Common {
        self.common
    }

    /// Returns everything collected so far.
    pub(crate) fn into_notes(self) -> Notes {
        self.notes.into_inner()
    }

    /// Adds the errors of a reader.
    pub(crate) fn say(&self, error: &formats::Error) -> Exit {
        self.notes.borrow_mut().errors.extend(error.all().map(Note::new));
        if !self.silent {
            input::complain_all(error, self.common);
        }
        Exit::Input
    }

    /// Returns what was read if there are no errors.
    pub(crate) fn without_errors<T>(&self, read: T) -> Result<T, Exit> {
        if self.notes.borrow().errors.is_empty() { Ok(read) } else { Err(Exit::Input) }
    }

    /// Adds the warnings of a reader.
    pub(crate) fn note(&self, warnings: &[formats::Error]) {
        warnings.iter().for_each(|warning| self.warn(warning));
    }

    /// Adds a warning. Work continues.
    pub(crate) fn warn(&self, warning: &formats::Error) {
        self.notes.borrow_mut().warnings.push(Note::new(warning));
        if !self.silent && !self.common.quiet {
            input::complain(warning, self.common);
        }
    }

    /// Adds the error that the file called `name` cannot be read at all.
    pub(crate) fn unreadable(&self, name: &str, why: &str) -> Exit {
        if !self.silent {
            tell!("error: cannot read {name}: {why}");
        }
        self.keep("input::unreadable", name, format!("it cannot be read: {why}"));
        Exit::Input
    }

    /// Adds the error that the model called `name` cannot be checked with the given checkpoint.
    pub(crate) fn unsaved(&self, name: &str, why: &str) -> Exit {
        if !self.silent {
            tell!("error: {name}: {why}");
        }
        self.keep("input::unreadable", name, why.to_owned());
        Exit::Input
    }

    /// Adds the error that the question about the model called `name` is invalid.
    pub(crate) fn senseless(&self, name: &str, why: &str) -> Exit {
        self.refuse("input::question", name, why)
    }

    /// Adds the error that nothing is asked about the only model, which is called `name`. `remedy` says what
    /// can be asked.
    pub(crate) fn nothing_asked(&self, name: &str, remedy: &str) -> Exit {
        self.refuse("input::nothing-asked", name, &format!("nothing is asked: {remedy}"))
    }

    fn refuse(&self, code: &'static str, name: &str, why: &str) -> Exit {
        if !self.silent {
            super::usage(&format!("{name}: {why}"));
        }
        self.keep(code, name, why.to_owned());
        Exit::Usage
    }

    fn keep(&self, code: &'static str, name: &str, message: String) {
        let note = Note { code, message, help: None, file: name.to_owned(), place: None };
        self.notes.borrow_mut().errors.push(note);
    }
}
