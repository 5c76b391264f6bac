//! The list of all formats: from bytes to problems, and from problems to bytes. The readers of a kind of system are a
//! crate of that kind.
//!
//! ```
//! use formats::{Limits, Source, codes};
//! use impasse_readers::{by_name, read};
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
//! * [`read()`] reads a problem, in the format with a given name or in the format of the file name.
//! * [`ask()`] adds a question that the user asks, and [`read_goals`] those of a file.
//! * [`vacuous()`] warns about properties that are decided without any step.
//!
//! A new format is a line of [`ALL`].

mod ask;
mod dot;
mod goals;
pub mod questions;
mod registry;
mod vacuous;
mod valued;

pub use ask::{Ask, apply_ends, ask, ask_id, fair};
pub use goals::{companions, read_goals};
pub use registry::{ALL, by_name, by_path, check_unread, leaves_numbers_open, limits_for, read, read_files};
pub use vacuous::{nothing_asked, vacuous};
pub use valued::read_for;

// With what the readers share, so that `formats` is one module for users of the library.
pub use circuits_read::write_aiger;
pub use formats::{
    Error, Format, Headed, Limits, LratReader, Partly, Read, Reader, Source, Strategy, WriteError, Writer, codes,
    decompress, json, natural, nearest, plain, printable, read_cnf,
};
pub use nets_read::apply_init;
pub use programs_read::{import, index, properties};
