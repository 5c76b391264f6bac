//! Frames of a circuit with memories, for engines and simulations. The checker has its own stepper.

use super::{Charge, Contents, Word};
use crate::circuit::signal::Signal;
use crate::circuit::{Circuit, Gate};
use crate::ids::PortId;

/// A circuit with its memories at the start of a frame.
#[derive(Clone, Debug)]
pub struct Frames<'c> {
    circuit: &'c Circuit,
    /// For each input: its port.
    ports: Vec<Option<PortId>>,
    /// The memories.
    pub contents: Contents,
}

/// Decides whether a port reads the word of its memory, given the word of the inputs and that of the memory. Else the
/// inputs keep their word.
pub type Reading<'r> = dyn FnMut(PortId, &[bool], &[bool]) -> bool + 'r;

impl<'c> Frames<'c> {
    /// The circuit before its first frame.
    #[must_use]
    pub fn new(circuit: &'c Circuit) -> Self {
        Self { circuit, ports: circuit.ports_of_inputs(), contents: Contents::new(circuit.memories()) }
    }

    /// Computes the values of all nodes. Inputs become the words of ports, as `reading` says. `gates` are those of the
    /// circuit, and perhaps more after them. `None` if the work is too much.
    pub fn compute(
        &mut self,
        gates: &[Gate],
        (latches, inputs): (&[bool], &mut [bool]),
        values: &mut [bool],
        reading: &mut Reading<'_>,
        charge: &mut Charge<'_>,
    ) -> Option<()> {
        debug_assert!(gates.starts_with(self.circuit.gates()), "the nodes keep their numbers");
        charge(gates.len() as u64).then_some(())?;
        let mut is_read = vec![false; self.circuit.memories().ports.len()];
        for (node, gate) in gates.iter().enumerate() {
            values[node] = match *gate {
                Gate::False => false,
                Gate::Latch(latch) => latches[latch.index()],
                Gate::And(a, b) => value(values, a) && value(values, b),
                Gate::Input(input) => {
                    if let Some(&Some(port)) = self.ports.get(input as usize)
                        && !std::mem::replace(&mut is_read[port.index()], true)
                    {
                        self.read(port, inputs, values, reading, charge)?;
                    }
                    inputs[input as usize]
                }
            };
        }
        Some(())
    }

    fn read(
        &mut self,
        id: PortId,
        inputs: &mut [bool],
        values: &[bool],
        reading: &mut Reading<'_>,
        charge: &mut Charge<'_>,
    ) -> Option<()> {
        let port = &self.circuit.memories().ports[id.index()];
        let at = |bit: &Signal| match self.circuit.gates()[bit.node()] {
            Gate::Input(input) => input as usize,
            _ => unreachable!("a bit of the value of a port is not an input"),
        };
        let address: Word = port.address.iter().map(|bit| value(values, *bit)).collect();
        let given: Word = port.value.iter().map(|bit| inputs[at(bit)]).collect();
        let word = self.contents.read(port.memory, (&address, &given), &|signal| value(values, signal), charge)?;
        if reading(id, &given, &word) {
            port.value.iter().zip(&word).for_each(|(bit, word)| inputs[at(bit)] = *word);
        }
        Some(())
    }

    /// Advances the memories to the next frame, given the values of all nodes. `None` if the work is too much.
    pub fn step(&mut self, values: &[bool], charge: &mut Charge<'_>) -> Option<()> {
        self.contents.step(&|signal| value(values, signal), charge)
    }
}

fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] != signal.is_negated()
}
