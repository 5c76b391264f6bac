//! Tasks of engines. A task is a system of one kind with goals that fit it, so no engine has to handle another
//! kind of system or a goal that its system does not have.
//!
//! A [`crate::Problem`] may be about any kind of system. Each engine takes the task of the kind that it
//! supports. The task of nets is made by reductions (`nets::reduce`), which apply to nets and to
//! thread-transition systems.

mod circuit;
mod data;
mod marked;
mod net;
mod own;
mod program;
mod reactive;

pub use circuit::CircuitTask;
pub use data::DataTask;
pub use marked::MarkedTask;
pub use net::{Bound, Chains, NetTask, Slot};
pub use own::OwnTask;
pub use program::ProgramTask;
pub use reactive::ReactiveTask;
