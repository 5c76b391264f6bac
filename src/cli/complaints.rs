//! Shows errors and warnings about inputs on stderr, and collects them for reports.

use super::args::Common;
use super::exit::{Exit, usage};
use super::notes::{Note, Notes};
use impasse::formats;
use impasse::model::Growth;
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::cell::RefCell;
use std::io::{self, IsTerminal};

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
            complain_all(error, self.common);
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
            complain(warning, self.common);
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
            usage(&format!("{name}: {why}"));
        }
        self.keep(code, name, why.to_owned());
        Exit::Usage
    }

    fn keep(&self, code: &'static str, name: &str, message: String) {
        let note = Note { code, message, help: None, file: name.to_owned(), place: None };
        self.notes.borrow_mut().errors.push(note);
    }
}

/// Shows all errors of a source, and their number.
pub(crate) fn complain_all(error: &formats::Error, common: &Common) -> Exit {
    let all: Vec<&formats::Error> = error.all().collect();
    for error in &all {
        complain(error, common);
    }
    if all.len() > 1 {
        let more = if error.is_cut() { " and perhaps more" } else { "" };
        tell!("{}: {} errors{more}", formats::plain(error.source_name()), all.len());
    }
    Exit::Input
}

/// Shows an error or a warning with its place in the text. On a terminal, the place is drawn with lines, and
/// elsewhere with plain characters.
pub(crate) fn complain(error: &formats::Error, common: &Common) -> Exit {
    let stderr = io::stderr();
    let theme = match (common.color.paint(&stderr).is_on(), stderr.is_terminal()) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme { characters: miette::ThemeCharacters::ascii(), ..GraphicalTheme::unicode() },
        (false, true) => GraphicalTheme::unicode_nocolor(),
        (false, false) => GraphicalTheme::none(),
    };
    let mut shown = String::new();
    let drawn = GraphicalReportHandler::new_themed(theme).with_width(120).render_report(&mut shown, &error.headed());
    match drawn {
        // The first line can be found in a log: `error: rwb::syntax`.
        Ok(()) => tell!("{}: {}", if error.is_warning() { "warning" } else { "error" }, shown.trim_matches('\n')),
        Err(_) => tell!("error: {error}"),
    }
    Exit::Input
}
