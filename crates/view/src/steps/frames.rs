//! Single frames of circuits, to show and simulate circuits. No verdict depends on this code: the checker has
//! its own stepper.

use model::circuit::memory::{Contents, Frames};
use model::circuit::{bit, unpack};
use model::{Circuit, LatchId, PortId, Signal, Trace};
use std::hash::{Hash, Hasher};

/// The values of all nodes of a circuit in one frame.
#[derive(Clone, Debug)]
pub struct Frame<'c> {
    circuit: &'c Circuit,
    /// The value of each node.
    values: Vec<bool>,
    /// The memories at the start of the frame, unless frames are computed once only.
    contents: Option<Contents>,
    /// The memories, with the words that the frame has read.
    read: Frames<'c>,
    /// Gates computed, and bits of addresses and words.
    work: u64,
}

/// What a circuit holds between two frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    latches: Vec<bool>,
    contents: Contents,
}

impl Hash for Held {
    /// Two states that hold the same in their latches differ in their memories rarely.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.latches.hash(hasher);
    }
}

impl Held {
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
        let read = Frames::new(circuit);
        let values = vec![false; circuit.gates().len()];
        let mut frame = Self { circuit, values, contents: Some(read.contents.clone()), read, work: 0 };
        frame.restore(&circuit.start(unpack(start, circuit.open_latches().count())));
        frame
    }

    /// Sets the inputs, given 32 to a word in their order, and computes all gates. The values of ports are words of the
    /// memories; words that are still open get the given values.
    pub fn compute(&mut self, inputs: &[u32]) {
        if let Some(start) = &self.contents {
            self.read.contents = start.clone();
        }
        let latches = self.latches();
        let mut inputs: Vec<bool> = (0..self.circuit.inputs().len()).map(|input| bit(inputs, input)).collect();
        let state = (&latches[..], &mut inputs[..]);
        let work = &mut self.work;
        let mut charge = |bits: u64| {
            *work = work.saturating_add(bits);
            true
        };
        let computed =
            self.read.compute(self.circuit.gates(), state, &mut self.values, &mut |_, _, _| true, &mut charge);
        debug_assert!(computed.is_some(), "the work is not limited");
    }

    /// Returns the inputs of the computed frame, 32 to a word, with the words that ports have read.
    #[must_use]
    pub fn inputs(&self) -> Vec<u32> {
        let bits = self.circuit.inputs().iter().map(|input| self.is_true(input.signal));
        model::circuit::pack(bits).into_vec()
    }

    /// Returns the frame so that each frame is computed once, and none is gone back to. This saves a copy of the
    /// memories in each frame.
    #[must_use]
    pub fn once(self) -> Self {
        Self { contents: None, ..self }
    }

    /// Returns the gates, and the bits of addresses and words, that have been computed since the last call.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Returns what the circuit holds at the start of the frame.
    ///
    /// # Panics
    /// Panics after [`Self::once`].
    #[must_use]
    pub fn held(&self) -> Held {
        Held { latches: self.latches(), contents: self.contents.clone().expect("frames may be gone back to") }
    }

    /// Goes back to the start of a frame.
    pub fn go_back(&mut self, to: &Held) {
        self.restore(&to.latches);
        self.contents = Some(to.contents.clone());
    }

    /// Advances to the next frame: each latch gets the value of its next function.
    pub fn step(&mut self) {
        let next = |latch: &model::Latch| latch.next.is_some_and(|next| self.is_true(next));
        let next: Vec<bool> = self.circuit.latches().iter().map(next).collect();
        let work = &mut self.work;
        let stepped = self.read.step(&self.values, &mut |bits: u64| {
            *work = work.saturating_add(bits);
            true
        });
        debug_assert!(stepped.is_some(), "the work is not limited");
        if let Some(start) = &mut self.contents {
            *start = self.read.contents.clone();
        }
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

/// Returns the inputs of each frame of a run, 32 to a word.
pub(crate) fn inputs(trace: &Trace) -> impl Iterator<Item = &[u32]> {
    let steps = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
    steps.map(|step| step.choice.map_or(&[][..], |id| trace.choice(id)))
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
    /// The port of a memory of which it is the value.
    of_memory: Option<PortId>,
}

impl Ports {
    /// The inputs.
    #[must_use]
    pub fn inputs(circuit: &Circuit) -> Self {
        let mut inputs = Self::joined((0..circuit.inputs().len()).map(|i| input_name(circuit, i)));
        let ports = circuit.ports_of_inputs();
        inputs.0.iter_mut().for_each(|input| input.of_memory = ports[input.bits.start]);
        inputs
    }

    /// The latches.
    #[must_use]
    pub fn latches(circuit: &Circuit) -> Self {
        Self::joined((0..circuit.latches().len()).map(|i| latch_name(circuit, LatchId::new(i))))
    }

    /// The latches without a reset value.
    #[must_use]
    pub fn open(circuit: &Circuit) -> Self {
        Self::joined(circuit.open_latches().map(|latch| latch_name(circuit, latch)))
    }

    /// Returns the names with their bits.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, std::ops::Range<usize>)> {
        self.0.iter().map(|port| (port.name.as_str(), port.bits.clone()))
    }

    pub(crate) fn joined(names: impl Iterator<Item = String>) -> Self {
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
                None => ports.push(Port { name, bits: at..at + 1, of_memory: None }),
            }
        }
        Self(ports)
    }

    /// Returns what is not zero among the inputs of a frame that has been computed. A word that is read from a memory
    /// has its address, such as `data[0x5]=0x1f`.
    #[must_use]
    pub fn shown_in(&self, frame: &Frame<'_>) -> Vec<String> {
        let words = frame.inputs();
        let mut shown: Vec<String> = Vec::new();
        for input in &self.0 {
            let is_true = |at: usize| bit(&words, at);
            let Some(port) = input.of_memory else {
                shown.extend(input.shown(is_true));
                continue;
            };
            let address = &frame.circuit.memories().ports[port.index()].address;
            let at = hexadecimal(0..address.len(), |bit| frame.is_true(address[bit]));
            let memory = input.name.rsplit_once('@').map_or(&input.name[..], |(memory, _)| memory);
            let name = format!("{memory}[0x{}]", if at.is_empty() { "0" } else { &at });
            // Several ports may read the same word.
            let word = Port { name, ..input.clone() }.shown(is_true);
            shown.extend(word.filter(|word| !shown.contains(word)));
        }
        shown
    }

    /// Returns the ports with some of these bits and their values: `busy is true`, `data is 0x1f`; with all bits of
    /// each.
    #[must_use]
    pub fn with(&self, bits: &[usize], is_true: impl Fn(usize) -> bool) -> Vec<(String, std::ops::Range<usize>)> {
        let ports = self.0.iter().filter(|port| bits.iter().any(|at| port.bits.contains(at)));
        let value = |port: &Port| match port.bits.len() {
            1 => is_true(port.bits.start).to_string(),
            _ if port.bits.clone().any(&is_true) => format!("0x{}", hexadecimal(port.bits.clone(), &is_true)),
            _ => "0x0".to_owned(),
        };
        ports.map(|port| (format!("{} is {}", port.name, value(port)), port.bits.clone())).collect()
    }

    /// Returns what is not zero: the names of bits that are true, and words with their values, such as `data=0x1f`.
    #[must_use]
    pub fn shown(&self, is_true: impl Fn(usize) -> bool) -> Vec<String> {
        self.0.iter().filter_map(|port| port.shown(&is_true)).collect()
    }
}

impl Port {
    /// Returns the name of a bit that is true, or a word that is not zero.
    fn shown(&self, is_true: impl Fn(usize) -> bool) -> Option<String> {
        self.bits.clone().any(&is_true).then(|| match (self.bits.len(), self.of_memory) {
            (1, None) => self.name.clone(),
            _ => format!("{}=0x{}", self.name, hexadecimal(self.bits.clone(), &is_true)),
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::Reset;

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
        assert!(circuit.open_latches().eq([second]));
        assert_eq!((latch_name(&circuit, first), latch_name(&circuit, second)), ("first".to_owned(), "l1".to_owned()));
    }
}
