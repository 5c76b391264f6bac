//! Literal interpreters of `.spec` and `.tts`: a second reading of the formats, from their papers and grammars.
//! The readers, and the engines that run on their results, are compared with it.
//!
//! The interpreters share no code with readers, models or stores. They split text into words on their own and
//! take steps on vectors of counts. They expect correct text and panic if the text is incorrect.

pub(crate) mod arcs;
pub(crate) mod compare;
pub(crate) mod spec;
#[cfg(test)]
mod tests;
pub(crate) mod threads;
pub(crate) mod whole;
pub(crate) mod write;

/// Token counts by place, in the order of the file. For thread-transition systems the shared states come first,
/// and one of them holds a token.
pub(crate) type Marking = Vec<i128>;

/// A condition on the number of tokens on a place.
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

/// The meaning of a text.
pub(crate) trait Literal {
    /// Returns, for each place, the least and the greatest initial count.
    fn starts(&self) -> Vec<(i128, Option<i128>)>;
    /// Returns the number of rules, or of lines with an effect.
    fn steps(&self) -> usize;
    /// Returns the markings after a step, each once. Empty if the step is not enabled.
    fn successors(&self, step: usize, m: &[i128]) -> Vec<Marking>;
    /// True if the marking is a target of the file.
    fn is_target(&self, m: &[i128]) -> bool;
    /// Returns the number of tokens that a bound counts.
    fn counted(&self, m: &[i128]) -> i128;
}
