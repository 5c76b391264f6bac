//! What shows a system and a run to people: the command line, the page of the explorer and the Python package use it.
//!
//! ```
//! use impasse_view::Steps;
//! use model::{EventId, Net, Place, PlaceId, Problem, Range, Trace, Transition};
//! use std::sync::Arc;
//!
//! let place = |name: &str, tokens: u8| Place { name: name.to_owned(), initial: Range::exactly(tokens) };
//! let enter = Transition::from_arcs("enter".to_owned(), &[(PlaceId(0), 1u8.into())], &[(PlaceId(1), 1u8.into())]);
//! let net = Net::new(vec![place("idle", 1), place("busy", 0)], vec![enter]).unwrap();
//! let problem = Problem::of_net(Arc::new(net));
//!
//! let mut trace = Trace::new(Box::from([]));
//! trace.push(EventId(0), None);
//! let step = Steps::new(&problem, &trace).next().unwrap();
//! assert_eq!(step.event, "enter");
//! ```
//!
//! * [`steps`] goes through a run, with names. [`record`] makes a record of it, and [`render`] text.
//! * [`choices`] says what can happen in a state, and [`machine`] follows paths of choices, for steppers.
//! * [`draw`] draws systems, states and runs.
//! * [`reasons`] says why a transition is disabled or a formula over places holds, [`mod@why`] why one of branching
//!   time does, and [`waits`] which threads wait for each other; [`text`] formats numbers and lists of names.
//!
//! Only [`kind::of`] and [`Steps::new`] choose among the kinds of systems.

pub mod choices;
pub mod draw;
pub mod json;
pub mod kind;
pub mod letters;
pub mod machine;
pub mod positions;
pub mod reasons;
pub mod record;
pub mod render;
pub mod steps;
pub mod text;
pub mod trace;
pub mod waits;
pub mod walk;
pub mod why;

pub use steps::{Change, Step, Steps, Value};
