//! The events of a program with their arrays.

use super::ast::Word;
use std::collections::HashMap;

/// The declaration `event base[sizes]..`.
#[derive(Debug)]
pub(super) struct EventArray<'a> {
    pub(super) base: Word<'a>,
    pub(super) first: usize,
    pub(super) sizes: Vec<usize>,
    pub(super) count: usize,
    /// The dimension along an open range and the number of this range, if there is one. The size of this
    /// dimension is [`ELEMENTS`].
    pub(super) over: Option<(usize, usize)>,
}

#[derive(Debug, Default)]
pub(super) struct EventTable<'a> {
    pub(super) arrays: Vec<EventArray<'a>>,
    pub(super) by_name: HashMap<&'a str, usize>,
    pub(super) names: Vec<String>,
}

impl<'a> EventTable<'a> {
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn get(&self, base: &str) -> Option<&EventArray<'a>> {
        self.by_name.get(base).map(|i| &self.arrays[*i])
    }
}

/// The number of elements of an event array along an open range: one for this index, and one for all other
/// indices.
pub(super) const ELEMENTS: usize = 2;
