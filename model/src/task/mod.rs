//! What engines are asked: a system of one kind with goals that fit it, so that no engine has to say what it does
//! with another kind, or with a goal that its system does not have.
//!
//! A [`crate::Problem`] may be about any kind; each engine takes the task of the kind that it knows. Tasks of nets
//! come from reductions, which thread systems go through as well.

mod circuit;
mod marked;
mod net;
mod own;
mod program;
mod reactive;

pub use circuit::CircuitTask;
pub use marked::MarkedTask;
pub use net::{Bound, NetTask, Slot};
pub use own::OwnTask;
pub use program::ProgramTask;
pub use reactive::ReactiveTask;
