//! The parameters that terms may read.

use crate::rwb::data::domain::Domain;

/// The parameters that a term may read.
pub(super) struct Scope<'p> {
    pub(super) parameters: Vec<(&'p str, Domain)>,
    /// For each parameter: its slot, if the term reads it.
    pub(super) slots: Vec<Option<usize>>,
    /// The event, if the parameters are those of one event.
    pub(super) event: Option<String>,
}

impl<'p> Scope<'p> {
    pub(super) fn of(parameters: Vec<(&'p str, Domain)>, event: Option<&str>) -> Self {
        Self { slots: vec![None; parameters.len()], parameters, event: event.map(str::to_owned) }
    }

    /// Returns the positions of the parameters that are read, with their slots.
    pub(super) fn used(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.slots.iter().enumerate().filter_map(|(at, slot)| Some((at, (*slot)?)))
    }

    /// Returns the names of the parameters that are read.
    pub(super) fn names(&self) -> Vec<String> {
        self.used().map(|(at, _)| self.parameters[at].0.to_owned()).collect()
    }
}
