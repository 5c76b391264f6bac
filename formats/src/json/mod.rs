//! The JSON form of `.rwb`: explicit programs that other tools can write and read. The reader of evidence files
//! uses the JSON tree of this module, too.

mod assume;
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
    doc: "Behavioral programs as JSON, explicit: for other programs to write and read.",
    read: Some(read::read),
    write: Some(write::write),
    says_goals: true,
};
