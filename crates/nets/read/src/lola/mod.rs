//! LoLA's low-level nets (`.lola`) and its formulas about reachable markings (`.formula`).
//!
//! Two parts of nets are skipped. Capacities (`SAFE 3:`) are promises to LoLA's state compression, and fairness
//! does not matter for reachability. Sorts, functions and other parts of high-level nets are refused.

mod formula;
mod lex;
mod net;
mod question;
mod write;

pub use question::{ask, bound_at, read_formula, state_formula, subject};

use formats::format::Format;

/// LoLA's nets.
pub const FORMAT: Format = Format {
    name: "lola",
    extensions: &["lola"],
    family: model::Family::Nets,
    doc: "Petri nets as LoLA reads them.",
    read: Some(net::read),
    write: Some(write::write),
    says_goals: false,
};
