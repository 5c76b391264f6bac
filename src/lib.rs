//! Decides whether a concurrent system can get stuck or go wrong, says how sure it is, and hands over the evidence.
//!
//! The whole path from a problem to checked answers is [`check`]: engines make claims, the independent checker
//! (`certify`) confirms or rejects them, and only what it confirms is an answer.
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
//! Problems need no file. What is asked has to fit the system, or there is no problem:
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
//! A single engine is chosen from the table [`engines`]: `Options { engine: Some(&engines::EXPLICIT), ..}`.

pub mod positions;
pub mod steps;
pub mod walk;

pub use certify;
pub use evidence;
pub use formats;
pub use model;
pub use model::{own, slots};
pub use patterns;
pub use reduce;

pub use portfolio::{Answer, Bounds, FactUse, Family, Finding, Options, Outcome, Row, Setting, check, engines, prove};
pub use steps::{Change, Step, Steps, Value};

use model::Problem;

/// Reads a behavioral program in its text form.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn read_rwb(text: &str) -> Result<Problem, Box<formats::Error>> {
    let source = formats::Source { name: "program.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
    formats::read(source, Some("rwb"), &formats::Limits::default()).map(|read| read.problem)
}

/// The page for authors of patterns is a program: this compiles and runs it.
#[cfg(doctest)]
#[doc = include_str!("../docs/write_a_pattern.md")]
struct WriteAPattern;
