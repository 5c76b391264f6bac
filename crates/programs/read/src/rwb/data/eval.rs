//! Compiled expressions over slots, and their evaluation with numbers. A division by zero and an index out of range are
//! faults. Numbers have no bound in the language: results have 128 bits here, and variables 64; beyond that is a limit.

use crate::rwb::ast::Binary;
use formats::codes;
use formats::error::{Error, Span, Text};
use std::sync::Arc;

/// What went wrong in an evaluation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Fault {
    pub(super) span: Span,
    pub(super) message: Arc<str>,
    /// True if this evaluation cannot go on, although the thread can.
    pub(super) is_limit: bool,
}

impl Fault {
    pub(super) fn new(span: Span, message: impl Into<Arc<str>>) -> Self {
        Self { span, message: message.into(), is_limit: false }
    }

    /// Something that only this evaluation cannot do.
    pub(super) fn beyond(span: Span, message: &str) -> Self {
        Self { span, message: message.into(), is_limit: true }
    }

    /// Makes the error for a limit.
    pub(super) fn beyond_limit(&self, source: Text<'_>) -> Box<Error> {
        source
            .error(&codes::LIMIT_VALUES, self.span.range(), self.message.to_string())
            .label("here")
            .hint("give the variables smaller ranges")
    }

    /// Makes the error for a fault in a set of events, where it cannot be a state.
    pub(super) fn in_set(&self, source: Text<'_>) -> Box<Error> {
        if self.is_limit {
            return self.beyond_limit(source);
        }
        source
            .error(&codes::RWB_FAULT, self.span.range(), self.message.to_string())
            .label("while a set of events is evaluated")
            .hint("guard it, as in `when n > 0 && 10 % n == c`")
    }

    pub(super) fn index(name: &str, index: i128, size: usize, span: Span) -> Self {
        let message = format!("index {index} of {name} is outside of 0..{size}");
        Self::new(span, message)
    }
}

#[derive(Clone, Debug)]
pub(super) enum Op {
    Push(i64),
    Load(usize),
    /// Pops an index for each size, and loads an element of the array at this slot.
    Element {
        name: Arc<str>,
        base: usize,
        sizes: Vec<usize>,
    },
    Negate,
    Not,
    Binary(Binary),
    /// Jumps if the truth value on the stack equals the flag. Otherwise drops it.
    SkipIf(bool, usize),
    /// Pops a truth value, and jumps if it is false.
    Unless(usize),
    Jump(usize),
}

#[derive(Clone, Default, Debug)]
pub(super) struct Code {
    pub(super) ops: Vec<(Op, Span)>,
    pub(super) span: Span,
}

impl Code {
    /// Returns the value if the code is a number.
    pub(super) fn constant(&self) -> Option<i64> {
        match &self.ops[..] {
            [(Op::Push(value), _)] => Some(*value),
            _ => None,
        }
    }
}

/// Returns the value of an expression.
pub(super) fn eval(code: &Code, values: &[i64]) -> Result<i128, Fault> {
    let mut stack: Vec<i128> = Vec::with_capacity(4);
    let mut at = 0;
    while let Some((op, span)) = code.ops.get(at) {
        at += 1;
        let overflow = || Fault::beyond(*span, "a number beyond 128 bits");
        match op {
            Op::Push(n) => stack.push(i128::from(*n)),
            Op::Load(slot) => stack.push(i128::from(values[*slot])),
            Op::Element { name, base, sizes } => {
                let first = stack.len() - sizes.len();
                let mut offset = 0;
                for (index, size) in stack[first..].iter().zip(sizes) {
                    match usize::try_from(*index).ok().filter(|i| i < size) {
                        Some(i) => offset = offset * size + i,
                        None => return Err(Fault::index(name, *index, *size, *span)),
                    }
                }
                stack.truncate(first);
                stack.push(i128::from(values[base + offset]));
            }
            Op::Negate => {
                let n = pop(&mut stack);
                stack.push(n.checked_neg().ok_or_else(overflow)?);
            }
            Op::Not => {
                let n = pop(&mut stack);
                stack.push(i128::from(n == 0));
            }
            Op::SkipIf(when, target) => {
                if (stack.last() != Some(&0)) == *when {
                    at = *target;
                } else {
                    stack.pop();
                }
            }
            Op::Unless(target) => {
                if pop(&mut stack) == 0 {
                    at = *target;
                }
            }
            Op::Jump(target) => at = *target,
            Op::Binary(binary) => {
                let (b, a) = (pop(&mut stack), pop(&mut stack));
                if matches!(binary, Binary::Over | Binary::Modulo) && b <= 0 {
                    return Err(Fault::new(*span, format!("division by {b}")));
                }
                stack.push(apply(*binary, a, b).ok_or_else(overflow)?);
            }
        }
    }
    debug_assert_eq!(stack.len(), 1, "the compiler generates complete code");
    Ok(pop(&mut stack))
}

fn pop(stack: &mut Vec<i128>) -> i128 {
    stack.pop().expect("the compiler generates complete code")
}

/// Applies an operator. `None` beyond 128 bits. Divisors are positive.
fn apply(binary: Binary, a: i128, b: i128) -> Option<i128> {
    Some(match binary {
        Binary::Or => i128::from(a != 0 || b != 0),
        Binary::And => i128::from(a != 0 && b != 0),
        Binary::Equal => i128::from(a == b),
        Binary::Unequal => i128::from(a != b),
        Binary::Less => i128::from(a < b),
        Binary::AtMost => i128::from(a <= b),
        Binary::Greater => i128::from(a > b),
        Binary::AtLeast => i128::from(a >= b),
        Binary::Plus => a.checked_add(b)?,
        Binary::Minus => a.checked_sub(b)?,
        Binary::Times => a.checked_mul(b)?,
        Binary::Over => a.div_euclid(b),
        Binary::Modulo => a.rem_euclid(b),
    })
}
