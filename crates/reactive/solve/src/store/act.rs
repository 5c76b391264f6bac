//! Actions of a node of the decision tree: consecutive assignments, for a machine with one register.

use super::instr::{Cell, Code, Op, Place, Span};
use super::interval::Interval;
use super::judge::IntervalState;
use model::reactive::Binary;

/// An action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Act {
    /// Stores a number in a cell.
    Set(Cell, i32),
    Copy {
        from: Cell,
        to: Cell,
    },
    /// Loads a cell into the register.
    Load(Cell),
    LoadInput,
    Add(i32),
    /// Replaces the value x of the register by n - x, where n is the given number.
    From(i32),
    Mul(i32),
    AddCell(Cell),
    SubCell(Cell),
    MulCell(Cell),
    /// Divides by a number that is neither 0 nor -1.
    Div(i32),
    /// Takes the remainder by a number that is neither 0 nor -1.
    Rem(i32),
    /// Stores the register in a cell.
    Store(Cell),
    /// Stores in `to` the table entry for the value of `from`. The entry at `first` belongs to the value `base`,
    /// and the next entries to the next values.
    Lookup {
        from: Cell,
        to: Cell,
        base: i32,
        first: u32,
    },
    /// Stores the value of any other expression in a cell. It may crash.
    Eval(Cell, Span),
}

/// The cells during a call, with a log of their earlier values.
#[derive(Clone, Debug, Default)]
pub(super) struct CallCells {
    pub(super) cells: Vec<i32>,
    /// The cells that were written, with their earlier values, in order.
    pub(super) log: Vec<(Cell, i32)>,
    /// Stack for evaluating expressions.
    pub(super) stack: Vec<i32>,
}

impl CallCells {
    #[inline]
    fn put(&mut self, cell: Cell, value: i32) {
        let old = std::mem::replace(&mut self.cells[cell as usize], value);
        self.log.push((cell, old));
    }

    /// Logs all cells, because any cell may be written from now on.
    pub(super) fn log_all(&mut self) {
        self.log.extend((0..).zip(self.cells.iter().copied()));
    }

    /// Undoes the latest writes, until the log has this length.
    #[inline]
    pub(super) fn back_to(&mut self, length: usize) {
        for (cell, old) in self.log.drain(length..).rev() {
            self.cells[cell as usize] = old;
        }
    }
}

impl Code {
    /// Performs actions. Returns false if one crashes.
    #[inline]
    pub(super) fn perform(&self, acts: &[Act], tables: &[i32], desk: &mut CallCells, input: i32) -> bool {
        let mut register = 0_i32;
        for act in acts {
            match *act {
                Act::Set(cell, value) => desk.put(cell, value),
                Act::Copy { from, to } => desk.put(to, desk.cells[from as usize]),
                Act::Load(cell) => register = desk.cells[cell as usize],
                Act::LoadInput => register = input,
                Act::Add(value) => register = register.wrapping_add(value),
                Act::From(value) => register = value.wrapping_sub(register),
                Act::Mul(value) => register = register.wrapping_mul(value),
                Act::AddCell(cell) => register = register.wrapping_add(desk.cells[cell as usize]),
                Act::SubCell(cell) => register = register.wrapping_sub(desk.cells[cell as usize]),
                Act::MulCell(cell) => register = register.wrapping_mul(desk.cells[cell as usize]),
                Act::Div(value) => register = register.wrapping_div(value),
                Act::Rem(value) => register = register.wrapping_rem(value),
                Act::Store(cell) => desk.put(cell, register),
                Act::Lookup { from, to, base, first } => {
                    let place = desk.cells[from as usize].wrapping_sub(base).cast_unsigned();
                    desk.put(to, tables[(first + place) as usize]);
                }
                Act::Eval(cell, span) => match self.eval(span, &desk.cells, input, &mut desk.stack) {
                    Some(value) => desk.put(cell, value),
                    None => return false,
                },
            }
        }
        true
    }

    /// Returns the unknown cell on which the value of an expression depends, if there is exactly one such cell.
    pub(super) fn hangs_on(&self, span: Span, known: &IntervalState) -> Option<Cell> {
        let mut found = None;
        for &op in self.ops(span) {
            let cell = match op {
                Op::Cell(cell) => cell,
                Op::Element { pointer, index } => match self.element(known.cells[pointer as usize].single()?, index)? {
                    Place::Cell(cell) => cell,
                    Place::Constant(_) => continue,
                },
                Op::Input if known.input.is_none() => return None,
                _ => continue,
            };
            if known.cells[cell as usize].single().is_none() && *found.get_or_insert(cell) != cell {
                return None;
            }
        }
        found
    }

    /// Appends the actions of `cell = expression`, with known values inserted. This works for nearly all
    /// expressions: the expression must start with one value, and change this value step by step by numbers or
    /// cells. Returns false for any other expression.
    pub(super) fn chain(&self, cell: Cell, span: Span, known: &IntervalState, acts: &mut Vec<Act>) -> bool {
        let mut stack: Vec<Item> = Vec::new();
        for &op in self.ops(span) {
            let item = match op {
                Op::Const(value) => Item::Number(value),
                Op::Cell(from) => Item::cell(from, known),
                Op::Element { pointer, index } => {
                    let Some(value) = known.cells[pointer as usize].single() else { return false };
                    match self.element(value, index) {
                        Some(Place::Constant(value)) => Item::Number(value),
                        Some(Place::Cell(from)) => Item::cell(from, known),
                        None => return false,
                    }
                }
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
    fn cell(from: Cell, known: &IntervalState) -> Self {
        known.cells[from as usize].single().map_or(Item::start(Act::Load(from)), Item::Number)
    }

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
                Binary::Div if b != 0 && b != -1 => Act::Div(b),
                Binary::Rem if b != 0 && b != -1 => Act::Rem(b),
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
        (Item::Chain(left), Item::Chain(right)) => match (op, &*left, &*right) {
            (Binary::Add, _, &[Act::Load(cell)]) => (left, Act::AddCell(cell)),
            (Binary::Add, &[Act::Load(cell)], _) => (right, Act::AddCell(cell)),
            (Binary::Mul, _, &[Act::Load(cell)]) => (left, Act::MulCell(cell)),
            (Binary::Mul, &[Act::Load(cell)], _) => (right, Act::MulCell(cell)),
            (Binary::Sub, _, &[Act::Load(cell)]) => (left, Act::SubCell(cell)),
            _ => return None,
        },
    };
    append(&mut chain, act);
    Some(Item::Chain(chain))
}

/// Appends an action, and joins it with the last one if possible.
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

impl IntervalState {
    /// Returns for each cell the least interval that contains its possible values. The input is unknown.
    pub(super) fn hulls(values: &[Option<Box<[i32]>>]) -> Self {
        let hull = |values: &Option<Box<[i32]>>| match values.as_deref() {
            Some([low, .., high]) => Interval { lo: *low, hi: *high },
            Some([value]) => Interval::point(*value),
            _ => Interval::ALL,
        };
        Self { cells: values.iter().map(hull).collect(), input: None }
    }
}
