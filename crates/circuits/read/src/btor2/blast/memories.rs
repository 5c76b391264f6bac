//! Arrays that are too large for a latch for each bit, as memories of the circuit ([`model::circuit::memory`]).
//!
//! The value of a node of such a sort is not a list of bits, but a part of the description of memories. A `read`
//! becomes a tree of choices over what may have been written in the same frame, with ports of memories as its leaves.
//! There is one port for each memory and address. Arrays of a sort are latches, whatever their size, if two of them
//! are compared by `eq` or `neq`: this cannot be said by words at some addresses. In a system with justice
//! properties, only arrays of more than 2^20 bits are memories.

use super::gates::Bits;
use super::{Blaster, Res};
use crate::btor2::ops::Op;
use crate::btor2::sorts::Sort;
use crate::btor2::system::{Kind, Node, Operand};
use hashbrown::HashMap;
use model::circuit::memory::{Array, Memories, Memory, Port};
use model::{ContentsId, MemoryId, Signal};

impl Blaster<'_, '_> {
    /// Computes the contents of a node that is a memory, or an operation on memories.
    pub(super) fn contents(&mut self, at: usize, node: &Node) -> Res<()> {
        if !self.gates.charge(1) {
            return Err(self.full(node));
        }
        let array = match node.kind {
            Kind::Input(number) => {
                let number = number as usize;
                let symbol = self.system.inputs[number].symbol;
                self.add_memory(node, (false, number), symbol, None)
            }
            Kind::State(number) => {
                let number = number as usize;
                let state = &self.system.states[number];
                let init = state.init.map(|init| self.initial(init));
                self.add_memory(node, (true, number), state.symbol, init)
            }
            Kind::Operation { op: Op::Write, operands: [array, address, value], .. } => {
                let (address, value) = (self.value(address), self.value(value));
                self.gates.charge(address.len() + value.len());
                Array::Write { array: self.part(array), address, value }
            }
            Kind::Operation { op: Op::Ite, operands: [condition, yes, no], .. } => {
                let condition = self.bit(condition);
                Array::Choose { condition, yes: self.part(yes), no: self.part(no) }
            }
            Kind::Operation { .. } | Kind::Constant(_) => unreachable!("no other node has the sort of an array"),
        };
        let id = self.memories.memories.array(array);
        self.memories.contents.insert(at, id);
        Ok(())
    }

    /// Returns the contents of an operand. Arrays have no negation.
    fn part(&self, operand: Operand) -> ContentsId {
        self.memories.contents[&operand.node()]
    }

    /// Returns the initial contents: those of another array, or a word.
    fn initial(&mut self, init: Operand) -> ContentsId {
        match self.system.sort(init) {
            Sort::Array { .. } => self.part(init),
            Sort::Bits(_) => {
                let word = self.value(init);
                self.memories.memories.array(Array::Fill(word))
            }
        }
    }

    /// Adds a memory.
    fn add_memory(
        &mut self,
        node: &Node,
        (is_state, number): (bool, usize),
        name: Option<&str>,
        init: Option<ContentsId>,
    ) -> Array {
        let Sort::Array { index, element: width } = node.sort else { unreachable!("a memory is an array") };
        let position = u32::try_from(number).unwrap_or(u32::MAX);
        let name = name.map(str::to_owned);
        let memory = Memory { is_state, position, name, index, width, init, next: None };
        let id = self.memories.memories.add(memory);
        if is_state {
            self.memories.states.push((id, number));
        }
        Array::Memory(id)
    }

    /// Returns the word at an address of the array that is this node.
    pub(super) fn read_memory(&mut self, array: usize, address: Operand, node: &Node) -> Res<Bits> {
        let address = self.value(address);
        let root = self.memories.contents[&array];
        let mut words: HashMap<ContentsId, Bits> = HashMap::new();
        for part in self.memories.memories.parts(root) {
            let word = match self.memories.memories.arrays[part.index()].clone() {
                Array::Memory(memory) => self.port(memory, &address, node)?,
                Array::Fill(_) => unreachable!("words are initial contents only"),
                Array::Write { array, address: written, value } => {
                    let is_here = self.gates.equal(&written, &address);
                    self.gates.choose(is_here, &value, &words[&array])
                }
                Array::Choose { condition, yes, no } => self.gates.choose(condition, &words[&yes], &words[&no]),
            };
            if !self.gates.charge(address.len() + word.len()) {
                return Err(self.full(node));
            }
            words.insert(part, word);
        }
        Ok(words.remove(&root).unwrap_or_default())
    }

    /// Returns the value of a port, which may be new.
    fn port(&mut self, memory: MemoryId, address: &[Signal], node: &Node) -> Res<Bits> {
        if let Some(value) = self.memories.ports.get(&(memory, address.to_vec())) {
            return Ok(value.clone());
        }
        let of = &self.memories.memories.memories[memory.index()];
        let (number, sort) = (self.memories.memories.ports.len(), Sort::Bits(of.width));
        let named = of.name.clone().unwrap_or_else(|| {
            let position = of.position as usize;
            if of.is_state {
                format!("state{}", self.system.states[position].id)
            } else {
                format!("input{}", self.system.inputs[position].id)
            }
        });
        let name = format!("{named}@{number}");
        let bits = of.width as usize;
        self.room(node, &name, bits)?;
        let value = self.free(&name, sort, bits);
        let port = Port { memory, address: address.to_vec(), value: value.clone() };
        self.memories.memories.port(port);
        self.memories.ports.insert((memory, address.to_vec()), value.clone());
        Ok(value)
    }

    /// Returns the memories, with their next contents.
    pub(super) fn memory_contents(&mut self) -> Memories {
        for (memory, state) in std::mem::take(&mut self.memories.states) {
            let next = self.system.states[state].next.map(|next| self.part(next));
            self.memories.memories.memories[memory.index()].next = next;
        }
        std::mem::take(&mut self.memories.memories)
    }
}
