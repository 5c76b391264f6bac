//! Evaluation of expressions when only some variables are known, by their intervals.
//!
//! Expressions are compiled once to postfix order with jumps for `&&` and `||`, so evaluation does not recurse.
//! If the result depends on an unknown value, it is [`Value::Open`], and the [`ValueSource`] records which
//! variable should be looked up next.

use crate::store::interval::{self, Interval};
use hashbrown::HashMap;
use model::reactive::{Binary, Expr, Unary};
use model::{ExprId, Reactive, VarId};

/// What is known about a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// The value is in this interval.
    Is(Interval),
    /// The value depends on a variable that is not known yet.
    Open,
    /// The evaluation stops the program.
    Crash,
}

/// A source of variables' values.
pub(crate) trait ValueSource {
    /// What is known about a variable; `Open` if nothing is known. Implementations record that the variable was
    /// requested.
    fn var(&mut self, var: VarId) -> Value;
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Push(i32),
    Input,
    Var(VarId),
    Element(VarId, u32),
    Unary(Unary),
    Binary(Binary),
    /// If the top of the stack certainly has the value that decides the operator, jumps over the right operand
    /// and the operator.
    Skip {
        decides: bool,
        to: u32,
    },
}

/// Compiled expressions.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    ops: Vec<Op>,
    spans: HashMap<ExprId, (u32, u32)>,
    stack: Vec<Value>,
    /// True if overflowing operations on single numbers wrap, as in the program. Otherwise their result is any
    /// number.
    wraps: bool,
}

impl Codes {
    /// Makes codes for single states, where overflow wraps.
    pub(crate) fn wrapping() -> Self {
        Self { wraps: true, ..Self::default() }
    }

    fn span(&mut self, program: &Reactive, root: ExprId) -> (u32, u32) {
        if let Some(&span) = self.spans.get(&root) {
            return span;
        }
        enum Todo {
            Visit(ExprId),
            Emit(Op),
            Jump(bool),
            Land,
        }
        let first = self.ops.len() as u32;
        let mut todo = vec![Todo::Visit(root)];
        let mut jumps = Vec::new();
        while let Some(next) = todo.pop() {
            match next {
                Todo::Emit(op) => self.ops.push(op),
                Todo::Jump(decides) => {
                    jumps.push(self.ops.len());
                    self.ops.push(Op::Skip { decides, to: 0 });
                }
                Todo::Land => {
                    let end = self.ops.len() as u32;
                    let at = jumps.pop().expect("jumps and landings nest");
                    if let Op::Skip { to, .. } = &mut self.ops[at] {
                        *to = end;
                    }
                }
                Todo::Visit(id) => match program.expr(id) {
                    Expr::Const(c) => self.ops.push(Op::Push(c)),
                    Expr::Input => self.ops.push(Op::Input),
                    Expr::Var(v) => self.ops.push(Op::Var(v)),
                    Expr::Element { pointer, index } => self.ops.push(Op::Element(pointer, index)),
                    Expr::Unary(op, a) => todo.extend([Todo::Emit(Op::Unary(op)), Todo::Visit(a)]),
                    Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => todo.extend([
                        Todo::Land,
                        Todo::Emit(Op::Binary(op)),
                        Todo::Visit(b),
                        Todo::Jump(op == Binary::Or),
                        Todo::Visit(a),
                    ]),
                    Expr::Binary(op, a, b) => {
                        todo.extend([Todo::Emit(Op::Binary(op)), Todo::Visit(b), Todo::Visit(a)]);
                    }
                },
            }
        }
        let span = (first, self.ops.len() as u32);
        self.spans.insert(root, span);
        span
    }

    /// Returns the value of an expression in a call with this input.
    pub(crate) fn eval(&mut self, program: &Reactive, root: ExprId, input: i32, known: &mut impl ValueSource) -> Value {
        let (mut at, end) = self.span(program, root);
        self.stack.clear();
        while at < end {
            let op = self.ops[at as usize];
            at += 1;
            let value = match op {
                Op::Push(c) => Value::Is(Interval::point(c)),
                Op::Input => Value::Is(Interval::point(input)),
                Op::Var(v) => known.var(v),
                Op::Element(pointer, index) => element(program, pointer, index, known),
                Op::Unary(op) => match self.stack.pop().expect("an operand") {
                    // Only -MIN overflows.
                    Value::Is(a) if self.wraps && a == Interval::point(i32::MIN) && op == Unary::Neg => Value::Is(a),
                    Value::Is(a) => Value::Is(interval::unary(op, a)),
                    other => other,
                },
                Op::Binary(op) => {
                    let b = self.stack.pop().expect("two operands");
                    let a = self.stack.pop().expect("two operands");
                    if self.wraps { wrapped(op, a, b) } else { join(op, a, b) }
                }
                Op::Skip { decides, to } => {
                    if let Some(&Value::Is(a)) = self.stack.last()
                        && a.truth() == Some(decides)
                    {
                        self.stack.pop();
                        self.stack.push(Value::Is(if decides { Interval::TRUE } else { Interval::FALSE }));
                        at = to;
                    }
                    continue;
                }
            };
            self.stack.push(value);
        }
        debug_assert_eq!(self.stack.len(), 1);
        self.stack[0]
    }
}

fn element(program: &Reactive, pointer: VarId, index: u32, known: &mut impl ValueSource) -> Value {
    match known.var(pointer) {
        Value::Is(pointers) => match pointers.single() {
            Some(array) => program.element(array, index).map_or(Value::Crash, |var| known.var(var)),
            None => Value::Is(Interval::ALL),
        },
        other => other,
    }
}

fn join(op: Binary, a: Value, b: Value) -> Value {
    let decides = match op {
        Binary::And => Some(false),
        Binary::Or => Some(true),
        _ => None,
    };
    match (decides, a, b) {
        (_, Value::Crash, _) => Value::Crash,
        // If the right side is evaluated at all, it decides, whatever the left side is.
        (Some(decides), _, Value::Is(b)) if b.truth() == Some(decides) => {
            Value::Is(if decides { Interval::TRUE } else { Interval::FALSE })
        }
        (_, Value::Open, _) => Value::Open,
        (Some(decides), Value::Is(a), Value::Crash) if a.truth() != Some(!decides) => Value::Is(Interval::EITHER),
        (_, _, Value::Crash) => Value::Crash,
        (_, _, Value::Open) => Value::Open,
        (_, Value::Is(a), Value::Is(b)) => interval::binary(op, a, b).map_or(Value::Crash, Value::Is),
    }
}

fn wrapped(op: Binary, a: Value, b: Value) -> Value {
    if let (Value::Is(x), Value::Is(y)) = (a, b)
        && let (Some(x), Some(y)) = (x.single(), y.single())
    {
        let value = match op {
            Binary::Add => Some(x.wrapping_add(y)),
            Binary::Sub => Some(x.wrapping_sub(y)),
            Binary::Mul => Some(x.wrapping_mul(y)),
            _ => None,
        };
        if let Some(value) = value {
            return Value::Is(Interval::point(value));
        }
    }
    join(op, a, b)
}
