//! Systems over words (BTOR2): the meaning of each operator by integers, runs frame by frame, the text of a system,
//! and random systems. The source is the table of operators in Niemetz, Preiner, Wolf, Biere: Btor2, BtorMC and
//! Boolector 3.0, 2018, with the definitions of SMT-LIB.

mod generate;
mod integers;
mod text;

pub use generate::{memories, system};
pub use integers::{apply, holds};

/// The sort of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Bit-vectors of this width, which is at most 32.
    Bits(u32),
    /// Arrays: the widths of an index and of an element.
    Array(u32, u32),
}

/// A value. Bit-vectors are natural numbers below the power of two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A bit-vector.
    Bits(u128),
    /// The elements of an array.
    Array(Vec<u128>),
}

impl Value {
    /// Returns the bit-vector.
    ///
    /// # Panics
    ///
    /// If the value is an array.
    #[must_use]
    pub fn bits(&self) -> u128 {
        let Self::Bits(bits) = self else { panic!("an array has no single bits") };
        *bits
    }
}

/// An operand: the position of a node, and true if it is negated.
pub type Operand = (usize, bool);

/// What a node is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A constant.
    Constant(u128),
    /// An input, by its number.
    Input(usize),
    /// A state, by its number.
    State(usize),
    /// An operator with its name in files, its operands, and the numbers after them.
    Operation(&'static str, Vec<Operand>, Vec<u32>),
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The sort of its value.
    pub sort: Sort,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Its node.
    pub node: usize,
    /// Its initial value. A bit-vector is the initial value of all elements of an array.
    pub init: Option<Operand>,
    /// Its next value.
    pub next: Option<Operand>,
}

/// A system. Operands stand before the nodes that use them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The nodes of the inputs.
    pub inputs: Vec<usize>,
    /// The states.
    pub states: Vec<State>,
    /// Bits that must never be true.
    pub bad: Vec<Operand>,
    /// Bits that are true in each frame of a run.
    pub constraints: Vec<Operand>,
}

/// The values that a run chooses in a frame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// The value of each input.
    pub inputs: Vec<Value>,
    /// The value of each state. Only those of states that the system does not determine in the frame are used.
    pub states: Vec<Value>,
}

/// The values of all nodes in a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    values: Vec<Value>,
}

impl Frame {
    /// Returns the first frame.
    #[must_use]
    pub fn first(system: &System, choices: &Choices) -> Self {
        Self::of(system, choices, |state, values| {
            let init = system.states[state].init?;
            let value = operand(system, values, init);
            Some(match (&value, system.nodes[system.states[state].node].sort) {
                (Value::Bits(element), Sort::Array(index, _)) => Value::Array(vec![*element; 1 << index]),
                _ => value,
            })
        })
    }

    /// Returns the frame after this one.
    #[must_use]
    pub fn next(&self, system: &System, choices: &Choices) -> Self {
        Self::of(system, choices, |state, _| Some(operand(system, &self.values, system.states[state].next?)))
    }

    fn of(system: &System, choices: &Choices, state: impl Fn(usize, &[Value]) -> Option<Value>) -> Self {
        let mut values = Vec::with_capacity(system.nodes.len());
        for node in &system.nodes {
            let value = match &node.kind {
                Kind::Constant(bits) => Value::Bits(*bits),
                Kind::Input(number) => choices.inputs[*number].clone(),
                Kind::State(number) => state(*number, &values).unwrap_or_else(|| choices.states[*number].clone()),
                Kind::Operation(name, operands, numbers) => {
                    let widths: Vec<u32> = operands.iter().map(|o| width(system.nodes[o.0].sort)).collect();
                    let operands: Vec<Value> = operands.iter().map(|o| operand(system, &values, *o)).collect();
                    apply(name, &operands, &widths, numbers)
                }
            };
            values.push(value);
        }
        Self { values }
    }

    /// Returns the value of an operand.
    #[must_use]
    pub fn value(&self, system: &System, of: Operand) -> Value {
        operand(system, &self.values, of)
    }

    /// True if all constraints hold.
    #[must_use]
    pub fn counts(&self, system: &System) -> bool {
        system.constraints.iter().all(|c| self.value(system, *c) == Value::Bits(1))
    }
}

fn operand(system: &System, values: &[Value], (node, is_negated): Operand) -> Value {
    match (&values[node], is_negated) {
        (Value::Bits(bits), true) => Value::Bits(!bits & ((1 << width(system.nodes[node].sort)) - 1)),
        (value, _) => value.clone(),
    }
}

/// Returns the width of a bit-vector, or of an element.
#[must_use]
pub fn width(sort: Sort) -> u32 {
    match sort {
        Sort::Bits(width) | Sort::Array(_, width) => width,
    }
}
