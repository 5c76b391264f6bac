//! Runs of circuits, as engines find them: all values that a run needs to be simulated again.

use super::{Circuit, Latch, Reset};
use crate::ids::{EventId, LatchId};
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

impl Circuit {
    /// Returns the values of the latches in the first frame. Latches without reset get the bits of `open`, in their
    /// order; missing bits are false.
    #[must_use]
    pub fn start(&self, open: impl IntoIterator<Item = bool>) -> Vec<bool> {
        let mut open = open.into_iter();
        let first = |latch: &Latch| match latch.reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => open.next().unwrap_or(false),
        };
        self.latches().iter().map(first).collect()
    }

    /// Returns the latches without reset.
    pub fn open_latches(&self) -> impl Iterator<Item = LatchId> + '_ {
        let open = self.latches().iter().enumerate().filter(|(_, latch)| latch.reset == Reset::Open);
        open.map(|(number, _)| LatchId::new(number))
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

/// Returns the bit with this number, of slots that [`pack`] has made. Bits beyond the slots are false.
#[must_use]
pub fn bit(slots: &[u32], at: usize) -> bool {
    slots.get(at / 32).is_some_and(|slot| slot >> (at % 32) & 1 == 1)
}

/// Returns the first `bits` bits of slots that [`pack`] has made. Bits beyond the slots are false.
#[must_use]
pub fn unpack(slots: &[u32], bits: usize) -> Vec<bool> {
    (0..bits).map(|at| bit(slots, at)).collect()
}
