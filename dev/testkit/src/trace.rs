//! Iteration over the steps of traces, for all kinds of systems.

use model::{Move, Trace};

/// Iterates over the steps of a trace, with repeated words expanded.
pub fn steps(trace: &Trace) -> impl Iterator<Item = Move> + '_ {
    trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.iter().copied()))
}
