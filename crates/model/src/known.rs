//! The variables of the threads of a program. A program has only local states. Its text may have variables: their
//! values matter in a local state if the thread reads them later. A reader keeps the values of the variables that
//! questions name in all local states.

pub use crate::declarations::Variable;
use crate::declarations::Variables;
use crate::rwb::Program;

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
