//! Generalised Büchi automata with marks on transitions.
//!
//! A run over an infinite word is accepting iff, for each mark, it takes transitions with this mark infinitely
//! often. Several marks, and marks on transitions, keep automata as small as the formulas that they come from
//! (Couvreur, "On-the-fly verification of linear temporal logic", FM 1999). The search for accepting components
//! needs no other form.

use crate::alphabet::{Alphabet, Class};

/// A state of an automaton.
pub(crate) type AutomatonState = u32;

/// A set of marks, one bit each.
pub(crate) type Marks = u64;

/// A transition. Its position in the automaton determines its source and its letter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Edge {
    /// The target state.
    pub(crate) to: AutomatonState,
    /// Its marks.
    pub(crate) marks: Marks,
}

/// A generalised Büchi automaton over the classes of an alphabet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Automaton {
    pub(crate) alphabet: Alphabet,
    /// Initial states, ascending.
    pub(crate) initial: Vec<AutomatonState>,
    /// All marks.
    pub(crate) all: Marks,
    /// For each state and class, in this order: the transitions, ascending.
    edges: Vec<Vec<Edge>>,
}

impl Automaton {
    /// Returns an automaton without states.
    pub(crate) fn new(alphabet: Alphabet, all: Marks) -> Self {
        Self { alphabet, initial: Vec::new(), all, edges: Vec::new() }
    }

    /// Returns the number of states.
    pub(crate) fn len(&self) -> usize {
        self.edges.len() / self.alphabet.len()
    }

    /// Returns the transitions of a state with letters of a class.
    pub(crate) fn edges(&self, state: AutomatonState, class: Class) -> &[Edge] {
        debug_assert!(class < self.alphabet.len());
        &self.edges[state as usize * self.alphabet.len() + class]
    }

    /// Appends a state with its transitions by class.
    pub(crate) fn push(&mut self, by_class: Vec<Vec<Edge>>) {
        debug_assert_eq!(by_class.len(), self.alphabet.len());
        for mut edges in by_class {
            edges.sort_unstable();
            edges.dedup();
            self.edges.push(edges);
        }
    }

    /// Returns all transitions of a state, class by class.
    pub(crate) fn row(&self, state: AutomatonState) -> &[Vec<Edge>] {
        let classes = self.alphabet.len();
        &self.edges[state as usize * classes..][..classes]
    }

    /// Checks the invariants.
    pub(crate) fn check_invariants(&self) {
        assert_eq!(self.edges.len() % self.alphabet.len(), 0, "states are whole");
        for edge in self.edges.iter().flatten() {
            assert!((edge.to as usize) < self.len() && edge.marks & !self.all == 0, "transitions stay inside");
        }
        assert!(self.initial.iter().all(|&q| (q as usize) < self.len()), "initial states exist");
    }
}
