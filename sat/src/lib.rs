//! The CDCL core of Impasse: an incremental SAT solver with assumptions, proofs, and a hook for theories.
//!
//! Knows no systems and no terms. A theory ([`Theory`]) sees literals, and answers with lemmas and new literals at any
//! decision level; a lemma's reason is an opaque [`Tag`]. The searches this is built for are deep (a state per decision
//! level, a million variables), so the trail is kept by level and never rebuilt: see `trail/mod.rs`.
//!
//! [`Solver`] owns parts, each with a module, private fields and its invariants at the module's head:
//!
//! * the assignment (`trail/`), the clauses (`clauses/`), their watches (`watches.rs`), the order of decisions with
//!   values (`order/`), and the log of clauses with the hints of a proof (`log.rs`);
//! * what analysis knows of variables and levels (`analyze/`), and signs of variables (`signs.rs`);
//! * schedules: when to restart and change the mode (`restart.rs`), to reduce (`reduce.rs`), to inprocess
//!   (`inprocess/`);
//! * what is asked and answered (`query.rs`), what the theory asked for and is owed (`hook.rs`), and values taken out
//!   of a model (`flip.rs`).
//!
//! What works on several parts borrows these and no others. `Bcp` (`bcp.rs`) is the view of propagation: everything
//! that makes literals true or takes that back, and that stores clauses or deletes them. Analysis takes one beside its
//! own part; a `Round` of inprocessing has one, with analysis and the schedule. The ends are tied together in
//! `solver/`, where alone the solver's fields are seen. `invariants.rs` and the `check` of each part say when the state
//! is consistent ([`Options::check_invariants`]).
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
