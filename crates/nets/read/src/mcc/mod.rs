//! Reader for the properties of the Model Checking Contest: questions about markings and runs in XML, beside a net in
//! PNML.
//!
//! `EF phi` asks whether a marking that satisfies `phi` is reachable, and its goal is `phi`. `AG phi` asks
//! whether all reachable markings satisfy `phi`, and its goal is the negation of `phi`. Each property has a
//! goal of its own, even if two properties are equal. If two properties ask for deadlocks, the goal of the
//! second one is the formula that no transition is enabled. `A phi` with other temporal operators is a
//! temporal formula, and `E phi` asks whether the temporal formula `not phi` is violated. Other formulas with
//! quantifiers over paths are formulas of computation tree logic. `place-bound` asks for the largest value of a sum.
//! Formulas that are none of these get a warning, and their answer is `unknown`.

mod formula;
mod read;

pub(crate) use formula::Reader as Formulas;
pub use read::{id_of, read_properties};
