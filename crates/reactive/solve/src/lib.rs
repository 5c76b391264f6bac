//! Engines for reactive programs: explicit search ([`explore()`]) on packed valuations ([`store`]), and interval
//! abstraction ([`intervals`]). The search for temporal formulas is in the crate `temporal`.
//!
//! ```
//! use impasse_reactive::ReactiveStepper;
//! use model::reactive::{Builder, Convention, Expr, Stmt};
//! use model::{InputId, Outcome};
//!
//! // Each call prints its input, which is 1 or 2.
//! let mut parts = Builder::new();
//! [1, 2].map(|letter| parts.input(letter));
//! let (main, input) = (parts.declare("main"), parts.expr(Expr::Input));
//! let body = parts.block(&[Stmt::Print(input)]);
//! parts.define(main, body);
//! let program = parts.finish(main, Convention::Printed).unwrap();
//!
//! let mut stepper = ReactiveStepper::new(&program.into());
//! assert!(stepper.initial().is_empty(), "no variable is read before it is assigned");
//! assert_eq!(stepper.step(&[], InputId::new(1), &mut []), Outcome::Output(2));
//! ```

mod explore;
pub mod intervals;
pub mod store;
mod temporal;

pub use explore::{ReactiveStrategy, explore, explore_randomised};
pub use store::ReactiveStepper;
pub use temporal::ltl;
