//! One error type for all readers: a stable code, the place with a short excerpt, what was expected, and a hint.
//!
//! An error keeps a cut-out of the offending line instead of the source, so that it stays small whatever the input: a
//! line of 200,000 characters is shown as the hundred around the place. Control characters are replaced, so that an
//! input cannot write to the terminal.

use crate::codes::{self, Code};
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan, SpanContents,
};
use model::Mismatch;
use std::fmt;
use std::io;
use std::ops::Range;

pub(crate) use crate::span::Span;

/// Bytes of the line shown before and after the place.
const EXCERPT_BEFORE: usize = 48;
const EXCERPT_AFTER: usize = 72;
/// Characters of a name or a text that messages quote.
const QUOTED: usize = 48;
/// Characters of the name of a source.
const PATH: usize = 400;

/// What is wrong with an input, or (as a warning) suspicious about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    code: &'static Code,
    warning: bool,
    message: String,
    label: String,
    help: Option<String>,
    /// Of the source, as it is. [`fmt::Display`] shows it without control characters.
    name: String,
    place: Option<Place>,
    /// Does it only follow from another error, which is shown instead?
    pub(crate) follows: bool,
    /// Further errors of the same source, in the order of their places.
    pub(crate) others: Vec<Error>,
}

/// A place in a source with the part of its line that is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    /// Both from 1; the column counts characters.
    line: usize,
    column: usize,
    /// Characters on its line.
    length: usize,
    excerpt: String,
    /// The span inside the excerpt.
    start: usize,
    len: usize,
}

impl Error {
    /// An error that concerns the source as a whole.
    pub fn whole(code: &'static Code, name: &str, message: impl Into<String>) -> Box<Self> {
        let (message, name) = (message.into(), name.to_owned());
        let (label, others) = (String::new(), Vec::new());
        Box::new(Self { code, warning: false, message, label, help: None, name, place: None, follows: false, others })
    }

    /// What is asked does not fit the system: readers look at their text first, and have better words for it.
    pub(crate) fn unfit(name: &str, mismatch: &Mismatch) -> Box<Self> {
        Self::whole(&codes::GOALS_SYSTEM, name, mismatch.to_string())
    }

    /// An error at a place of `bytes`.
    pub(crate) fn at(
        code: &'static Code,
        name: &str,
        bytes: &[u8],
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Box<Self> {
        Box::new(Self { place: Some(Place::new(bytes, span)), ..*Self::whole(code, name, message) })
    }

    /// Writes `label` under the place.
    pub fn label(mut self: Box<Self>, label: impl Into<String>) -> Box<Self> {
        self.label = label.into();
        self
    }

    /// Adds a hint (a further line if there is one already).
    pub fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        let hint = hint.into();
        self.help = Some(match self.help {
            Some(old) => format!("{old}\n{hint}"),
            None => hint,
        });
        self
    }

    /// Makes it a warning.
    pub(crate) fn warning(mut self: Box<Self>) -> Box<Self> {
        self.warning = true;
        self
    }

    /// Gives it another code and hint, where one reader works for several callers.
    pub(crate) fn recoded(mut self: Box<Self>, code: &'static Code, hint: &str) -> Box<Self> {
        (self.code, self.help) = (code, Some(hint.to_owned()));
        self
    }

    /// Says which source it is about.
    #[must_use]
    pub fn in_source(mut self: Box<Self>, name: &str) -> Box<Self> {
        self.others.iter_mut().for_each(|error| name.clone_into(&mut error.name));
        name.clone_into(&mut self.name);
        self
    }

    /// Where two sources were read as one: an error behind the first `lines` lines is about the second one, called
    /// `name`.
    pub(crate) fn behind(mut self: Box<Self>, lines: usize, name: &str) -> Box<Self> {
        self.move_behind(lines, name);
        self.others.iter_mut().for_each(|error| error.move_behind(lines, name));
        self
    }

    fn move_behind(&mut self, lines: usize, name: &str) {
        if let Some(place) = self.place.as_mut().filter(|place| place.line > lines) {
            place.line -= lines;
            name.clone_into(&mut self.name);
        }
    }

    /// The error with a [`fmt::Display`] that leaves the place to the excerpt below it.
    #[must_use]
    pub fn headed(&self) -> Headed<'_> {
        Headed(self)
    }

    /// The stable code, to be looked up with [`crate::codes::find`].
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code.code
    }

    /// What it says, without place and hint.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Is it a warning, about something legal?
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.warning
    }

    /// The name of the source, as it is: it may have characters that a terminal acts on.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.name
    }

    /// Line and column (in characters), both from 1.
    #[must_use]
    pub fn line_column(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|p| (p.line, p.column))
    }

    /// The characters that the place has on its line; 0 at the end of the line.
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
        // Without a place nothing else names the file.
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
        let lines: Vec<&str> = self.help.as_deref().into_iter().chain(more).collect();
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
        // Renderers ask without context for the place itself, and with context for the lines to show.
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
            // The end of a line has no character to point at.
            excerpt.push(' ');
            len = 1;
        }
        let line = bytes[..line_start].iter().filter(|b| **b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&bytes[line_start..at]).chars().count() + 1;
        let length = String::from_utf8_lossy(&bytes[at..span.end.clamp(at, line_end)]).chars().count();
        Self { line, column, length, excerpt, start, len }
    }
}

/// The last boundary between characters at or before `at`, but not before `least`. Looks back at most three bytes.
fn floor_boundary(bytes: &[u8], at: usize, least: usize) -> usize {
    let continues = |i: usize| bytes.get(i).is_some_and(|b| b & 0xC0 == 0x80);
    (at.saturating_sub(3).max(least)..=at).rev().find(|i| !continues(*i)).unwrap_or(at)
}

/// Bytes as one line of harmless text: letters, digits, printable ASCII; everything else becomes `?`, a tab a blank.
fn shown(bytes: &[u8]) -> String {
    let harmless = |c: char| match c {
        '\t' | '\r' => ' ',
        c if c == ' ' || c.is_ascii_graphic() || (!c.is_ascii() && c.is_alphanumeric()) => c,
        _ => '?',
    };
    String::from_utf8_lossy(bytes).chars().map(harmless).collect()
}

/// Why a problem was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format cannot say it.
    #[error(transparent)]
    Feature(Box<Error>),
}

impl WriteError {
    /// The format called `format` cannot say `what`, a feature of the model. (What the model is called, its caller
    /// knows: [`Error::in_source`].)
    pub fn feature(format: &str, what: impl fmt::Display) -> Self {
        let message = format!("the format `{format}` cannot say this: {what}");
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

/// A piece of input as messages quote it: harmless, and cut when long.
pub fn printable(text: &str) -> String {
    shortened(text, QUOTED)
}

/// The name of a source for a terminal: without control characters, and cut when long.
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

/// A text input under its name: where readers of text formats make their errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
}

impl Text<'_> {
    /// An error at `span`.
    pub(crate) fn error(&self, code: &'static Code, span: Range<usize>, message: impl Into<String>) -> Box<Error> {
        Error::at(code, self.name, self.text.as_bytes(), span, message)
    }

    /// A character that begins no word at `at`; `hint` says more about it.
    pub(crate) fn stray(&self, code: &'static Code, at: usize, hint: fn(char) -> &'static str) -> Box<Error> {
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

    /// A carriage return at `at` that ends no line.
    pub(crate) fn lone_return(&self, code: &'static Code, at: usize) -> Box<Error> {
        self.error(code, at..at + 1, "a carriage return without a line feed")
            .label("expected a line feed after it")
            .hint("end lines with LF or CR LF")
    }

    /// The name at `span` is longer than `most`.
    pub(crate) fn long_name(&self, span: Range<usize>, most: usize) -> Box<Error> {
        let message = format!("a name of {} characters", span.len());
        self.error(&crate::codes::LIMIT_NAME, span, message)
            .label(format!("expected a name of at most {most} characters"))
    }

    /// The line (from 1) of a position.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.text.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1
    }

    /// Line and column (in characters) of a position, both from 1.
    pub(crate) fn line_column(&self, at: usize) -> (usize, usize) {
        let start = self.text[..at].rfind('\n').map_or(0, |i| i + 1);
        (self.line(at), self.text[start..at].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests;
