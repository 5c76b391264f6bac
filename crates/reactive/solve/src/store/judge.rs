//! Evaluates expressions when the values of variables are known to lie in intervals.

use super::expression::binary;
use super::instr::{Cell, Code, Op, Place, Span};
use super::interval::{self, Interval};
use model::reactive::{Binary, Unary};

/// A value that a test depends on: a cell, or the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    Cell(Cell),
    Input,
}

/// The intervals of the cells, and the input if it is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct IntervalState {
    pub(super) cells: Vec<Interval>,
    pub(super) input: Option<i32>,
}

#[derive(Clone, Copy, Debug)]
struct Operand {
    interval: Interval,
    subject: Option<Subject>,
}

/// An `And` or `Or` with a value that the left side alone does not decide.
#[derive(Clone, Copy, Debug)]
struct Pending {
    end: usize,
    is_and: bool,
}

/// Evaluates expressions on intervals, and reuses its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    stack: Vec<Operand>,
    pending: Vec<Pending>,
    /// The subjects that the truth value of the last expression depends on, if this truth value is undecided.
    pub(super) subjects: Vec<Subject>,
}

impl Judge {
    /// Returns the values that an expression may have, or `None` if it may crash.
    pub(super) fn judge(&mut self, code: &Code, span: Span, known: &IntervalState) -> Option<Interval> {
        let ops = code.ops(span);
        self.stack.clear();
        self.pending.clear();
        self.subjects.clear();
        let mut may_crash = false;
        let mut at = 0;
        loop {
            while self.pending.last().is_some_and(|pending| pending.end == at) {
                self.join();
            }
            let Some(&op) = ops.get(at) else { break };
            at += 1;
            match op {
                Op::Const(value) => self.push(Interval::point(value)),
                Op::Input => {
                    let interval = known.input.map_or(Interval::ALL, Interval::point);
                    self.stack.push(Operand { interval, subject: Some(Subject::Input) });
                }
                Op::Cell(cell) => self.cell(cell, known),
                Op::Element { pointer, index } => may_crash |= !self.element(code, pointer, index, known),
                Op::Neg => {
                    let operand = self.pop().interval;
                    self.push(interval::unary(Unary::Neg, operand));
                }
                Op::Not => {
                    let truth = self.truth();
                    self.push(truth.map_or(Interval::EITHER, |truth| Interval::point(i32::from(!truth))));
                }
                Op::Truth => {
                    let truth = self.truth();
                    self.push(truth.map_or(Interval::EITHER, |truth| Interval::point(i32::from(truth))));
                }
                Op::Binary(op) => {
                    let (right, left) = (self.pop(), self.pop());
                    let (interval, crash) = apply(op, left.interval, right.interval);
                    may_crash |= crash;
                    if interval == Interval::EITHER && is_comparison(op) {
                        self.subjects.extend(left.subject.into_iter().chain(right.subject));
                    }
                    self.push(interval);
                }
                Op::And(skip) | Op::Or(skip) => {
                    let is_and = matches!(op, Op::And(_));
                    match self.truth() {
                        Some(truth) if truth == is_and => {}
                        Some(truth) => {
                            self.push(Interval::point(i32::from(truth)));
                            at += skip as usize;
                        }
                        None => self.pending.push(Pending { end: at + skip as usize, is_and }),
                    }
                }
                Op::Crash => {
                    may_crash = true;
                    self.push(Interval::ALL);
                }
            }
        }
        let last = self.pop();
        self.subjects.extend(last.subject.filter(|_| last.interval.truth().is_none()));
        (!may_crash).then_some(last.interval)
    }

    /// Combines both sides of the innermost pending `And` or `Or`, after its right side has been evaluated.
    fn join(&mut self) {
        let Some(pending) = self.pending.pop() else { return };
        let right = self.pop().interval;
        let is_decided = right.truth() == Some(!pending.is_and);
        self.push(if is_decided { Interval::point(i32::from(!pending.is_and)) } else { Interval::EITHER });
    }

    fn push(&mut self, interval: Interval) {
        self.stack.push(Operand { interval, subject: None });
    }

    fn pop(&mut self) -> Operand {
        self.stack.pop().expect("postfix order")
    }

    /// Pops the top. Returns true if it is not 0, false if it is 0, and `None` if this is not known.
    fn truth(&mut self) -> Option<bool> {
        let operand = self.pop();
        let truth = operand.interval.truth();
        if truth.is_none() {
            self.subjects.extend(operand.subject);
        }
        truth
    }

    fn cell(&mut self, cell: Cell, known: &IntervalState) {
        let interval = known.cells[cell as usize];
        self.stack.push(Operand { interval, subject: Some(Subject::Cell(cell)) });
    }

    /// Pushes the value of an array element. Returns false if reading it may crash.
    fn element(&mut self, code: &Code, pointer: Cell, index: u32, known: &IntervalState) -> bool {
        let Some(value) = known.cells[pointer as usize].single() else {
            self.subjects.push(Subject::Cell(pointer));
            self.push(Interval::ALL);
            return false;
        };
        match code.element(value, index) {
            Some(Place::Constant(value)) => self.push(Interval::point(value)),
            Some(Place::Cell(cell)) => self.cell(cell, known),
            None => {
                self.push(Interval::ALL);
                return false;
            }
        }
        true
    }
}

fn is_comparison(op: Binary) -> bool {
    matches!(op, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
}

/// Returns the values of `a op b`, and true if it may crash.
fn apply(op: Binary, a: Interval, b: Interval) -> (Interval, bool) {
    if let (Some(a), Some(b)) = (a.single(), b.single()) {
        return binary(op, a, b).map_or((Interval::ALL, true), |value| (Interval::point(value), false));
    }
    let divides = matches!(op, Binary::Div | Binary::Rem);
    if divides && (b.contains(0) || a.contains(i32::MIN) && b.contains(-1)) {
        return (Interval::ALL, true);
    }
    (interval::binary(op, a, b).unwrap_or(Interval::ALL), false)
}
