//! Tina's textual nets (`.net`) without time. Reference: `docs/tina.md`.
//!
//! A file is a series of declarations that add up: each one may add tokens to a place and arcs to a node, and
//! names a node that others have named or a new one. So arcs are collected first, and transitions are built at
//! the end. Time intervals, priorities and stopwatch arcs change which markings are reachable, and are refused.

mod build;
mod lex;
mod read;
mod write;

use formats::comments::Comments;
use formats::format::Format;

/// Tina's nets.
pub const FORMAT: Format = Format {
    name: "tina",
    extensions: &["net"],
    family: model::Family::Nets,
    doc: "Petri nets in Tina's textual format, without time and priorities.",
    read: Some(read::read),
    write: Some(write::write),
    says_goals: false,
};

/// The comment syntax. The lexer also accepts comments behind declarations, but only in UTF-8.
const COMMENTS: Comments = Comments { line: &["#"], at_start: true, block: None, quote: None };
