//! Readers and writers: from bytes to problems and back, and evidence files.
//!
//! Every reader refuses what it does not understand, with a stable code, a place and a hint, and never panics: see
//! [`Error`] and [`codes`]. Costs are bounded by [`Limits`]. To add a format, write a file with a [`Format`] and add it to
//! [`ALL`].

mod aiger;
mod ask;
mod c;
mod cnf;
pub mod codes;
mod comments;
mod digits;
mod dot;
mod error;
mod errors;
pub mod evidence;
mod goals;
mod init;
mod input;
mod json;
mod lola;
mod lrat;
mod ltl;
mod mcc;
mod meter;
mod name;
mod number;
mod pnml;
mod reach;
mod registry;
mod rwb;
pub mod scn;
pub mod smt;
mod source;
mod span;
mod spec;
mod subject;
mod suggest;
mod tts;
mod union;
mod vacuous;
pub mod witness;
mod xml;

pub use ask::{Ask, apply_ends, ask, ask_id};
pub use cnf::read_cnf;
pub use error::{Error, Headed, WriteError, plain};
pub use goals::{companions, read_goals};
pub use init::apply_init;
pub use input::decompress;
pub use lrat::LratReader;
pub use ltl::properties;
pub use registry::{
    ALL, Format, Read, Reader, Writer, by_name, by_path, leaves_numbers_open, limits_for, read, read_with_bodies,
};
pub use source::{Limits, Source};
pub use suggest::nearest;
pub use vacuous::{nothing_asked, vacuous};
