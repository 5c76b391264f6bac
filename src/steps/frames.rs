//! Single frames of circuits, to show and simulate circuits. No verdict depends on this code: the checker has
//! its own stepper.

use model::{Circuit, Gate, LatchId, Reset, Signal};

/// The values of all nodes of a circuit in one frame.
#[derive(Clone, Debug)]
pub struct Frame<'c> {
    circuit: &'c Circuit,
    /// The value of each node.
    values: Vec<bool>,
}

impl<'c> Frame<'c> {
    /// Returns the first frame. `start` contains the values of the latches without a reset value, 32 to a word
    /// in their order. Inputs are false.
    #[must_use]
    pub fn first(circuit: &'c Circuit, start: &[u32]) -> Self {
        let mut frame = Self { circuit, values: vec![false; circuit.gates().len()] };
        let mut open = 0..;
        for latch in circuit.latches() {
            frame.values[latch.signal.node()] = match latch.reset {
                Reset::Zero => false,
                Reset::One => true,
                Reset::Open => bit(start, open.next().unwrap_or(0)),
            };
        }
        frame
    }

    /// Sets the inputs, given 32 to a word in their order, and computes all gates.
    pub fn compute(&mut self, inputs: &[u32]) {
        for (node, gate) in self.circuit.gates().iter().enumerate() {
            match *gate {
                Gate::False | Gate::Latch(_) => {}
                Gate::Input(i) => self.values[node] = bit(inputs, i as usize),
                Gate::And(a, b) => self.values[node] = self.is_true(a) && self.is_true(b),
            }
        }
    }

    /// Advances to the next frame: each latch gets the value of its next function.
    pub fn step(&mut self) {
        let next = |latch: &model::Latch| latch.next.is_some_and(|next| self.is_true(next));
        let next: Vec<bool> = self.circuit.latches().iter().map(next).collect();
        for (latch, value) in self.circuit.latches().iter().zip(next) {
            self.values[latch.signal.node()] = value;
        }
    }

    /// Returns true if the signal is true.
    #[must_use]
    pub fn is_true(&self, signal: Signal) -> bool {
        self.values[signal.node()] != signal.is_negated()
    }

    /// Returns true if all constraints hold in this frame.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.circuit.constraints().iter().all(|signal| self.is_true(*signal))
    }

    /// Returns the values of the latches, in order.
    #[must_use]
    pub fn latches(&self) -> Vec<bool> {
        self.circuit.latches().iter().map(|latch| self.is_true(latch.signal)).collect()
    }

    /// Sets the latches to these values.
    pub fn restore(&mut self, latches: &[bool]) {
        for (latch, value) in self.circuit.latches().iter().zip(latches) {
            self.values[latch.signal.node()] = *value;
        }
    }
}

/// Returns true if the bit with number `at` is set. Bits beyond the words are 0.
#[must_use]
pub fn bit(words: &[u32], at: usize) -> bool {
    words.get(at / 32).is_some_and(|word| word >> (at % 32) & 1 == 1)
}

/// Returns the text shown for an input.
#[must_use]
pub fn input_name(circuit: &Circuit, input: usize) -> String {
    circuit.inputs()[input].name.as_deref().map_or_else(|| format!("i{input}"), visible)
}

/// Returns the text shown for a latch.
#[must_use]
pub fn latch_name(circuit: &Circuit, latch: LatchId) -> String {
    circuit.latches()[latch.index()].name.as_deref().map_or_else(|| format!("l{}", latch.0), visible)
}

/// Returns the name with control characters escaped, so that a terminal does not interpret them.
fn visible(name: &str) -> String {
    name.chars().flat_map(|c| if c.is_control() { c.escape_unicode().collect() } else { vec![c] }).collect()
}

/// Returns the latches without a reset value.
#[must_use]
pub fn open_latches(circuit: &Circuit) -> Vec<LatchId> {
    let open = circuit.latches().iter().enumerate().filter(|(_, latch)| latch.reset == Reset::Open);
    open.map(|(i, _)| LatchId::new(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_register_shifts() {
        let mut circuit = Circuit::default();
        let input = circuit.input(None);
        let first = circuit.latch(Reset::One, Some("first".to_owned()));
        let second = circuit.latch(Reset::Open, None);
        let [a, b] = [first, second].map(|id| circuit.latches()[id.index()].signal);
        circuit.set_next(first, input);
        circuit.set_next(second, a);
        let both = circuit.and(a, b);
        circuit.constrain(!both);
        let mut frame = Frame::first(&circuit, &[1]);
        frame.compute(&[1]);
        assert_eq!((frame.latches(), frame.counts()), (vec![true, true], false));
        let mut frame = Frame::first(&circuit, &[0]);
        frame.compute(&[0]);
        assert!(frame.counts() && !frame.is_true(both));
        frame.step();
        assert_eq!(frame.latches(), [false, true]);
        assert_eq!(open_latches(&circuit), [second]);
        assert_eq!((latch_name(&circuit, first), latch_name(&circuit, second)), ("first".to_owned(), "l1".to_owned()));
    }
}
