//! The kernel of the checker: a few rules, each written once for all kinds of systems, and small enough to be
//! read in a day.
//!
//! The kernel has five arguments, each in a file or folder of its own:
//! * a *run* that reaches a goal, or an infinite run that violates a temporal formula ([`trace`]);
//! * a *closed set* of states that contains the initial states and no state of a goal ([`closed`], and [`parts`] for
//!   sets that do not fit the memory of one process);
//! * *clauses* that hold in the initial states and are preserved by every step; refutations with hints show
//!   this ([`clauses`]);
//! * *invariants* of a net that every transition preserves ([`invariants`]);
//! * *markings* on which a formula of computation tree logic is evaluated ([`branching`]).
//!
//! For a program with few states the kernel can compute the closed set itself ([`enumerate`](enumerate())).
//!
//! The semantics of each kind of system is defined once, from the definition in `model`, in a folder of its
//! own: [`program`], [`net`] (thread-transition systems are translated to nets, `net/rules.rs`), [`circuit`],
//! [`reactive`], [`own`] and [`data`]. The semantics implement the interfaces of the arguments ([`Semantics`],
//! [`Listed`], [`Encoded`]); the arguments use nothing else of a system. The kernel depends on `model` only and
//! shares no code with any engine.
//!
//! [`confirm()`], [`enumerate()`] and [`confirm_shared()`] are the only ways to obtain a [`Checked`]. The kernel has
//! no rule for other kinds of evidence; `certify` checks them. `certify` uses parts of the kernel too, but what it
//! concludes from them is not a [`Checked`].
//!
//! Evidence may come from a hostile file: every index is checked before use, work and memory are limited, and
//! no function recurses. `docs/trust.md` lists what else a verdict rests on.
//!
//! ```compile_fail
//! fn good_news() -> impasse_kernel::Checked {
//!     impasse_kernel::Checked { goals: Vec::new(), is_safe: true, length: 0, replayed: 0, hash: 0 }
//! }
//! ```

pub mod branching;
pub mod circuit;
pub mod clauses;
pub mod closed;
mod confirm;
pub mod data;
pub mod hints;
pub mod invariants;
pub mod keys;
pub mod live;
pub mod net;
mod ordinary;
pub mod own;
pub mod parts;
mod places;
pub mod program;
pub mod reactive;
pub mod recurring;
pub mod restart;
pub mod shared;
pub mod siphons;
pub mod table;
pub mod temporal;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod work;
pub mod writer;

pub use clauses::{Encoded, Obligations, Proved};
pub use closed::Listed;
pub use confirm::{Checked, asked, confirm, enumerate};
pub use shared::confirm_shared;
pub use trace::Semantics;
pub use work::Work;

/// The reason why evidence is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The evidence is wrong. The text says what is wrong and where.
    #[error("the evidence is wrong: {0}")]
    Rejected(String),
    /// The work limit or the memory limit was exceeded, or the stop flag was raised.
    #[error("checking the evidence exceeds the resource limits")]
    ResourceLimit,
    /// This checker has no rule for this kind of evidence or lemma. The text names the kind.
    #[error("the evidence cannot be checked: {0}")]
    Unknown(String),
    /// The trace is a violating run, but breaks an assumption of the problem. The text names the assumption.
    #[error("the trace does not satisfy what is assumed: {0}")]
    Assumption(String),
}

/// The result of a check.
pub type Check<T> = Result<T, Refusal>;

/// Returns the refusal [`Refusal::Rejected`] with this reason.
///
/// # Errors
/// Always.
pub fn reject<T>(reason: impl Into<String>) -> Check<T> {
    Err(Refusal::Rejected(reason.into()))
}

/// Puts `context` before the reason if `result` is [`Refusal::Rejected`]; returns any other result unchanged.
///
/// # Errors
/// The error of `result`.
pub fn within<T>(result: Check<T>, context: impl FnOnce() -> String) -> Check<T> {
    result.map_err(|refusal| match refusal {
        Refusal::Rejected(why) => Refusal::Rejected(format!("{}: {why}", context())),
        other => other,
    })
}
