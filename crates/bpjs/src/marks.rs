//! Marks in the text: comments on lines of their own that say what the text of a program leaves open.
//!
//! `// @strategy NAME` says how events are selected, and `// @ends stopped` that the program may end where a b-thread
//! blocks all events.

use formats::codes;
use formats::error::{Error, Text, printable};
use formats::source::Strategy;
use formats::suggest;
use oxc_ast::Comment;

/// What the marks of a text say.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Marks {
    pub(super) strategy: Option<Strategy>,
    /// True if the program may end where a b-thread blocks all events.
    pub(super) stops: bool,
}

impl Marks {
    /// Finds the marks among the comments of a text. The last one of a kind counts.
    ///
    /// # Errors
    /// A mark has an unknown value.
    pub(super) fn of(text: Text<'_>, comments: &[Comment]) -> Result<Self, Box<Error>> {
        let mut marks = Self::default();
        for comment in comments.iter().filter(|comment| comment.is_line()) {
            let span = comment.content_span();
            let (start, end) = (span.start as usize, span.end as usize);
            let line = text.text[..start].rfind('\n').map_or(0, |at| at + 1);
            let is_alone = text.text[line..start].trim() == "//";
            let content = text.text[start..end].trim();
            let value = |key| content.strip_prefix(key).filter(|_| is_alone).map(str::trim);
            let unknown = |what, value, known: &[&str]| {
                let message = format!("there is no {what} `{}`", printable(value));
                let error = text.error(&codes::JS_UNSUPPORTED, start..end, message).label("named here");
                suggest::hinted(error, value, known.iter().copied(), &format!("known: {}", known.join(", ")))
            };
            if let Some(name) = value("@strategy ") {
                let found = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
                let found = found.ok_or_else(|| unknown("strategy", name, &Strategy::ALL.map(Strategy::name)))?;
                marks.strategy = Some(found);
            }
            match value("@ends ") {
                None => {}
                Some(name @ ("proper" | "stopped")) => marks.stops = name == "stopped",
                Some(other) => return Err(unknown("way to end", other, &["proper", "stopped"])),
            }
        }
        Ok(marks)
    }
}
