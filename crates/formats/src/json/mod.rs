//! JSON texts with places: programs, evidence and the structures of other tools are read from them.

mod pointer;
mod program;
mod tree;

pub use program::{states, strings, write_system};
pub use tree::{Document, Object, Res, Value, string};
