//! The portfolio: from a problem to checked answers.
//!
//! [`check`] is one pass. The plan ([`plan`]) takes from the table of engines ([`engines`]) the rows that fit the system
//! and the options, and makes a list of entrants. The scheduler ([`turns`]) lets them work in turns; an engine is made
//! when its turn comes. A claim goes to the checker ([`decide`]), and only what the checker confirms is entered in the
//! ledger as an answer ([`outcome`]). No engine knows another one; this crate is the only one that knows them all.

mod bounds;
mod circuit;
mod decide;
pub mod engines;
mod entrant;
mod later;
mod net;
mod options;
mod outcome;
mod own;
mod passing;
mod plan;
mod program;
pub mod prove;
mod reactive;
mod row;
mod settled;
mod short;
mod shortest;
#[cfg(test)]
mod tests;
mod turns;

pub use bounds::Bounds;
pub use ic3::FactUse;
pub use options::Options;
pub use outcome::{Answer, Finding, Outcome};
pub use row::{Family, Row, Setting};

use model::Problem;

/// Decides every property of `problem`: engines in turns, each claim checked, until all is settled or work must stop.
#[must_use]
pub fn check(problem: &Problem, options: &Options<'_>) -> Outcome {
    Bounds::default().check(problem, options)
}
