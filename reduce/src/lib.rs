//! System to smaller system, with a map that brings traces and certificates home.
//!
//! [`prepare`] makes a net task of a problem about a net or a thread system: [`threads`] turns thread systems into nets,
//! [`facts::markable`] settles goals that need places that are never marked, `slice` drops what cannot influence the other
//! goals, and [`Back`] brings the claims of engines home ([`Mapped`] does so for a whole engine). [`Outlines`] cuts programs
//! down to some of their threads.

mod back;
mod csr;
pub mod facts;
mod formula;
mod listed;
mod mapped;
mod prepare;
mod project;
mod slice;
pub mod threads;

pub use back::Back;
pub use mapped::Mapped;
pub use prepare::{Options, Prepared, Size, prepare};
pub use project::{Outline, Outlines, Projected};
pub use threads::{SeveralTargets, thread_net};
