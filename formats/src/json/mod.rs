//! The JSON twin of `.rwb`: explicit programs, for other programs to write and read; and the tree of JSON values with
//! their places that readers of other JSON files share.

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
