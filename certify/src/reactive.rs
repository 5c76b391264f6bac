//! Evidence about reactive programs.

use crate::work::Work;
use crate::{Check, Confirmed, Refusal};
use model::{Goal, Problem, Reactive, Trace, Valuations};

/// Replays a run; its calls, and how many were made.
pub(crate) fn run(_: &Reactive, _: &Problem, _: &Trace, _: Goal, _: &mut Work<'_>) -> Check<(u64, u64)> {
    Err(Refusal::Unknown("runs of reactive programs are not replayed yet".to_owned()))
}

/// Checks a closed set of valuations.
pub(crate) fn holds(_: &Reactive, _: &Problem, _: &Valuations, _: &[Goal], _: &mut Work<'_>) -> Check<Confirmed> {
    Err(Refusal::Unknown("sets of valuations are not checked yet".to_owned()))
}
