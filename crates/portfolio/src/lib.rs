//! The portfolio: decides a problem with all engines that can help, and returns checked answers.
//!
//! ```
//! use impasse_portfolio::{Options, check, engines};
//! use model::{Formula, Net, PlaceId, Problem, Range};
//! use testkit::net::{arcs, place};
//!
//! // A reader takes one of three permits, and a writer takes all.
//! let initial = [("permits", 3u8), ("readers", 0), ("writers", 0)];
//! let places = initial.map(|(name, tokens)| place(name, Range::exactly(tokens))).to_vec();
//! let read = [arcs("read", &[(0, 1)], &[(1, 1)]), arcs("end reading", &[(1, 1)], &[(0, 1)])];
//! let write = [arcs("write", &[(0, 3)], &[(2, 1)]), arcs("end writing", &[(2, 1)], &[(0, 3)])];
//! let net = Net::new(places, [read, write].concat()).unwrap();
//! let both = Formula::cover(&[(PlaceId(1), 1u8.into()), (PlaceId(2), 1u8.into())]);
//! let three = Formula::cover(&[(PlaceId(1), 3u8.into())]);
//! let problem = Problem::of_net(net.into()).never("both", both).unwrap().never("three readers", three).unwrap();
//!
//! let outcome = check(&problem, &Options::default());
//! assert!(outcome.answers[0].is_safe() && outcome.answers[1].is_unsafe());
//! let outcome = check(&problem, &Options { engine: Some(&engines::EXPLICIT), ..Options::default() });
//! assert_eq!((outcome.answers[1].engine, outcome.answers[1].shortest), ("explicit", true));
//! assert_eq!(outcome.answers[1].trace().unwrap().len(), Some(3));
//! ```
//!
//! [`check`] goes in rounds ([`rounds`]), and most problems take one. A round is one pass. Questions about a net as a
//! whole are split into parts ([`composed`]). The plan ([`plan`]) selects the rows of the table of engines
//! ([`engines`]) that fit the system and the options, and makes a list of entrants from them. The scheduler
//! ([`turns`]) lets the entrants work in turns, and creates each engine at its first turn. A claim goes to the checker
//! ([`decide`]). Only a claim that the checker confirms becomes an answer in the ledger ([`outcome`]). Engines do not
//! depend on each other. Only this crate depends on all of them.
//!
//! * [`Options`] are the options of a check. An [`Outcome`] has an [`Answer`] for each property.
//! * [`Efforts`] tell what each engine has done so far.
//! * [`Bounds`] checks a problem within several bounds, one after another.
//! * [`engines`] is the table of engines. A [`Row`] describes an engine, with the [`Setting`]s that it uses.
//! * [`prove`] adds the derivations that the checker requires to claims with clauses.

mod abstracted;
mod circuit;
mod composed;
mod counts;
mod data;
mod decide;
mod efforts;
pub mod engines;
mod entrant;
mod formulas;
mod kept;
mod later;
mod markings;
mod net;
mod options;
mod outcome;
mod own;
mod parts;
mod passing;
mod plan;
mod program;
pub mod prove;
mod reactive;
mod ready;
mod rounds;
mod row;
mod saving;
mod select;
mod setting;
mod short;
mod shortest;
#[cfg(test)]
mod tests;
mod turns;

pub use counts::counts;
pub use efforts::{Effort, Efforts, Standing};
pub use model::{Counts, Family};
pub use nets::InvariantUse;
pub use options::Options;
pub use outcome::{Answer, Finding, Outcome};
pub use program::is_tiny;
pub use rounds::Bounds;
pub use row::Row;
pub use saving::{Checkpoint, RestoreEngine, SaveEngine};
pub use search::disk::Disk;
pub use setting::Setting;

use model::Problem;

/// Decides every property of `problem`. Engines work in turns, and each claim is checked, until all
/// properties are settled or work must stop.
#[must_use]
pub fn check(problem: &Problem, options: &Options<'_>) -> Outcome {
    Bounds::default().check(problem, options)
}
