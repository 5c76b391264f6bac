//! The functions of the environment that are no methods of values, and the choice of the method of a value.

use super::heap::error_value;
use super::machine::{Machine, Reply};
use super::names::{self, check_path, refused};
use super::number;
use super::value::{Cell, Stop, Value, argument, unsupported};
use std::rc::Rc;

type Res<T> = Result<T, Stop>;

impl Machine<'_> {
    /// Calls a function of the environment.
    pub(super) fn native(&mut self, path: &'static str, arguments: Vec<Value>) -> Res<Reply> {
        if path == "Event" || path.starts_with("bp.") || path.starts_with("EventSets.") || path.starts_with("(hot).") {
            return self.bp(path, arguments);
        }
        check_path(path)?;
        if let Some(name) = path.strip_prefix("Math.") {
            let mut numbers = Vec::with_capacity(arguments.len());
            for value in &arguments {
                numbers.push(self.heap.number_of(value)?);
            }
            return Ok(Reply::Value(Value::num(math(name, &numbers))));
        }
        let first = argument(&arguments, 0);
        let value = match path {
            "%hole" => Value::Empty,
            "%check" if self.heap.is_function(&first) => Value::Undefined,
            "%check" => {
                let what = self.heap.type_of(&first);
                return Err(self.heap.type_error(format!("a value of type {what} is not a function")));
            }
            "Array.from" => return self.array_from(&first, argument(&arguments, 1)),
            "Array.of" => self.heap.alloc(Cell::Array(arguments))?,
            "Array" => return self.construct(path, arguments),
            "Array.isArray" => Value::Bool(self.heap.array(&first).is_some()),
            "Error" | "TypeError" | "RangeError" => return self.construct(path, arguments),
            "JSON.stringify" => self.stringify(&arguments)?,
            "Number" if arguments.is_empty() => Value::num(0.0),
            "Number" => Value::num(self.heap.number_of(&first)?),
            "String" if arguments.is_empty() => Value::str(""),
            "String" => Value::Str(self.heap.text_of(&first)?),
            "Boolean" => Value::Bool(first.truth()),
            "parseInt" => {
                let (text, radix) = (self.heap.text_of(&first)?, self.heap.number_of(&argument(&arguments, 1))?);
                Value::num(number::parse_int(&text, number::int32(radix)))
            }
            "parseFloat" => Value::num(number::parse_float(&self.heap.text_of(&first)?)),
            "isNaN" => Value::Bool(self.heap.number_of(&first)?.is_nan()),
            "isFinite" => Value::Bool(self.heap.number_of(&first)?.is_finite()),
            "Number.isInteger" => Value::Bool(is_number(&first, |n| n.is_finite() && n.fract() == 0.0)),
            "Number.isNaN" => Value::Bool(is_number(&first, f64::is_nan)),
            "Number.isFinite" => Value::Bool(is_number(&first, f64::is_finite)),
            "Object.keys" | "Object.values" | "Object.entries" => self.entries(path, &first)?,
            "Object.assign" => self.assign(&arguments)?,
            "Object.freeze" => return Err(unsupported("`Object.freeze` is not read", "leave it out")),
            "String.fromCharCode" => {
                let mut units = Vec::with_capacity(arguments.len());
                for value in &arguments {
                    units.push((number::uint32(self.heap.number_of(value)?) & 0xFFFF) as u16);
                }
                Value::str(crate::value::from_units(&units)?)
            }
            "Object" | "Function" => return Err(refused(path)),
            _ => return Err(self.heap.type_error(format!("`{path}` is not a function"))),
        };
        Ok(Reply::Value(value))
    }

    /// `new`.
    pub(super) fn construct(&mut self, path: &'static str, arguments: Vec<Value>) -> Res<Reply> {
        let first = argument(&arguments, 0);
        let value = match path {
            "bp.Event" | "Event" | "bp.EventSet" => return self.bp(path, arguments),
            "Error" | "TypeError" | "RangeError" => {
                let message = if first == Value::Undefined { Rc::from("") } else { self.heap.text_of(&first)? };
                error_value(&mut self.heap, path, &message)?
            }
            "Map" | "Set" => self.heap.new_map(&first, path == "Set")?,
            "Object" if arguments.is_empty() => self.heap.alloc(Cell::Object(Vec::new()))?,
            "Array" => match (&first, arguments.len()) {
                (Value::Num(_), 1) => {
                    let array = self.heap.alloc(Cell::Array(Vec::new()))?;
                    self.heap.set_property(&array, &"length".into(), first)?;
                    array
                }
                _ => self.heap.alloc(Cell::Array(arguments))?,
            },
            _ => return Err(unsupported(format!("`new {path}` is not read"), "use plain objects and arrays")),
        };
        Ok(Reply::Value(value))
    }

    fn array_from(&mut self, source: &Value, f: Value) -> Res<Reply> {
        let is_object = matches!(source, Value::Ref(at) if matches!(self.heap.get(*at), Cell::Object(_)));
        let values = if is_object {
            let length = self.heap.get_property(source, "length")?;
            let length = self.heap.integer_of(&length)?.max(0.0);
            self.heap.charge_length(length.min(1e9) as usize)?;
            let mut values = Vec::new();
            for i in 0..length as usize {
                values.push(self.heap.get_property(source, &i.to_string())?);
            }
            values
        } else if matches!(source, Value::Num(_) | Value::Bool(_)) {
            Vec::new()
        } else if self.heap.is_function(source) {
            return Err(unsupported("`Array.from` of a function is not read", "use a list"));
        } else {
            self.heap.iterate(source)?
        };
        let array = self.heap.alloc(Cell::Array(values))?;
        Ok(if f == Value::Undefined { Reply::Value(array) } else { Reply::Prelude("arrayFrom", vec![array, f]) })
    }

    fn entries(&mut self, path: &str, object: &Value) -> Res<Value> {
        let keys = self.heap.keys(object)?;
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            if path == "Object.keys" {
                entries.push(key);
                continue;
            }
            let value = self.heap.get_index(object, &key)?;
            let is_pair = path == "Object.entries";
            entries.push(if is_pair { self.heap.alloc(Cell::Array(vec![key, value]))? } else { value });
        }
        self.heap.alloc(Cell::Array(entries))
    }

    fn assign(&mut self, arguments: &[Value]) -> Res<Value> {
        let target = argument(arguments, 0);
        for source in arguments.iter().skip(1).filter(|source| !source.is_nullish()) {
            for key in self.heap.keys(source)? {
                let value = self.heap.get_index(source, &key)?;
                self.heap.set_index(&target, &key, value)?;
            }
        }
        Ok(target)
    }

    /// Calls a method that values of this kind have. `None` if there is no such method, so that a property of the
    /// object may be called.
    pub(super) fn built_in(&mut self, receiver: &Value, name: &Rc<str>, arguments: &[Value]) -> Res<Option<Reply>> {
        match receiver {
            Value::Native(path) => {
                if matches!(*path, "bp.all" | "bp.none" | "bp.eventSets.all" | "bp.eventSets.none") {
                    return self.set_method(receiver, name, arguments);
                }
                let Some(found) = names::member(path, name) else { return Ok(None) };
                self.native(found, arguments.to_vec()).map(Some)
            }
            Value::Str(text) => self.text_method(&text.clone(), name, arguments).map(|v| v.map(Reply::Value)),
            Value::Num(_) | Value::Bool(_) if &**name == "toString" && arguments.is_empty() => {
                Ok(Some(Reply::Value(Value::Str(self.heap.text_of(receiver)?))))
            }
            Value::Ref(at) => match self.heap.get(*at) {
                Cell::Array(_) => self.array_method(receiver, *at, name, arguments),
                Cell::Event(..) | Cell::Set(_) => self.set_method(receiver, name, arguments),
                Cell::Map(..) => self.heap.map_method(receiver, name, arguments).map(|v| v.map(Reply::Value)),
                Cell::Regex(..) => self.regex_method(receiver, name, arguments).map(|v| v.map(Reply::Value)),
                Cell::Object(properties) if &**name == "hasOwnProperty" => {
                    let properties = properties.clone();
                    let key = self.heap.text_of(&argument(arguments, 0))?;
                    Ok(Some(Reply::Value(Value::Bool(properties.iter().any(|(known, _)| *known == key)))))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }
}

fn is_number(value: &Value, test: fn(f64) -> bool) -> bool {
    matches!(value, Value::Num(n) if test(n.get()))
}

fn math(name: &str, numbers: &[f64]) -> f64 {
    let x = numbers.first().copied().unwrap_or(f64::NAN);
    let y = numbers.get(1).copied().unwrap_or(f64::NAN);
    match name {
        "abs" => x.abs(),
        "ceil" => x.ceil(),
        "floor" => x.floor(),
        "trunc" => x.trunc(),
        "sqrt" => x.sqrt(),
        "sign" if x == 0.0 || x.is_nan() => x,
        "sign" => x.signum(),
        "pow" => super::ops::power(x, y),
        // Half numbers are rounded up, and -0 stays -0.
        "round" if x == 0.0 || !x.is_finite() => x,
        "round" => {
            let below = x.floor();
            let rounded = if x - below >= 0.5 { below + 1.0 } else { below };
            if rounded == 0.0 && x < 0.0 { -0.0 } else { rounded }
        }
        "max" => numbers.iter().copied().fold(f64::NEG_INFINITY, larger),
        "min" => -numbers.iter().map(|n| -n).fold(f64::NEG_INFINITY, larger),
        _ => f64::NAN,
    }
}

/// Returns the larger number. `0` is larger than `-0`, and NaN wins.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a.total_cmp(&b).is_ge() { a } else { b }
}
