//! System to smaller system, with a map that brings traces and certificates home.
//!
//! [`prepare`] makes a net task of a problem about a net or a thread system: [`threads`] turns thread systems into
//! nets, [`analysis::facts::markable`] settles goals that need places that are never marked, `slice` drops what
//! cannot influence the other goals, and [`Back`] brings the claims of engines home ([`Mapped`] does so for a whole
//! engine). [`restrict()`] takes local states that are out of reach out of a behavioral program, [`Outlines`] cut
//! programs down to some of their threads. [`running`] steps programs for searches that look at one state at a time,
//! [`shorten`] makes what they find shorter.

mod back;
mod formula;
mod listed;
mod mapped;
mod observed;
mod origins;
mod prepare;
mod project;
mod restrict;
pub mod running;
mod script;
pub mod shorten;
mod slice;
pub mod threads;

pub use back::Back;
pub use mapped::{Home, Mapped};
pub use prepare::{Options, Prepared, Size, prepare};
pub use project::{Offers, Outline, Outlines, Projected};
pub use restrict::{Restrictions, restrict};
pub use script::{Script, Stepped};
pub use threads::{SeveralTargets, thread_net};
