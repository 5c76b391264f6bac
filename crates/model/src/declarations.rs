//! Declarations of events with data. A program has only the events that some thread requests. Questions may also name
//! the others: they never happen.

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
