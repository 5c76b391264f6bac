//! What the readers of all formats share: sources, limits, errors with codes and places, tokens, JSON trees and names.
//!
//! ```
//! use impasse_formats::json::Document;
//! use impasse_formats::{Limits, Source};
//!
//! let source = Source { name: "a.json".to_owned(), bytes: br#"{"a": [1, true]}"#.to_vec() };
//! let limits = Limits::default();
//! let (document, root) = Document::open(&source, &limits).unwrap();
//! let list = document.object(root, "an object").unwrap().get("a").unwrap();
//! assert_eq!(document.array(list, "a list").unwrap().len(), 2);
//!
//! let error = document.string(list, "a name").unwrap_err();
//! assert_eq!(error.line_column(), Some((1, 7)));
//! ```
//!
//! Every reader refuses what it does not understand, with a stable code, a place and a hint, and never panics:
//! see [`Error`] and [`codes`]. [`Limits`] bound the cost of reading. A [`Format`] is a file format.
//!
//! [`read_cnf`] and [`LratReader`] read formulas in conjunctive normal form and their proofs.

mod cnf;
pub mod codes;
pub mod comments;
pub mod digits;
pub mod error;
pub mod errors;
pub mod format;
pub mod input;
pub mod joined;
pub mod json;
mod lrat;
pub mod meter;
pub mod number;
pub mod questions;
pub mod replaced;
pub mod source;
mod span;
pub mod suggest;
pub mod variables;

pub use cnf::read_cnf;
pub use error::{Error, Headed, WriteError, plain, printable};
pub use format::{Format, Read, Reader, Writer};
pub use input::decompress;
pub use lrat::LratReader;
pub use number::natural;
pub use source::{Limits, Partly, Source, Strategy};
pub use suggest::nearest;
