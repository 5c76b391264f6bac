//! Checks that the memories of a circuit are well-formed: all parts exist, operands come first, widths agree, and the
//! values of ports are inputs. So their contents are defined along each run, and each run of the circuit, whatever the
//! memories have, is a run of the abstraction in which ports read any words.

use crate::{Check, reject};
use model::circuit::memory::{Array, Memories, Memory, Port};
use model::{Circuit, ContentsId, Gate, Signal};

pub(super) fn check(circuit: &Circuit) -> Check<()> {
    let memories = circuit.memories();
    let nodes = circuit.gates().len();
    if !memories.signals().all(|signal| signal.node() < nodes) {
        return reject("a memory has a signal without node");
    }
    let shapes = Shapes::of(memories)?;
    for (number, memory) in memories.memories.iter().enumerate() {
        shapes.memory(number, memory)?;
    }
    let mut is_read = vec![false; nodes];
    for port in &memories.ports {
        shapes.port(circuit, port)?;
        for bit in &port.value {
            if std::mem::replace(&mut is_read[bit.node()], true) {
                return reject("two ports have the same value");
            }
        }
    }
    Ok(())
}

/// What an array is made of.
#[derive(Clone, Copy)]
struct Shape {
    /// The width of an address. `None` if any fits.
    index: Option<usize>,
    /// The width of a word.
    width: usize,
    /// The largest node of its signals, and of those of its operands.
    node: usize,
    /// The largest number of a memory on which it depends, plus one. Zero if there is none.
    memories: usize,
}

/// The shapes of arrays, and the nodes of initial contents.
struct Shapes {
    arrays: Vec<Shape>,
    /// For each memory: the largest node on which the initial contents of memories up to this one depend.
    initial: Vec<usize>,
}

impl Shapes {
    fn of(memories: &Memories) -> Check<Self> {
        let mut arrays: Vec<Shape> = Vec::with_capacity(memories.arrays.len());
        let known = |arrays: &[Shape], id: &ContentsId| match arrays.get(id.index()) {
            Some(shape) => Ok(*shape),
            None => reject("an array comes before its operands"),
        };
        for array in &memories.arrays {
            let mut shape = match array {
                Array::Memory(id) => match memories.memories.get(id.index()) {
                    Some(memory) => {
                        let (index, width) = (Some(memory.index as usize), memory.width as usize);
                        Shape { index, width, node: 0, memories: id.index() + 1 }
                    }
                    None => return reject("an array has no memory"),
                },
                Array::Fill(word) => Shape { index: None, width: word.len(), node: 0, memories: 0 },
                Array::Write { array, address, value } => {
                    let of = known(&arrays, array)?;
                    if of.index.is_some_and(|index| index != address.len()) || of.width != value.len() {
                        return reject("a word is written to an array of other widths");
                    }
                    Shape { index: Some(address.len()), ..of }
                }
                Array::Choose { yes, no, .. } => {
                    let (yes, no) = (known(&arrays, yes)?, known(&arrays, no)?);
                    if yes.width != no.width || (yes.index.is_some() && no.index.is_some() && yes.index != no.index) {
                        return reject("a choice between arrays of different widths");
                    }
                    let (node, memories) = (yes.node.max(no.node), yes.memories.max(no.memories));
                    Shape { index: yes.index.or(no.index), width: yes.width, node, memories }
                }
            };
            shape.node = array.signals().into_iter().map(Signal::node).fold(shape.node, usize::max);
            arrays.push(shape);
        }
        let mut largest = 0;
        let mut initial = Vec::with_capacity(memories.memories.len());
        for memory in &memories.memories {
            let init = memory.init.and_then(|init| arrays.get(init.index()));
            largest = largest.max(init.map_or(0, |init| init.node));
            initial.push(largest);
        }
        Ok(Self { arrays, initial })
    }

    /// Checks the contents of a memory. Its initial contents depend on memories before it only.
    fn memory(&self, number: usize, memory: &Memory) -> Check<()> {
        for id in [memory.init, memory.next].into_iter().flatten() {
            let Some(of) = self.arrays.get(id.index()) else { return reject("there is no such array") };
            if of.index.is_some_and(|index| index != memory.index as usize) || of.width != memory.width as usize {
                return reject("a memory gets contents of other widths");
            }
        }
        match memory.init.is_none_or(|init| self.arrays[init.index()].memories <= number) {
            true => Ok(()),
            false => reject("initial contents depend on a later memory"),
        }
    }

    /// Checks a port. What its value depends on in a frame comes before the value.
    fn port(&self, circuit: &Circuit, port: &Port) -> Check<()> {
        let gates = circuit.gates();
        let input = |bit: &Signal| !bit.is_negated() && matches!(gates.get(bit.node()), Some(Gate::Input(_)));
        let Some(memory) = circuit.memories().memories.get(port.memory.index()) else {
            return reject("a port has no memory");
        };
        if port.address.len() != memory.index as usize || port.value.len() != memory.width as usize {
            return reject("a port has other widths than its memory");
        }
        if !port.value.iter().all(input) {
            return reject("a bit of the value of a port is not an input");
        }
        let Some(first) = port.value.iter().map(|bit| bit.node()).min() else { return reject("a port without bits") };
        let address = port.address.iter().map(|signal| signal.node());
        match address.max().unwrap_or(0).max(self.initial[port.memory.index()]) < first {
            true => Ok(()),
            false => reject("the value of a port comes before its address or before initial contents"),
        }
    }
}
