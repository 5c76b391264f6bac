//! What the user assumes of violating runs: statements about the constants that patterns speak of.
//!
//! An assumption narrows the question ("can it go wrong after an odd number of events?"), so that a search may use it like
//! any lemma. The checker holds traces to it and accepts it as an axiom of refutations.

use crate::ids::{LocalId, ThreadId};
use crate::lemma::{LemmaLit, Prop};
use crate::pattern::ConcreteRun;
use crate::term::{Constant, IntAtom, Values};

/// A statement about the violating run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assumption {
    /// Some of these atoms holds; the only constant in them is [`Constant::RunLength`].
    Int(Vec<IntAtom>),
    /// The run ends with this thread in one of these states.
    Final {
        /// The thread.
        thread: ThreadId,
        /// States, ascending.
        states: Vec<LocalId>,
    },
}

impl Assumption {
    /// The literals of which it says that one is true.
    #[must_use]
    pub fn clause(&self) -> Vec<LemmaLit> {
        match self {
            Self::Int(atoms) => atoms.iter().map(|atom| LemmaLit::yes(Prop::Int(atom.clone()))).collect(),
            Self::Final { thread, states } => {
                let state_back = |&state: &LocalId| Prop::StateBack { back: 0, thread: *thread, state };
                states.iter().map(|s| LemmaLit::yes(state_back(s))).collect()
            }
        }
    }

    /// Does it hold of a run of `length` events that ends in `last` (a local state per thread)?
    #[must_use]
    pub fn holds(&self, length: u64, last: &[u32]) -> bool {
        match self {
            Self::Int(atoms) => {
                let values = Values::from([(Constant::RunLength, length.into())]);
                atoms.iter().any(|atom| atom.eval(&values) == Some(true))
            }
            Self::Final { thread, states } => {
                last.get(thread.index()).is_some_and(|s| states.binary_search(&LocalId(*s)).is_ok())
            }
        }
    }

    /// Does it hold of `run`?
    #[must_use]
    pub fn holds_of(&self, run: &ConcreteRun) -> bool {
        run.states.last().is_some_and(|last| self.holds(run.events.len() as u64, last))
    }
}
