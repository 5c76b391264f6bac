//! Marks in the text: comments on lines of their own that say what the text of a program leaves open.
//!
//! `// @strategy NAME` says how events are selected, and `// @ends stopped` that the program may end where a b-thread
//! blocks all events.

use formats::codes;
use formats::error::{Error, Text, printable};
use formats::source::Strategy;
use formats::suggest;

/// What the marks of a text say.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Marks {
    pub(super) strategy: Option<Strategy>,
    /// True if the program may end where a b-thread blocks all events.
    pub(super) stops: bool,
}

impl Marks {
    /// Finds the marks of a text. The first one of a kind counts.
    ///
    /// # Errors
    /// A mark has an unknown value.
    pub(super) fn of(text: Text<'_>) -> Result<Self, Box<Error>> {
        let (mut marks, mut at) = (Self::default(), 0);
        for line in text.text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let comment = line.trim().strip_prefix("//").map(str::trim_start);
            let value = |key| comment.and_then(|comment| comment.strip_prefix(key)).map(str::trim);
            let unknown = |what, value, known: &[&str]| {
                let message = format!("there is no {what} `{}`", printable(value));
                let error = text.error(&codes::JS_UNSUPPORTED, start..at, message).label("named here");
                suggest::hinted(error, value, known.iter().copied(), &format!("known: {}", known.join(", ")))
            };
            if let Some(name) = value("@strategy ") {
                let found = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
                let found = found.ok_or_else(|| unknown("strategy", name, &Strategy::ALL.map(Strategy::name)))?;
                marks.strategy = marks.strategy.or(Some(found));
            }
            match value("@ends ") {
                None | Some("proper") => {}
                Some("stopped") => marks.stops = true,
                Some(other) => return Err(unknown("way to end", other, &["proper", "stopped"])),
            }
        }
        Ok(marks)
    }
}
