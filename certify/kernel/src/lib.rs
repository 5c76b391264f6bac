//! The kernel of the checker: few rules, written once over all kinds of systems, and small enough to be read in a day.
//!
//! It knows four arguments, each in a file or folder of its own:
//! * a *run* that reaches a goal, or goes round for ever and violates a temporal formula ([`trace`]);
//! * a *closed set* of states that has the initial ones and none of a goal ([`closed`]);
//! * *clauses* that hold at the start and are kept by every step, shown by refutations with hints ([`clauses`]);
//! * *facts* about the markings of a net that are kept by every transition ([`facts`]).
//!
//! Of a program of few states it can make the closed set by itself ([`enumerate`](enumerate())).
//!
//! What a system is, is said once per kind, from its definition in `model`: a folder each for [`program`], [`net`]
//! (thread systems are nets, `net/rules.rs`), [`circuit`], [`reactive`] and [`own`]. They implement the interfaces of
//! the arguments ([`Semantics`], [`Listed`], [`Encoded`]), and nothing else is asked of them. The kernel depends on
//! `model` only and shares no code with any engine.
//!
//! [`confirm()`] is the only way to a [`Checked`]: for evidence of other kinds it has no rule, and that is for
//! `certify` to check. That crate uses the parts of this one as well; what it concludes from them is no [`Checked`].
//!
//! Evidence may come from a hostile file: every index is checked before use, work and memory are limited, and nothing
//! recurses. `docs/trust.md` says what else a verdict rests on.
//!
//! ```compile_fail
//! fn good_news() -> impasse_kernel::Checked {
//!     impasse_kernel::Checked { goals: Vec::new(), is_safe: true, length: 0, replayed: 0, hash: 0 }
//! }
//! ```

pub mod circuit;
pub mod clauses;
pub mod closed;
mod confirm;
pub mod facts;
pub mod hints;
pub mod keys;
pub mod net;
pub mod own;
mod places;
pub mod program;
pub mod reactive;
pub mod table;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod work;
pub mod writer;

pub use clauses::{Duty, Encoded, Proved};
pub use closed::Listed;
pub use confirm::{Checked, asked, confirm, enumerate};
pub use trace::Semantics;
pub use work::Work;

/// Why evidence is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The evidence is wrong: what and where.
    #[error("the evidence is wrong: {0}")]
    Rejected(String),
    /// Beyond the work limit, the memory limit or the stop flag.
    #[error("the evidence is too dear to check")]
    TooDear,
    /// A kind of evidence or of lemma that this checker does not know.
    #[error("the evidence cannot be checked: {0}")]
    Unknown(String),
    /// The trace is a violating run, but not one of those that were asked for: which assumption it breaks.
    #[error("the trace does not satisfy what is assumed: {0}")]
    Assumption(String),
}

/// What every check returns.
pub type Check<T> = Result<T, Refusal>;

/// Evidence is wrong for this reason.
///
/// # Errors
/// Always.
pub fn reject<T>(reason: impl Into<String>) -> Check<T> {
    Err(Refusal::Rejected(reason.into()))
}

/// As it is, but that what is rejected is `context`, for the reason given.
///
/// # Errors
/// As `result`.
pub fn within<T>(result: Check<T>, context: impl FnOnce() -> String) -> Check<T> {
    result.map_err(|refusal| match refusal {
        Refusal::Rejected(why) => Refusal::Rejected(format!("{}: {why}", context())),
        other => other,
    })
}
