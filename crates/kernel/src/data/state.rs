//! States of programs with data, and the decisions of the threads in a state.

use crate::{Check, reject};
use model::data::DataProgram;
use model::{DecisionId, EventId, LocationId, ThreadId, VariableId};
use num_bigint::BigInt;

/// A state: a location for each thread, and a value for each variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataState {
    pub(super) locations: Vec<LocationId>,
    pub(super) values: Vec<BigInt>,
}

impl DataState {
    /// The location of each thread.
    #[must_use]
    pub fn locations(&self) -> &[LocationId] {
        &self.locations
    }

    /// The value of each variable.
    #[must_use]
    pub fn values(&self) -> &[BigInt] {
        &self.values
    }
}

/// Iterates over the decisions about an event at these locations.
pub(super) fn decisions<'p>(
    program: &'p DataProgram,
    locations: &'p [LocationId],
    event: EventId,
) -> impl Iterator<Item = (ThreadId, DecisionId)> {
    program.threads().iter().zip(locations).enumerate().filter_map(move |(number, (thread, at))| {
        thread.locations[at.index()].on.get(&event).map(|decision| (ThreadId::new(number), *decision))
    })
}

/// The number of the input after this one: the remainder of a division.
pub(super) fn after(quotient: u32) -> Check<u32> {
    quotient.checked_add(1).map_or_else(|| reject("the number of an input is too large"), Ok)
}

impl DataState {
    /// Returns the value of a variable.
    pub(super) fn value(&self, variable: VariableId) -> &BigInt {
        &self.values[variable.index()]
    }
}
