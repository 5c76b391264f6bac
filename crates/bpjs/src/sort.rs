//! `sort` of arrays.
//!
//! JavaScript leaves open which comparisons a `sort` makes. So the result is determined only if the function compares
//! consistently (ECMA-262, "consistent comparator"). After the sort, all pairs are compared in both orders:
//!
//! 1. Neighbours in the result that are equal get the same rank, others ascending ranks.
//! 2. Of each pair, the comparison must be that of the ranks. Then every correct `sort` that keeps the order of equal
//!    elements has this result.
//!
//! The function must change nothing, as the number of its calls is open, too.

use super::machine::Machine;
use super::value::{Cell, Stop, Value, unsupported};
use std::cmp::Ordering;

type Res<T> = Result<T, Stop>;

impl Machine<'_> {
    /// Sorts by text. `undefined` comes last.
    pub(super) fn sort(&mut self, array: &Value, at: u32, values: Vec<Value>) -> Res<Value> {
        let (values, last) = split(values);
        let mut keyed = Vec::with_capacity(values.len());
        for value in values {
            let text: Vec<u16> = self.heap.text_of(&value)?.encode_utf16().collect();
            keyed.push((text, value));
        }
        self.heap.charge(keyed.len() * 4)?;
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        self.sorted(array, at, keyed.into_iter().map(|(_, value)| value).collect(), last)
    }

    /// Sorts by a function. `undefined` comes last, and is not compared.
    pub(super) fn sort_by(&mut self, array: &Value, at: u32, values: Vec<Value>, function: &Value) -> Res<Value> {
        if !self.heap.is_function(function) {
            return Err(self.heap.type_error("the argument of `sort` is not a function"));
        }
        let (mut values, last) = split(values);
        self.heap.charge(values.len() * 4)?;
        let mut width = 1;
        while width < values.len() {
            let mut merged = Vec::with_capacity(values.len());
            for part in values.chunks(2 * width) {
                let (mut left, mut right) = part.split_at(width.min(part.len()));
                while let ([a, more_left @ ..], [b, more_right @ ..]) = (left, right) {
                    if self.compared(function, a, b)? == Ordering::Greater {
                        merged.push(b.clone());
                        right = more_right;
                    } else {
                        merged.push(a.clone());
                        left = more_left;
                    }
                }
                merged.extend(left.iter().chain(right).cloned());
            }
            values = merged;
            width *= 2;
        }
        self.check_order(&values, function)?;
        self.sorted(array, at, values, last)
    }

    /// Checks that all comparisons agree with this order.
    fn check_order(&mut self, values: &[Value], function: &Value) -> Res<()> {
        let mut ranks: Vec<usize> = Vec::with_capacity(values.len());
        for (i, value) in values.iter().enumerate() {
            let is_same = i == 0 || self.compared(function, &values[i - 1], value)? == Ordering::Equal;
            ranks.push(ranks.last().map_or(0, |rank| rank + usize::from(!is_same)));
        }
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate().skip(i + 1) {
                let wanted = ranks[i].cmp(&ranks[j]);
                let is_so =
                    self.compared(function, a, b)? == wanted && self.compared(function, b, a)? == wanted.reverse();
                if !is_so {
                    let message = "the function of `sort` compares inconsistently, so JavaScript leaves the order open";
                    let hint = "return a negative number, 0 or a positive number, as in `(a, b) => a - b`";
                    return Err(unsupported(message, hint));
                }
            }
        }
        Ok(())
    }

    /// Returns the comparison of two values by a function. NaN counts as 0.
    fn compared(&mut self, function: &Value, a: &Value, b: &Value) -> Res<Ordering> {
        let result = self.pure(function, vec![a.clone(), b.clone()]).map_err(Stop::Fatal)?;
        let number = self.heap.number_of(&result)?;
        Ok(number.partial_cmp(&0.0).unwrap_or(Ordering::Equal))
    }

    fn sorted(&mut self, array: &Value, at: u32, mut values: Vec<Value>, last: usize) -> Res<Value> {
        values.extend(std::iter::repeat_n(Value::Undefined, last));
        if let Cell::Array(old) = self.heap.get_mut(at)? {
            *old = values;
        }
        Ok(array.clone())
    }
}

/// Splits off what is `undefined`. Returns its number.
fn split(values: Vec<Value>) -> (Vec<Value>, usize) {
    let all = values.len();
    let values: Vec<Value> = values.into_iter().filter(|value| *value != Value::Undefined).collect();
    let last = all - values.len();
    (values, last)
}
