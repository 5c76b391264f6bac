//! What a stretch of a call does when nothing is left to test: assignments in a row, for a machine with one register.

use super::code::{Cell, Code, Span};
use super::expression::Op;
use super::judge::{Interval, Known};
use model::reactive::Binary;

/// An action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// Puts a number into a cell.
    Set(Cell, i32),
    Copy {
        from: Cell,
        to: Cell,
    },
    /// Into the register.
    Load(Cell),
    LoadInput,
    Add(i32),
    /// A number less the register.
    From(i32),
    Mul(i32),
    /// By a number that is not 0.
    Div(i32),
    /// By a number that is not 0.
    Rem(i32),
    /// The register into a cell.
    Store(Cell),
    /// Any other expression; it may crash.
    Eval(Cell, Span),
}

impl Code {
    /// Performs actions; false if one crashes.
    #[inline]
    pub(super) fn perform(&self, acts: &[Act], cells: &mut [i32], input: i32, stack: &mut Vec<i32>) -> bool {
        let mut register = 0_i32;
        for act in acts {
            match *act {
                Act::Set(cell, value) => cells[cell as usize] = value,
                Act::Copy { from, to } => cells[to as usize] = cells[from as usize],
                Act::Load(cell) => register = cells[cell as usize],
                Act::LoadInput => register = input,
                Act::Add(value) => register = register.wrapping_add(value),
                Act::From(value) => register = value.wrapping_sub(register),
                Act::Mul(value) => register = register.wrapping_mul(value),
                Act::Div(value) => register = register.wrapping_div(value),
                Act::Rem(value) => register = register.wrapping_rem(value),
                Act::Store(cell) => cells[cell as usize] = register,
                Act::Eval(cell, span) => match self.eval(span, cells, input, stack) {
                    Some(value) => cells[cell as usize] = value,
                    None => return false,
                },
            }
        }
        true
    }

    /// Appends the actions of `cell = expression` with the known values put in, if the expression changes one value by numbers
    /// again and again (nearly all do); false if not.
    pub(super) fn chain(&self, cell: Cell, span: Span, known: &Known, acts: &mut Vec<Act>) -> bool {
        let mut stack: Vec<Item> = Vec::new();
        for &op in self.ops(span) {
            let item = match op {
                Op::Const(value) => Item::Number(value),
                Op::Cell(from) => known.cells[from as usize].value().map_or(Item::start(Act::Load(from)), Item::Number),
                Op::Input => known.input.map_or(Item::start(Act::LoadInput), Item::Number),
                Op::Neg => match stack.pop() {
                    Some(Item::Number(value)) => Item::Number(value.wrapping_neg()),
                    Some(Item::Chain(mut chain)) => {
                        append(&mut chain, Act::From(0));
                        Item::Chain(chain)
                    }
                    None => return false,
                },
                Op::Binary(op) => match (stack.pop(), stack.pop()) {
                    (Some(right), Some(left)) => match combine(op, left, right) {
                        Some(item) => item,
                        None => return false,
                    },
                    _ => return false,
                },
                _ => return false,
            };
            stack.push(item);
        }
        match stack.pop() {
            Some(Item::Number(value)) => acts.push(Act::Set(cell, value)),
            Some(Item::Chain(chain)) => match *chain {
                [Act::Load(from)] if from == cell => {}
                [Act::Load(from)] => acts.push(Act::Copy { from, to: cell }),
                _ => {
                    acts.extend(chain);
                    acts.push(Act::Store(cell));
                }
            },
            None => return false,
        }
        true
    }
}

enum Item {
    Number(i32),
    Chain(Vec<Act>),
}

impl Item {
    fn start(act: Act) -> Self {
        Item::Chain(vec![act])
    }
}

fn combine(op: Binary, left: Item, right: Item) -> Option<Item> {
    let (mut chain, act) = match (left, right) {
        (Item::Number(a), Item::Number(b)) => return super::expression::binary(op, a, b).map(Item::Number),
        (Item::Chain(chain), Item::Number(b)) => {
            let act = match op {
                Binary::Add => Act::Add(b),
                Binary::Sub => Act::Add(b.wrapping_neg()),
                Binary::Mul => Act::Mul(b),
                Binary::Div if b != 0 => Act::Div(b),
                Binary::Rem if b != 0 => Act::Rem(b),
                _ => return None,
            };
            (chain, act)
        }
        (Item::Number(a), Item::Chain(chain)) => {
            let act = match op {
                Binary::Add => Act::Add(a),
                Binary::Sub => Act::From(a),
                Binary::Mul => Act::Mul(a),
                _ => return None,
            };
            (chain, act)
        }
        (Item::Chain(_), Item::Chain(_)) => return None,
    };
    append(&mut chain, act);
    Some(Item::Chain(chain))
}

/// Appends an action, joined with the last one where two make one.
fn append(chain: &mut Vec<Act>, act: Act) {
    let joined = match (chain.last(), act) {
        (Some(_), Act::Mul(1) | Act::Div(1) | Act::Add(0)) => return,
        (Some(Act::Add(a)), Act::Add(b)) => Act::Add(a.wrapping_add(b)),
        (Some(Act::From(a)), Act::Add(b)) => Act::From(a.wrapping_add(b)),
        (Some(Act::Mul(a)), Act::Mul(b)) => Act::Mul(a.wrapping_mul(b)),
        _ => {
            chain.push(act);
            return;
        }
    };
    chain.pop();
    match joined {
        Act::Add(0) if !chain.is_empty() => {}
        act => chain.push(act),
    }
}

impl Known {
    /// Nothing but what values the cells can have at all.
    pub(super) fn hulls(values: &[Option<Box<[i32]>>]) -> Self {
        let hull = |values: &Option<Box<[i32]>>| match values.as_deref() {
            Some([low, .., high]) => Interval { low: *low, high: *high },
            Some([value]) => Interval::exactly(*value),
            _ => Interval::ALL,
        };
        Self { cells: values.iter().map(hull).collect(), input: None }
    }
}
