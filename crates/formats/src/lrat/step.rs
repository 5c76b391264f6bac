//! One step of a proof, as both encodings read it.

use crate::codes;
use crate::error::Error;

/// The step that was read last.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) id: u64,
    pub(super) clause: Vec<i32>,
    /// The hints, or the deleted clauses.
    pub(super) ids: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RecordKind {
    Add,
    Delete,
}

/// The hint of the error about a negative hint.
const RAT_HINT: &str = "only steps that keep all models are accepted: hints are positive";

pub(super) fn rat(error: impl FnOnce(&'static codes::Code, String) -> Box<Error>, hint: u64) -> Box<Error> {
    error(&codes::LRAT_RAT, format!("the hint -{hint} belongs to a step that may change the models")).hint(RAT_HINT)
}
