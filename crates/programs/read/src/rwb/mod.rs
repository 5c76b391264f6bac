//! The `.rwb` text format: behavioral programs in the form that users write. Reference: `docs/rwb.md`.

pub(crate) mod assume;
mod ast;
mod body;
mod class;
mod counters;
mod data;
mod elaborate;
mod event_table;
mod events;
mod expr;
mod hints;
pub mod index;
pub(crate) mod lex;
mod parse;
mod parse_act;
mod parse_events;
mod parse_expr;
mod parser;
mod recover;
mod symbolic;
mod thread;
mod unroll;
mod visible;
mod warn;
mod write;

use elaborate::Meaning;
use formats::comments;
use formats::error::{Error, Text};
use formats::format::{Format, Read};
use formats::source::{Limits, Source};
use model::Problem;
use std::sync::Arc;

/// The text format.
pub const FORMAT: Format = Format {
    name: "rwb",
    extensions: &["rwb"],
    family: model::Family::Programs,
    doc: "Behavioral programs as text: threads that request, wait for and block events.",
    read: Some(read),
    write: Some(write::write),
    says_goals: true,
};

fn read(source: &Source, limits: &Limits) -> Result<Read, Box<Error>> {
    let text = comments::text(source, &comments::HASH)?;
    let text = Text { name: &source.name, text: &text };
    let parsed = parse::parse(text, limits)?;
    if parsed.version == 2 {
        return data::read(text, limits, parsed);
    }
    let elaborated = elaborate::elaborate(text, limits, parsed)?;
    let problem = match elaborated.meaning {
        Meaning::Program(program, assumptions) => Problem::of_program(Arc::new(program))
            .assuming(assumptions)
            .map_err(|mismatch| Error::unfit(&source.name, &mismatch))?,
        Meaning::Symbolic(symbolic) => counters::problem(&symbolic, &source.name, limits)?,
    };
    Ok(Read { problem, warnings: elaborated.warnings })
}

pub(crate) use data::of_graphs;

/// True if the tokens of the text contain `const NAME = *`.
pub fn leaves_numbers_open(text: &[u8], limits: &Limits) -> bool {
    let Ok(text) = comments::decode(text, &comments::HASH) else { return false };
    let mut lexer = lex::Lexer::new(Text { name: "", text: &text }, limits);
    let mut last = [lex::Tok::Eof; 4];
    while let Ok((token, _)) = lexer.next() {
        last = [last[1], last[2], last[3], token];
        match last {
            [lex::Tok::Const, lex::Tok::Name, lex::Tok::Assign, lex::Tok::Star] => return true,
            [.., lex::Tok::Eof] => return false,
            _ => {}
        }
    }
    false
}
