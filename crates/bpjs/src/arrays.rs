//! Methods of arrays. Those that call functions are in the prelude.

use super::code::Binary;
use super::machine::{Machine, Reply};
use super::value::{Cell, Stop, Value, argument, unsupported};

type Res<T> = Result<T, Stop>;

/// The methods that call functions, with their names in the prelude.
const CALLING: &[(&str, &str)] = &[
    ("map", "map"),
    ("forEach", "forEach"),
    ("filter", "filter"),
    ("some", "some"),
    ("every", "every"),
    ("find", "find"),
    ("findIndex", "findIndex"),
    ("flatMap", "flatMap"),
    ("reduce", "reduce"),
    ("reduceRight", "reduceRight"),
];

impl Machine<'_> {
    pub(super) fn array_method(
        &mut self,
        array: &Value,
        at: u32,
        name: &str,
        arguments: &[Value],
    ) -> Res<Option<Reply>> {
        let values = self.heap.array(array).cloned().unwrap_or_default();
        self.heap.charge(values.len() / 16)?;
        if !["fill", "push", "pop"].contains(&name) && values.contains(&Value::Empty) {
            let message = format!("`{}` of an array with holes is not read", formats::error::printable(name));
            return Err(unsupported(message, "fill the array first: `Array(n).fill(0)`"));
        }
        let passed = |name| {
            let mut all = vec![array.clone()];
            all.extend(arguments.iter().cloned());
            Ok(Some(Reply::Prelude(name, all)))
        };
        if let Some((_, name)) = CALLING.iter().find(|(known, _)| *known == name) {
            return passed(name);
        }
        let first = argument(arguments, 0);
        let value = match name {
            "sort" if first != Value::Undefined => self.sort_by(array, at, values, &first)?,
            "sort" => self.sort(array, at, values)?,
            "push" | "pop" | "shift" | "unshift" | "splice" | "fill" | "reverse" => {
                self.change(array, at, name, values, arguments)?
            }
            "slice" => {
                let (start, end) = self.range(&first, &argument(arguments, 1), values.len())?;
                self.heap.alloc(Cell::Array(values.get(start..end).unwrap_or_default().to_vec()))?
            }
            "concat" => {
                let mut all = values;
                for value in arguments {
                    match self.heap.array(value) {
                        Some(more) => all.extend(more.iter().cloned()),
                        None => all.push(value.clone()),
                    }
                }
                self.heap.charge_length(all.len())?;
                self.heap.alloc(Cell::Array(all))?
            }
            "indexOf" | "lastIndexOf" | "includes" => self.search(name, &values, arguments)?,
            "join" | "toString" => {
                let separator = if first == Value::Undefined { ",".into() } else { self.heap.text_of(&first)? };
                Value::str(self.heap.join(&values, &separator, 0)?)
            }
            "at" => {
                let index = self.heap.integer_of(&first)?;
                let index = if index < 0.0 { index + values.len() as f64 } else { index };
                let found = if index < 0.0 { None } else { values.get(index as usize) };
                found.cloned().unwrap_or(Value::Undefined)
            }
            "flat" if first == Value::Undefined => {
                let mut all = Vec::new();
                for value in &values {
                    match self.heap.array(value) {
                        Some(more) => all.extend(more.iter().cloned()),
                        None => all.push(value.clone()),
                    }
                }
                self.heap.alloc(Cell::Array(all))?
            }
            _ => return Ok(None),
        };
        Ok(Some(Reply::Value(value)))
    }

    /// Methods that change the array.
    fn change(
        &mut self,
        array: &Value,
        at: u32,
        name: &str,
        mut values: Vec<Value>,
        arguments: &[Value],
    ) -> Res<Value> {
        let length = values.len();
        let full = |v: Value| if v == Value::Empty { Value::Undefined } else { v };
        let result = match name {
            "push" | "unshift" => {
                self.heap.charge_length(length + arguments.len())?;
                self.heap.charge(arguments.len())?;
                let place = if name == "push" { length } else { 0 };
                values.splice(place..place, arguments.iter().cloned());
                Value::count(values.len())
            }
            "pop" => values.pop().map_or(Value::Undefined, full),
            "shift" if length > 0 => full(values.remove(0)),
            "shift" => Value::Undefined,
            "reverse" => {
                values.reverse();
                array.clone()
            }
            "fill" => {
                let (start, end) = self.range(&argument(arguments, 1), &argument(arguments, 2), length)?;
                values.get_mut(start..end).unwrap_or_default().fill(argument(arguments, 0));
                array.clone()
            }
            _ => {
                let start = match arguments.first() {
                    Some(first) => self.position(first, length)?,
                    None => 0,
                };
                let count = match arguments {
                    [] => 0.0,
                    [_] => length as f64,
                    [_, count, ..] => self.heap.integer_of(count)?,
                };
                let end = start + count.clamp(0.0, (length - start) as f64) as usize;
                self.heap.charge(arguments.len())?;
                let removed = values.splice(start..end, arguments.iter().skip(2).cloned()).collect();
                self.heap.alloc(Cell::Array(removed))?
            }
        };
        if let Cell::Array(old) = self.heap.get_mut(at)? {
            *old = values;
        }
        Ok(result)
    }

    fn search(&mut self, name: &str, values: &[Value], arguments: &[Value]) -> Res<Value> {
        let wanted = argument(arguments, 0);
        let start = match (name, arguments.get(1)) {
            ("lastIndexOf", Some(_)) => {
                return Err(unsupported("`lastIndexOf` with two arguments is not read", "use a loop"));
            }
            (_, Some(start)) => self.position(start, values.len())?,
            _ => 0,
        };
        let is_nan = |v: &Value| matches!(v, Value::Num(n) if n.get().is_nan());
        let mut found = None;
        for (i, value) in values.iter().enumerate().skip(start) {
            let same = self.heap.binary(Binary::StrictEq, value, &wanted)? == Value::Bool(true);
            if same || (name == "includes" && is_nan(value) && is_nan(&wanted)) {
                found = Some(i);
                if name != "lastIndexOf" {
                    break;
                }
            }
        }
        Ok(match name {
            "includes" => Value::Bool(found.is_some()),
            _ => found.map_or(Value::num(-1.0), Value::count),
        })
    }

    /// Returns a position in a list. Negative numbers count from its end.
    pub(super) fn position(&mut self, value: &Value, length: usize) -> Res<usize> {
        let number = self.heap.integer_of(value)?;
        let number = if number < 0.0 { (number + length as f64).max(0.0) } else { number };
        Ok(number.min(length as f64) as usize)
    }

    /// Returns the range of `slice`. It may be empty with its start behind its end.
    pub(super) fn range(&mut self, start: &Value, end: &Value, length: usize) -> Res<(usize, usize)> {
        let start = self.position(start, length)?;
        let end = if *end == Value::Undefined { length } else { self.position(end, length)? };
        Ok((start, end.max(start)))
    }
}
