//! Lemmas: clauses that hold for every violating run. Patterns recognise the shape of single threads, and give
//! such clauses to the search.
//!
//! Let rho be a violating run (finite, ending in its first goal state). A lemma is *valid* iff it is true for
//! every such rho. [`Prop`] defines when a proposition is true for rho. A constant in a proposition, such as
//! the run length, stands for a number that rho determines ([`crate::Constant`]). If a violating run exists, it
//! satisfies all lemmas together. So a refutation of the lemmas proves that no violating run exists.

use crate::array::ArrayRule;
use crate::goal::Goal;
use crate::ids::{EventId, LocalId, ThreadId};
use crate::justification::Justification;
use crate::term::{ArrayTerm, IntAtom, IntTerm, ThreadArray};
use std::sync::Arc;

/// The kind of a lemma. Statistics and logs are kept per kind. The comment at the definition of a kind states
/// the formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LemmaKind(pub &'static str);

/// A proposition about the violating run rho = s_0 e_0 s_1 .. e_{T-1} s_T.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Prop {
    /// V(q): rho visits the composite state `q`.
    Visits(Box<[u32]>),
    /// rho ends in a state of this goal.
    Ends(Goal),
    /// An arithmetic statement about constants, such as the length of rho. If this proposition is true, the
    /// search asserts the statement. If the proposition is false, the search asserts nothing (half-reification,
    /// see [`crate::term`]).
    Int(IntAtom),
    /// The `back`-th event from the end is `event`: T > back and e_{T-1-back} = event. `back` 0 is the last event.
    EventBack {
        /// Distance from the end, in events.
        back: u32,
        /// The event.
        event: EventId,
    },
    /// `back` events before the end, thread `thread` is in `state`: T >= back and s_{T-back}(thread) = state.
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
    /// True if the literal is the proposition itself, false if it is the negation.
    pub positive: bool,
    /// The proposition.
    pub prop: Prop,
}

impl LemmaLit {
    /// Returns the literal that is true iff `prop` is true.
    #[must_use]
    pub fn yes(prop: Prop) -> Self {
        Self { positive: true, prop }
    }

    /// Returns the literal that is true iff `prop` is false.
    #[must_use]
    pub fn no(prop: Prop) -> Self {
        Self { positive: false, prop }
    }
}

/// A clause that holds for every violating run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lemma {
    /// The kind: the pattern and the formula.
    pub kind: LemmaKind,
    /// The disjunction of these literals. [`Prop::Int`] occurs only positively.
    pub clause: Vec<LemmaLit>,
    /// The justification of the lemma, for the checker. If it is missing, an answer that needs the lemma is
    /// `unknown (uncertified)`, unless the user trusts the pattern.
    pub justification: Option<Justification>,
}

impl ArrayRule {
    /// Returns the literals of the rule.
    ///
    /// # Panics
    /// If the array of [`ArrayRule::Cell`] has no such cell, or the cell no value for the state.
    #[must_use]
    pub fn clause(&self) -> Vec<LemmaLit> {
        let int = |atom: IntAtom| LemmaLit::yes(Prop::Int(atom));
        let below =
            |a: &IntTerm, b: &IntTerm| int(IntAtom::Le(IntTerm::Sum(vec![a.clone(), IntTerm::number(1)]), b.clone()));
        match self {
            Self::SameIndex { array, first, second } => {
                let same = IntAtom::Eq(array.cell(first.clone()), array.cell(second.clone()));
                vec![int(same), below(first, second), below(second, first)]
            }
            Self::Written(write) => {
                let same = IntAtom::Eq(write.cell(), write.value.clone());
                vec![int(same), below(&write.at, &write.read), below(&write.read, &write.at)]
            }
            Self::Kept(write) => {
                let same = IntAtom::Eq(write.cell(), write.array.cell(write.read.clone()));
                vec![int(same), int(IntAtom::Eq(write.at.clone(), write.read.clone()))]
            }
            Self::Cell { array, index, state } => {
                let cell = &array.cells[*index as usize];
                let (back, thread, value) = (array.back, cell.thread, cell.values[state.index()]);
                let cell = ArrayTerm::Threads(Arc::clone(array)).cell(IntTerm::number(*index));
                let is_there = Prop::StateBack { back, thread, state: *state };
                vec![int(IntAtom::Eq(cell, IntTerm::number(value))), LemmaLit::no(is_there)]
            }
            Self::Moves { after, event, write, read } => {
                let before = ThreadArray { back: after.back.saturating_add(1), cells: after.cells.clone() };
                let mut written = ArrayTerm::Threads(Arc::new(before));
                if let Some((at, value)) = *write {
                    written = written.store(IntTerm::number(at), IntTerm::number(value));
                }
                let after_cell = ArrayTerm::Threads(Arc::clone(after)).cell(read.clone());
                let fired = Prop::EventBack { back: after.back, event: *event };
                vec![int(IntAtom::Eq(after_cell, written.cell(read.clone()))), LemmaLit::no(fired)]
            }
        }
    }
}
