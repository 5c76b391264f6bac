//! Checks that the memories of a circuit are well-formed: all parts exist, operands come first, widths agree, and the
//! values of ports are inputs. So their contents are defined along each run, and each run of the circuit, whatever the
//! memories have, is a run of the abstraction in which ports read any words.

use crate::{Check, reject};
use model::circuit::memory::{Array, Memories, Memory, Port};
use model::{Circuit, ContentsId, Gate, MemoryId, Signal};

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

/// The widths of each array, and the memories of initial contents.
struct Shapes<'m> {
    memories: &'m Memories,
    /// For each array: the widths of an address and of a word. The width of an address is `None` if any fits.
    arrays: Vec<(Option<usize>, usize)>,
    /// For each memory: the largest node on which the initial contents of memories up to this one depend.
    initial: Vec<usize>,
}

impl<'m> Shapes<'m> {
    fn of(memories: &'m Memories) -> Check<Self> {
        let mut arrays: Vec<(Option<usize>, usize)> = Vec::with_capacity(memories.arrays.len());
        let known = |arrays: &[(Option<usize>, usize)], id: &ContentsId| match arrays.get(id.index()) {
            Some(shape) => Ok(*shape),
            None => reject("an array comes before its operands"),
        };
        for array in &memories.arrays {
            let shape = match array {
                Array::Memory(id) => match memories.memories.get(id.index()) {
                    Some(memory) => (Some(memory.index as usize), memory.width as usize),
                    None => return reject("an array of no memory"),
                },
                Array::Fill(word) => (None, word.len()),
                Array::Write { array, address, value } => {
                    let (index, width) = known(&arrays, array)?;
                    if index.is_some_and(|index| index != address.len()) || width != value.len() {
                        return reject("a word is written to an array of other widths");
                    }
                    (Some(address.len()), width)
                }
                Array::Choose { yes, no, .. } => {
                    let (yes, no) = (known(&arrays, yes)?, known(&arrays, no)?);
                    if yes.1 != no.1 || (yes.0.is_some() && no.0.is_some() && yes.0 != no.0) {
                        return reject("a choice between arrays of different widths");
                    }
                    (yes.0.or(no.0), yes.1)
                }
            };
            arrays.push(shape);
        }
        let mut largest = 0;
        let mut initial = Vec::with_capacity(memories.memories.len());
        for memory in &memories.memories {
            let parts = memory.init.filter(|init| init.index() < arrays.len()).map(|init| memories.parts(init));
            let signals = parts.into_iter().flatten().flat_map(|part| memories.arrays[part.index()].signals());
            largest = signals.map(Signal::node).fold(largest, usize::max);
            initial.push(largest);
        }
        Ok(Self { memories, arrays, initial })
    }

    /// Checks the contents of a memory. Its initial contents depend on memories before it only.
    fn memory(&self, number: usize, memory: &Memory) -> Check<()> {
        for id in [memory.init, memory.next].into_iter().flatten() {
            let Some(&(index, width)) = self.arrays.get(id.index()) else { return reject("a memory of no array") };
            if index.is_some_and(|index| index != memory.index as usize) || width != memory.width as usize {
                return reject("a memory gets contents of other widths");
            }
        }
        let earlier = |id: ContentsId| match self.memories.arrays[id.index()] {
            Array::Memory(MemoryId(other)) => (other as usize) < number,
            _ => true,
        };
        match memory.init.is_none_or(|init| self.memories.parts(init).into_iter().all(earlier)) {
            true => Ok(()),
            false => reject("initial contents depend on a later memory"),
        }
    }

    /// Checks a port. What its value depends on in a frame comes before the value.
    fn port(&self, circuit: &Circuit, port: &Port) -> Check<()> {
        let gates = circuit.gates();
        let input = |bit: &Signal| !bit.is_negated() && matches!(gates.get(bit.node()), Some(Gate::Input(_)));
        let Some(memory) = self.memories.memories.get(port.memory.index()) else {
            return reject("a port of no memory");
        };
        if port.address.len() != memory.index as usize || port.value.len() != memory.width as usize {
            return reject("a port has other widths than its memory");
        }
        if !port.value.iter().all(input) {
            return reject("the value of a port consists of inputs");
        }
        let Some(first) = port.value.iter().map(|bit| bit.node()).min() else { return reject("a port without bits") };
        let address = port.address.iter().map(|signal| signal.node());
        match address.max().unwrap_or(0).max(self.initial[port.memory.index()]) < first {
            true => Ok(()),
            false => reject("the value of a port comes before its address or before initial contents"),
        }
    }
}
