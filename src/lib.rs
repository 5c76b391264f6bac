//! Impasse checks whether a concurrent system can reach a deadlock or another bad state, and provides evidence
//! for each answer: a violating run, or a certificate that an independent checker has accepted.
//!
//! The function [`check`] runs the whole check of a problem. Engines make claims, the independent checker (the
//! crate `certify`) accepts or rejects each claim, and only an accepted claim becomes an answer.
//!
//! ```
//! use impasse::{Options, check, read_rwb};
//!
//! let problem = read_rwb("rwb 1  event a  thread T { state s { request a on a -> t } state t { block a } }").unwrap();
//! let outcome = check(&problem, &Options::default());
//! let deadlock = outcome.about(impasse::model::Goal::Deadlock).unwrap();
//! assert!(deadlock.is_unsafe());
//! ```
//!
//! A model of one's own is a type of states, their steps, and questions. Its check is one line of a test, which fails
//! with the run into the violation:
//!
//! ```
//! use impasse::model::Problem;
//! use impasse::own::{Model, Question, Typed};
//! use impasse::{Options, check};
//! use std::time::Duration;
//!
//! /// Two clients count up a number on a server. Each reads it, and then writes what it read plus one.
//! struct Counters;
//!
//! impl Model for Counters {
//!     /// The number, what each client has read, and the clients that are done.
//!     type State = (u64, [Option<u64>; 2], Vec<usize>);
//!     type Action = String;
//!
//!     fn initial(&self) -> Vec<Self::State> {
//!         vec![(0, [None; 2], Vec::new())]
//!     }
//!
//!     fn steps(&self, (number, read, done): &Self::State, step: &mut dyn FnMut(String, Self::State)) {
//!         for client in (0..2).filter(|client| !done.contains(client)) {
//!             let mut next = (*number, *read, done.clone());
//!             match read[client] {
//!                 None => next.1[client] = Some(*number),
//!                 Some(known) => {
//!                     next.0 = known + 1;
//!                     next.2.push(client);
//!                 }
//!             }
//!             step(format!("client {client}"), next);
//!         }
//!     }
//!
//!     fn questions(&self) -> Vec<Question<Self>> {
//!         vec![
//!             Question::never("more than two", |_, (number, ..): &Self::State| *number > 2),
//!             Question::never("one is lost", |_, (number, _, done): &Self::State| done.len() == 2 && *number < 2),
//!         ]
//!     }
//! }
//!
//! let outcome = check(&Problem::of_own(Typed::new(Counters)), &Options::default().timeout(Duration::from_secs(10)));
//! outcome.assert_holds("more than two");
//! outcome.assert_violated("one is lost");
//! ```
//!
//! A problem need not come from a file. The questions must fit the system; otherwise the constructor returns an
//! error:
//!
//! ```
//! use impasse::model::{Formula, Net, Place, PlaceId, Problem, Range, Transition};
//! use impasse::{Options, check};
//! use std::sync::Arc;
//!
//! let place = |name: &str, tokens: u8| Place { name: name.to_owned(), initial: Range::exactly(tokens) };
//! let (idle, busy, one) = (PlaceId(0), PlaceId(1), || 1u8.into());
//! let begin = Transition::from_arcs("begin".to_owned(), &[(idle, one())], &[(busy, one())]);
//! let net = Net::new(vec![place("idle", 2), place("busy", 0)], vec![begin]).unwrap();
//! let problem = Problem::of_net(Arc::new(net));
//! let problem = problem.never("three", Formula::cover(&[(busy, 3u8.into())])).unwrap();
//! assert!(check(&problem, &Options::default()).answers[0].is_safe());
//!
//! let misfit = problem.never("other", Formula::cover(&[(PlaceId(2), one())])).unwrap_err();
//! assert_eq!(misfit.to_string(), "formula 1: there is no place 2; there are 2, numbered from 0");
//! ```
//!
//! To use a single engine, choose it from the table [`engines`]: `Options { engine: Some(&engines::EXPLICIT),
//! ..}`.

#[cfg(feature = "cli")]
extern crate self as impasse;

#[cfg(feature = "cli")]
pub mod cli;
mod outcome;

pub use certify;
pub use evidence;
pub use model::{self, interned, own, slots};
pub use nets::reduce;
pub use patterns;
pub use programs_read::import;
pub use readers as formats;
pub use readers::questions;
pub use side::door as z3;

pub use outcome::{Outcome, check};
pub use portfolio::{
    Answer, Bounds, Checkpoint, Counts, Disk, Effort, Efforts, Family, Finding, InvariantUse, Options, RestoreEngine,
    Row, SaveEngine, Setting, Standing, counts, engines, is_tiny, prove,
};
pub use view::{Change, Step, Steps, Value, choices, positions, steps, walk, why};

use model::Problem;

/// Reads a behavioral program in the text format `.rwb`.
///
/// # Errors
/// Returns the first error in the text, with its location.
pub fn read_rwb(text: &str) -> Result<Problem, Box<formats::Error>> {
    let source = formats::Source { name: "program.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
    readers::read(source, Some("rwb"), &formats::Limits::default()).map(|read| read.problem)
}

/// The documentation page for authors of patterns contains a program. This item makes the documentation tests
/// compile and run it.
#[cfg(doctest)]
#[doc = include_str!("../docs/recipes/pattern.md")]
struct WriteAPattern;

/// The documentation page of imported programs contains a program, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/import.md")]
struct Import;
