//! Random systems over words of at most 8 bits and arrays of at most 8 elements.

use super::{Kind, Node, Operand, Sort, State, System};
use crate::Random;

/// Operators on two words of the same width, with a result of this width.
const COMBINE: &[&str] = &[
    "and", "nand", "nor", "or", "xor", "xnor", "rol", "ror", "sll", "sra", "srl", "add", "mul", "udiv", "sdiv", "smod",
    "srem", "urem", "sub",
];
/// Operators on two words of the same width, with a result of one bit.
const COMPARE: &[&str] = &[
    "eq", "neq", "sgt", "ugt", "sgte", "ugte", "slt", "ult", "slte", "ulte", "saddo", "uaddo", "sdivo", "smulo",
    "umulo", "ssubo", "usubo",
];
const MAP: &[&str] = &["not", "inc", "dec", "neg"];
const REDUCE: &[&str] = &["redand", "redor", "redxor"];
const BIT: Sort = Sort::Bits(1);

struct Making<'r> {
    random: &'r mut Random,
    system: System,
    /// For each node: true if its value depends on an input.
    reads_input: Vec<bool>,
    sorts: Vec<Sort>,
    /// True if most operations are about arrays, and no arrays are compared.
    is_about_arrays: bool,
}

/// Returns a system for `seed` in which most operations read and write arrays. Its bad states depend on what is read.
#[must_use]
pub fn memories(seed: u64) -> System {
    let random = &mut Random::new(seed.wrapping_mul(0xa076_1d64_78bd_642f));
    let (index, element) = (random.between(1, 3) as u32, random.between(1, 4) as u32);
    let sorts = vec![BIT, Sort::Bits(index), Sort::Bits(element), Sort::Array(index, element)];
    let mut making =
        Making { random, system: System::default(), reads_input: Vec::new(), sorts, is_about_arrays: true };
    for sort in [Sort::Bits(index), Sort::Bits(element), Sort::Array(index, element)] {
        making.state_of(sort);
    }
    making.leaves();
    for _ in 0..making.random.between(6, 16) {
        making.operation();
    }
    making.ends();
    let mut depends: Vec<bool> = Vec::new();
    for node in &making.system.nodes {
        let read = matches!(&node.kind, Kind::Operation("read", ..));
        let operands = if let Kind::Operation(_, operands, _) = &node.kind { &operands[..] } else { &[] };
        depends.push(read || operands.iter().any(|operand| depends[operand.0]));
    }
    let mut system = making.system;
    system.bad.retain(|(node, _)| depends[*node]);
    system
}

/// Returns the system for `seed`. Each bit of each node that is a word is also a bad state.
#[must_use]
pub fn system(seed: u64) -> System {
    let random = &mut Random::new(seed.wrapping_mul(0x9fb2_1c65_1e98_df25));
    let mut sorts = vec![BIT];
    (0..random.between(1, 3)).for_each(|_| sorts.push(Sort::Bits(random.between(1, 8) as u32)));
    if random.chance(60) {
        sorts.push(Sort::Array(random.between(1, 3) as u32, random.between(1, 4) as u32));
    }
    let mut making =
        Making { random, system: System::default(), reads_input: Vec::new(), sorts, is_about_arrays: false };
    making.leaves();
    for _ in 0..making.random.between(4, 20) {
        making.operation();
    }
    making.ends();
    making.system
}

impl Making<'_> {
    fn node(&mut self, kind: Kind, sort: Sort, reads_input: bool) -> usize {
        self.system.nodes.push(Node { kind, sort });
        self.reads_input.push(reads_input);
        self.system.nodes.len() - 1
    }

    fn constant(&mut self, width: u32) -> usize {
        let bits = u128::from(self.random.bits()) & ((1 << width) - 1);
        self.node(Kind::Constant(bits), Sort::Bits(width), false)
    }

    fn input(&mut self) {
        let (sort, number) = (*self.random.pick(&self.sorts), self.system.inputs.len());
        let node = self.node(Kind::Input(number), sort, true);
        self.system.inputs.push(node);
    }

    fn state(&mut self) {
        let sort = *self.random.pick(&self.sorts);
        self.state_of(sort);
    }

    fn state_of(&mut self, sort: Sort) {
        let mut init = self.random.chance(60).then(|| self.find(sort, true)).flatten();
        if let (Sort::Array(_, element), true) = (sort, init.is_none() && self.random.chance(50)) {
            init = self.find(Sort::Bits(element), true);
        }
        let number = self.system.states.len();
        let node = self.node(Kind::State(number), sort, false);
        self.system.states.push(State { node, init, next: None });
    }

    /// Adds constants of all widths, and then inputs, states and a few operations in any order.
    fn leaves(&mut self) {
        for sort in self.sorts.clone() {
            self.constant(super::width(sort));
            if let Sort::Array(index, _) = sort {
                self.constant(index);
            }
        }
        for _ in 0..self.random.between(3, 7) {
            match self.random.below(3) {
                0 => self.input(),
                1 => self.state(),
                _ => self.operation(),
            }
        }
    }

    /// Returns a random operand of this sort, perhaps only one that reads no input.
    fn find(&mut self, sort: Sort, is_steady: bool) -> Option<Operand> {
        let fits = |at: &usize| self.system.nodes[*at].sort == sort && !(is_steady && self.reads_input[*at]);
        let all: Vec<usize> = (0..self.system.nodes.len()).filter(fits).collect();
        if all.is_empty() {
            return None;
        }
        let node = *self.random.pick(&all);
        Some((node, matches!(sort, Sort::Bits(_)) && self.random.chance(20)))
    }

    /// Returns a random word, and its width.
    fn word(&mut self) -> (Operand, u32) {
        let is_word = |at: &usize| matches!(self.system.nodes[*at].sort, Sort::Bits(_));
        let all: Vec<usize> = (0..self.system.nodes.len()).filter(is_word).collect();
        let node = *self.random.pick(&all);
        ((node, self.random.chance(20)), super::width(self.system.nodes[node].sort))
    }

    fn operation(&mut self) {
        let (a, width) = self.word();
        let same = self.find(Sort::Bits(width), false).unwrap_or(a);
        let bit = self.find(BIT, false).unwrap_or((0, false));
        let own = Sort::Bits(width);
        let kind = if self.is_about_arrays && self.random.chance(60) { 11 } else { self.random.below(12) };
        match kind {
            0..=3 => self.add_one(COMBINE, vec![a, same], vec![], own),
            4..=5 => self.add_one(COMPARE, vec![a, same], vec![], BIT),
            6 => self.add_one(MAP, vec![a], vec![], own),
            7 => self.add_one(REDUCE, vec![a], vec![], BIT),
            8 => {
                let other = self.find(BIT, false).unwrap_or(bit);
                self.add_one(&["iff", "implies"], vec![bit, other], vec![], BIT);
            }
            9 => self.resize(a, width),
            10 => self.add("ite", vec![bit, a, same], vec![], own),
            _ => self.array(bit),
        }
    }

    fn add(&mut self, name: &'static str, operands: Vec<Operand>, numbers: Vec<u32>, sort: Sort) {
        let reads_input = operands.iter().any(|o| self.reads_input[o.0]);
        self.node(Kind::Operation(name, operands, numbers), sort, reads_input);
    }

    /// Adds an operation with one of these names.
    fn add_one(&mut self, names: &[&'static str], operands: Vec<Operand>, numbers: Vec<u32>, sort: Sort) {
        let name = *self.random.pick(names);
        self.add(name, operands, numbers, sort);
    }

    fn resize(&mut self, a: Operand, width: u32) {
        match self.random.below(3) {
            0 => {
                let lower = self.random.below(width as usize) as u32;
                let upper = self.random.between(lower as usize, width as usize - 1) as u32;
                self.add("slice", vec![a], vec![upper, lower], Sort::Bits(upper - lower + 1));
            }
            1 => {
                let more = self.random.below(4) as u32;
                self.add_one(&["sext", "uext"], vec![a], vec![more], Sort::Bits(width + more));
            }
            _ => {
                let (b, other) = self.word();
                if width + other <= 12 {
                    self.add("concat", vec![a, b], vec![], Sort::Bits(width + other));
                }
            }
        }
    }

    fn array(&mut self, bit: Operand) {
        let Some(&sort @ Sort::Array(index, element)) = self.sorts.last() else { return };
        let (Some(array), Some(other)) = (self.find(sort, false), self.find(sort, false)) else { return };
        let (Some(at), Some(value)) = (self.find(Sort::Bits(index), false), self.find(Sort::Bits(element), false))
        else {
            return;
        };
        match self.random.below(if self.is_about_arrays { 5 } else { 6 }) {
            0..=1 => self.add("read", vec![array, at], vec![], Sort::Bits(element)),
            2..=3 => self.add("write", vec![array, at, value], vec![], sort),
            4 => self.add("ite", vec![bit, array, other], vec![], sort),
            _ => self.add_one(&["eq", "neq"], vec![array, other], vec![], BIT),
        }
    }

    /// Adds next values, constraints and bad states.
    fn ends(&mut self) {
        for number in 0..self.system.states.len() {
            let sort = self.system.nodes[self.system.states[number].node].sort;
            self.system.states[number].next = self.random.chance(80).then(|| self.find(sort, false)).flatten();
        }
        if self.random.chance(30)
            && let Some(constraint) = self.find(BIT, false)
        {
            self.system.constraints.push(constraint);
        }
        for at in 0..self.system.nodes.len() {
            let Sort::Bits(width) = self.system.nodes[at].sort else { continue };
            for bit in 0..width {
                self.add("slice", vec![(at, false)], vec![bit, bit], BIT);
                self.system.bad.push((self.system.nodes.len() - 1, self.random.chance(10)));
            }
        }
    }
}
