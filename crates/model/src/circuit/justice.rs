//! Justice properties, and the two translations that turn the question about one into a question about an output.
//!
//! A run violates a justice property if it is infinite, all constraints are true in each of its frames, and each
//! signal of the property and each fairness signal of the circuit is true infinitely often (AIGER 1.9: Biere, Heljanko
//! and Wieringa 2011).
//!
//! Both translations make a circuit with one output. They begin with the nodes, latches and constraints of the circuit,
//! under the same numbers, and add nodes behind them. They have no other output, no justice property and no fairness
//! signal. So a bit of an invariant of the translated circuit has a fixed meaning, which this page defines. The engines
//! (`encode` of the crates `circuits`, `nets` and `programs`) and the kernel of the checker each build these circuits
//! by their own code. A difference between the two makes a proof invalid, not a verdict wrong.
//!
//! Below, s(0), s(1), .. are the signals of the property and then the fairness signals. `a or b` is the gate
//! `not (not a and not b)`, which is one node.
//!
//! [`Translation::Loop`] (liveness to safety: Biere, Artho and Schuppan 2002). The compared latches are those on which
//! an s or a constraint depends in some frame. The new nodes are, in this order:
//!
//! 1. the input `save`;
//! 2. the latch `saved`; for each compared latch l, a latch c(l); for each s, a latch m(s). All of them start with 0;
//! 3. `inside = saved or save`, which is the next value of `saved`, and `saving = save and not saved`;
//! 4. for each compared latch l: `taken = saving and l`, `kept = not saving and c(l)`, `taken or kept`, which is the
//!    next value of c(l), `more = l and not c(l)`, `less = not l and c(l)`, and `same = not more and not less`;
//! 5. for each s: `met = m(s) or s`, and `inside and met`, which is the next value of m(s);
//! 6. the output: `saved`, then in turn its conjunction with each `same` and each m(s).
//!
//! [`Translation::Count`] of k (k-liveness: Claessen and Sorensson 2012). The new nodes are:
//!
//! 1. for each s, a latch m(s), but none if there is at most one s; then the latches p(1), .., p(k). All of them start
//!    with 0;
//! 2. for each s: `met(s) = m(s) or s`, if there are at least two;
//! 3. `all`: the conjunction of all met(s), from the first on, one gate after another. If there is one s, `all` is s
//!    itself, and if there is none, it is the constant true;
//! 4. for each m(s): `met(s) and not all`, which is its next value;
//! 5. for i = 1, .., k: `all` for i = 1, and otherwise the gate `p(i-1) and all`; and the gate `p(i) or` that signal,
//!    which is the next value of p(i);
//! 6. the output: `all` if k = 0, and otherwise the gate `p(k) and all`.

use super::Circuit;
use super::signal::Signal;
use crate::certificate::Clauses;
use crate::ids::JusticeId;

/// A justice property: no run may make each of its signals true infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Justice {
    /// The signals.
    pub signals: Vec<Signal>,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
}

/// A translation of a justice property to an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Translation {
    /// The output is true if the state of a frame occurs again, and each signal was true in between.
    Loop,
    /// The output is true if the signals were all true, one after another, more than this number of times. The number
    /// is at most [`Translation::MOST`].
    Count(u32),
}

impl Translation {
    /// The largest number to which [`Translation::Count`] may count, so that a short evidence file does not make a
    /// large circuit.
    pub const MOST: u32 = 1 << 20;
}

/// Evidence that no run violates a justice property: clauses of the translated circuit that exclude its output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JusticeProof {
    /// The translation.
    pub translation: Translation,
    /// The clauses. Their bits are latches and nodes of the translated circuit. They exclude one goal, which is the
    /// justice property ([`crate::Goal::Justice`]) and stands for the output of the translated circuit.
    pub clauses: Clauses,
}

impl Circuit {
    /// Adds a justice property.
    ///
    /// # Panics
    /// Panics if there are 2^32 justice properties.
    pub fn justice(&mut self, signals: Vec<Signal>, name: Option<String>) -> JusticeId {
        self.justice.push(Justice { signals, name });
        JusticeId::new(self.justice.len() - 1)
    }

    /// Adds a fairness signal: only runs in which it is true infinitely often count for justice properties.
    pub fn add_fairness(&mut self, signal: Signal) {
        self.fairness.push(signal);
    }

    /// The justice properties, by [`JusticeId`].
    #[must_use]
    pub fn justices(&self) -> &[Justice] {
        &self.justice
    }

    /// The fairness signals: only runs in which each of them is true infinitely often count for justice properties.
    #[must_use]
    pub fn fairness(&self) -> &[Signal] {
        &self.fairness
    }

    /// Returns the signals that must be true infinitely often in a run that violates the property: its own signals,
    /// then the fairness signals.
    ///
    /// # Panics
    /// Panics if there is no such property.
    #[must_use]
    pub fn recurring(&self, justice: JusticeId) -> Vec<Signal> {
        self.justice[justice.index()].signals.iter().chain(&self.fairness).copied().collect()
    }
}
