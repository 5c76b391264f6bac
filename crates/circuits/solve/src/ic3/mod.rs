//! IC3 on circuits, with a SAT solver.
//!
//! Frame k over-approximates the states reachable within k steps, as clauses over latches (Bradley 2011; Een,
//! Mishchenko, Brayton 2011). If a frame allows states from which the bad signal is reached, a cube of such
//! states becomes an obligation. An obligation is blocked by a clause that is inductive relative to the frame
//! before; the clause is generalised as far as possible (with counterexamples to generalisation, Hassan,
//! Bradley and Somenzi 2013). If the obligation has predecessors in the frame before, these are blocked first.
//! The search ends when some frame is an invariant, or when an obligation contains an initial state.
//!
//! The circuit may be built during the search ([`Source`]): the search looks only at the cones of latches that
//! some query contains.

mod activity;
mod cone;
mod cube;
mod engine;
mod frames;
mod generalize;
mod lift;
mod marks;
mod obligations;
mod query;
mod run;
mod saved;
mod search;
mod shared;
mod signals;
mod solvers;
mod source;
mod table;
#[cfg(test)]
mod tests;

pub use engine::CircuitIc3;
pub use search::Bits;
pub use source::{Source, Static};

use model::{CircuitRun, LatchId, Reason};

/// Options of the search. No option changes an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Number of counterexamples that are blocked for a literal of a lemma before this literal is kept.
    /// Default: 0. On bounded nets, 3 halves the number of obligations, but triples the queries and doubles
    /// the time.
    pub counterexamples: u32,
    /// Maximal nesting depth of generalisations that block counterexamples. Default: 1.
    pub depth: u32,
    /// True if clauses may also be about gates ([`signals`]). Only [`CircuitIc3`] considers it. Default: false.
    pub signals: bool,
    /// True if predecessors are lifted by SAT queries ([`lift`]). Otherwise they consist of latches that justify the
    /// values of the asked literals ([`cone`]). Default: true.
    pub lift: bool,
    /// True if literals are ordered by the activity of their latches ([`activity`]). Otherwise by their numbers.
    /// Default: true.
    pub activity: bool,
    /// True if generalisation widens cubes to counterexamples ([`generalize`]). Default: true.
    pub widen: bool,
    /// True if a new lemma is pushed at once as far as it holds. Otherwise only when a frame is opened. Default: true.
    pub push_new: bool,
    /// True if lemmas are pushed from all states of their frame. Otherwise, lemmas about latches outside the cone of
    /// the query may be overlooked, which is cheaper, and pushes fewer lemmas. Default: true.
    pub push_from_frame: bool,
    /// True if obligations stay when a frame is opened ([`obligations`]). Default: true.
    pub keep_obligations: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            counterexamples: 0,
            depth: 1,
            signals: false,
            lift: true,
            activity: true,
            widen: true,
            push_new: true,
            push_from_frame: true,
            keep_obligations: true,
        }
    }
}

/// The result of running a search for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The budget is used up; the search can be continued.
    More,
    /// The bad signal is never true. The clauses (one of these latches has the given value) hold in every
    /// initial state, and every step keeps them, provided that the source's clauses hold. Together they
    /// exclude the bad signal.
    Safe(Vec<Vec<(LatchId, bool)>>),
    /// A run that ends with the bad signal being true.
    Unsafe(CircuitRun),
    /// The search ended without an answer.
    GaveUp(Reason),
}

/// Statistics of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BitsStats {
    /// Frames opened.
    pub frames: u64,
    /// Obligations processed.
    pub obligations: u64,
    /// Queries of relative induction.
    pub queries: u64,
    /// Clauses learnt.
    pub lemmas: u64,
}

impl BitsStats {
    /// Adds up two statistics. The number of frames is the maximum of both.
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
