//! The error type of all readers: a stable code, the place with a short excerpt, what was expected, and a hint.
//!
//! An error stores an excerpt of the line instead of the source, so that it stays small for every input. Of a
//! line of 200,000 characters, the excerpt contains about a hundred characters around the place. Control
//! characters are replaced, so that an input cannot send commands to the terminal.

use crate::codes::{self, Code};
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan, SpanContents,
};
use model::Mismatch;
use std::ops::Range;
use std::{fmt, io};

pub use crate::span::Span;

/// The largest numbers of bytes that are shown: before the place, and from the place on.
const EXCERPT_BEFORE: usize = 48;
const EXCERPT_AFTER: usize = 72;
/// The largest number of characters that a message quotes of a name or text.
const QUOTED: usize = 48;
/// The largest number of characters that are shown of the name of a source.
const PATH: usize = 400;

/// An error in an input, or (as a warning) something suspicious in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    code: &'static Code,
    warning: bool,
    message: String,
    label: String,
    help: Option<String>,
    /// The name of the source, unchanged. [`fmt::Display`] replaces its control characters.
    name: String,
    place: Option<Place>,
    /// The path to the place in a JSON text.
    pointer: Option<String>,
    /// True if this error is only a consequence of another error, which is shown instead.
    pub follows: bool,
    /// Further errors of the same source, in the order of their places.
    pub others: Vec<Error>,
}

/// A place in a source, with an excerpt of its line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    /// Line and column, both from 1. The column counts characters.
    line: usize,
    column: usize,
    /// The first byte.
    offset: usize,
    /// The length of the place on this line, in characters.
    length: usize,
    excerpt: String,
    /// The place inside the excerpt: its start and length in bytes.
    start: usize,
    len: usize,
}

impl Error {
    /// Makes an error about the source as a whole.
    pub fn whole(code: &'static Code, name: &str, message: impl Into<String>) -> Box<Self> {
        let (message, name) = (message.into(), name.to_owned());
        let (label, others) = (String::new(), Vec::new());
        let (help, place, pointer) = (None, None, None);
        Box::new(Self { code, warning: false, message, label, help, name, place, pointer, follows: false, others })
    }

    /// Makes the error for goals that do not fit the system. It is a fallback: readers check their text first
    /// and describe the mistake better.
    pub fn unfit(name: &str, mismatch: &Mismatch) -> Box<Self> {
        Self::whole(&codes::GOALS_SYSTEM, name, mismatch.to_string())
    }

    /// Makes an error at a place of `bytes`.
    pub fn at(
        code: &'static Code,
        name: &str,
        bytes: &[u8],
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Box<Self> {
        Box::new(Self { place: Some(Place::new(bytes, span)), ..*Self::whole(code, name, message) })
    }

    /// Sets the label that is shown under the place.
    pub fn label(mut self: Box<Self>, label: impl Into<String>) -> Box<Self> {
        self.label = label.into();
        self
    }

    /// Adds a hint, as a further line if there is one already.
    pub fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        let hint = hint.into();
        self.help = Some(match self.help {
            Some(old) => format!("{old}\n{hint}"),
            None => hint,
        });
        self
    }

    /// Turns the error into a warning.
    pub fn warning(mut self: Box<Self>) -> Box<Self> {
        self.warning = true;
        self
    }

    /// Replaces the code and the hint. A caller that shares a reader with other callers sets its own code with
    /// this function.
    pub fn recoded(mut self: Box<Self>, code: &'static Code, hint: &str) -> Box<Self> {
        (self.code, self.help) = (code, Some(hint.to_owned()));
        self
    }

    /// Adds the paths to the places, also of the further errors. `path` returns the path to a byte of a JSON text.
    pub fn with_pointers(mut self: Box<Self>, path: &dyn Fn(usize) -> String) -> Box<Self> {
        self.others.iter_mut().for_each(|error| error.set_pointer(path));
        self.set_pointer(path);
        self
    }

    /// Adds the path to the place.
    pub fn set_pointer(&mut self, path: &dyn Fn(usize) -> String) {
        self.pointer = self.place.as_ref().map(|place| path(place.offset));
    }

    /// Returns the path to the place in a JSON text of programs of version 2, such as `/threads/0/states/3/name`.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        self.pointer.as_deref()
    }

    /// Sets the name of the source, also of the further errors.
    #[must_use]
    pub fn in_source(mut self: Box<Self>, name: &str) -> Box<Self> {
        self.others.iter_mut().for_each(|error| name.clone_into(&mut error.name));
        name.clone_into(&mut self.name);
        self
    }

    /// Corrects the place. `located` returns the source of a line, and the line in it.
    pub(crate) fn locate<'n>(&mut self, located: impl Fn(usize) -> Option<(&'n str, usize)>) {
        let Some(place) = &mut self.place else { return };
        if let Some((name, line)) = located(place.line) {
            place.line = line;
            name.clone_into(&mut self.name);
        }
    }

    /// Returns the error with a [`fmt::Display`] that omits the place, for renderers that show the excerpt
    /// below.
    #[must_use]
    pub fn headed(&self) -> Headed<'_> {
        Headed(self)
    }

    /// Returns the stable code, which [`crate::codes::find`] accepts.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code.code
    }

    /// Returns the message, without place and hint.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the hint: what to write instead, or where to read more.
    #[must_use]
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// True for a warning, which is about something legal.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.warning
    }

    /// Returns the name of the source, unchanged. It may contain control characters.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.name
    }

    /// Returns line and column (in characters) of the place, both from 1.
    #[must_use]
    pub fn line_column(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|p| (p.line, p.column))
    }

    /// Returns the first byte of the place.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.place.as_ref().map(|p| p.offset)
    }

    /// Returns the length of the place on its line, in characters. It is 0 at the end of the line.
    #[must_use]
    pub fn length(&self) -> Option<usize> {
        self.place.as_ref().map(|p| p.length)
    }
}

/// `file:line:column: what is wrong`, as compilers write it.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{}:", shortened(&self.name, PATH))?;
        }
        if let Some(place) = &self.place {
            write!(f, "{}:{}:", place.line, place.column)?;
        }
        if !self.name.is_empty() || self.place.is_some() {
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// An error for renderers that show the place below the message: see [`Error::headed`].
#[derive(Clone, Copy, Debug)]
pub struct Headed<'e>(&'e Error);

impl fmt::Display for Headed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a place there is no excerpt that names the file.
        if self.0.place.is_none() { self.0.fmt(f) } else { f.write_str(&self.0.message) }
    }
}

impl std::error::Error for Headed<'_> {}

impl Diagnostic for Headed<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Diagnostic::code(self.0)
    }

    fn severity(&self) -> Option<Severity> {
        self.0.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.0.labels()
    }
}

impl Diagnostic for Error {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code.code))
    }

    fn severity(&self) -> Option<Severity> {
        Some(if self.warning { Severity::Warning } else { Severity::Error })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let more = self.code.grows().then_some("the limit grows with the memory that may be used (`--memory`)");
        let pointer = self.pointer.as_ref().filter(|path| !path.is_empty()).map(|path| format!("the place is {path}"));
        let lines: Vec<&str> = self.help.as_deref().into_iter().chain(more).chain(pointer.as_deref()).collect();
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.is_some().then_some(self as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        let label = (!self.label.is_empty()).then(|| self.label.clone());
        Some(Box::new(std::iter::once(LabeledSpan::new(label, place.start, place.len))))
    }
}

impl SourceCode for Error {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let place = self.place.as_ref().ok_or(MietteError::OutOfBounds)?;
        // A renderer calls this function without context lines to get the place itself, and with context lines to
        // get the lines to show.
        let from = if lines_before == 0 { span.offset() } else { 0 };
        let data = place.excerpt.as_bytes().get(from..).ok_or(MietteError::OutOfBounds)?;
        let column = if lines_before == 0 { place.column - 1 } else { 0 };
        let shown = SourceSpan::new(from.into(), data.len());
        let contents =
            MietteSpanContents::new_named(shortened(&self.name, PATH), data, shown, place.line - 1, column, 1);
        Ok(Box::new(contents))
    }
}

impl Place {
    fn new(bytes: &[u8], span: Range<usize>) -> Self {
        let at = span.start.min(bytes.len());
        let line_start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let line_end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |i| at + i);
        let from = floor_boundary(bytes, line_start.max(at.saturating_sub(EXCERPT_BEFORE)), line_start);
        let to = floor_boundary(bytes, line_end.min(at + EXCERPT_AFTER), at);
        let mut excerpt = String::from(if from > line_start { "..." } else { "" });
        excerpt.push_str(&shown(&bytes[from..at]));
        let start = excerpt.len();
        let end = span.end.clamp(at, to);
        excerpt.push_str(&shown(&bytes[at..end]));
        let mut len = excerpt.len() - start;
        excerpt.push_str(&shown(&bytes[end..to]));
        excerpt.push_str(if to < line_end { "..." } else { "" });
        if start == excerpt.len() {
            // At the end of a line there is no character to mark, so a blank is added.
            excerpt.push(' ');
            len = 1;
        }
        let line = bytes[..line_start].iter().filter(|b| **b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&bytes[line_start..at]).chars().count() + 1;
        let length = String::from_utf8_lossy(&bytes[at..span.end.clamp(at, line_end)]).chars().count();
        Self { line, column, offset: at, length, excerpt, start, len }
    }
}

/// Returns the last character boundary at or before `at`, but not before `least`. Checks at most the three bytes
/// before `at`.
fn floor_boundary(bytes: &[u8], at: usize, least: usize) -> usize {
    let continues = |i: usize| bytes.get(i).is_some_and(|b| b & 0xC0 == 0x80);
    (at.saturating_sub(3).max(least)..=at).rev().find(|i| !continues(*i)).unwrap_or(at)
}

/// Converts bytes to one line of printable text. Letters, digits and printable ASCII are kept, tabs become
/// blanks, everything else becomes `?`.
fn shown(bytes: &[u8]) -> String {
    let harmless = |c: char| match c {
        '\t' | '\r' => ' ',
        c if c == ' ' || c.is_ascii_graphic() || (!c.is_ascii() && c.is_alphanumeric()) => c,
        _ => '?',
    };
    String::from_utf8_lossy(bytes).chars().map(harmless).collect()
}

/// The reason why a problem was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format cannot express a feature of the model.
    #[error(transparent)]
    Feature(Box<Error>),
}

impl WriteError {
    /// Makes the error that the format called `format` cannot express `what`, a feature of the model. The caller
    /// sets the name of the model with [`Error::in_source`].
    pub fn feature(format: &str, what: impl fmt::Display) -> Self {
        let message = format!("the format `{format}` cannot express this: {what}");
        Self::Feature(Error::whole(&codes::FORMAT_FEATURE, "", message))
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Self::Feature(error) => Self::Feature(error.hint(hint)),
            Self::Io(error) => Self::Io(error),
        }
    }
}

/// Returns a piece of input as messages quote it: printable, and cut if it is long.
pub fn printable(text: &str) -> String {
    shortened(text, QUOTED)
}

/// Returns the name of a source for a terminal: without control characters, and cut if it is long.
#[must_use]
pub fn plain(name: &str) -> String {
    shortened(name, PATH)
}

fn shortened(text: &str, most: usize) -> String {
    let cut: String = text.chars().take(most).collect();
    let rest = text.len() - cut.len();
    let mut out = shown(cut.as_bytes());
    if rest > 0 {
        out.push_str(&format!("... ({} bytes)", text.len()));
    }
    out
}

/// A text and its name. Readers of text formats make their errors with it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The name of the source.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Text<'_> {
    /// Makes an error at `span`.
    pub fn error(&self, code: &'static Code, span: Range<usize>, message: impl Into<String>) -> Box<Error> {
        Error::at(code, self.name, self.text.as_bytes(), span, message)
    }

    /// Makes the error about the character at `at`, which begins no token. `hint` returns a hint for a
    /// character.
    pub fn stray(&self, code: &'static Code, at: usize, hint: fn(char) -> &'static str) -> Box<Error> {
        let Some(c) = self.text[at..].chars().next() else { return self.error(code, at..at, "no character") };
        let hint = if c == '\u{feff}' {
            "the file begins with a byte order mark: save it as UTF-8 without one"
        } else {
            hint(c)
        };
        let what = if c.is_ascii_graphic() { format!("`{c}`") } else { format!("U+{:04X}", u32::from(c)) };
        self.error(code, at..at + c.len_utf8(), format!("the character {what} means nothing here"))
            .label("unexpected character")
            .hint(hint)
    }

    /// Makes the error about a carriage return at `at` without a line feed.
    pub fn lone_return(&self, code: &'static Code, at: usize) -> Box<Error> {
        self.error(code, at..at + 1, "a carriage return without a line feed")
            .label("expected a line feed after it")
            .hint("end lines with LF or CR LF")
    }

    /// Makes the error about a name at `span` that is longer than `most` characters.
    pub fn long_name(&self, span: Range<usize>, most: usize) -> Box<Error> {
        let message = format!("a name of {} characters", span.len());
        self.error(&crate::codes::LIMIT_NAME, span, message)
            .label(format!("expected a name of at most {most} characters"))
    }

    /// Returns the line (from 1) of a position.
    pub fn line(&self, at: usize) -> usize {
        self.text.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1
    }

    /// Returns a function from places to their lines (from 1), for many places.
    pub fn line_finder(&self) -> impl Fn(&Span) -> u32 + use<> {
        let ends: Vec<usize> = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect();
        move |span| u32::try_from(ends.partition_point(|end| *end < span.range().start) + 1).unwrap_or(0)
    }

    /// Returns line and column (in characters) of a position, both from 1.
    pub fn line_column(&self, at: usize) -> (usize, usize) {
        let start = self.text[..at].rfind('\n').map_or(0, |i| i + 1);
        (self.line(at), self.text[start..at].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests;
