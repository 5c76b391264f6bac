//! Circuits: synchronous systems of bits, represented as and-inverter graphs (AIGER's model: Biere, Heljanko,
//! Wieringa 2011).
//!
//! Time is a sequence of frames. In a frame, each latch holds a bit, each input has an arbitrary value, and gates
//! compute functions of these. From the second frame on, the value of a latch is the value that its next function had
//! in the frame before. A run is a sequence of frames in each of which all constraints hold. A run violates an output
//! if the output is true in the last frame. Infinite runs may violate a justice property (`justice.rs`). Large memories
//! are not latches: see `memory.rs`. Bounded nets, thread-transition systems and programs are also encoded as circuits
//! (`encode` of the crates `circuits`, `nets` and `programs`), so one bit-level engine works on all of them.

mod builder;
mod justice;
pub mod memory;
mod run;
mod signal;
mod words;

pub use builder::CircuitBuilder;
pub use justice::{Justice, JusticeProof, Translation};
pub use memory::{Followed, Tracker, TrackingProof};
pub use run::{CircuitRun, bit, pack, unpack};
pub use words::{Chosen, Word};

use crate::ids::{LatchId, OutputId, PortId};
use memory::Memories;
pub use signal::Signal;
use std::sync::Arc;

/// The kind of a node, with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    /// The constant false. Node 0 has this kind, and no other node has it.
    False,
    /// An input, which has an arbitrary value in every frame. The number is the position in
    /// [`Circuit::inputs`].
    Input(u32),
    /// A latch.
    Latch(LatchId),
    /// The conjunction of two signals of nodes with smaller numbers.
    And(Signal, Signal),
}

/// The value of a latch in the first frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reset {
    /// False.
    Zero,
    /// True.
    One,
    /// Either value.
    Open,
}

/// A latch: one bit of the state of a circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latch {
    /// The signal of its node, not negated.
    pub signal: Signal,
    /// The next function: its value in a frame is the value of the latch in the following frame. `None` only
    /// while the circuit is being built. (Bit-level IC3 also accepts circuits that are built on demand.)
    pub next: Option<Signal>,
    /// The value in the first frame.
    pub reset: Reset,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
}

/// An input of a circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The signal of its node, not negated.
    pub signal: Signal,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
}

/// A signal that must never be true: a bad-state property, or an output of a file without bad-state properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The signal.
    pub signal: Signal,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
}

/// An and-inverter graph with latches. Nodes are in topological order: operands have smaller numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circuit {
    gates: Vec<Gate>,
    inputs: Vec<Input>,
    latches: Vec<Latch>,
    outputs: Vec<Output>,
    constraints: Vec<Signal>,
    words: Option<Arc<[Word]>>,
    justice: Vec<Justice>,
    fairness: Vec<Signal>,
    memories: Arc<Memories>,
}

impl Default for Circuit {
    fn default() -> Self {
        Self {
            gates: vec![Gate::False],
            inputs: Vec::new(),
            latches: Vec::new(),
            outputs: Vec::new(),
            constraints: Vec::new(),
            words: None,
            justice: Vec::new(),
            fairness: Vec::new(),
            memories: Arc::default(),
        }
    }
}

impl Circuit {
    /// Adds an input and returns its signal.
    pub fn input(&mut self, name: Option<String>) -> Signal {
        let number = u32::try_from(self.inputs.len()).expect("fewer inputs than nodes");
        let signal = self.node(Gate::Input(number));
        self.inputs.push(Input { signal, name });
        signal
    }

    /// Adds a latch without a next function ([`Circuit::set_next`]).
    pub fn latch(&mut self, reset: Reset, name: Option<String>) -> LatchId {
        let id = LatchId::new(self.latches.len());
        let signal = self.node(Gate::Latch(id));
        self.latches.push(Latch { signal, next: None, reset, name });
        id
    }

    /// Adds an and gate. Constant operands are not simplified and equal gates are not shared;
    /// [`CircuitBuilder::and`] does both.
    ///
    /// # Panics
    /// Panics if an operand is not a node of the circuit yet.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        assert!(a.node() < self.gates.len() && b.node() < self.gates.len(), "operands come first");
        self.node(Gate::And(a, b))
    }

    /// Sets the next function of a latch.
    pub fn set_next(&mut self, latch: LatchId, next: Signal) {
        self.latches[latch.index()].next = Some(next);
    }

    /// Sets the value of a latch in the first frame.
    pub fn set_reset(&mut self, latch: LatchId, reset: Reset) {
        self.latches[latch.index()].reset = reset;
    }

    /// Adds an output: a signal that must never be true.
    pub fn output(&mut self, signal: Signal, name: Option<String>) -> OutputId {
        self.outputs.push(Output { signal, name });
        OutputId::new(self.outputs.len() - 1)
    }

    /// Adds a constraint: only runs in which this signal is true in every frame count.
    pub fn constrain(&mut self, signal: Signal) {
        self.constraints.push(signal);
    }

    /// Sets the words of which the circuit was made.
    pub fn set_words(&mut self, words: Vec<Word>) {
        self.words = Some(words.into());
    }

    fn node(&mut self, gate: Gate) -> Signal {
        self.gates.push(gate);
        Signal::new(self.gates.len() - 1, false)
    }

    /// The nodes, by number.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The inputs.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The latches, by [`LatchId`].
    #[must_use]
    pub fn latches(&self) -> &[Latch] {
        &self.latches
    }

    /// The outputs, by [`OutputId`].
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// The constraints: only runs in which all of them are true in every frame count.
    #[must_use]
    pub fn constraints(&self) -> &[Signal] {
        &self.constraints
    }

    /// The words that get their values from a run, inputs before states, each in the order of the file. `None` if the
    /// circuit was not made of a system over words.
    #[must_use]
    pub fn words(&self) -> Option<&[Word]> {
        self.words.as_deref()
    }

    /// Returns the nodes on which these signals or the constraints depend in some frame, ascending.
    #[must_use]
    pub fn cone(&self, signals: impl IntoIterator<Item = Signal>) -> Vec<usize> {
        let mut needed = vec![false; self.gates.len()];
        let mut open: Vec<usize> =
            signals.into_iter().chain(self.constraints.iter().copied()).map(Signal::node).collect();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut needed[node], true) {
                continue;
            }
            match self.gates[node] {
                Gate::False | Gate::Input(_) => {}
                Gate::Latch(latch) => open.extend(self.latches[latch.index()].next.map(Signal::node)),
                Gate::And(a, b) => open.extend([a.node(), b.node()]),
            }
        }
        (0..needed.len()).filter(|&node| needed[node]).collect()
    }

    /// Returns the latches on which these signals or the constraints depend in some frame, ascending. A run repeats the
    /// values of the signals for ever if these latches return to earlier values and the inputs repeat.
    #[must_use]
    pub fn cone_latches(&self, signals: impl IntoIterator<Item = Signal>) -> Vec<LatchId> {
        let latch = |node: usize| if let Gate::Latch(latch) = self.gates[node] { Some(latch) } else { None };
        let mut latches: Vec<LatchId> = self.cone(signals).into_iter().filter_map(latch).collect();
        latches.sort_unstable();
        latches
    }

    /// Returns the number of and gates.
    #[must_use]
    pub fn ands(&self) -> usize {
        self.gates.len() - 1 - self.inputs.len() - self.latches.len()
    }
}

impl Circuit {
    /// Sets the memories. Their signals are nodes of the circuit.
    pub fn set_memories(&mut self, memories: Memories) {
        self.memories = Arc::new(memories);
    }

    /// The memories.
    #[must_use]
    pub fn memories(&self) -> &Arc<Memories> {
        &self.memories
    }

    /// Returns for each input the port of which it is a bit of the value.
    #[must_use]
    pub fn ports_of_inputs(&self) -> Vec<Option<PortId>> {
        let mut ports = vec![None; self.inputs().len()];
        for (number, port) in self.memories.ports.iter().enumerate() {
            for bit in &port.value {
                if let Gate::Input(input) = self.gates()[bit.node()] {
                    ports[input as usize] = Some(PortId::new(number));
                }
            }
        }
        ports
    }
}
