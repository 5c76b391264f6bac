//! From nodes over words to a circuit of bits.
//!
//! Only nodes on which a property or a constraint depends, in some frame, become gates. A node becomes a list of
//! signals: see [`gates`]. Equal gates are shared by [`model::CircuitBuilder`].
//!
//! States. With `next`, each bit is a latch. If the bit of the initial value is constant, it is the reset value of the
//! latch. An initial value that depends on other states is chosen by a latch that is true in the first frame only: the
//! value of the state is `ite(first, init, latch)`. Without `next`, a state has any value in each frame, so each bit is
//! an input; with `init`, the initial value is chosen in the first frame in the same way.
//!
//! Arrays of more bits than [`Limits::array_bits`] are memories of the circuit ([`memories`]).

mod arithmetic;
mod arrays;
mod gates;
mod memories;
mod memory_parts;
mod operations;
mod prune;
mod states;

use super::Res;
use super::ops::Op;
use super::sorts::Sort;
use super::system::{Kind, Node, Operand, System};
use formats::codes;
use formats::error::{Error, Text};
use formats::source::Limits;
use gates::{Bits, Gates, not};
use memory_parts::MemoryParts;
use model::circuit::Word;
use model::{Circuit, LatchId, Signal};

/// The share of the limit on nodes that the gates may reach: the table of equal gates takes memory, too.
const GATE_SHARE: usize = 2;

struct Blaster<'s, 'a> {
    system: &'s System<'a>,
    text: Text<'a>,
    limits: &'s Limits,
    gates: Gates,
    /// The bits of each node that is computed.
    values: Vec<Option<Bits>>,
    /// For each state with `next` that is computed: its latches.
    latches: Vec<(usize, Vec<LatchId>)>,
    /// True in the first frame only, if something depends on it.
    first: Option<Signal>,
    /// The number of inputs, latches, outputs and constraints.
    ports: u64,
    words: Vec<Word>,
    memories: MemoryParts,
}

pub(super) fn circuit(system: &System<'_>, text: Text<'_>, limits: &Limits) -> Res<Circuit> {
    let needed = cone(system);
    let mut blaster = Blaster {
        system,
        text,
        limits,
        gates: Gates::new(limits.nodes, limits.nodes / GATE_SHARE),
        values: vec![None; system.nodes.len()],
        latches: Vec::new(),
        first: None,
        ports: system.ends().count() as u64,
        words: Vec::new(),
        memories: MemoryParts::new(system, &needed, limits),
    };
    for (at, node) in system.nodes.iter().enumerate().filter(|(at, _)| needed[*at]) {
        blaster.node(at, node)?;
    }
    blaster.finish()
}

/// Returns for each node whether a property or a constraint depends on it.
fn cone(system: &System<'_>) -> Vec<bool> {
    let mut needed = vec![false; system.nodes.len()];
    let mut open: Vec<usize> = system.ends().map(Operand::node).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut needed[node], true) {
            continue;
        }
        match system.nodes[node].kind {
            Kind::Constant(_) | Kind::Input(_) => {}
            Kind::State(number) => {
                let state = &system.states[number as usize];
                open.extend([state.init, state.next].into_iter().flatten().map(Operand::node));
            }
            Kind::Operation { operands, count, .. } => {
                open.extend(operands.iter().take(count.into()).map(|operand| operand.node()));
            }
        }
    }
    needed
}

impl Blaster<'_, '_> {
    fn node(&mut self, at: usize, node: &Node) -> Res<()> {
        if self.memories.are_of(node.sort) {
            return self.contents(at, node);
        }
        let most = self.limits.nodes as u64;
        let bits = node.sort.bits().filter(|bits| *bits <= most);
        let Some(bits) = bits.and_then(|bits| usize::try_from(bits).ok()) else { return Err(self.memory(node)) };
        let value = match node.kind {
            // A word that is too large for the limits is refused before anything is made of it.
            _ if !self.gates.charge(bits) => return Err(self.full(node)),
            Kind::Constant(start) => {
                let start = start as usize;
                self.system.constants[start..start + bits].iter().map(|bit| Signal::constant(*bit)).collect()
            }
            Kind::Input(number) => self.input(number as usize, node, bits)?,
            Kind::State(number) => self.state(number as usize, node, bits)?,
            Kind::Operation { op: Op::Read, operands: [array, address, _], .. }
                if self.memories.are_of(self.system.sort(array)) =>
            {
                self.read_memory(array.node(), address, node)?
            }
            Kind::Operation { op, operands, count, numbers } => {
                let mut words: Vec<Bits> = Vec::with_capacity(3);
                for operand in operands.iter().take(count.into()) {
                    words.push(self.value(*operand));
                    self.gates.charge(words[words.len() - 1].len());
                }
                operations::operation(&mut self.gates, op, &words, numbers, node.sort)
            }
        };
        if self.gates.is_full() {
            return Err(self.full(node));
        }
        debug_assert_eq!(value.len(), bits);
        self.values[at] = Some(value);
        Ok(())
    }

    /// Returns the bits of an operand. Nodes are computed in the order of the file, in which operands come first.
    fn value(&self, operand: Operand) -> Bits {
        let bits = self.values[operand.node()].as_deref().unwrap_or_default();
        if operand.is_negated() { not(bits) } else { bits.to_vec() }
    }

    fn bit(&self, operand: Operand) -> Signal {
        self.value(operand)[0]
    }

    /// The error that a node needs too many gates.
    fn full(&self, node: &Node) -> Box<Error> {
        let most = self.limits.nodes / GATE_SHARE;
        let message = format!("the circuit of the system has more than {most} gates");
        self.text.error(&codes::LIMIT_NODES, node.place(), message).label("the limit is reached here")
    }

    /// The error that an array is too large.
    fn memory(&self, node: &Node) -> Box<Error> {
        let message = format!("{} is too large: each bit of each element would become a latch", node.sort);
        let error = self.text.error(&codes::BTOR2_MEMORY, node.place(), message);
        let hint =
            format!("inputs and latches are at most {} together; `--memory` raises the limit", self.limits.ports);
        let error = error.label("this array").hint(hint);
        match self.comparison(node.sort) {
            Some(other) => {
                let line = self.text.line(other.place().start);
                error.hint(format!("line {line} compares such arrays; without comparisons they would be memories"))
            }
            None => error,
        }
    }

    /// Returns the first comparison of arrays of this sort.
    fn comparison(&self, sort: Sort) -> Option<&Node> {
        self.system.nodes.iter().find(|node| match node.kind {
            Kind::Operation { op: Op::Eq | Op::Neq, operands, .. } => self.system.sort(operands[0]) == sort,
            _ => false,
        })
    }

    fn finish(mut self) -> Res<Circuit> {
        let states = self.set_next();
        let memories = self.memory_contents();
        self.gates.circuit().set_memories(memories);
        for (operand, name) in &self.system.bad {
            let signal = self.bit(*operand);
            self.gates.circuit().output(signal, name.map(str::to_owned));
        }
        for operand in &self.system.constraints {
            let signal = self.bit(*operand);
            self.gates.circuit().constrain(signal);
        }
        for (operands, name) in &self.system.justice {
            let signals = operands.iter().map(|operand| self.bit(*operand)).collect();
            self.gates.circuit().justice(signals, name.map(str::to_owned));
        }
        for operand in &self.system.fairness {
            let signal = self.bit(*operand);
            self.gates.circuit().add_fairness(signal);
        }
        self.words.sort_by_key(|word| (word.is_state, word.position));
        Ok(prune::pruned(&self.gates.builder.finish(), &states, self.words))
    }
}
