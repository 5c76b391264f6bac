//! Places in a text, for trees with many nodes.

use std::ops::Range;

/// A place in the source, in bytes. Every node of a tree stores a place, so this type is made half as large as
/// a `Range<usize>`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

impl Span {
    /// Makes a span. The limit on bytes keeps every position below 2^32.
    pub fn new(range: Range<usize>) -> Self {
        let cast = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        Self { start: cast(range.start), end: cast(range.end) }
    }

    /// Returns the range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the span from here to the end of another one.
    pub fn to(self, end: Span) -> Self {
        Self { start: self.start, end: end.end }
    }
}
