//! A model-based tester of the solver's interface: makes random sequences of calls, checks every answer, and
//! shrinks failures.
//!
//! The method is that of Artho, Biere and Seidl, "Model-based testing for verification back-ends" (2013). A
//! [`Trace`] is one sequence: the options, the habits of a theory, and the calls, as text that can be stored
//! and replayed. `generate` draws traces from a seed. `run` and `judge` execute them on a [`Subject`]; the
//! table in `ops` maps each call to its function. `shrink` minimises a trace that breaks a [`Rule`].
//!
//! The tester checks models against every clause, and cores and fixed literals with a solver that shares no
//! code with the tested one (`oracle`). It checks each step of the proof when the solver logs it (`listener`).
//! It also checks that the solver calls a theory correctly; this theory reveals a hidden formula step by step
//! (`lazy`). Finally, it checks that a trace gives the same results when it is run twice.
//!
//! A new operation needs a variant of `Kind` and a row of `ops::TABLE`. A new option needs a row of
//! `knobs::TABLE`.

mod bodies;
mod generate;
mod judge;
mod knobs;
mod lazy;
mod listener;
mod op;
mod ops;
mod oracle;
mod run;
mod shrink;
mod subject;
mod trace;

use std::fmt;

pub use lazy::Lazy;
pub use op::Trace;
pub use run::{Summary, run, twice};
pub use shrink::shrink;
pub use subject::Subject;
pub use trace::TraceError;

/// The rules that the tester checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The solver must not panic.
    Panics,
    /// A model makes the assumptions and every clause true.
    Model,
    /// Only formulas without a model are refuted.
    Refutes,
    /// The core consists of assumptions and contradicts the clauses.
    Core,
    /// A query in a domain decides no variable outside it.
    Domain,
    /// No clause needs a value that is removed from a model.
    Flip,
    /// Fixed literals follow from the clauses.
    Fixed,
    /// Each derived clause follows by its hints, and only given clauses are axioms.
    Proof,
    /// The theory is told exactly the true literals, each once, level by level, and is asked to explain only
    /// literals it implied.
    Manners,
    /// Every search ends. It returns `Stopped` only if a stop was requested or a limit was reached, and
    /// `Unknown` only if the theory was incomplete.
    Ends,
    /// The same calls give the same results.
    Repeats,
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The broken rule.
    pub rule: Rule,
    /// A description of the failure.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.what)
    }
}

#[cfg(test)]
mod tests;
