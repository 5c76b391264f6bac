//! Declarations of events with data. A program has only the events that some thread requests. Questions may also name
//! the others: they never happen.

use crate::ids::{LocalId, ThreadId};
use std::sync::Arc;

/// A parameter, by its values.
#[derive(Clone, Debug)]
pub enum Parameter {
    /// The numbers from the first to the second, which belongs to them; all numbers if there is no range.
    Numbers(Option<(i64, i64)>),
    /// Names.
    Names(Vec<String>),
}

impl Parameter {
    fn has(&self, written: &str) -> bool {
        match self {
            Parameter::Numbers(range) => {
                let value = written.parse::<i64>().ok();
                value.is_some_and(|n| range.is_none_or(|(least, most)| (least..=most).contains(&n)))
            }
            Parameter::Names(names) => names.iter().any(|name| name == written),
        }
    }
}

/// The declaration of an event.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The name without data.
    pub name: String,
    /// The values of each parameter.
    pub parameters: Vec<Parameter>,
}

impl Declaration {
    /// Returns true if some event of the declaration has these arguments. `*` stands for any value.
    #[must_use]
    pub fn has(&self, arguments: &[&str]) -> bool {
        let fits = |(values, written): (&Parameter, &&str)| *written == "*" || values.has(written);
        self.parameters.len() == arguments.len() && self.parameters.iter().zip(arguments).all(fits)
    }
}

/// The declarations of a program. Programs that differ in nothing else are equal.
#[derive(Clone, Default, Debug)]
pub(crate) struct Declarations(pub(crate) Arc<[Declaration]>);

impl PartialEq for Declarations {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Declarations {}

/// A variable of a thread, or an element of an array.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The thread.
    pub thread: ThreadId,
    /// The name, as in `n` or `board[1][2]`.
    pub name: String,
    /// The values of its type. Those of names are their numbers in the list.
    pub values: Parameter,
    /// The value in each local state. `None` if the values are not known in all local states.
    pub at: Option<Vec<i64>>,
}

impl Variable {
    /// Returns the local states in which the variable has a value with this property; none if the values are not known.
    pub fn states<'v>(&'v self, is: impl Fn(i64) -> bool + 'v) -> impl Iterator<Item = LocalId> + 'v {
        let states = self.at.iter().flatten().enumerate();
        states.filter(move |(_, value)| is(**value)).map(|(state, _)| LocalId::new(state))
    }

    /// Returns the number of a value that is written as a name. `None` if the variable has numbers, or no such value.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<i64> {
        let Parameter::Names(names) = &self.values else { return None };
        names.iter().position(|known| known == name).and_then(|at| i64::try_from(at).ok())
    }
}

/// The variables of a program. Programs that differ in nothing else are equal.
#[derive(Clone, Default, Debug)]
pub(crate) struct Variables(pub(crate) Arc<[Variable]>);

impl PartialEq for Variables {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Variables {}
