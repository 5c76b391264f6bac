//! The CDCL core of Impasse: an incremental SAT solver with assumptions, proofs, and a hook for theories.
//!
//! The solver has no notion of systems or terms. A theory ([`Theory`]) sees literals, and may add lemmas and
//! new literals at any decision level. A lemma's reason is an opaque [`Tag`]. The solver is built for deep
//! searches, in which each decision level adds a state and there are a million variables. Therefore the trail
//! is stored by level and never rebuilt (`trail/mod.rs`).
//!
//! [`Solver`] owns these parts. Each has a module with private fields, and the head of the module states its
//! invariants:
//!
//! * the assignment (`trail/`), the clauses (`clauses/`), their watches (`watches.rs`), the decision order with
//!   phases (`order/`), and the log of clauses with proof hints (`log.rs`);
//! * the state of conflict analysis for each variable and level (`analyze/`), and the signs of variables
//!   (`signs.rs`);
//! * the schedules of restarts and search modes (`restart.rs`), of clause reduction (`reduce.rs`), of
//!   inprocessing (`inprocess/`), and of local search (`walk.rs`);
//! * the current query and its answer (`query.rs`), requests of the theory and notifications that it has not
//!   received yet (`hook.rs`), values removed from a model (`flip.rs`);
//! * values of eliminated variables (`extension.rs`).
//!
//! Code that works on several parts borrows exactly the parts it needs. `Bcp` (`bcp.rs`) is the view for
//! propagation: all code that assigns or unassigns literals, or that stores or deletes clauses, goes through
//! it. Analysis takes a `Bcp` in addition to its own part. A `Round` of inprocessing holds a `Bcp`, the
//! analysis and the schedule. Only the modules in `solver/` see all fields of the solver. `invariants.rs` and
//! the `check` function of each part check that the state is consistent ([`Options::check_invariants`]).
//!
//! Words used in this crate:
//!
//! * *host*: the solver, as seen from a theory;
//! * *fixed*: true at level 0, and so in every model;
//! * *glue* of a learnt clause: the number of different decision levels among its literals when it was learnt,
//!   or fewer if it was recomputed later; low glue means that the clause is probably useful;
//! * *tick*: the unit of effort, about one cache line read.
//!
//! ```
//! use impasse_sat::{SolveResult, DecidedBy, Options, Solver, Tag};
//! let mut solver = Solver::new(Options::default());
//! let (a, b) = (solver.new_var(DecidedBy::Host).positive(), solver.new_var(DecidedBy::Host).positive());
//! solver.add_clause(Tag(0), &[a, b]);
//! assert_eq!(solver.solve(&[!a]), SolveResult::Sat);
//! assert_eq!(solver.value(b), Some(true));
//! solver.add_clause(Tag(0), &[!b]);
//! assert_eq!(solver.solve(&[!a]), SolveResult::Unsat);
//! assert_eq!(solver.core(), &[!a]);
//! ```

mod analyze;
mod bcp;
mod clauses;
mod extension;
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
mod walk;
mod watches;

pub use lit::{Lit, Var};
pub use options::{Limits, Modes, Options};
pub use proof::{ClauseId, Proof};
pub use query::SolveResult;
pub use solver::Solver;
pub use stats::Stats;
pub use theory::{Ctx, DecidedBy, Tag, Theory};
