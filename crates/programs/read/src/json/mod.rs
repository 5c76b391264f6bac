//! The JSON form of `.rwb`: programs that other tools can write and read. Version 1 is for explicit programs; version 2
//! is read by [`crate::import`].

mod assume;
pub(crate) mod read;
mod write;

use formats::format::Format;

/// The JSON form.
pub const FORMAT: Format = Format {
    name: "json",
    extensions: &["json"],
    family: model::Family::Programs,
    doc: "Behavioral programs as JSON, for other programs to write and read.",
    read: Some(read::read),
    write: Some(write::write),
    says_goals: true,
};
