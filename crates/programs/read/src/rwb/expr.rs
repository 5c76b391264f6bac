//! The values of expressions of version 1, which are integers.
//!
//! Numbers have any size up to a limit on their digits, so nothing wraps. `&&` and `||` give 0 or 1. They do not
//! evaluate their right side if the left side decides the result, so that `n > 0 && 10 % n == 1` can guard a
//! division.

use super::ast::{Binary, Expr, Op, Word};
use super::visible::{Entry, Visible};
use formats::error::{Error, Span, Text, printable};
use formats::{codes, suggest};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};
use std::collections::HashSet;

/// An open number, identified by the place of its declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RangeId(pub(super) Span);

/// The value of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Number(BigInt),
    /// An open number.
    Any(RangeId),
    /// An arbitrary index below an open number.
    Index(RangeId),
}

/// The values of constants and loop variables.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    bindings: Visible<'a, Binding>,
    /// Names that a part of the text with an error may declare.
    pub(super) doubtful: HashSet<&'a str>,
    /// True if a loop or condition could not be evaluated, so that its body may declare any name.
    pub(super) is_doubtful: bool,
}

#[derive(Debug)]
struct Binding {
    value: Value,
    /// True for a loop variable. Errors show its value.
    varies: bool,
}

impl<'a> Scope<'a> {
    /// Binds `name`. If it hides another binding, returns the place and the height of the hidden one.
    pub(super) fn bind(&mut self, name: Word<'a>, value: Value, varies: bool) -> Option<(Span, usize)> {
        self.bindings.push(name, Binding { value, varies })
    }

    /// Returns the number of bindings, which [`Scope::truncate`] can restore.
    pub(super) fn height(&self) -> usize {
        self.bindings.height()
    }

    pub(super) fn truncate(&mut self, height: usize) {
        self.bindings.truncate(height);
    }

    /// True if an earlier error may be the reason that a name is unknown.
    pub(super) fn may_know(&self, name: &str) -> bool {
        self.is_doubtful || self.doubtful.contains(name)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.bindings.get(name).map(|entry| &entry.meaning.value)
    }

    /// Returns the values of the innermost loop variables as a hint, "this is where i = 3, j = 0".
    pub(super) fn round(&self) -> Option<String> {
        let loops: Vec<_> = self.bindings.list().iter().filter(|entry| entry.meaning.varies).collect();
        let tell = |entry: &&Entry<'_, Binding>| match &entry.meaning.value {
            Value::Number(n) => Some(format!("{} = {}", printable(entry.name.text), printable(&n.to_string()))),
            Value::Any(_) | Value::Index(_) => None,
        };
        let told: Vec<String> = loops.iter().skip(loops.len().saturating_sub(4)).filter_map(tell).collect();
        (!told.is_empty()).then(|| format!("this is where {}", told.join(", ")))
    }
}

/// Returns an upper bound on the bits of a number with this many decimal digits.
pub(super) fn bits_of_digits(digits: usize) -> u64 {
    (digits as u64).saturating_mul(10) / 3 + 1
}

impl<'a> Expr<'a> {
    /// Returns the value in `scope`. Numbers of more than `bits` bits are refused.
    pub(super) fn eval(&self, scope: &Scope<'a>, source: Text<'_>, bits: u64) -> Result<BigInt, Box<Error>> {
        let mut stack: Vec<BigInt> = Vec::new();
        let mut at = 0;
        while let Some((op, span)) = self.code.get(at) {
            at += 1;
            match op {
                Op::Number(n) => stack.push(BigInt::from(*n)),
                Op::Truth(truth) => stack.push(BigInt::from(*truth)),
                Op::Big(n) => stack.push((**n).clone()),
                Op::Name(name) | Op::Element(name, _) => stack.push(lookup(name, *span, scope, source)?),
                Op::Negate => map_top(&mut stack, |n| -n),
                Op::Not => map_top(&mut stack, |n| BigInt::from(n.is_zero())),
                Op::SkipIf(when, target) => {
                    if stack.pop().is_some_and(|n| n.is_zero() != *when) {
                        stack.push(BigInt::from(*when));
                        at = *target as usize;
                    }
                }
                // Only the right side is left, which may be any number.
                Op::Binary(Binary::And | Binary::Or) => map_top(&mut stack, |n| BigInt::from(!n.is_zero())),
                Op::Binary(binary) => {
                    let (Some(b), Some(a)) = (stack.pop(), stack.pop()) else { break };
                    stack.push(apply(*binary, a, b, *span, source, bits).map_err(|e| in_round(e, scope))?);
                }
            }
        }
        // The parser generates complete code, so exactly one value is left.
        Ok(stack.pop().unwrap_or_default())
    }
}

fn in_round(error: Box<Error>, scope: &Scope<'_>) -> Box<Error> {
    match scope.round() {
        Some(round) => error.hint(round),
        None => error,
    }
}

fn map_top(stack: &mut Vec<BigInt>, f: impl FnOnce(BigInt) -> BigInt) {
    if let Some(n) = stack.pop() {
        stack.push(f(n));
    }
}

fn lookup(name: &str, span: Span, scope: &Scope<'_>, source: Text<'_>) -> Result<BigInt, Box<Error>> {
    match scope.get(name) {
        Some(Value::Number(value)) => return Ok(value.clone()),
        Some(Value::Any(_)) => return Err(no_number(name, span, source)),
        Some(Value::Index(_)) => return Err(no_identity(name, span, source)),
        None if scope.may_know(name) => return Err(Error::following()),
        None => {}
    }
    let message = format!("there is no constant or loop variable `{}` here", printable(name));
    let error = source.error(&codes::RWB_UNDECLARED_CONSTANT, span.range(), message).label("not declared before this");
    Err(suggest::hinted(
        error,
        name,
        scope.bindings.names(),
        "declare it above with `const NAME = ..`, or use the variable of a `for` around it",
    ))
}

fn no_number(name: &str, span: Span, source: Text<'_>) -> Box<Error> {
    let message = format!("`{}` is any number, so nothing can be computed with it", printable(name));
    source
        .error(&codes::RWB_ANY_NUMBER, span.range(), message)
        .label("expected a number")
        .hint("it can be the size of an event array, `event e[n]`, and the count of a class, `class C[i] n { .. }`")
}

fn no_identity(name: &str, span: Span, source: Text<'_>) -> Box<Error> {
    let message = format!("the index `{}` of a class of any number of threads has no value", printable(name));
    source
        .error(&codes::RWB_CLASS_IDENTITY, span.range(), message)
        .label("not allowed in tests, arithmetic and names of states")
        .hint("threads of a class are all alike: the index may only say which event is meant, as in `e[i]`")
}

fn apply(binary: Binary, a: BigInt, b: BigInt, span: Span, source: Text<'_>, bits: u64) -> Result<BigInt, Box<Error>> {
    let value = match binary {
        Binary::Equal => BigInt::from(a == b),
        Binary::Unequal => BigInt::from(a != b),
        Binary::Less => BigInt::from(a < b),
        Binary::AtMost => BigInt::from(a <= b),
        Binary::Greater => BigInt::from(a > b),
        Binary::AtLeast => BigInt::from(a >= b),
        Binary::Or | Binary::And => b,
        Binary::Plus => a + b,
        Binary::Minus => a - b,
        // Products that would be too long are refused before the multiplication, which may be expensive.
        Binary::Times if a.bits() + b.bits() > bits + 1 => return Err(too_long(span, source, bits)),
        Binary::Times => a * b,
        Binary::Over | Binary::Modulo if !b.is_positive() => return Err(bad_divisor(&b, span, source)),
        Binary::Over => a.div_floor(&b),
        Binary::Modulo => a.mod_floor(&b),
    };
    if value.bits() > bits { Err(too_long(span, source, bits)) } else { Ok(value) }
}

fn bad_divisor(divisor: &BigInt, span: Span, source: Text<'_>) -> Box<Error> {
    let divisor = printable(&divisor.to_string());
    source
        .error(&codes::RWB_DIVISOR, span.range(), format!("division by {divisor}"))
        .label(format!("the divisor is {divisor}; expected a positive one"))
}

fn too_long(span: Span, source: Text<'_>, bits: u64) -> Box<Error> {
    let digits = bits * 3 / 10;
    source
        .error(&codes::LIMIT_NUMBER, span.range(), format!("a number of more than {digits} digits"))
        .label("computed here")
}
