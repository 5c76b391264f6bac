//! Computes the values that a variable can have, and the numbers at which conditions change.
//!
//! The value sets are the least sets with two properties. The set of a variable contains its initial value, and
//! the values that each assignment to the variable may assign. An assignment of a constant assigns this
//! constant, a copy assigns any value of the copied variable, and an expression over constants and truth values
//! assigns any of its results. Any other assignment may assign any value. (Van de Pol, Ruys, te Brinke 2014,
//! section 2.4, find that most variables take few values.)

use super::expression::binary;
use super::instr::{Code, Instr, Op, Place, Span};
use model::reactive::Binary;
use std::collections::BTreeSet;

/// Larger sets count as all values.
const MANY: usize = 1 << 12;

/// Returns for each cell its possible values, ascending, or `None` for any value. Linear, except for copies,
/// which are propagated until nothing changes.
pub(super) fn value_sets(code: &Code) -> Vec<Option<Box<[i32]>>> {
    let mut sets: Vec<Option<BTreeSet<i32>>> =
        code.cells.iter().map(|var| Some(BTreeSet::from([code.program.initial()[var.index()]]))).collect();
    let mut copies = Vec::new();
    for instr in &code.instrs {
        let Instr::Assign(to, span) = *instr else { continue };
        match *code.ops(span) {
            [Op::Const(value)] => add(&mut sets[to as usize], &[value]),
            [Op::Cell(from)] => copies.push((from as usize, to as usize)),
            [Op::Element { index, .. }] => match elements(code, index) {
                Some(values) => add(&mut sets[to as usize], &values),
                None => sets[to as usize] = None,
            },
            ref ops => match outcomes(ops) {
                Some(values) => add(&mut sets[to as usize], &values),
                None => sets[to as usize] = None,
            },
        }
    }
    copies.sort_unstable();
    copies.dedup();
    let mut changed = true;
    while changed {
        changed = false;
        for &(from, to) in &copies {
            let before = sets[to].as_ref().map(BTreeSet::len);
            match sets[from].clone() {
                Some(values) => add(&mut sets[to], &values.into_iter().collect::<Vec<_>>()),
                None => sets[to] = None,
            }
            changed |= sets[to].as_ref().map(BTreeSet::len) != before;
        }
    }
    sets.into_iter().map(|set| set.map(|set| set.into_iter().collect())).collect()
}

/// Returns the values that an expression can have if the variables have arbitrary values. Returns `None` if
/// these are too many. They are few for expressions that calculate with truth values. (A look-up at a variable
/// index may be written as a sum of numbers times truth values.)
fn outcomes(ops: &[Op]) -> Option<Vec<i32>> {
    let mut stack: Vec<Option<Vec<i32>>> = Vec::new();
    for op in ops {
        let values = match *op {
            Op::Const(value) => Some(vec![value]),
            Op::Input | Op::Cell(_) | Op::Element { .. } | Op::Crash => None,
            Op::Neg => stack.pop()?.map(|values| values.into_iter().map(i32::wrapping_neg).collect()),
            Op::Not | Op::Truth => {
                stack.pop();
                Some(vec![0, 1])
            }
            // The right side ends in a `Truth`, which stands for both sides.
            Op::And(_) | Op::Or(_) => {
                stack.pop();
                continue;
            }
            Op::Binary(op) => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                match op {
                    Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem => pairwise(op, left, right),
                    _ => Some(vec![0, 1]),
                }
            }
        };
        stack.push(values);
    }
    stack.pop()?
}

/// Applies the operator to all pairs, except those that crash.
fn pairwise(op: Binary, left: Option<Vec<i32>>, right: Option<Vec<i32>>) -> Option<Vec<i32>> {
    let (left, right) = (left?, right?);
    if left.len() * right.len() > MANY {
        return None;
    }
    let pairs = left.iter().flat_map(|&a| right.iter().filter_map(move |&b| binary(op, a, b)));
    Some(pairs.collect::<BTreeSet<i32>>().into_iter().collect())
}

fn add(set: &mut Option<BTreeSet<i32>>, values: &[i32]) {
    let Some(known) = set else { return };
    known.extend(values);
    if known.len() > MANY {
        *set = None;
    }
}

/// Returns the values of the elements `index` of all arrays, if none of these elements ever changes.
fn elements(code: &Code, index: u32) -> Option<Vec<i32>> {
    let arrays = code.program.arrays().iter().filter(|array| index < array.len);
    arrays
        .map(|array| match code.places[(array.first.0 + index) as usize] {
            Place::Constant(value) => Some(value),
            Place::Cell(_) => None,
        })
        .collect()
}

/// Describes how conditions test the cells.
#[derive(Clone, Debug)]
pub(super) struct Tests {
    /// For each cell: the numbers at which the outcome of a test may change, ascending. All numbers from one
    /// cut (included) to the next (excluded) give the same outcomes.
    pub(super) cuts: Vec<Box<[i32]>>,
    /// For each cell: the number of its tests.
    pub(super) weights: Vec<u32>,
}

/// Collects the tests of all conditions.
pub(super) fn tests(code: &Code, values: &[Option<Box<[i32]>>]) -> Tests {
    let mut pass = Pass {
        cuts: vec![Vec::new(); code.cells.len()],
        is_exact: vec![false; code.cells.len()],
        weights: vec![0; code.cells.len()],
        stack: Vec::new(),
    };
    for instr in &code.instrs {
        if let Instr::Branch { condition, .. } = *instr {
            pass.condition(code, condition);
        }
    }
    for ((cuts, is_exact), values) in pass.cuts.iter_mut().zip(&pass.is_exact).zip(values) {
        if let (true, Some(values)) = (is_exact, values) {
            values.iter().for_each(|&value| around(cuts, value));
        }
        cuts.sort_unstable();
        cuts.dedup();
    }
    Tests { cuts: pass.cuts.into_iter().map(Vec::into_boxed_slice).collect(), weights: pass.weights }
}

/// The kind of an operand, as far as tests depend on it.
#[derive(Clone, Copy)]
enum Operand {
    Const(i32),
    Cell(u32),
    Other,
}

struct Pass {
    cuts: Vec<Vec<i32>>,
    /// For each cell: true if it is compared with something that is not constant, or used as a pointer.
    is_exact: Vec<bool>,
    weights: Vec<u32>,
    stack: Vec<Operand>,
}

impl Pass {
    fn condition(&mut self, code: &Code, span: Span) {
        self.stack.clear();
        for op in code.ops(span) {
            match *op {
                Op::Const(value) => self.stack.push(Operand::Const(value)),
                Op::Cell(cell) => self.stack.push(Operand::Cell(cell)),
                Op::Element { pointer, .. } => {
                    self.exact(pointer);
                    self.stack.push(Operand::Other);
                }
                Op::Input | Op::Crash => self.stack.push(Operand::Other),
                Op::Neg => *self.stack.last_mut().expect("postfix order") = Operand::Other,
                Op::Not | Op::Truth => {
                    self.truth();
                    self.stack.push(Operand::Other);
                }
                Op::And(_) | Op::Or(_) => self.truth(),
                Op::Binary(op) => {
                    let right = self.stack.pop().expect("postfix order");
                    let left = self.stack.pop().expect("postfix order");
                    self.binary(op, left, right);
                    self.stack.push(Operand::Other);
                }
            }
        }
        self.truth();
    }

    /// Pops the top, which is compared with 0.
    fn truth(&mut self) {
        if let Some(Operand::Cell(cell)) = self.stack.pop() {
            around(&mut self.cuts[cell as usize], 0);
            self.weights[cell as usize] += 1;
        }
    }

    fn exact(&mut self, cell: u32) {
        self.is_exact[cell as usize] = true;
        self.weights[cell as usize] += 1;
    }

    fn binary(&mut self, op: Binary, left: Operand, right: Operand) {
        let (cell, value, op) = match (left, right) {
            (Operand::Cell(cell), Operand::Const(value)) => (cell, value, op),
            (Operand::Const(value), Operand::Cell(cell)) => (cell, value, mirrored(op)),
            _ => {
                for side in [left, right] {
                    if let Operand::Cell(cell) = side {
                        self.exact(cell);
                    }
                }
                return;
            }
        };
        let cuts = &mut self.cuts[cell as usize];
        match op {
            Binary::Eq | Binary::Ne => around(cuts, value),
            Binary::Lt | Binary::Ge => cuts.push(value),
            Binary::Le | Binary::Gt => cuts.extend(value.checked_add(1)),
            _ => return,
        }
        self.weights[cell as usize] += 1;
    }
}

/// Adds the cuts that separate a single number.
fn around(cuts: &mut Vec<i32>, value: i32) {
    cuts.push(value);
    cuts.extend(value.checked_add(1));
}

/// Returns the operator for exchanged sides.
fn mirrored(op: Binary) -> Binary {
    match op {
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        op => op,
    }
}
