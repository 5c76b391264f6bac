//! Literal interpreters of `.spec` and `.tts`: a second reading of the formats, from their papers and grammars, to
//! compare the readers and what runs on what they read with.
//!
//! They share no code with readers, model or stores: words are cut by hand, and steps are taken on vectors of
//! counts. They expect correct text and panic at any other.

pub(crate) mod compare;
pub(crate) mod spec;
#[cfg(test)]
mod tests;
pub(crate) mod threads;
pub(crate) mod write;

/// Counts by place, in the order of the file; for thread systems the shared states come first, one of which holds a
/// token.
pub(crate) type Marking = Vec<i128>;

/// A place and how many tokens it may hold.
#[derive(Debug)]
pub(crate) struct Atom {
    place: usize,
    least: i128,
    most: Option<i128>,
}

impl Atom {
    fn holds(&self, m: &[i128]) -> bool {
        m[self.place] >= self.least && self.most.is_none_or(|most| m[self.place] <= most)
    }
}

/// What a text means.
pub(crate) trait Literal {
    /// By place the least and the greatest count at the start.
    fn starts(&self) -> Vec<(i128, Option<i128>)>;
    /// How many rules or lines there are that do something.
    fn steps(&self) -> usize;
    /// The markings after a step, each once; none if it is not enabled.
    fn successors(&self, step: usize, m: &[i128]) -> Vec<Marking>;
    /// Is it a marking that the file asks for?
    fn is_target(&self, m: &[i128]) -> bool;
    /// Tokens that a bound counts.
    fn counted(&self, m: &[i128]) -> i128;
}
