//! AIGER: circuits as text (`.aag`) and in bytes (`.aig`), version 1.9 (Biere, Heljanko, Wieringa: AIGER 1.9 and
//! beyond, 2011). Reference: `docs/aiger.md`.
//!
//! A file is read into rows first (`rows.rs`, `symbols.rs`), because the names stand at its end and the text
//! form may define gates in any order. `build.rs` then makes the circuit.

mod build;
mod cursor;
mod deltas;
mod header;
mod rows;
mod symbols;
mod write;

pub use write::ascii as write_ascii;

use formats::error::Error;
use formats::format::{Format, Read};
use formats::source::{Limits, Source};

/// The text form.
pub const ASCII: Format = Format {
    name: "aag",
    extensions: &["aag"],
    family: model::Family::Circuits,
    doc: "Circuits (and-inverter graphs with latches) as AIGER text.",
    read: Some(read),
    write: Some(write::ascii),
    says_goals: true,
};

/// The binary form.
pub const BINARY: Format = Format {
    name: "aig",
    extensions: &["aig"],
    family: model::Family::Circuits,
    doc: "Circuits (and-inverter graphs with latches) as binary AIGER.",
    read: Some(read),
    write: Some(write::binary),
    says_goals: true,
};

/// Reads either form. The first word of the file decides between them, whatever the extension of the name.
fn read(source: &Source, limits: &Limits) -> Result<Read, Box<Error>> {
    build::problem(&rows::read(source, limits)?)
}
