//! Readers and writers of file formats: from bytes to problems, and from problems to bytes. The crate
//! `crates/formats/evidence` reads and writes evidence files.
//!
//! ```
//! use impasse_formats::{Limits, Source, by_name, codes, read};
//! use model::Goal;
//!
//! let source = |text: &str| Source { name: "lock.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
//! let text = "rwb 1
//!     event take
//!     thread T { state free { request take on take -> held } state held { block take } }";
//! let found = read(source(text), None, &Limits::default()).unwrap();
//! assert!(found.problem.goals().eq([Goal::Deadlock]));
//!
//! // The same program as JSON.
//! let mut json = Vec::new();
//! by_name("json").unwrap().write.unwrap()(&found.problem, &mut json).unwrap();
//! let json = Source { name: "lock.json".to_owned(), bytes: json };
//! assert_eq!(read(json, None, &Limits::default()).unwrap().problem.system().noun(), "a behavioral program");
//!
//! // A mistake is an error with a code and a place.
//! let error = read(source(&text.replace("block take", "block tale")), None, &Limits::default()).unwrap_err();
//! assert_eq!((error.code(), error.line_column()), (codes::RWB_UNDECLARED_EVENT.code, Some((3, 79))));
//! ```
//!
//! Every reader refuses what it does not understand, with a stable code, a place and a hint, and never panics:
//! see [`Error`] and [`codes`]. [`Limits`] bound the cost of reading. To add a format, write a file with a
//! [`Format`] and add it to [`ALL`].
//!
//! * [`read()`] reads a problem, in the format with a given name or in the format of the file name.
//! * [`ask()`] adds a question that the user asks, and [`apply_init`] changes the initial state.
//! * [`read_cnf`] and [`LratReader`] read formulas in conjunctive normal form and their proofs.
//! * [`index`] finds the names of a `.rwb` text: declarations, uses, scopes.
//! * [`vacuous()`] warns about properties that are decided without any step.

mod aiger;
mod ask;
mod behavior;
mod btor2;
mod c;
mod cnf;
pub mod codes;
mod comments;
mod digits;
mod dot;
mod error;
mod errors;
mod format;
mod global;
mod goals;
pub mod import;
mod init;
mod input;
mod join;
#[cfg(feature = "bpjs")]
mod js;
pub mod json;
mod jsonp;
mod lola;
mod lrat;
mod ltl;
mod mcc;
mod meter;
mod name;
mod number;
mod outputs;
mod plain;
mod pnml;
mod questions;
mod reach;
mod registry;
mod replaced;
mod rwb;
mod source;
mod span;
mod spec;
mod subject;
mod suggest;
mod tina;
mod tts;
mod union;
mod vacuous;
mod valued;
mod variables;
mod weights;
mod xml;

pub use aiger::write_ascii as write_aiger;
pub use ask::{Ask, apply_ends, ask, ask_id, fair};
pub use cnf::read_cnf;
pub use error::{Error, Headed, WriteError, plain, printable};
pub use format::{Format, Read, Reader, Writer};
pub use goals::{companions, read_goals};
pub use init::apply_init;
pub use input::decompress;
pub use lrat::LratReader;
pub use ltl::properties;
pub use number::natural;
pub use registry::{ALL, by_name, by_path, check_unread, leaves_numbers_open, limits_for, read, read_with_bodies};
pub use rwb::index;
pub use source::{Limits, Source};
pub use suggest::nearest;
pub use vacuous::{nothing_asked, vacuous};
pub use valued::read_for;
