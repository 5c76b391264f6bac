//! Simulates circuits frame by frame, for lifting runs and for tests. Each frame takes one pass over the gates.

use model::circuit::{Circuit, Gate, Signal};

/// A circuit in one of its frames.
#[derive(Clone, Debug)]
pub struct Simulation<'c> {
    circuit: &'c Circuit,
    latches: Vec<bool>,
    nodes: Vec<bool>,
}

impl<'c> Simulation<'c> {
    /// Creates the simulation before the first frame. Latches without reset get the bits of `open` in their
    /// order. If `open` has too few bits, the other latches get false.
    #[must_use]
    pub fn new(circuit: &'c Circuit, open: impl IntoIterator<Item = bool>) -> Self {
        Self { circuit, latches: circuit.start(open), nodes: vec![false; circuit.gates().len()] }
    }

    /// Creates the simulation before a frame in which the latches hold these bits.
    #[must_use]
    pub fn at(circuit: &'c Circuit, latches: Vec<bool>) -> Self {
        Self { circuit, latches, nodes: vec![false; circuit.gates().len()] }
    }

    /// Computes the frame with these inputs; missing inputs are false. Returns true if all constraints are true
    /// in the frame.
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

    /// Returns the value of a signal in the last computed frame.
    #[must_use]
    pub fn value(&self, signal: Signal) -> bool {
        self.nodes[signal.node()] != signal.is_negated()
    }

    /// Advances to the next frame. A latch without next function keeps its bit.
    pub fn step(&mut self) {
        let next = |latch: &model::circuit::Latch| self.value(latch.next.unwrap_or(latch.signal));
        self.latches = self.circuit.latches().iter().map(next).collect();
    }

    /// Returns the values of the latches in the current frame.
    #[must_use]
    pub fn latches(&self) -> &[bool] {
        &self.latches
    }
}
