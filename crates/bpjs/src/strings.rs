//! Methods of texts. Positions count UTF-16 units.

use super::heap::error_value;
use super::machine::Machine;
use super::number::is_space;
use super::value::{Cell, Stop, Value, argument, from_units, unit, unsupported};
use std::rc::Rc;

type Res<T> = Result<T, Stop>;

/// Returns the position in units of a position in bytes.
fn units_before(text: &str, at: usize) -> usize {
    text[..at].encode_utf16().count()
}

impl Machine<'_> {
    /// Calls a method of a text. `None` if there is no such method.
    pub(super) fn text_method(&mut self, text: &Rc<str>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
        self.heap.charge_length(text.len())?;
        let first = argument(arguments, 0);
        let second = argument(arguments, 1);
        if let Some(found) = self.matching(text, name, arguments)? {
            return Ok(Some(found));
        }
        let result = match name {
            "charAt" | "charCodeAt" | "at" => self.character(text, name, &first)?,
            "slice" | "substring" | "substr" => self.part(text, name, &first, &second)?,
            "indexOf" | "lastIndexOf" | "includes" | "startsWith" | "endsWith" => {
                self.find_text(text, name, &first, &second)?
            }
            // The names of events are texts of Java in BPjs.
            "equals" => Value::Bool(matches!(&first, Value::Str(other) if **other == **text)),
            "split" => self.split(text, &first, &second)?,
            "toUpperCase" => Value::str(text.to_uppercase()),
            "toLowerCase" => Value::str(text.to_lowercase()),
            "trim" => Value::str(text.trim_matches(is_space)),
            "trimStart" => Value::str(text.trim_start_matches(is_space)),
            "trimEnd" => Value::str(text.trim_end_matches(is_space)),
            "padStart" | "padEnd" => self.pad(text, name == "padStart", &first, &second)?,
            "repeat" => {
                let count = self.heap.integer_of(&first)?;
                if !(0.0..1e9).contains(&count) {
                    let error = error_value(&mut self.heap, "RangeError", "Invalid count value")?;
                    return Err(Stop::Throw(error));
                }
                self.heap.charge_length((text.len() as f64 * count) as usize)?;
                Value::str(text.repeat(count as usize))
            }
            "replace" | "replaceAll" => self.replace(text, name == "replaceAll", &first, &second)?,
            "concat" => {
                let mut all = text.to_string();
                for value in arguments {
                    all.push_str(&self.heap.text_of(value)?);
                    self.heap.charge_length(all.len())?;
                }
                Value::str(all)
            }
            "toString" | "valueOf" => Value::Str(text.clone()),
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    fn character(&mut self, text: &str, name: &str, index: &Value) -> Res<Value> {
        let mut index = self.heap.integer_of(index)?;
        if name == "at" && index < 0.0 {
            index += text.encode_utf16().count() as f64;
        }
        let is_inside = (0.0..1e9).contains(&index);
        if name == "charCodeAt" {
            let unit = if is_inside { text.encode_utf16().nth(index as usize) } else { None };
            return Ok(Value::num(unit.map_or(f64::NAN, f64::from)));
        }
        let found = if is_inside { unit(text, index as usize)? } else { None };
        Ok(match found {
            Some(found) => Value::str(found),
            None if name == "at" => Value::Undefined,
            None => Value::str(""),
        })
    }

    fn part(&mut self, text: &str, name: &str, first: &Value, second: &Value) -> Res<Value> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let length = units.len();
        let (start, end) = match name {
            "slice" => self.range(first, second, length)?,
            "substr" => {
                let start = self.position(first, length)?;
                let rest = (length - start) as f64;
                let count = if *second == Value::Undefined { rest } else { self.heap.integer_of(second)? };
                (start, start + count.clamp(0.0, rest) as usize)
            }
            _ => {
                let most = length as f64;
                let start = self.heap.integer_of(first)?.clamp(0.0, most);
                let end = if *second == Value::Undefined { most } else { self.heap.integer_of(second)? };
                let end = end.clamp(0.0, most);
                (start.min(end) as usize, start.max(end) as usize)
            }
        };
        Ok(Value::str(from_units(&units[start..end])?))
    }

    fn find_text(&mut self, text: &str, name: &str, wanted: &Value, from: &Value) -> Res<Value> {
        if *from != Value::Undefined {
            let message = format!("`{name}` of a text with two arguments is not read");
            return Err(unsupported(message, "use `slice` before it"));
        }
        let wanted = self.heap.text_of(wanted)?;
        Ok(match name {
            "includes" => Value::Bool(text.contains(&*wanted)),
            "startsWith" => Value::Bool(text.starts_with(&*wanted)),
            "endsWith" => Value::Bool(text.ends_with(&*wanted)),
            _ => {
                let found = if name == "indexOf" { text.find(&*wanted) } else { text.rfind(&*wanted) };
                found.map_or(Value::num(-1.0), |at| Value::count(units_before(text, at)))
            }
        })
    }

    fn split(&mut self, text: &str, separator: &Value, limit: &Value) -> Res<Value> {
        if *limit != Value::Undefined {
            return Err(unsupported("`split` with two arguments is not read", "use `slice` after it"));
        }
        let parts: Vec<Value> = if *separator == Value::Undefined {
            vec![Value::str(text)]
        } else {
            let separator = self.heap.text_of(separator)?;
            if separator.is_empty() {
                let mut parts = Vec::new();
                for unit in text.encode_utf16() {
                    parts.push(Value::str(from_units(&[unit])?));
                }
                parts
            } else {
                text.split(&*separator).map(Value::str).collect()
            }
        };
        self.heap.alloc(Cell::Array(parts))
    }

    fn pad(&mut self, text: &str, at_start: bool, length: &Value, filler: &Value) -> Res<Value> {
        let filler = if *filler == Value::Undefined { " ".into() } else { self.heap.text_of(filler)? };
        let length = self.heap.integer_of(length)?.clamp(0.0, 1e9) as usize;
        self.heap.charge_length(length)?;
        let missing = length.saturating_sub(text.encode_utf16().count());
        let filler: Vec<u16> = filler.encode_utf16().collect();
        let filler: Vec<u16> = filler.iter().copied().cycle().take(missing).collect();
        let filler = from_units(&filler)?;
        Ok(Value::str(if at_start { [&*filler, text].concat() } else { [text, &*filler].concat() }))
    }

    /// Returns the new text of a `replace`.
    pub(super) fn new_text(&mut self, to: &Value) -> Res<Rc<str>> {
        if self.heap.is_function(to) {
            return Err(unsupported("`replace` with a function is not read", "give the new text"));
        }
        let to = self.heap.text_of(to)?;
        if to.contains('$') {
            return Err(unsupported("`$` in the new text of `replace` is not read", "use `split` and `join`"));
        }
        Ok(to)
    }

    fn replace(&mut self, text: &str, all: bool, from: &Value, to: &Value) -> Res<Value> {
        let (from, to) = (self.heap.text_of(from)?, self.new_text(to)?);
        self.heap.charge_length(if all { text.len() * (to.len() + 1) } else { text.len() + to.len() })?;
        Ok(Value::str(if all { text.replace(&*from, &to) } else { text.replacen(&*from, &to, 1) }))
    }
}
