//! IC3 on circuits, by a SAT solver.
//!
//! Frames over-approximate what can be reached within so many steps, as clauses over latches (Bradley 2011; Een,
//! Mishchenko, Brayton 2011). What a frame allows and should not is an obligation: a cube all of whose states lead to
//! the bad signal. It is blocked by a clause that is inductive relative to the frame before, generalised as far as this
//! goes (with counterexamples to generalisation, Hassan, Bradley and Somenzi 2013), or by blocking what leads to it;
//! until some frame is an invariant, or the initial states have a way.
//!
//! The circuit may be made while it is searched ([`Source`]): only cones of latches that some query speaks of are
//! looked at.

mod activity;
mod cone;
mod cube;
mod engine;
mod frames;
mod generalize;
mod marks;
mod obligations;
mod query;
mod run;
mod search;
mod solvers;
mod source;
mod table;
#[cfg(test)]
mod tests;

pub use engine::CircuitIc3;
pub use search::Bits;
pub use source::{Source, Static};

use model::{LatchId, Reason};

/// Knobs of the search. None changes an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// 0: how many counterexamples to a generalisation are blocked before a literal is left where it is. Three halve
    /// the obligations on bounded nets at three times the queries, and double the time.
    pub counterexamples: u32,
    /// 1: how deep such blocking goes.
    pub depth: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { counterexamples: 0, depth: 1 }
    }
}

/// How a search goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The budget is used up.
    More,
    /// The bad signal is never true. The clauses (a latch holds this value, or the next one does, ..) hold in every
    /// initial state and are kept by every step, given the source's clauses; together they exclude the bad signal.
    Safe(Vec<Vec<(LatchId, bool)>>),
    /// The run ends with the bad signal being true.
    Unsafe(Run),
    /// No answer.
    GaveUp(Reason),
}

/// A run of a circuit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// By latch, what it holds in the first frame.
    pub start: Vec<bool>,
    /// By frame, what the inputs are, the last frame included.
    pub inputs: Vec<Vec<bool>>,
}

/// What a search did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BitsStats {
    /// Frames opened.
    pub frames: u64,
    /// Obligations looked at.
    pub obligations: u64,
    /// Queries of relative induction.
    pub queries: u64,
    /// Clauses learnt.
    pub lemmas: u64,
}

impl BitsStats {
    /// Both together; of frames the more.
    #[must_use]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            frames: self.frames.max(other.frames),
            obligations: self.obligations + other.obligations,
            queries: self.queries + other.queries,
            lemmas: self.lemmas + other.lemmas,
        }
    }
}
