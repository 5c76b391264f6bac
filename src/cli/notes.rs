//! What is wrong or suspicious about inputs, said on stderr for people and kept as records for reports.

use super::args::Common;
use super::exit::Exit;
use super::input;
use impasse::formats;
use miette::Diagnostic;
use serde::Serialize;
use std::cell::RefCell;

/// An error or a warning as reports have it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Note {
    /// As `impasse explain` knows it.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// The file it is about: the model, or one that goes with it.
    pub(crate) file: String,
    /// `None` where it is about the file as a whole.
    pub(crate) place: Option<Place>,
}

/// A place in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Place {
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// In characters, at most to the end of the line; 0 at the end of a line.
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

/// Takes what there is to say about inputs: shows it, and keeps it.
pub(crate) struct Complaints<'a> {
    common: &'a Common,
    /// It was shown before.
    silent: bool,
    notes: RefCell<Notes>,
}

impl<'a> Complaints<'a> {
    pub(crate) fn new(common: &'a Common) -> Self {
        Self { common, silent: false, notes: RefCell::default() }
    }

    /// Only keeps it.
    pub(crate) fn silent(common: &'a Common) -> Self {
        Self { silent: true, ..Self::new(common) }
    }

    pub(crate) fn common(&self) -> &'a Common {
        self.common
    }

    /// Everything kept so far.
    pub(crate) fn into_notes(self) -> Notes {
        self.notes.into_inner()
    }

    /// The errors of a reader.
    pub(crate) fn say(&self, error: &formats::Error) -> Exit {
        self.notes.borrow_mut().errors.extend(error.all().map(Note::new));
        if !self.silent {
            input::complain_all(error, self.common);
        }
        Exit::Input
    }

    /// Warnings of a reader.
    pub(crate) fn note(&self, warnings: &[formats::Error]) {
        warnings.iter().for_each(|warning| self.warn(warning));
    }

    /// Something that is wrong, and keeps nothing from going on.
    pub(crate) fn warn(&self, warning: &formats::Error) {
        self.notes.borrow_mut().warnings.push(Note::new(warning));
        if !self.silent && !self.common.quiet {
            input::complain(warning, self.common);
        }
    }

    /// The file called `name` cannot be read at all.
    pub(crate) fn unreadable(&self, name: &str, why: &str) -> Exit {
        if !self.silent {
            tell!("error: cannot read {name}: {why}");
        }
        self.keep("input::unreadable", name, format!("it cannot be read: {why}"));
        Exit::Input
    }

    /// What is asked about the model called `name` makes no sense.
    pub(crate) fn senseless(&self, name: &str, why: &str) -> Exit {
        self.refuse("input::question", name, why)
    }

    /// Nothing is asked about the only model, which is called `name`; `remedy` says what can be.
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
