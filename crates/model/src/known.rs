//! The variables of the threads of a program. A program has only local states. Its text may have variables: their
//! values matter in a local state if the thread reads them later. A reader keeps the values of the variables that
//! questions name in all local states.

use crate::declarations::Parameter;
use crate::ids::{LocalId, ThreadId};
use crate::rwb::Program;
use std::sync::Arc;

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

impl Program {
    /// Sets the variables of the text, in no particular order.
    #[must_use]
    pub fn with_variables(mut self, variables: Vec<Variable>) -> Self {
        self.variables = Variables(variables.into());
        self
    }

    /// Returns the variables of the text.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables.0
    }

    /// Returns the variable with this name: `Thread.variable`.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables().iter().find(|variable| {
            let own = name.strip_prefix(self.thread(variable.thread).name.as_str());
            own.and_then(|rest| rest.strip_prefix('.')).is_some_and(|own| own == variable.name)
        })
    }
}
