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
//! fn good_news(other: impasse_kernel::Checked) -> impasse_kernel::Checked {
//!     impasse_kernel::Checked { is_safe: true, ..other }
//! }
//! ```

pub mod branching;
mod check;
pub mod circuit;
pub mod clauses;
pub mod closed;
mod confirm;
pub mod data;
pub mod enumerated;
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
mod rule;
pub mod shared;
pub mod siphons;
pub mod table;
pub mod temporal;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod work;
pub mod writer;

pub use check::{Check, Refusal, reject, within};
pub use clauses::{Encoded, Obligations, Proved};
pub use closed::Listed;
pub use confirm::{Checked, asked, confirm, enumerate};
pub use rule::Rule;
pub use shared::confirm_shared;
pub use trace::Semantics;
pub use work::Work;
