//! Traces of all kinds of systems, step by step.

use model::{Move, Trace};

/// The steps of a trace, repeated words spelt out.
pub fn steps(trace: &Trace) -> impl Iterator<Item = Move> + '_ {
    trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.iter().copied()))
}
