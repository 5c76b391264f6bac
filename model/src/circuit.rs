//! Circuits: synchronous systems of bits, as and-inverter graphs (AIGER's model: Biere, Heljanko, Wieringa 2011).
//!
//! Time goes in frames. In each, latches hold bits, inputs are free, gates compute; between frames every latch takes the value
//! of its next function. A run is a sequence of frames all of whose constraints hold; it violates an output when that is true
//! in its last frame. Bounded nets, thread systems and programs become circuits too (`encode`), so that one bit-level engine serves
//! all of them.

use crate::ids::{LatchId, OutputId};
use std::ops::Not;

/// A node of a circuit, or its negation: twice the node's number, plus one if negated (AIGER's literals).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal(u32);

impl Signal {
    /// Node 0 is the constant.
    pub const FALSE: Signal = Signal(0);
    /// The negated constant.
    pub const TRUE: Signal = Signal(1);

    /// The node of this number, plain or negated.
    ///
    /// # Panics
    /// If the number does not fit 31 bits; readers refuse circuits of that size.
    #[must_use]
    pub fn new(node: usize, negated: bool) -> Self {
        let code = node.checked_mul(2).and_then(|twice| u32::try_from(twice).ok());
        Self(code.expect("fewer than 2^31 nodes") | u32::from(negated))
    }

    /// The signal with this AIGER literal.
    #[must_use]
    pub fn from_code(code: u32) -> Self {
        Self(code)
    }

    /// The AIGER literal, if nodes are numbered as here.
    #[must_use]
    pub fn code(self) -> u32 {
        self.0
    }

    /// The number of its node.
    #[must_use]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is it the negation of its node?
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The constant of this value.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The signal, negated if asked.
    #[must_use]
    pub fn negated_if(self, negate: bool) -> Self {
        Self(self.0 ^ u32::from(negate))
    }
}

impl Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Self(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    /// The constant false; node 0 and no other.
    False,
    /// Free in every frame: the input of this position.
    Input(u32),
    /// Holds a bit from frame to frame.
    Latch(LatchId),
    /// The conjunction of two signals of smaller nodes.
    And(Signal, Signal),
}

/// What a latch holds in the first frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reset {
    /// False.
    Zero,
    /// True.
    One,
    /// Anything.
    Open,
}

/// A bit of state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latch {
    /// Its node, plain.
    pub signal: Signal,
    /// What it holds in the frame after. `None` only while the circuit is being built, or where a source defines it on demand.
    pub next: Option<Signal>,
    /// What it holds in the first frame.
    pub reset: Reset,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
}

/// A free bit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its node, plain.
    pub signal: Signal,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
}

/// Something that must never be true: a bad-state property, or an output of a file that has no such properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The signal.
    pub signal: Signal,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
}

/// An and-inverter graph with latches. Nodes are in topological order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circuit {
    gates: Vec<Gate>,
    inputs: Vec<Input>,
    latches: Vec<Latch>,
    outputs: Vec<Output>,
    constraints: Vec<Signal>,
}

impl Default for Circuit {
    fn default() -> Self {
        Self {
            gates: vec![Gate::False],
            inputs: Vec::new(),
            latches: Vec::new(),
            outputs: Vec::new(),
            constraints: Vec::new(),
        }
    }
}

impl Circuit {
    /// A new free bit.
    pub fn input(&mut self, name: Option<String>) -> Signal {
        let number = u32::try_from(self.inputs.len()).expect("fewer inputs than nodes");
        let signal = self.node(Gate::Input(number));
        self.inputs.push(Input { signal, name });
        signal
    }

    /// A new bit of state, without next function yet.
    pub fn latch(&mut self, reset: Reset, name: Option<String>) -> LatchId {
        let id = LatchId::new(self.latches.len());
        let signal = self.node(Gate::Latch(id));
        self.latches.push(Latch { signal, next: None, reset, name });
        id
    }

    /// A new gate, whatever its operands: nothing is folded or shared ([`CircuitBuilder::and`] does that).
    ///
    /// # Panics
    /// If an operand is no node yet.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        assert!(a.node() < self.gates.len() && b.node() < self.gates.len(), "operands come first");
        self.node(Gate::And(a, b))
    }

    /// Sets what a latch holds in the frame after.
    pub fn set_next(&mut self, latch: LatchId, next: Signal) {
        self.latches[latch.index()].next = Some(next);
    }

    /// Sets what a latch holds in the first frame.
    pub fn set_reset(&mut self, latch: LatchId, reset: Reset) {
        self.latches[latch.index()].reset = reset;
    }

    /// Names something that must never be true.
    pub fn output(&mut self, signal: Signal, name: Option<String>) -> OutputId {
        self.outputs.push(Output { signal, name });
        OutputId::new(self.outputs.len() - 1)
    }

    /// Only runs with this signal true in every frame count.
    pub fn constrain(&mut self, signal: Signal) {
        self.constraints.push(signal);
    }

    fn node(&mut self, gate: Gate) -> Signal {
        self.gates.push(gate);
        Signal::new(self.gates.len() - 1, false)
    }

    /// What the nodes are, by number.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The free bits.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The bits of state, by [`LatchId`].
    #[must_use]
    pub fn latches(&self) -> &[Latch] {
        &self.latches
    }

    /// What must never be true, by [`OutputId`].
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// What is true in every frame of the runs that count.
    #[must_use]
    pub fn constraints(&self) -> &[Signal] {
        &self.constraints
    }

    /// How many conjunctions it has.
    #[must_use]
    pub fn ands(&self) -> usize {
        self.gates.len() - 1 - self.inputs.len() - self.latches.len()
    }
}

/// Builds a circuit without trivial gates and without two equal ones.
#[derive(Clone, Debug, Default)]
pub struct CircuitBuilder {
    circuit: Circuit,
    seen: hashbrown::HashMap<(Signal, Signal), Signal>,
}

impl CircuitBuilder {
    /// The circuit so far.
    #[must_use]
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// For inputs, latches, outputs and constraints.
    pub fn circuit_mut(&mut self) -> &mut Circuit {
        &mut self.circuit
    }

    /// The circuit.
    #[must_use]
    pub fn finish(self) -> Circuit {
        self.circuit
    }

    /// Both.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Signal::FALSE || a == !b {
            return Signal::FALSE;
        }
        if a == Signal::TRUE || a == b {
            return b;
        }
        *self.seen.entry((a, b)).or_insert_with(|| self.circuit.and(a, b))
    }

    /// One of them, or both.
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    /// Just one of them. Three gates.
    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        let (one, other) = (self.and(a, !b), self.and(!a, b));
        self.or(one, other)
    }

    /// `yes` if `choice`, else `no`. Three gates.
    pub fn either(&mut self, choice: Signal, yes: Signal, no: Signal) -> Signal {
        let (yes, no) = (self.and(choice, yes), self.and(!choice, no));
        self.or(yes, no)
    }

    /// All of them; true if there are none. A balanced tree.
    pub fn all(&mut self, signals: &[Signal]) -> Signal {
        let mut layer = signals.to_vec();
        while layer.len() > 1 {
            layer = layer.chunks(2).map(|c| if let [a, b] = *c { self.and(a, b) } else { c[0] }).collect();
        }
        layer.first().copied().unwrap_or(Signal::TRUE)
    }

    /// One of them at least; false if there are none.
    pub fn any(&mut self, signals: &[Signal]) -> Signal {
        let negated: Vec<Signal> = signals.iter().map(|&s| !s).collect();
        !self.all(&negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trivial_and_equal_gates_are_not_made() {
        let mut b = CircuitBuilder::default();
        let (x, y) = (b.circuit_mut().input(None), b.circuit_mut().input(None));
        assert_eq!(b.and(x, Signal::FALSE), Signal::FALSE);
        assert_eq!(b.and(Signal::TRUE, x), x);
        assert_eq!(b.and(x, !x), Signal::FALSE);
        assert_eq!(b.and(x, y), b.and(y, x));
        assert_eq!(b.circuit().ands(), 1);
        assert_eq!(b.any(&[]), Signal::FALSE);
        assert_eq!(b.all(&[]), Signal::TRUE);
    }
}
