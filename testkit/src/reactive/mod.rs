//! Reactive programs: what a call does, from the documentation of [`model::reactive`]; all valuations and short lassos;
//! what temporal formulas say of infinite words; random programs.

mod call;
mod explore;
mod generate;
mod word;

pub use call::call;
pub use explore::{Call, Explored, explore};
pub use generate::{Values, program, random};
pub use word::Word;
