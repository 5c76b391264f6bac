//! The CDCL core of Impasse: an incremental SAT solver with assumptions, proofs, and a hook for theories.
//!
//! Knows no systems and no terms. A theory ([`Theory`]) sees literals, and answers with lemmas and new literals at any
//! decision level; a lemma's reason is an opaque [`Tag`]. The searches this is built for are deep (a state per decision
//! level, a million variables), so the trail is kept by level and never rebuilt: see `trail.rs`.
//!
//! ```
//! use impasse_sat::{Answer, DecidedBy, Options, Solver, Tag};
//! let mut solver = Solver::new(Options::default());
//! let (a, b) = (solver.new_var(DecidedBy::Host).positive(), solver.new_var(DecidedBy::Host).positive());
//! solver.add_clause(Tag(0), &[a, b]);
//! assert_eq!(solver.solve(&[!a]), Answer::Sat);
//! assert_eq!(solver.value(b), Some(true));
//! solver.add_clause(Tag(0), &[!b]);
//! assert_eq!(solver.solve(&[!a]), Answer::Unsat);
//! assert_eq!(solver.core(), &[!a]);
//! ```

mod analyze;
mod bcp;
mod clauses;
mod flip;
mod hints;
mod hook;
mod inprocess;
mod invariants;
pub mod kit;
mod lit;
mod log;
mod mode;
mod options;
mod order;
mod proof;
pub mod proof_files;
mod propagate;
mod query;
mod reduce;
mod restart;
mod rng;
mod signs;
mod solver;
mod stats;
mod theory;
mod trail;
mod watches;

pub use lit::{Lit, Var};
pub use options::{Limits, Modes, Options};
pub use proof::{ClauseId, Proof};
pub use solver::{Answer, Solver};
pub use stats::Stats;
pub use theory::{Ctx, DecidedBy, Tag, Theory};
