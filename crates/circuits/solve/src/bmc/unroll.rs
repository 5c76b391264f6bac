//! Copies of the gates of a circuit, one for each frame, as a circuit without latches.

use model::{Circuit, CircuitBuilder, CircuitRun, Gate, Reset, Signal};
use std::sync::Arc;

/// The frames of a circuit so far. Only nodes that some bad signal or constraint depends on have copies.
///
/// The inputs of the unrolled circuit are: the latches without reset value (or all latches, if the frames start in any
/// state), then the inputs of each frame.
#[derive(Debug)]
pub(crate) struct Unrolling {
    circuit: Arc<Circuit>,
    /// The nodes that have copies, ascending.
    needed: Vec<usize>,
    graph: CircuitBuilder,
    /// True if the latches may have any values in the first frame.
    is_from_any_state: bool,
    /// The copy of each needed node in the last frame.
    copies: Vec<Signal>,
    /// For each latch without reset value that has a copy: that input.
    starts: Vec<Option<Signal>>,
    /// For each frame and each needed input: the number of the input, and its copy.
    inputs: Vec<Vec<(u32, Signal)>>,
}

impl Unrolling {
    /// Makes an unrolling without frames, for runs that end with one of these signals.
    ///
    /// # Panics
    /// If a latch has no next function.
    pub(crate) fn new(circuit: Arc<Circuit>, signals: impl IntoIterator<Item = Signal>) -> Self {
        let needed = circuit.cone(signals);
        let (nodes, latches) = (circuit.gates().len(), circuit.latches().len());
        Self {
            circuit,
            needed,
            graph: CircuitBuilder::default(),
            is_from_any_state: false,
            copies: vec![Signal::FALSE; nodes],
            starts: vec![None; latches],
            inputs: Vec::new(),
        }
    }

    /// Like [`Unrolling::new`], but the frames start in any state.
    pub(crate) fn from_any_state(circuit: Arc<Circuit>, signals: impl IntoIterator<Item = Signal>) -> Self {
        Self { is_from_any_state: true, ..Self::new(circuit, signals) }
    }

    /// The unrolled circuit.
    pub(crate) fn graph(&self) -> &Circuit {
        self.graph.circuit()
    }

    /// Number of frames.
    pub(crate) fn frames(&self) -> usize {
        self.inputs.len()
    }

    /// Number of nodes that are copied for each frame.
    pub(crate) fn width(&self) -> usize {
        self.needed.len()
    }

    /// True if some copied node is a latch. Otherwise all frames are equal.
    pub(crate) fn has_latches(&self) -> bool {
        self.needed.iter().any(|&node| matches!(self.circuit.gates()[node], Gate::Latch(_)))
    }

    /// Estimates the bytes that the next frame allocates.
    pub(crate) fn growth_bytes(&self) -> usize {
        // A gate with its entry in the table of equal gates. Both may double.
        let node = 16 + 24;
        node * self.graph.circuit().gates().len() + 2 * node * self.needed.len()
    }

    /// Adds a frame.
    pub(crate) fn advance(&mut self) {
        let circuit = Arc::clone(&self.circuit);
        let is_first = self.inputs.is_empty();
        let next: Vec<Signal> = match is_first {
            true => Vec::new(),
            false => {
                let next = |latch: &model::Latch| latch.next.expect("the circuit is complete");
                circuit.latches().iter().map(|latch| self.copy(next(latch))).collect()
            }
        };
        let mut inputs = Vec::new();
        for at in 0..self.needed.len() {
            let node = self.needed[at];
            self.copies[node] = match circuit.gates()[node] {
                Gate::False => Signal::FALSE,
                Gate::Input(input) => {
                    let copy = self.graph.circuit_mut().input(None);
                    inputs.push((input, copy));
                    copy
                }
                Gate::Latch(latch) if !is_first => next[latch.index()],
                Gate::Latch(latch) => match circuit.latches()[latch.index()].reset {
                    Reset::Zero if !self.is_from_any_state => Signal::FALSE,
                    Reset::One if !self.is_from_any_state => Signal::TRUE,
                    _ => {
                        let copy = self.graph.circuit_mut().input(None);
                        self.starts[latch.index()] = Some(copy);
                        copy
                    }
                },
                Gate::And(a, b) => {
                    let (a, b) = (self.copy(a), self.copy(b));
                    self.graph.and(a, b)
                }
            };
        }
        self.inputs.push(inputs);
    }

    /// The copy of a signal in the last frame. Its node must be needed.
    pub(crate) fn copy(&self, signal: Signal) -> Signal {
        self.copies[signal.node()].negated_if(signal.is_negated())
    }

    /// Returns the run in which copies have these values. Values that are `None` do not matter.
    pub(crate) fn run(&self, value: impl Fn(Signal) -> Option<bool>) -> CircuitRun {
        let of = |signal: Signal| value(signal).unwrap_or(false);
        let latches = self.circuit.latches().iter().zip(&self.starts);
        let start = latches.map(|(latch, start)| latch.reset == Reset::One || start.is_some_and(of)).collect();
        let frame = |inputs: &Vec<(u32, Signal)>| {
            let mut frame = vec![false; self.circuit.inputs().len()];
            for &(input, copy) in inputs {
                frame[input as usize] = of(copy);
            }
            frame
        };
        CircuitRun { start, inputs: self.inputs.iter().map(frame).collect() }
    }
}
