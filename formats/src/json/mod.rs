//! The JSON twin of `.rwb`: explicit programs, for other programs to write and read.

mod assume;
pub(crate) mod read;
pub(crate) mod tree;
pub(crate) mod write;

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
