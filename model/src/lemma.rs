//! What patterns tell the search: clauses that hold for every violating run.
//!
//! Fix any violating run rho (finite, ending in its first goal state). A lemma is *valid* iff it is true of rho with every
//! proposition read as [`Prop`] says and every constant a function of rho. All lemmas together are then satisfiable
//! whenever a violating run exists, and refuting them proves that there is none.

use crate::fact::Fact;
use crate::goal::Goal;
use crate::ids::{EventId, LocalId, ThreadId};
use crate::term::IntAtom;

/// Why a lemma was emitted: statistics and logs are kept per kind, and the constant's comment is the formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LemmaKind(pub &'static str);

/// A statement about the violating run rho = s_0 e_0 s_1 .. e_{T-1} s_T.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Prop {
    /// V(q): rho passes through the composite state `q`.
    Visits(Box<[u32]>),
    /// rho ends in a state of this goal.
    Ends(Goal),
    /// A statement of integer arithmetic about constants of rho (half-reified in the search, see [`crate::term`]).
    Int(IntAtom),
    /// The `back`-th event from the end is `event`: T > back and e_{T-1-back} = event. `back` 0 is the last event.
    EventBack {
        /// Distance from the end, in events.
        back: u32,
        /// The event.
        event: EventId,
    },
    /// `back` steps before the end thread `thread` is in `state`: T >= back and s_{T-back}(thread) = state.
    StateBack {
        /// Distance from the end, in events.
        back: u32,
        /// The thread.
        thread: ThreadId,
        /// Its local state.
        state: LocalId,
    },
}

/// A proposition or its negation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LemmaLit {
    /// False: the proposition does not hold.
    pub positive: bool,
    /// The proposition.
    pub prop: Prop,
}

impl LemmaLit {
    /// The proposition holds.
    #[must_use]
    pub fn yes(prop: Prop) -> Self {
        Self { positive: true, prop }
    }

    /// The proposition does not hold.
    #[must_use]
    pub fn no(prop: Prop) -> Self {
        Self { positive: false, prop }
    }
}

/// A clause that holds for every violating run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lemma {
    /// Whose and which.
    pub kind: LemmaKind,
    /// The disjunction. [`Prop::Int`] occurs only positively.
    pub clause: Vec<LemmaLit>,
    /// The per-thread fact that makes it valid, for the checker. Without one an answer that needs the lemma is
    /// `unknown (uncertified)` unless the user trusts the pattern.
    pub fact: Option<Fact>,
}
