//! BFC's thread-transition systems: `.tts` files, and targets in `.prop` files. Reference: `docs/tts.md`.

mod lex;
mod parse;
mod prop;
mod write;

pub(crate) use parse::init;

use formats::comments;
use formats::error::{Error, Text};
use formats::format::{Format, Read};
use formats::questions::GoalsFormat;
use formats::source::{Limits, Source};

/// The text format.
pub const FORMAT: Format = Format {
    name: "tts",
    extensions: &["tts"],
    family: model::Family::Nets,
    doc: "Thread-transition systems as text: a shared state and any number of equal threads, with broadcasts, as BFC \
          reads them.",
    read: Some(read),
    write: Some(write::write),
    says_goals: true,
};

/// Targets in files of their own.
pub const PROP: GoalsFormat = GoalsFormat { name: "prop", extensions: &["prop"], read: prop::read };

fn read(source: &Source, limits: &Limits) -> Result<Read, Box<Error>> {
    let text = comments::text(source, &comments::HASH)?;
    parse::parse(Text { name: &source.name, text: &text }, limits)
}
