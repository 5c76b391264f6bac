//! Simulation of circuits, 64 runs at a time: bit i of each word belongs to run i (parallel-pattern simulation, as
//! in circuit testing; Waicukauski et al. 1985).

use model::{Circuit, Gate, Signal};
use std::sync::Arc;

/// How a node gets its values.
#[derive(Clone, Copy, Debug)]
enum Step {
    Input(u32),
    Latch(u32),
    And(Signal, Signal),
}

/// Runs of a circuit in the same frame.
#[derive(Clone, Debug)]
pub struct Simulation {
    circuit: Arc<Circuit>,
    steps: Arc<[(usize, Step)]>,
    /// The values of the latches in the next frame to be computed.
    latches: Vec<u64>,
    values: Vec<u64>,
}

impl Simulation {
    /// Creates a simulation of these nodes. The list must be ascending, and contain all nodes on which they depend.
    #[must_use]
    pub fn new(circuit: Arc<Circuit>, nodes: &[usize]) -> Self {
        let step = |&node: &usize| match circuit.gates()[node] {
            Gate::False => None,
            Gate::Input(input) => Some((node, Step::Input(input))),
            Gate::Latch(latch) => Some((node, Step::Latch(latch.0))),
            Gate::And(a, b) => Some((node, Step::And(a, b))),
        };
        let steps = nodes.iter().filter_map(step).collect();
        let (latches, values) = (vec![0; circuit.latches().len()], vec![0; circuit.gates().len()]);
        Self { circuit, steps, latches, values }
    }

    /// Number of simulated nodes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.steps.len()
    }

    /// Sets the values of all latches in the next frame.
    pub fn start(&mut self, latches: Vec<u64>) {
        debug_assert_eq!(latches.len(), self.circuit.latches().len());
        self.latches = latches;
    }

    /// Computes a frame with these values of the inputs.
    pub fn frame(&mut self, inputs: &[u64]) {
        debug_assert_eq!(inputs.len(), self.circuit.inputs().len());
        for &(node, step) in &*self.steps {
            self.values[node] = match step {
                Step::Input(input) => inputs[input as usize],
                Step::Latch(latch) => self.latches[latch as usize],
                Step::And(a, b) => self.value(a) & self.value(b),
            };
        }
    }

    /// Passes to the next frame.
    ///
    /// # Panics
    /// If a latch has no next function.
    pub fn step(&mut self) {
        for (at, latch) in self.circuit.latches().iter().enumerate() {
            let next = latch.next.expect("the circuit is complete");
            self.latches[at] = self.values[next.node()] ^ mask(next.is_negated());
        }
    }

    /// The values of a signal in the last computed frame.
    #[must_use]
    pub fn value(&self, signal: Signal) -> u64 {
        self.values[signal.node()] ^ mask(signal.is_negated())
    }

    /// The runs in which all constraints hold in the last computed frame.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.circuit.constraints().iter().fold(u64::MAX, |kept, &constraint| kept & self.value(constraint))
    }

    /// The values of the latches: in the last computed frame, or after [`Simulation::step`] in the next one.
    #[must_use]
    pub fn latches(&self) -> &[u64] {
        &self.latches
    }
}

/// A word with the same bit everywhere.
fn mask(bit: bool) -> u64 {
    0u64.wrapping_sub(u64::from(bit))
}
