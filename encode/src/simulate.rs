//! Circuits run frame by frame: what the way home of runs needs, and tests. One pass over the gates per frame.

use model::circuit::{Circuit, Gate, Reset, Signal};

/// A circuit in one of its frames.
#[derive(Clone, Debug)]
pub struct Simulation<'c> {
    circuit: &'c Circuit,
    latches: Vec<bool>,
    nodes: Vec<bool>,
}

impl<'c> Simulation<'c> {
    /// The circuit before its first frame; latches without reset hold the bits of `open`, in their order (false where that ends).
    #[must_use]
    pub fn new(circuit: &'c Circuit, open: impl IntoIterator<Item = bool>) -> Self {
        let mut open = open.into_iter();
        let mut first = |reset: Reset| match reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => open.next().unwrap_or(false),
        };
        let latches = circuit.latches().iter().map(|latch| first(latch.reset)).collect();
        Self { circuit, latches, nodes: vec![false; circuit.gates().len()] }
    }

    /// The circuit before a frame in which its latches hold these bits.
    #[must_use]
    pub fn at(circuit: &'c Circuit, latches: Vec<bool>) -> Self {
        Self { circuit, latches, nodes: vec![false; circuit.gates().len()] }
    }

    /// Computes the frame under these inputs (false where they end). Are all constraints true in it?
    pub fn frame(&mut self, inputs: &[bool]) -> bool {
        for (node, gate) in self.circuit.gates().iter().enumerate() {
            self.nodes[node] = match *gate {
                Gate::False => false,
                Gate::Input(i) => inputs.get(i as usize).copied().unwrap_or(false),
                Gate::Latch(latch) => self.latches[latch.index()],
                Gate::And(a, b) => self.value(a) && self.value(b),
            };
        }
        self.circuit.constraints().iter().all(|&signal| self.value(signal))
    }

    /// The value of a signal in the frame computed last.
    #[must_use]
    pub fn value(&self, signal: Signal) -> bool {
        self.nodes[signal.node()] != signal.is_negated()
    }

    /// Goes to the next frame. A latch without next function keeps its bit.
    pub fn step(&mut self) {
        let next = |latch: &model::circuit::Latch| self.value(latch.next.unwrap_or(latch.signal));
        self.latches = self.circuit.latches().iter().map(next).collect();
    }

    /// What the latches hold in the frame that is to be computed next, or has been.
    #[must_use]
    pub fn latches(&self) -> &[bool] {
        &self.latches
    }
}

/// Bits as traces have them: 32 to a slot, from the lowest bit; false beyond the end.
pub(crate) fn unpack(slots: &[u32], bits: usize) -> Vec<bool> {
    (0..bits).map(|i| slots.get(i / 32).is_some_and(|slot| slot >> (i % 32) & 1 == 1)).collect()
}
