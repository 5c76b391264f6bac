//! Single frames of circuits, to show and simulate circuits. No verdict depends on this code: the checker has
//! its own stepper.

use model::circuit::memory::Contents;
use model::{Circuit, Gate, LatchId, PortId, Reset, Signal};

/// The values of all nodes of a circuit in one frame.
#[derive(Clone, Debug)]
pub struct Frame<'c> {
    circuit: &'c Circuit,
    /// The value of each node.
    values: Vec<bool>,
    /// For each input that is a part of the value of a port: the port.
    ports: Vec<Option<PortId>>,
    /// The memories at the start of the frame.
    contents: Contents<'c>,
    /// The memories, with the words that the frame has read.
    read: Contents<'c>,
}

/// What a circuit holds between two frames.
#[derive(Clone, Debug)]
pub struct Held<'c> {
    latches: Vec<bool>,
    contents: Contents<'c>,
}

impl Held<'_> {
    /// The values of the latches, in order.
    #[must_use]
    pub fn latches(&self) -> &[bool] {
        &self.latches
    }
}

impl<'c> Frame<'c> {
    /// Returns the first frame. `start` contains the values of the latches without a reset value, 32 to a word
    /// in their order. Inputs are false.
    #[must_use]
    pub fn first(circuit: &'c Circuit, start: &[u32]) -> Self {
        let contents = Contents::new(circuit.memories());
        let ports = circuit.ports_of_inputs();
        let values = vec![false; circuit.gates().len()];
        let mut frame = Self { circuit, values, ports, read: contents.clone(), contents };
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

    /// Sets the inputs, given 32 to a word in their order, and computes all gates. The values of ports are words of the
    /// memories; words that are still open get the given values.
    pub fn compute(&mut self, inputs: &[u32]) {
        self.read = self.contents.clone();
        let mut is_read = vec![false; self.circuit.memories().ports.len()];
        for (node, gate) in self.circuit.gates().iter().enumerate() {
            match *gate {
                Gate::False | Gate::Latch(_) => {}
                Gate::Input(i) => match self.ports[i as usize] {
                    None => self.values[node] = bit(inputs, i as usize),
                    Some(port) if !std::mem::replace(&mut is_read[port.index()], true) => self.read(port, inputs),
                    Some(_) => {}
                },
                Gate::And(a, b) => self.values[node] = self.is_true(a) && self.is_true(b),
            }
        }
    }

    /// Reads the word of a port from its memory.
    fn read(&mut self, port: PortId, inputs: &[u32]) {
        let port = &self.circuit.memories().ports[port.index()];
        let address: Vec<bool> = port.address.iter().map(|signal| self.is_true(*signal)).collect();
        let given = |bit_of: &Signal| match self.circuit.gates()[bit_of.node()] {
            Gate::Input(input) => bit(inputs, input as usize),
            _ => false,
        };
        let given: Vec<bool> = port.value.iter().map(given).collect();
        let values = &self.values;
        let value = |signal: Signal| values[signal.node()] != signal.is_negated();
        let word = self.read.read(port.memory, &address, &given, &value);
        port.value.iter().zip(word).for_each(|(signal, bit)| self.values[signal.node()] = bit);
    }

    /// Returns the inputs of the computed frame, 32 to a word, with the words that ports have read.
    #[must_use]
    pub fn inputs(&self) -> Vec<u32> {
        let bits = self.circuit.inputs().iter().map(|input| self.is_true(input.signal));
        model::circuit::pack(bits).into_vec()
    }

    /// Returns what the circuit holds at the start of the frame.
    #[must_use]
    pub fn held(&self) -> Held<'c> {
        Held { latches: self.latches(), contents: self.contents.clone() }
    }

    /// Goes back to the start of a frame.
    pub fn go_back(&mut self, to: &Held<'c>) {
        self.restore(&to.latches);
        self.contents = to.contents.clone();
    }

    /// Advances to the next frame: each latch gets the value of its next function.
    pub fn step(&mut self) {
        let next = |latch: &model::Latch| latch.next.is_some_and(|next| self.is_true(next));
        let next: Vec<bool> = self.circuit.latches().iter().map(next).collect();
        let values = &self.values;
        self.read.step(&|signal: Signal| values[signal.node()] != signal.is_negated());
        self.contents = self.read.clone();
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

/// Inputs or latches as people read them. Neighbours with the names `data[0]`, `data[1]`, .. are the bits of the word
/// `data`, lowest bit first. All others are single bits.
#[derive(Clone, Debug)]
pub struct Ports(Vec<Port>);

#[derive(Clone, Debug)]
struct Port {
    /// The name of the bit or of the word.
    name: String,
    bits: std::ops::Range<usize>,
}

impl Ports {
    /// The inputs.
    #[must_use]
    pub fn inputs(circuit: &Circuit) -> Self {
        Self::joined((0..circuit.inputs().len()).map(|i| input_name(circuit, i)))
    }

    /// The latches.
    #[must_use]
    pub fn latches(circuit: &Circuit) -> Self {
        Self::joined((0..circuit.latches().len()).map(|i| latch_name(circuit, LatchId::new(i))))
    }

    /// The latches without a reset value.
    #[must_use]
    pub fn open(circuit: &Circuit) -> Self {
        Self::joined(open_latches(circuit).into_iter().map(|latch| latch_name(circuit, latch)))
    }

    fn joined(names: impl Iterator<Item = String>) -> Self {
        let mut ports: Vec<Port> = Vec::new();
        for (at, name) in names.enumerate() {
            let before = ports.last_mut().filter(|port| continues(port, &name));
            match before {
                Some(word) => {
                    let base = word.name.strip_suffix("[0]").filter(|_| word.bits.len() == 1);
                    if let Some(base) = base {
                        word.name = base.to_owned();
                    }
                    word.bits.end = at + 1;
                }
                None => ports.push(Port { name, bits: at..at + 1 }),
            }
        }
        Self(ports)
    }

    /// Returns what is not zero: the names of bits that are true, and words with their values, such as `data=0x1f`.
    #[must_use]
    pub fn shown(&self, is_true: impl Fn(usize) -> bool) -> Vec<String> {
        let set = self.0.iter().filter(|port| port.bits.clone().any(&is_true));
        set.map(|port| match port.bits.len() {
            1 => port.name.clone(),
            _ => format!("{}=0x{}", port.name, hexadecimal(port.bits.clone(), &is_true)),
        })
        .collect()
    }
}

/// True if `name` is the bit after the last one of this port.
fn continues(port: &Port, name: &str) -> bool {
    let Some((base, number)) = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) else { return false };
    let own = if port.bits.len() == 1 { port.name.strip_suffix("[0]") } else { Some(port.name.as_str()) };
    own == Some(base) && number == port.bits.len().to_string()
}

/// Returns the value of a word without leading zeros. The word is not zero.
fn hexadecimal(bits: std::ops::Range<usize>, is_true: impl Fn(usize) -> bool) -> String {
    let digit = |at: usize| (0..4).filter(|i| at + i < bits.end && is_true(at + i)).map(|i| 1 << i).sum();
    let digits = bits.clone().step_by(4).map(|at| char::from_digit(digit(at), 16).unwrap_or('?'));
    digits.collect::<Vec<char>>().into_iter().rev().skip_while(|digit| *digit == '0').collect()
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
    fn neighbours_are_words() {
        let names =
            ["go", "d[0]", "d[1]", "d[2]", "d[3]", "d[4]", "m[0][0]", "m[0][1]", "m[1][0]", "x[1]", "y[0]", "d[0]"];
        let ports = Ports::joined(names.iter().map(|name| (*name).to_owned()));
        let set = |bits: &'static [usize]| ports.shown(|at| bits.contains(&at));
        assert_eq!(set(&[0, 1, 5]), ["go", "d=0x11"]);
        assert_eq!(set(&[2, 4, 7, 8]), ["d=0xa", "m[0]=0x2", "m[1][0]"]);
        assert_eq!(set(&[9, 10, 11]), ["x[1]", "y[0]", "d[0]"]);
        assert!(set(&[]).is_empty());
    }

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
