//! Readers and writers of behavioral programs: `.rwb` text, JSON, and structures of other tools ([`import`]).
//!
//! ```
//! use formats::{Limits, Source};
//!
//! let text = b"rwb 1 event a thread t { state s { request a on a -> s } }";
//! let source = Source { name: "t.rwb".to_owned(), bytes: text.to_vec() };
//! let found = impasse_programs_read::rwb::FORMAT.read.unwrap()(&source, &Limits::default()).unwrap();
//! assert_eq!(found.problem.system().as_program().unwrap().threads().len(), 1);
//! ```
//!
//! [`behavior`] makes a program of threads that are run step by step; a language of threads implements it. [`ltl`]
//! reads temporal formulas about programs. [`index`] finds the names of a `.rwb` text: declarations, uses, scopes.

pub mod behavior;
pub mod import;
pub mod json;
pub mod ltl;
mod name;
pub mod rwb;

pub use ltl::properties;
pub use rwb::index;
