//! Reactive programs: the effect of a call from the documentation of [`model::reactive`], all valuations and
//! short lassos, evaluation of temporal formulas on infinite words, and random programs.

mod call;
mod explore;
mod generate;
mod word;

pub use call::call;
pub use explore::{Call, Explored, explore};
pub use generate::{Values, program, random};
pub use word::Word;
