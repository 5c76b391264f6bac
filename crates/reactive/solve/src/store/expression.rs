//! Expressions in postfix order, and the arithmetic of reactive programs.

use super::instr::{Code, Op, Place, Span};
use model::Reactive;
use model::ids::ExprId;
use model::reactive::{Binary, Expr, Unary};

impl Code {
    /// Evaluates an expression. Returns `None` if it crashes.
    pub(super) fn eval(&self, span: Span, cells: &[i32], input: i32, stack: &mut Vec<i32>) -> Option<i32> {
        let ops = self.ops(span);
        stack.clear();
        let mut at = 0;
        while let Some(&op) = ops.get(at) {
            at += 1;
            match op {
                Op::Const(value) => stack.push(value),
                Op::Input => stack.push(input),
                Op::Cell(cell) => stack.push(cells[cell as usize]),
                Op::Element { pointer, index } => stack.push(match self.element(cells[pointer as usize], index)? {
                    Place::Constant(value) => value,
                    Place::Cell(cell) => cells[cell as usize],
                }),
                Op::Neg => *top(stack) = top(stack).wrapping_neg(),
                Op::Not => *top(stack) = i32::from(*top(stack) == 0),
                Op::Truth => *top(stack) = i32::from(*top(stack) != 0),
                Op::Binary(op) => {
                    let right = stack.pop().expect("postfix order");
                    *top(stack) = binary(op, *top(stack), right)?;
                }
                Op::And(skip) => match *top(stack) {
                    0 => at += skip as usize,
                    _ => drop(stack.pop()),
                },
                Op::Or(skip) => match *top(stack) {
                    0 => drop(stack.pop()),
                    _ => {
                        *top(stack) = 1;
                        at += skip as usize;
                    }
                },
                Op::Crash => return None,
            }
        }
        debug_assert_eq!(stack.len(), 1, "an expression has one value");
        stack.pop()
    }
}

fn top(stack: &mut [i32]) -> &mut i32 {
    stack.last_mut().expect("postfix order")
}

/// Applies an operator to the values of its two sides. Both sides have been evaluated, even for `And` and `Or`.
/// Returns `None` if it crashes.
pub(super) fn binary(op: Binary, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div => return a.checked_div(b),
        Binary::Rem => return a.checked_rem(b),
        Binary::Eq => i32::from(a == b),
        Binary::Ne => i32::from(a != b),
        Binary::Lt => i32::from(a < b),
        Binary::Le => i32::from(a <= b),
        Binary::Gt => i32::from(a > b),
        Binary::Ge => i32::from(a >= b),
        Binary::And => i32::from(a != 0 && b != 0),
        Binary::Or => i32::from(a != 0 || b != 0),
    })
}

/// Translates expressions, folding constants.
pub(super) struct Translator<'a> {
    program: &'a Reactive,
    places: &'a [Place],
    /// For each [`ExprId`]: the value, if it is the same in every call.
    constants: Vec<Option<i32>>,
    tasks: Vec<Task>,
}

enum Task {
    Visit(ExprId),
    Emit(Op),
    /// Begins a short-circuit operator, which the matching `Close` ends.
    Open(Binary, ExprId),
    Close(usize),
}

impl<'a> Translator<'a> {
    pub(super) fn new(program: &'a Reactive, places: &'a [Place]) -> Self {
        let mut constants: Vec<Option<i32>> = Vec::with_capacity(program.exprs().len());
        for &expr in program.exprs() {
            let of = |id: ExprId| constants[id.index()];
            let value = match expr {
                Expr::Const(value) => Some(value),
                Expr::Input => None,
                Expr::Var(var) => constant(places[var.index()]),
                Expr::Element { pointer, index } => constant(places[pointer.index()])
                    .and_then(|value| program.element(value, index))
                    .and_then(|var| constant(places[var.index()])),
                Expr::Unary(Unary::Neg, a) => of(a).map(i32::wrapping_neg),
                Expr::Unary(Unary::Not, a) => of(a).map(|a| i32::from(a == 0)),
                Expr::Binary(op, a, b) => match (op, of(a), of(b)) {
                    (Binary::And, Some(0), _) => Some(0),
                    (Binary::Or, Some(a), _) if a != 0 => Some(1),
                    (_, Some(a), Some(b)) => binary(op, a, b),
                    _ => None,
                },
            };
            constants.push(value);
        }
        Self { program, places, constants, tasks: Vec::new() }
    }

    /// Returns the value of an expression if it is the same in every call.
    pub(super) fn constant(&self, expr: ExprId) -> Option<i32> {
        self.constants[expr.index()]
    }

    /// Appends the operations of an expression.
    pub(super) fn translate(&mut self, expr: ExprId, ops: &mut Vec<Op>) -> Span {
        let first = ops.len();
        self.tasks.push(Task::Visit(expr));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(expr) => self.visit(expr, ops),
                Task::Emit(op) => ops.push(op),
                Task::Open(op, right) => {
                    let at = ops.len();
                    ops.push(if op == Binary::And { Op::And(0) } else { Op::Or(0) });
                    self.tasks.extend([Task::Close(at), Task::Emit(Op::Truth), Task::Visit(right)]);
                }
                Task::Close(at) => {
                    let skip = u32::try_from(ops.len() - at - 1).expect("positions are 32 bits");
                    let (Op::And(to) | Op::Or(to)) = &mut ops[at] else { unreachable!("it was opened there") };
                    *to = skip;
                }
            }
        }
        let position = |n: usize| u32::try_from(n).expect("positions are 32 bits");
        Span { first: position(first), len: position(ops.len() - first) }
    }

    fn visit(&mut self, id: ExprId, ops: &mut Vec<Op>) {
        if let Some(value) = self.constant(id) {
            ops.push(Op::Const(value));
            return;
        }
        match self.program.expr(id) {
            Expr::Const(value) => ops.push(Op::Const(value)),
            Expr::Input => ops.push(Op::Input),
            Expr::Var(var) => ops.push(read(self.places[var.index()])),
            Expr::Element { pointer, index } => ops.push(match self.places[pointer.index()] {
                Place::Cell(pointer) => Op::Element { pointer, index },
                Place::Constant(value) => match self.program.element(value, index) {
                    Some(var) => read(self.places[var.index()]),
                    None => Op::Crash,
                },
            }),
            Expr::Unary(Unary::Neg, a) => self.tasks.extend([Task::Emit(Op::Neg), Task::Visit(a)]),
            Expr::Unary(Unary::Not, a) => self.tasks.extend([Task::Emit(Op::Not), Task::Visit(a)]),
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                if self.constant(a).is_some() {
                    // The left side does not decide the value; otherwise the whole expression would be
                    // constant.
                    self.tasks.extend([Task::Emit(Op::Truth), Task::Visit(b)]);
                } else {
                    self.tasks.extend([Task::Open(op, b), Task::Visit(a)]);
                }
            }
            Expr::Binary(op, a, b) => {
                self.tasks.extend([Task::Emit(Op::Binary(op)), Task::Visit(b), Task::Visit(a)]);
            }
        }
    }
}

fn constant(place: Place) -> Option<i32> {
    match place {
        Place::Constant(value) => Some(value),
        Place::Cell(_) => None,
    }
}

fn read(place: Place) -> Op {
    match place {
        Place::Constant(value) => Op::Const(value),
        Place::Cell(cell) => Op::Cell(cell),
    }
}
