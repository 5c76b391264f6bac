//! Properties as the Model Checking Contest writes them: reachability questions in XML, beside a net in PNML.
//!
//! `EF phi` asks whether a marking with `phi` is reachable, `AG phi` whether all are such; the goal is `phi` or its negation.
//! Each property has its own goal, also where two say the same; of two that ask for deadlocks the second one's goal is the
//! formula that no transition is enabled. Questions with other temporal operators get a warning, and stay unknown.

mod formula;
mod read;

pub(crate) use formula::Reader as Formulas;
pub(crate) use read::read_properties;
