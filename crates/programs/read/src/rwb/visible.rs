//! The names that are visible at a place of a text, for both versions of the format.

use formats::error::Span;
use std::collections::HashMap;

/// Names with their meanings. Inner names hide outer ones of the same text.
#[derive(Clone, Debug)]
pub(super) struct Visible<'a, M> {
    list: Vec<Entry<'a, M>>,
    latest: HashMap<&'a str, usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Entry<'a, M> {
    pub(super) name: Word<'a>,
    pub(super) meaning: M,
    hides: Option<usize>,
}

impl<M> Default for Visible<'_, M> {
    fn default() -> Self {
        Self { list: Vec::new(), latest: HashMap::new() }
    }
}

impl<'a, M> Visible<'a, M> {
    /// Adds a name. If it hides another one, returns the place and the height of the hidden one.
    pub(super) fn push(&mut self, name: Word<'a>, meaning: M) -> Option<(Span, usize)> {
        let hides = self.latest.insert(name.text, self.list.len());
        self.list.push(Entry { name, meaning, hides });
        hides.map(|h| (self.list[h].name.span, h))
    }

    /// Returns the number of names, which [`Visible::truncate`] can restore.
    pub(super) fn height(&self) -> usize {
        self.list.len()
    }

    pub(super) fn truncate(&mut self, height: usize) {
        while self.list.len() > height {
            let Some(last) = self.list.pop() else { return };
            match last.hides {
                Some(h) => self.latest.insert(last.name.text, h),
                None => self.latest.remove(last.name.text),
            };
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Entry<'a, M>> {
        self.latest.get(name).map(|i| &self.list[*i])
    }

    /// Returns all names, the outermost first.
    pub(super) fn list(&self) -> &[Entry<'a, M>] {
        &self.list
    }

    /// Iterates over the texts of the names, the innermost first.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.list.iter().rev().map(|entry| entry.name.text)
    }
}

/// An identifier with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}
