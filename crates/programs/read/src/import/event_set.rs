//! Sets of events.

use super::{At, Formula, Name};

/// A value of an event or of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A truth value.
    Truth(bool),
    /// A string of a list of strings.
    Text(String),
    /// Any value of the sort.
    Any,
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A set of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventSet {
    /// Every event.
    All,
    /// The events of all these sets; nothing, if there are none.
    Union(Vec<EventSet>),
    /// The events of the first set that are in none of the others.
    Minus(Vec<EventSet>),
    /// Events of one declaration.
    Of(Events),
}

/// Events of one declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Events {
    pub(crate) name: Name,
    pub(crate) atom: Atom,
    pub(crate) at: At,
}

/// Which events of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Atom {
    All,
    /// Those with these values.
    Values(Vec<(Value, At)>),
    /// Those with values that satisfy the predicate.
    When(Formula),
}

impl EventSet {
    /// No event.
    #[must_use]
    pub fn none() -> Self {
        Self::Union(Vec::new())
    }

    /// All events of a declaration: the event itself, if it has no parameters.
    pub fn event(name: impl Into<String>) -> Self {
        Self::Of(Events { name: Name::new(name), atom: Atom::All, at: At::default() })
    }

    /// The event with these values; [`Value::Any`] stands for all values of a parameter.
    pub fn values(name: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        let values = values.into_iter().map(|value| (value, At::default())).collect();
        Self::Of(Events { name: Name::new(name), atom: Atom::Values(values), at: At::default() })
    }

    /// The events of a declaration that satisfy a predicate: an SMT-LIB term over the parameters, and over the
    /// variables of the thread.
    pub fn such_that(name: impl Into<String>, predicate: impl Into<String>) -> Self {
        Self::Of(Events { name: Name::new(name), atom: Atom::When(Formula::new(predicate)), at: At::default() })
    }

    /// The union with another set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Union(mut sets) => {
                sets.push(other);
                Self::Union(sets)
            }
            first => Self::Union(vec![first, other]),
        }
    }

    /// The set without the events of another set.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        match self {
            Self::Minus(mut sets) => {
                sets.push(other);
                Self::Minus(sets)
            }
            first => Self::Minus(vec![first, other]),
        }
    }

    /// True if the set is written as a union of nothing.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::Union(sets) if sets.is_empty())
    }
}

impl Default for EventSet {
    fn default() -> Self {
        Self::none()
    }
}

/// The event of a declaration without parameters, or all events of one with parameters.
impl From<&str> for EventSet {
    fn from(name: &str) -> Self {
        Self::event(name)
    }
}

/// The union of sets.
impl<S: Into<EventSet>> FromIterator<S> for EventSet {
    fn from_iter<I: IntoIterator<Item = S>>(sets: I) -> Self {
        Self::Union(sets.into_iter().map(Into::into).collect())
    }
}
