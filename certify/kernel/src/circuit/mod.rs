//! Circuits: latches, inputs and gates, frame by frame. Runs are simulated, clauses speak of latches.

pub mod clauses;
pub mod runs;

pub use clauses::Encoding;
pub use runs::Runs;

use crate::{Check, Refusal, reject};
use model::{Circuit, Gate, Signal};

/// Are all signals those of nodes, operands of smaller ones, and has every latch a next function?
fn check(circuit: &Circuit) -> Check<()> {
    let nodes = circuit.gates().len();
    let known = |s: &Signal| s.node() < nodes;
    let gate = |(node, gate): (usize, &Gate)| match gate {
        Gate::False => node == 0,
        Gate::Input(input) => circuit.inputs().get(*input as usize).is_some(),
        Gate::Latch(latch) => circuit.latches().get(latch.index()).is_some(),
        Gate::And(a, b) => a.node() < node && b.node() < node,
    };
    let mut signals = circuit.outputs().iter().map(|o| &o.signal).chain(circuit.constraints());
    let latches = circuit.latches().iter().all(|l| known(&l.signal) && l.next.as_ref().is_none_or(known));
    if !signals.all(known) || !latches || !circuit.gates().iter().enumerate().all(gate) {
        return reject("the circuit has a signal without node");
    }
    if circuit.latches().iter().any(|l| l.next.is_none()) {
        return Err(Refusal::Unknown("a latch without next function".to_owned()));
    }
    Ok(())
}
