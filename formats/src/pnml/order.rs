//! Which transitions go before others: a net has no such thing, so a file may say it only where it makes no
//! difference.
//!
//! PIPE and GreatSPN let enabled immediate transitions go before timed ones, and among immediate ones those of greater
//! priority. If all transitions are of one kind and of one priority, every enabled transition may fire, at whatever
//! rate.

use crate::codes;
use crate::error::{Error, Span, Text, printable};

/// What the transitions so far say of their order.
#[derive(Default)]
pub(super) struct Order {
    timed: Said,
    priority: Said,
}

/// What transitions say of one thing.
#[derive(Default)]
struct Said {
    first: Option<String>,
    /// A transition that says something else, and what.
    other: Option<(String, String, Span)>,
    /// One that says nothing.
    silent: Option<(String, Span)>,
}

impl Said {
    fn note(&mut self, transition: &str, value: Option<String>, span: Span) {
        match (value, &self.first) {
            (None, _) => {
                self.silent.get_or_insert_with(|| (transition.to_owned(), span));
            }
            (Some(value), None) => self.first = Some(value),
            (Some(value), Some(first)) if value != *first => {
                self.other.get_or_insert_with(|| (transition.to_owned(), value, span));
            }
            _ => {}
        }
    }

    /// A transition that differs from the first one, and in what. Silence means one of `usual`.
    fn differs(&self, usual: &[&str]) -> Option<(&str, String, Span)> {
        let first = self.first.as_ref()?;
        if let Some((transition, value, span)) = &self.other {
            return Some((transition, format!("`{}`, others `{}`", printable(value), printable(first)), *span));
        }
        let (transition, span) = self.silent.as_ref().filter(|_| !usual.contains(&first.as_str()))?;
        Some((transition, format!("nothing, others `{}`", printable(first)), *span))
    }
}

impl Order {
    /// What a transition says: is it timed, its priority.
    pub(super) fn note(&mut self, transition: &str, timed: Option<String>, priority: Option<String>, span: Span) {
        self.timed.note(transition, timed, span);
        self.priority.note(transition, priority, span);
    }

    /// Refuses files in which it makes a difference.
    pub(super) fn check(&self, text: Text<'_>) -> Result<(), Box<Error>> {
        let timed = self.timed.differs(&["false"]).map(|found| ("timed", found));
        let priority = self.priority.differs(&["0", "1"]).map(|found| ("priority", found));
        let Some((what, (transition, values, span))) = timed.or(priority) else { return Ok(()) };
        let message = format!("the transition `{}`: `{what}` says {values}", printable(transition));
        let error = text.error(&codes::PNML_PRIORITY, span.range(), message);
        let why = if what == "timed" {
            "immediate transitions go before timed ones, which a net cannot say"
        } else {
            "transitions of greater priority go before others, which a net cannot say"
        };
        Err(error.label(why).hint("make all transitions of one kind, if the order does not matter"))
    }
}
