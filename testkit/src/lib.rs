//! What the tests of all crates share, so that nothing is defined twice: how many cases random tests try ([`count`]),
//! random numbers ([`Random`]), and for each kind of system a module with the meaning straight from the definition,
//! generators, and brute force. Slow and obvious on purpose: it shares no code with what it is compared with.
//!
//! It is a dev-dependency only. The checker's own tests keep an oracle of their own.

pub mod circuit;
pub mod formula;
pub mod marked;
pub mod net;
pub mod program;
pub mod reactive;
pub mod threads;

mod cases;
mod count;
mod random;
mod reach;
mod trace;

pub use cases::{are_full, config, count};
pub use count::Count;
pub use random::Random;
pub use reach::{Reached, choices, reach};
pub use trace::steps;
