//! Properties of values.

use super::heap::Heap;
use super::methods::{self, Kind};
use super::value::{Cell, Properties, Stop, Value, unsupported};
use super::{names, number};
use formats::error::printable;
use std::borrow::Cow;
use std::rc::Rc;

type Res<T> = Result<T, Stop>;

/// Finds a property.
fn find<'p>(properties: &'p Properties, name: &str) -> Option<&'p Value> {
    properties.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
}

/// Sets a property, at its place in the order of JavaScript.
pub(super) fn put(properties: &mut Properties, name: Rc<str>, value: Value) {
    if let Some((_, old)) = properties.iter_mut().find(|(known, _)| *known == name) {
        *old = value;
        return;
    }
    let place = match number::index(&name) {
        Some(index) => properties.iter().position(|(known, _)| number::index(known).is_none_or(|k| k > index)),
        None => None,
    };
    properties.insert(place.unwrap_or(properties.len()), (name, value));
}

/// True if each function has a property with this name, which is not read.
fn is_of_functions(name: &str) -> bool {
    let of_all = methods::has(Kind::Plain, name);
    of_all
        || matches!(
            name,
            "name" | "length" | "prototype" | "call" | "apply" | "bind" | "caller" | "arguments" | "__proto__"
        )
}

impl Heap {
    /// Returns `object.name`.
    pub(super) fn get_property(&mut self, object: &Value, name: &str) -> Res<Value> {
        match object {
            Value::Empty | Value::Undefined | Value::Null => {
                let what = if *object == Value::Null { "null" } else { "undefined" };
                let message = format!("Cannot read properties of {what} (reading '{}')", printable(name));
                return Err(self.type_error(message));
            }
            Value::Native(path) => return self.get_native(path, name),
            Value::Bool(_) | Value::Num(_) => {}
            Value::Str(text) => {
                if name == "length" {
                    return Ok(Value::count(text.encode_utf16().count()));
                }
                if let Some(index) = number::index(name) {
                    let found = crate::value::unit(text, index as usize)?;
                    return Ok(found.map_or(Value::Undefined, Value::str));
                }
            }
            Value::Ref(at) => match self.get(*at) {
                Cell::Array(values) => {
                    if name == "length" {
                        return Ok(Value::count(values.len()));
                    }
                    if let Some(index) = number::index(name) {
                        return Ok(element(values, index as usize));
                    }
                }
                Cell::Object(properties) => {
                    if let Some(value) = find(properties, name) {
                        return Ok(value.clone());
                    }
                }
                Cell::Event(event, data) => match name {
                    "name" => return Ok(Value::Str(event.clone())),
                    "data" | "maybeData" => return Ok(data.clone()),
                    _ => {}
                },
                Cell::Map(entries, _) if name == "size" => return Ok(Value::count(entries.len())),
                Cell::Map(..) => {}
                Cell::Closure(_, _, properties) if !is_of_functions(name) => {
                    return Ok(find(properties, name).cloned().unwrap_or(Value::Undefined));
                }
                Cell::Box(_) | Cell::Closure(..) | Cell::Set(_) | Cell::Regex(..) | Cell::Frozen(_) => {
                    let message = format!("the property `{}` of this object is not read", printable(name));
                    return Err(unsupported(message, "properties belong to plain objects"));
                }
            },
        }
        if self.has_method(object, name) {
            let message = format!("the method `{}` is not called here", printable(name));
            return Err(unsupported(message, "call the method where it is named: `object.method(..)`"));
        }
        Ok(Value::Undefined)
    }

    /// True if values of this kind have a method, or another property that is not their own, with this name.
    pub(super) fn has_method(&self, object: &Value, name: &str) -> bool {
        let kind = match object {
            Value::Num(_) => Kind::Number,
            Value::Bool(_) => Kind::Plain,
            Value::Str(_) => Kind::Text,
            Value::Ref(at) => match self.get(*at) {
                Cell::Array(_) => Kind::Array,
                Cell::Event(..) | Cell::Set(_) => Kind::Event,
                Cell::Map(..) => Kind::Map,
                _ => Kind::Plain,
            },
            _ => return false,
        };
        methods::has(kind, name)
    }

    fn get_native(&self, path: &'static str, name: &str) -> Res<Value> {
        let constant = match (path, name) {
            ("Math", "PI") => std::f64::consts::PI,
            ("Math", "E") => std::f64::consts::E,
            ("Math", "SQRT2") => std::f64::consts::SQRT_2,
            ("Number", "MAX_SAFE_INTEGER") => 9_007_199_254_740_991.0,
            ("Number", "MIN_SAFE_INTEGER") => -9_007_199_254_740_991.0,
            ("Number", "MAX_VALUE") => f64::MAX,
            ("Number", "EPSILON") => f64::EPSILON,
            ("Number", "POSITIVE_INFINITY") => f64::INFINITY,
            ("Number", "NEGATIVE_INFINITY") => f64::NEG_INFINITY,
            _ => {
                let Some(found) = names::member(path, name) else {
                    let message = format!("`{path}.{}` is not read", printable(name));
                    let near = names::near(path, name).map(|near| format!("did you mean `{near}`?").into());
                    return Err(unsupported(message, near.unwrap_or(Cow::from("docs/bpjs.md lists what is read"))));
                };
                crate::names::check_path(found)?;
                return Ok(Value::Native(found));
            }
        };
        Ok(Value::num(constant))
    }

    /// Returns `object[key]`.
    pub(super) fn get_index(&mut self, object: &Value, key: &Value) -> Res<Value> {
        if let (Some(values), Value::Num(n)) = (self.array(object), key)
            && n.get() >= 0.0
            && n.get().fract() == 0.0
        {
            return Ok(element(values, n.get() as usize));
        }
        if object.is_nullish() {
            let name = self.text_of(key)?;
            return self.get_property(object, &name);
        }
        let name = self.text_of(key)?;
        self.get_property(object, &name)
    }

    /// Sets `object.name`.
    pub(super) fn set_property(&mut self, object: &Value, name: &Rc<str>, value: Value) -> Res<()> {
        let at = match object {
            Value::Ref(at) => *at,
            Value::Empty | Value::Undefined | Value::Null => {
                let what = if *object == Value::Null { "null" } else { "undefined" };
                let message = format!("Cannot set properties of {what} (setting '{}')", printable(name));
                return Err(self.type_error(message));
            }
            _ => return Err(unsupported("only arrays and plain objects have properties to set", "use an object")),
        };
        self.charge(1)?;
        match self.get(at) {
            Cell::Array(_) => {
                if let Some(index) = number::index(name) {
                    return self.set_element(at, index as usize, value);
                }
                if &**name == "length" {
                    return self.set_length(at, &value);
                }
                Err(unsupported("arrays have no other properties than their elements", "use a plain object"))
            }
            Cell::Object(_) if &**name == "__proto__" => {
                Err(unsupported("prototypes are not read", "use another name"))
            }
            Cell::Object(_) => {
                if let Cell::Object(properties) = self.get_mut(at)? {
                    put(properties, name.clone(), value);
                }
                Ok(())
            }
            Cell::Closure(..) if !is_of_functions(name) => {
                if let Cell::Closure(_, _, properties) = self.get_mut(at)? {
                    put(properties, name.clone(), value);
                }
                Ok(())
            }
            Cell::Event(..) => Err(unsupported("an event is changed", "make a new event")),
            _ => Err(unsupported("this property of a function or an event set is set", "use a plain object")),
        }
    }

    pub(super) fn set_index(&mut self, object: &Value, key: &Value, value: Value) -> Res<()> {
        let name = self.text_of(key)?;
        self.set_property(object, &name, value)
    }

    fn set_element(&mut self, at: u32, index: usize, value: Value) -> Res<()> {
        let Cell::Array(values) = self.get(at) else { return Ok(()) };
        let length = values.len();
        if index >= length {
            self.charge_length(index + 1)?;
            self.charge(index - length)?;
        }
        if let Cell::Array(values) = self.get_mut(at)? {
            if index >= values.len() {
                values.resize(index + 1, Value::Empty);
            }
            values[index] = value;
        }
        Ok(())
    }

    fn set_length(&mut self, at: u32, value: &Value) -> Res<()> {
        let length = self.number_of(value)?;
        if length.fract() != 0.0 || !(0.0..4_294_967_296.0).contains(&length) {
            let error = super::heap::error_value(self, "RangeError", "Invalid array length")?;
            return Err(Stop::Throw(error));
        }
        self.charge_length(length as usize)?;
        self.charge(length as usize)?;
        if let Cell::Array(values) = self.get_mut(at)? {
            values.resize(length as usize, Value::Empty);
        }
        Ok(())
    }

    /// Deletes `object.name`.
    pub(super) fn delete_property(&mut self, object: &Value, name: &str) -> Res<()> {
        let Value::Ref(at) = object else {
            return Err(unsupported("only properties of plain objects are deleted", "use an object"));
        };
        match self.get_mut(*at)? {
            Cell::Object(properties) => {
                properties.retain(|(known, _)| &**known != name);
                Ok(())
            }
            _ => Err(unsupported("only properties of plain objects are deleted", "use `splice` for arrays")),
        }
    }

    /// Returns the names of the properties of an object, as values.
    pub(super) fn keys(&mut self, object: &Value) -> Res<Vec<Value>> {
        match object {
            Value::Ref(at) => match self.get(*at) {
                Cell::Array(values) => {
                    let used = values.iter().enumerate().filter(|(_, v)| **v != Value::Empty);
                    Ok(used.map(|(i, _)| Value::str(i.to_string())).collect())
                }
                Cell::Object(properties) => Ok(properties.iter().map(|(name, _)| Value::Str(name.clone())).collect()),
                _ => Err(unsupported("the keys of this object are not read", "use a plain object")),
            },
            Value::Str(text) => Ok((0..text.encode_utf16().count()).map(|i| Value::str(i.to_string())).collect()),
            Value::Bool(_) | Value::Num(_) => Ok(Vec::new()),
            Value::Native(_) => Err(unsupported("the keys of this object are not read", "use a plain object")),
            _ => Err(self.type_error("Cannot convert undefined or null to object")),
        }
    }

    /// Returns the values that `...` and `for .. of` go through.
    pub(super) fn iterate(&mut self, value: &Value) -> Res<Vec<Value>> {
        if let Some(values) = self.array(value) {
            let full = |v: &Value| if *v == Value::Empty { Value::Undefined } else { v.clone() };
            let values: Vec<Value> = values.iter().map(full).collect();
            self.charge(values.len())?;
            return Ok(values);
        }
        if let Some(items) = self.listed(value)? {
            return Ok(items);
        }
        if let Value::Str(text) = value {
            let text = text.clone();
            self.charge(text.len())?;
            return Ok(text.chars().map(|c| Value::str(c.to_string())).collect());
        }
        let what = self.type_of(value);
        Err(self.type_error(format!("a value of type {what} is not iterable")))
    }
}

fn element(values: &[Value], index: usize) -> Value {
    match values.get(index) {
        None | Some(Value::Empty) => Value::Undefined,
        Some(value) => value.clone(),
    }
}
