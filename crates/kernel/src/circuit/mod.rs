//! The semantics of circuits: latches, inputs and gates, frame by frame. The evidence is a run, which is
//! simulated, or clauses over latches, with induction over several frames if they say so. For justice properties it
//! is a run that repeats, or clauses of a translated circuit. Memories are computed beside the latches in runs, and are
//! left out of clauses, or followed at some addresses ([`tracking`]).

pub mod clauses;
mod induction;
pub mod justice;
pub mod lasso;
mod memories;
pub mod runs;
pub mod tracking;

pub use clauses::Encoding;
pub use runs::Runs;

use crate::{Check, Refusal, reject};
use model::{Circuit, Gate, Signal};

/// Checks that every signal has a node, that the operands of each gate have smaller nodes, and that every latch
/// has a next function.
fn check(circuit: &Circuit) -> Check<()> {
    let nodes = circuit.gates().len();
    let known = |s: &Signal| s.node() < nodes;
    let gate = |(node, gate): (usize, &Gate)| match gate {
        Gate::False => node == 0,
        Gate::Input(input) => circuit.inputs().get(*input as usize).is_some(),
        Gate::Latch(latch) => circuit.latches().get(latch.index()).is_some(),
        Gate::And(a, b) => a.node() < node && b.node() < node,
    };
    let justice = circuit.justices().iter().flat_map(|justice| &justice.signals).chain(circuit.fairness());
    let mut signals = circuit.outputs().iter().map(|o| &o.signal).chain(circuit.constraints()).chain(justice);
    let latches = circuit.latches().iter().all(|l| known(&l.signal) && l.next.as_ref().is_none_or(known));
    if !signals.all(known) || !latches || !circuit.gates().iter().enumerate().all(gate) {
        return reject("the circuit has a signal without node");
    }
    if circuit.latches().iter().any(|l| l.next.is_none()) {
        return Err(Refusal::Unknown("a latch without next function".to_owned()));
    }
    memories::check(circuit)
}
