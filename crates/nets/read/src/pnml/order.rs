//! Checks of priorities between transitions. The model of nets has no priorities, so a file may have priorities
//! only if they make no difference.
//!
//! In PIPE and GreatSPN, enabled immediate transitions fire before timed ones. Among immediate transitions, the
//! transitions of greater priority fire first. If all transitions are of one kind and of one priority, every
//! enabled transition may fire, whatever its rate.

use formats::codes;
use formats::error::{Error, Span, Text, printable};

/// The kinds and priorities of the transitions so far.
#[derive(Default)]
pub(super) struct Order {
    timed: Said,
    priority: Said,
}

/// The values of one property of the transitions.
#[derive(Default)]
struct Said {
    first: Option<String>,
    /// A transition with another value than the first, and its value.
    other: Option<(String, String, Span)>,
    /// A transition without a value.
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

    /// Returns a transition that differs from the first one, and the difference. A missing value is no
    /// difference if the first value is one of `usual`.
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
    /// Records the value of `timed` and the priority of a transition.
    pub(super) fn note(&mut self, transition: &str, timed: Option<String>, priority: Option<String>, span: Span) {
        self.timed.note(transition, timed, span);
        self.priority.note(transition, priority, span);
    }

    /// Refuses files in which the order of transitions makes a difference.
    pub(super) fn check(&self, text: Text<'_>) -> Result<(), Box<Error>> {
        let timed = self.timed.differs(&["false"]).map(|found| ("timed", found));
        let priority = self.priority.differs(&["0", "1"]).map(|found| ("priority", found));
        let Some((what, (transition, values, span))) = timed.or(priority) else { return Ok(()) };
        let message = format!("the transition `{}`: `{what}` says {values}", printable(transition));
        let error = text.error(&codes::PNML_PRIORITY, span.range(), message);
        let why = if what == "timed" {
            "immediate transitions fire before timed ones, which a net cannot express"
        } else {
            "transitions of greater priority fire before others, which a net cannot express"
        };
        Err(error.label(why).hint("make all transitions of one kind, if the order does not matter"))
    }
}
