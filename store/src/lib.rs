//! Packed states: interning, hashing, compiled stepping, and the step-and-store loop that searches share.
//!
//! A composite state is a handful of 64-bit words. [`RwbStepper`] compiles a behavioral program into tables that step
//! such words directly, [`NetStepper`] does the same for nets, [`StateTable`] numbers them, and [`Exploration`] joins
//! both and remembers how each state was reached. The explicit search through them, in any order, is
//! [`search::Packed`].

mod counted;
mod exploration;
mod generic;
mod layout;
mod net;
mod parents;
pub mod reactive;
mod rwb;
pub mod search;
mod step;
mod table;
mod tables;
#[cfg(test)]
mod tests;

pub use counted::Counted;
pub use exploration::{Exploration, PackedStates};
pub use generic::Generic;
pub use net::{Covering, NetGoals, NetStepper, Query, Unsteppable, Width};
pub use reactive::Stepper;
pub use rwb::RwbStepper;
pub use step::{Step, Successors};
pub use table::{StateId, StateTable};
