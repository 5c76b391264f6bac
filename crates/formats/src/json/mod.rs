//! The JSON form of `.rwb`: programs that other tools can write and read. Version 1 is for explicit programs; version 2
//! is read by [`crate::import`]. The reader of evidence files uses the JSON tree of this module, too.

mod assume;
mod pointer;
pub(crate) mod read;
pub(crate) mod tree;
pub(crate) mod write;

pub use tree::{Document, Object, Res, Value};
pub use write::{string, write_system};

use crate::registry::Format;

/// The JSON form.
pub(crate) const FORMAT: Format = Format {
    name: "json",
    extensions: &["json"],
    doc: "Behavioral programs as JSON, for other programs to write and read.",
    read: Some(read::read),
    write: Some(write::write),
    says_goals: true,
};
