//! Runs of circuits, as engines find them: all values that a run needs to be simulated again.

use super::{Circuit, Reset};
use crate::ids::EventId;
use crate::trace::Trace;

/// A run of a circuit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CircuitRun {
    /// For each latch, its value in the first frame of the run.
    pub start: Vec<bool>,
    /// For each frame of the run, including the last, the values of the inputs.
    pub inputs: Vec<Vec<bool>>,
}

impl CircuitRun {
    /// Returns the run as evidence. Only values that the circuit leaves open are recorded.
    #[must_use]
    pub fn trace(&self, circuit: &Circuit) -> Trace {
        debug_assert_eq!(circuit.latches().len(), self.start.len());
        let open = circuit.latches().iter().zip(&self.start).filter(|(latch, _)| latch.reset == Reset::Open);
        let mut trace = Trace::new(pack(open.map(|(_, &value)| value)));
        for inputs in &self.inputs {
            debug_assert_eq!(circuit.inputs().len(), inputs.len());
            trace.push(EventId(0), Some(pack(inputs.iter().copied())));
        }
        trace
    }
}

/// Packs bits into slots of 32, lowest bit first, as traces of circuits contain them.
#[must_use]
pub fn pack(bits: impl Iterator<Item = bool>) -> Box<[u32]> {
    let mut slots = Vec::new();
    for (at, bit) in bits.enumerate() {
        if at % 32 == 0 {
            slots.push(0);
        }
        *slots.last_mut().expect("one has just been added") |= u32::from(bit) << (at % 32);
    }
    slots.into_boxed_slice()
}
