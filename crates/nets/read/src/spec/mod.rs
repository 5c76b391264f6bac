//! MIST `.spec` files: nets with weights, transfers, resets, assignments and guards with bounds. Reference:
//! `docs/spec.md`.
//!
//! The text is read in one pass: sections come in a fixed order and every variable is declared before it is
//! used, so no syntax tree is kept.

mod invariants;
mod lex;
mod parse;
mod rules;
mod warn;
mod write;

use formats::comments;
use formats::error::{Error, Text};
use formats::format::{Format, Read};
use formats::source::{Limits, Source};

/// The text format.
pub const FORMAT: Format = Format {
    name: "spec",
    extensions: &["spec"],
    family: model::Family::Nets,
    doc: "Nets as text, with transfers, resets and zero tests, as MIST reads them.",
    read: Some(read),
    write: Some(write::write),
    says_goals: true,
};

fn read(source: &Source, limits: &Limits) -> Result<Read, Box<Error>> {
    let text = comments::text(source, &comments::HASH)?;
    parse::parse(Text { name: &source.name, text: &text }, limits)
}
