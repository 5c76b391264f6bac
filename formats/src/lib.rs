//! Readers and writers: from bytes to problems and back. Evidence files are written and read by `formats/evidence`.
//!
//! Every reader refuses what it does not understand, with a stable code, a place and a hint, and never panics: see
//! [`Error`] and [`codes`]. Costs are bounded by [`Limits`]. To add a format, write a file with a [`Format`] and add
//! it to [`ALL`].

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
mod goals;
mod init;
mod input;
pub mod json;
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
mod source;
mod span;
mod spec;
mod subject;
mod suggest;
mod tts;
mod union;
mod vacuous;
mod xml;

pub use aiger::write_ascii as write_aiger;
pub use ask::{Ask, apply_ends, ask, ask_id};
pub use cnf::read_cnf;
pub use error::{Error, Headed, WriteError, plain, printable};
pub use goals::{companions, read_goals};
pub use init::apply_init;
pub use input::decompress;
pub use lrat::LratReader;
pub use ltl::properties;
pub use number::natural;
pub use registry::{
    ALL, Format, Read, Reader, Writer, by_name, by_path, leaves_numbers_open, limits_for, read, read_with_bodies,
};
pub use source::{Limits, Source};
pub use suggest::nearest;
pub use vacuous::{nothing_asked, vacuous};
