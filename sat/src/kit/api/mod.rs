//! A model-based tester of the solver's interface: random sequences of calls, every answer checked, failures shrunk.
//!
//! After Artho, Biere and Seidl, "Model-based testing for verification back-ends" (2013). A [`Trace`] is one sequence:
//! the knobs, the manners of a theory and the calls, as text that can be kept and replayed. Traces are drawn from a
//! seed (`generate`), run on a [`Subject`] (`run`, `judge`: what each call does stands beside it in the table of
//! `ops`), and a trace that breaks a [`Rule`] is made small (`shrink`).
//!
//! What is checked: models against every clause, cores and fixed literals by a solver that shares no code with ours
//! (`oracle`), each line of the proof when it is told (`listener`), the host's manners towards a theory that lets a
//! hidden formula out bit by bit (`lazy`), and that the same trace twice does the same.
//!
//! A new operation is a variant of `Kind` and a row of `ops::TABLE`; a new knob is a row of `knobs::TABLE`.

mod bodies;
mod generate;
mod judge;
mod knobs;
mod lazy;
mod listener;
mod ops;
mod oracle;
mod run;
mod shrink;
mod subject;
mod trace;

use std::fmt;

pub use lazy::Lazy;
pub use run::{Summary, run, twice};
pub use shrink::shrink;
pub use subject::Subject;
pub use trace::{Trace, TraceError};

/// What the solver did wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// It panicked.
    Panics,
    /// A model makes the assumptions and every clause true.
    Model,
    /// Only what has no model is refuted.
    Refutes,
    /// The core consists of assumptions, and cannot hold.
    Core,
    /// A query in a domain decides nothing else.
    Domain,
    /// What is taken out of a model no clause needs.
    Flip,
    /// What is fixed follows from the clauses.
    Fixed,
    /// Each derived clause follows, as its hints say; only clauses that were given are axioms.
    Proof,
    /// The theory is told what is true, once, level by level, and asked only what it can know.
    Manners,
    /// A search stops only if told to, is unsure only if the theory is, and comes to an end.
    Ends,
    /// The same calls do the same.
    Repeats,
}

/// A rule was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// How.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.what)
    }
}

#[cfg(test)]
mod tests;
