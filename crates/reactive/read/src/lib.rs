//! Reactive C programs: the subset in which the RERS challenges write their programs (Howar et al.: The RERS
//! Grey-Box Challenge 2012), in the dialects of 2012 to 2019 and the form that SV-COMP uses. Reference:
//! `docs/reactive.md`.
//!
//! ```
//! use formats::{Limits, Source};
//!
//! let text = include_bytes!("../../../../examples/coffee.c");
//! let source = Source { name: "coffee.c".to_owned(), bytes: text.to_vec() };
//! let found = impasse_reactive_read::FORMAT.read.unwrap()(&source, &Limits::default()).unwrap();
//! assert_eq!(found.problem.system().as_reactive().unwrap().inputs().len(), 3);
//! ```
//!
//! The text is read in one pass, straight into the arenas of [`model::reactive`]. Every name is declared before
//! it is used, so no syntax tree is kept. No function recurses on the depth of the input, because a program of a
//! hundred thousand lines may be one chain of `else if`s. The text is data: it is neither compiled nor run as C.
//! `main` is only recognised: it says which function is called, and with which inputs.

mod body;
mod calls;
mod declare;
mod expr;
mod lex;
mod main_loop;
mod operand;
mod parse;
mod pointers;
mod subset;
mod symbols;
mod text;
mod undefined;

use formats::codes;
use formats::comments::{self, Comments, Quote};
use formats::error::{Error, Text};
use formats::format::{Format, Read};
use formats::joined::Joined;
use formats::source::{Limits, Source};
use parse::More;

/// Reactive C programs.
pub const FORMAT: Format = Format {
    name: "c",
    extensions: &["c", "i"],
    family: model::Family::Reactive,
    doc: "Reactive C programs, as the RERS challenges and SV-COMP's eca programs write them.",
    read: Some(read),
    write: None,
    says_goals: true,
};

/// Where comments stand. Preprocessor lines count as comments here.
const COMMENTS: Comments = Comments {
    line: &["//", "#"],
    at_start: false,
    block: Some(("/*", "*/")),
    quote: Some(Quote { sign: b'"', escape: Some(b'\\') }),
};

fn read(source: &Source, limits: &Limits) -> Result<Read, Box<Error>> {
    let text = comments::text(source, &COMMENTS)?;
    let text = Text { name: &source.name, text: &text };
    parse::parse(text, None, limits).map_err(|error| subset::explain(text, error))
}

/// Reads a program and a second file with bodies of functions that the program declares `extern`. (Grey-box
/// problems of the challenges have such functions.) The second file is in the same subset, is read after the
/// program, and shares its names.
pub fn read_with_bodies(source: &Source, bodies: &Source, limits: &Limits) -> Result<Read, Box<Error>> {
    let (program, more) = (comments::text(source, &COMMENTS)?, comments::text(bodies, &COMMENTS)?);
    // Both files are joined, so that every place is an offset into one text. The program is parsed to its end
    // first, so that nothing may be left open there.
    let (files, all) = Joined::new([(&*source.name, &*program), (&*bodies.name, &*more)]);
    if all.len() > limits.bytes {
        let message = format!("program and bodies have {} bytes, and at most {} are read", all.len(), limits.bytes);
        return Err(Error::whole(&codes::LIMIT_BYTES, &bodies.name, message));
    }
    let text = Text { name: &source.name, text: &all[..program.len()] };
    let both = More { text: Text { text: &all, ..text }, start: all.len() - more.len() };
    parse::parse(text, Some(both), limits).map_err(|error| files.located(error))
}
