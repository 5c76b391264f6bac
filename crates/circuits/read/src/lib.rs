//! Readers and writers of circuits: AIGER and BTOR2.
//!
//! ```
//! use formats::{Limits, Source};
//!
//! let source = Source { name: "toggle.aag".to_owned(), bytes: b"aag 1 0 1 1 0\n2 3\n2\n".to_vec() };
//! let found = impasse_circuits_read::aiger::ASCII.read.unwrap()(&source, &Limits::default()).unwrap();
//! assert_eq!(found.problem.system().as_circuit().unwrap().latches().len(), 1);
//! ```

pub mod aiger;
pub mod btor2;
mod outputs;

pub use aiger::write_ascii as write_aiger;
