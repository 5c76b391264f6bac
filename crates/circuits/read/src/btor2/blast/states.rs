//! Inputs and states as inputs and latches.

use super::gates::Bits;
use super::{Blaster, Res};
use crate::btor2::sorts::Sort;
use crate::btor2::system::Node;
use formats::codes;
use model::circuit::{Chosen, Word};
use model::{LatchId, Reset, Signal};

/// The name of the latch that is true in the first frame.
const FIRST: &str = "$first";
/// The number of bytes of names that count as one unit of work.
const BYTES_PER_UNIT: usize = 16;

/// The names of the bits of a word: `name[3]`, or `name[2][3]` for element 2 of an array. A word or an element of one
/// bit has no number for its bit.
struct Names<'n> {
    name: &'n str,
    sort: Sort,
}

impl Names<'_> {
    fn bit(&self, at: usize) -> String {
        let width = self.sort.width() as usize;
        let (element, bit) = (at / width, at % width);
        match (self.sort, width) {
            (Sort::Bits(_), 1) => self.name.to_owned(),
            (Sort::Bits(_), _) => format!("{}[{bit}]", self.name),
            (Sort::Array { .. }, 1) => format!("{}[{element}]", self.name),
            (Sort::Array { .. }, _) => format!("{}[{element}][{bit}]", self.name),
        }
    }
}

impl Blaster<'_, '_> {
    pub(super) fn input(&mut self, number: usize, node: &Node, bits: usize) -> Res<Bits> {
        let input = &self.system.inputs[number];
        let name = input.symbol.map_or_else(|| format!("input{}", input.id), str::to_owned);
        self.room(node, &name, bits)?;
        let value = self.free(&name, node.sort, bits);
        self.word(false, number, input.symbol, node.sort, Chosen::Always, &value);
        Ok(value)
    }

    pub(super) fn state(&mut self, number: usize, node: &Node, bits: usize) -> Res<Bits> {
        let state = &self.system.states[number];
        let name = state.symbol.map_or_else(|| format!("state{}", state.id), str::to_owned);
        self.room(node, &name, bits)?;
        let init = state.init.map(|init| {
            let value = self.value(init);
            // A bit-vector is the initial value of all elements.
            if value.len() < bits { value.iter().copied().cycle().take(bits).collect() } else { value }
        });
        if state.next.is_none() {
            let value = self.free(&name, node.sort, bits);
            let chosen = if init.is_some() { Chosen::Later } else { Chosen::Always };
            self.word(true, number, state.symbol, node.sort, chosen, &value);
            return Ok(init.map_or_else(|| value.clone(), |init| self.at_first(&init, &value)));
        }
        let names = Names { name: &name, sort: node.sort };
        let reset = |at: usize| match init.as_ref().map(|init| init[at]) {
            None => Reset::Open,
            Some(Signal::TRUE) => Reset::One,
            // If the initial value of a bit is no constant, its latch is not read in the first frame.
            Some(_) => Reset::Zero,
        };
        let latches: Vec<_> = (0..bits).map(|at| self.gates.circuit().latch(reset(at), Some(names.bit(at)))).collect();
        let held: Bits = latches.iter().map(|id| self.gates.builder.circuit().latches()[id.index()].signal).collect();
        self.latches.push((number, latches));
        let Some(init) = init else {
            self.word(true, number, state.symbol, node.sort, Chosen::First, &held);
            return Ok(held);
        };
        let is_constant = |bit: Signal| bit == Signal::TRUE || bit == Signal::FALSE;
        let init: Bits =
            init.iter().zip(&held).map(|(init, held)| if is_constant(*init) { *held } else { *init }).collect();
        Ok(self.at_first(&init, &held))
    }

    /// Returns `init` in the first frame and `later` in the others, bit by bit.
    fn at_first(&mut self, init: &[Signal], later: &[Signal]) -> Bits {
        if init == later {
            return init.to_vec();
        }
        let first = match self.first {
            Some(first) => first,
            None => {
                let id = self.gates.circuit().latch(Reset::One, Some(FIRST.to_owned()));
                self.gates.circuit().set_next(id, Signal::FALSE);
                let first = self.gates.builder.circuit().latches()[id.index()].signal;
                *self.first.insert(first)
            }
        };
        self.gates.choose(first, init, later)
    }

    /// Refuses a word for which the limits have no room.
    pub(super) fn room(&mut self, node: &Node, name: &str, bits: usize) -> Res<()> {
        self.ports += bits as u64;
        if self.ports > self.limits.ports as u64 {
            if let Sort::Array { .. } = node.sort {
                return Err(self.memory(node));
            }
            let message = format!("the system has more than {} bits of inputs and states", self.limits.ports);
            return Err(self.text.error(&codes::LIMIT_PORTS, node.place(), message).label("the limit is reached here"));
        }
        if self.gates.charge(bits.saturating_mul(name.len() / BYTES_PER_UNIT)) { Ok(()) } else { Err(self.full(node)) }
    }

    /// Makes an input for each bit.
    pub(super) fn free(&mut self, name: &str, sort: Sort, bits: usize) -> Bits {
        let names = Names { name, sort };
        (0..bits).map(|at| self.gates.circuit().input(Some(names.bit(at)))).collect()
    }

    fn word(&mut self, is_state: bool, number: usize, name: Option<&str>, sort: Sort, chosen: Chosen, bits: &[Signal]) {
        self.words.push(Word {
            is_state,
            position: u32::try_from(number).unwrap_or(u32::MAX),
            name: name.map(str::to_owned),
            width: sort.width(),
            index: match sort {
                Sort::Bits(_) => None,
                Sort::Array { index, .. } => Some(index),
            },
            chosen,
            bits: bits.to_vec(),
        });
    }

    /// Sets the next functions of all latches, after all nodes have bits. Returns the latches of each state.
    pub(super) fn set_next(&mut self) -> Vec<Vec<LatchId>> {
        let states = std::mem::take(&mut self.latches);
        for (number, latches) in &states {
            let next = self.system.states[*number].next.map_or_else(Bits::new, |next| self.value(next));
            for (latch, next) in latches.iter().zip(next) {
                self.gates.circuit().set_next(*latch, next);
            }
        }
        states.into_iter().map(|(_, latches)| latches).collect()
    }
}
