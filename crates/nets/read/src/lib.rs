//! Readers and writers of Petri nets and thread-transition systems, and of questions about them.
//!
//! ```
//! use formats::{Limits, Source};
//!
//! let text = b"pl idle (2)\npl lock (1)\ntr enter idle lock -> busy\n";
//! let source = Source { name: "lock.net".to_owned(), bytes: text.to_vec() };
//! let found = impasse_nets_read::tina::FORMAT.read.unwrap()(&source, &Limits::default()).unwrap();
//! assert_eq!(found.problem.system().as_net().unwrap().places().len(), 3);
//! ```
//!
//! A format is a module with a `FORMAT`. [`pnml`] unfolds coloured nets. [`reach`] is what all languages of questions
//! are read into; [`lola`] and [`mcc`] are such languages, and `global` has questions about a net as a whole.

pub mod bpmn;
pub mod global;
mod init;
mod join;
pub mod lola;
pub mod mcc;
pub mod plain;
pub mod pnml;
pub mod reach;
pub mod spec;
mod subject;
pub mod tina;
pub mod tts;
mod union;
mod weights;
mod xml;

pub use init::apply_init;
