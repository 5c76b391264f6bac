//! Operators and conversions of values.

use super::code::{Binary, Unary};
use super::heap::{Heap, error_value};
use super::value::{Cell, Stop, Value, unsupported};
use super::{names, number};
use std::rc::Rc;

type Res<T> = Result<T, Stop>;

/// The largest depth of arrays in arrays that is turned into text.
const DEPTH: usize = 50;

impl Heap {
    /// Makes a thrown `TypeError`.
    pub(super) fn type_error(&mut self, message: impl Into<String>) -> Stop {
        error_value(self, "TypeError", &message.into()).map_or_else(|stop| stop, Stop::Throw)
    }

    pub(super) fn binary(&mut self, op: Binary, a: &Value, b: &Value) -> Res<Value> {
        let number = match op {
            Binary::Add => return self.add(a, b),
            Binary::Eq => return Ok(Value::Bool(self.loose_equals(a, b)?)),
            Binary::Ne => return Ok(Value::Bool(!self.loose_equals(a, b)?)),
            Binary::StrictEq => return Ok(Value::Bool(self.strict_equals(a, b)?)),
            Binary::StrictNe => return Ok(Value::Bool(!self.strict_equals(a, b)?)),
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => return Ok(Value::Bool(self.compare(op, a, b)?)),
            Binary::In => return self.has(a, b),
            Binary::InstanceOf => return self.instance_of(a, b),
            _ => (self.number_of(a)?, self.number_of(b)?),
        };
        let (x, y) = number;
        Ok(Value::num(match op {
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            Binary::Div => x / y,
            Binary::Rem => x % y,
            Binary::Pow => power(x, y),
            Binary::Shl => f64::from(number::int32(x) << (number::uint32(y) & 31)),
            Binary::Shr => f64::from(number::int32(x) >> (number::uint32(y) & 31)),
            Binary::UShr => f64::from(number::uint32(x) >> (number::uint32(y) & 31)),
            Binary::Or => f64::from(number::int32(x) | number::int32(y)),
            Binary::Xor => f64::from(number::int32(x) ^ number::int32(y)),
            _ => f64::from(number::int32(x) & number::int32(y)),
        }))
    }

    fn add(&mut self, a: &Value, b: &Value) -> Res<Value> {
        let (a, b) = (self.primitive(a)?, self.primitive(b)?);
        if let (Value::Num(x), Value::Num(y)) = (&a, &b) {
            return Ok(Value::num(x.get() + y.get()));
        }
        if matches!(a, Value::Str(_)) || matches!(b, Value::Str(_)) {
            let (x, y) = (self.text_of(&a)?, self.text_of(&b)?);
            self.charge_length(x.len() + y.len())?;
            return Ok(Value::str([&*x, &*y].concat()));
        }
        Ok(Value::num(self.number_of(&a)? + self.number_of(&b)?))
    }

    pub(super) fn unary(&mut self, op: Unary, a: &Value) -> Res<Value> {
        Ok(match op {
            Unary::Plus => Value::num(self.number_of(a)?),
            Unary::Minus => Value::num(-self.number_of(a)?),
            Unary::Not => Value::Bool(!a.truth()),
            Unary::BitNot => Value::num(f64::from(!number::int32(self.number_of(a)?))),
            Unary::TypeOf => Value::str(self.type_of(a)),
            Unary::ToStr => Value::Str(self.text_of(a)?),
        })
    }

    pub(super) fn type_of(&self, value: &Value) -> &'static str {
        match value {
            Value::Empty | Value::Undefined => "undefined",
            Value::Null => "object",
            Value::Bool(_) => "boolean",
            Value::Num(_) => "number",
            Value::Str(_) => "string",
            Value::Ref(at) if matches!(self.get(*at), Cell::Closure(..)) => "function",
            Value::Ref(_) => "object",
            Value::Native(path) if names::is_function(path) => "function",
            Value::Native(_) => "object",
        }
    }

    pub(super) fn is_function(&self, value: &Value) -> bool {
        self.type_of(value) == "function"
    }

    /// Converts an object to a text. Other values are primitive.
    pub(super) fn primitive(&mut self, value: &Value) -> Res<Value> {
        match value {
            Value::Ref(_) | Value::Native(_) => Ok(Value::Str(self.object_text(value, 0)?)),
            Value::Empty => Ok(Value::Undefined),
            _ => Ok(value.clone()),
        }
    }

    pub(super) fn text_of(&mut self, value: &Value) -> Res<Rc<str>> {
        self.text_at(value, 0)
    }

    fn text_at(&mut self, value: &Value, depth: usize) -> Res<Rc<str>> {
        Ok(match value {
            Value::Empty | Value::Undefined => "undefined".into(),
            Value::Null => "null".into(),
            Value::Bool(b) => b.to_string().into(),
            Value::Num(n) => number::text(n.get()).into(),
            Value::Str(text) => text.clone(),
            Value::Ref(_) | Value::Native(_) => self.object_text(value, depth)?,
        })
    }

    fn object_text(&mut self, value: &Value, depth: usize) -> Res<Rc<str>> {
        let hint = "use `.name` of an event, or `JSON.stringify` of data";
        let Value::Ref(at) = value else {
            return Err(unsupported("a function as text is not read", hint));
        };
        match self.get(*at) {
            Cell::Array(values) => {
                let values = values.clone();
                self.join(&values, ",", depth).map(Rc::from)
            }
            Cell::Object(properties) => {
                let find = |name: &str| properties.iter().find(|(n, _)| &**n == name).map(|(_, v)| v.clone());
                if let (Some(Value::Str(name)), Some(Value::Str(message)), true) =
                    (find("name"), find("message"), is_error(properties))
                {
                    return Ok(format!("{name}: {message}").into());
                }
                let own = ["toString", "valueOf"].into_iter().filter_map(find).any(|v| self.is_function(&v));
                if own {
                    return Err(unsupported("an object with its own `toString` as text is not read", "call it"));
                }
                Ok("[object Object]".into())
            }
            Cell::Event(name, Value::Null) => Ok(format!("[BEvent name:{name}]").into()),
            _ => Err(unsupported("an event with data, an event set or a function as text is not read", hint)),
        }
    }

    /// The text of `join`.
    pub(super) fn join(&mut self, values: &[Value], separator: &str, depth: usize) -> Res<String> {
        if depth > DEPTH {
            return Err(unsupported("arrays nested this deep are not turned into text", "join the inner arrays"));
        }
        let mut text = String::new();
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                text.push_str(separator);
            }
            if !value.is_nullish() && *value != Value::Empty {
                text.push_str(&self.text_at(value, depth + 1)?);
            }
            self.charge_length(text.len())?;
        }
        Ok(text)
    }

    pub(super) fn number_of(&mut self, value: &Value) -> Res<f64> {
        Ok(match self.primitive(value)? {
            Value::Null => 0.0,
            Value::Bool(b) => f64::from(u8::from(b)),
            Value::Num(n) => n.get(),
            Value::Str(text) => number::parse(&text),
            _ => f64::NAN,
        })
    }

    /// `ToIntegerOrInfinity`
    pub(super) fn integer_of(&mut self, value: &Value) -> Res<f64> {
        let number = self.number_of(value)?;
        Ok(if number.is_nan() { 0.0 } else { number.trunc() + 0.0 })
    }

    pub(super) fn strict_equals(&mut self, a: &Value, b: &Value) -> Res<bool> {
        Ok(match (a, b) {
            (Value::Num(x), Value::Num(y)) => x.get() == y.get(),
            (Value::Ref(x), Value::Ref(y)) if x != y => {
                let (x, y) = (*x, *y);
                if let (Cell::Event(..), Cell::Event(..)) = (self.get(x), self.get(y))
                    && self.event(a)? == self.event(b)?
                {
                    let hint = "compare their names, or use `event.equals(other)`";
                    return Err(unsupported("two equal events are compared by identity, which BPjs leaves open", hint));
                }
                let is_plain =
                    |cell: &Cell| matches!(cell, Cell::Array(_) | Cell::Object(_) | Cell::Map(..) | Cell::Regex(..));
                if self.is_frozen(x) && self.is_frozen(y) && is_plain(self.get(x)) && is_plain(self.get(y)) {
                    let hint = "compare the parts of the objects, for example a name or a number";
                    return Err(unsupported("objects of the store are compared by identity", hint));
                }
                false
            }
            (Value::Empty, _) => matches!(b, Value::Empty | Value::Undefined),
            (_, Value::Empty) => *a == Value::Undefined,
            _ => a == b,
        })
    }

    fn loose_equals(&mut self, a: &Value, b: &Value) -> Res<bool> {
        let is_object = |v: &Value| matches!(v, Value::Ref(_) | Value::Native(_));
        let nullish = |v: &Value| v.is_nullish() || *v == Value::Empty;
        match (a, b) {
            _ if nullish(a) || nullish(b) => Ok(nullish(a) && nullish(b)),
            _ if is_object(a) && is_object(b) => self.strict_equals(a, b),
            (Value::Str(x), Value::Str(y)) => Ok(x == y),
            (Value::Bool(x), Value::Bool(y)) => Ok(x == y),
            // An object is converted first. A text that it becomes is compared as text with a text.
            (_, Value::Str(y)) if is_object(a) => Ok(self.text_of(a)? == *y),
            (Value::Str(x), _) if is_object(b) => Ok(*x == self.text_of(b)?),
            _ => Ok(self.number_of(a)? == self.number_of(b)?),
        }
    }

    fn compare(&mut self, op: Binary, a: &Value, b: &Value) -> Res<bool> {
        let (a, b) = (self.primitive(a)?, self.primitive(b)?);
        if let (Value::Str(x), Value::Str(y)) = (&a, &b) {
            let order = x.encode_utf16().cmp(y.encode_utf16());
            return Ok(match op {
                Binary::Lt => order.is_lt(),
                Binary::Le => order.is_le(),
                Binary::Gt => order.is_gt(),
                _ => order.is_ge(),
            });
        }
        let (x, y) = (self.number_of(&a)?, self.number_of(&b)?);
        Ok(match op {
            Binary::Lt => x < y,
            Binary::Le => x <= y,
            Binary::Gt => x > y,
            _ => x >= y,
        })
    }

    fn has(&mut self, key: &Value, object: &Value) -> Res<Value> {
        let key = self.text_of(key)?;
        let Value::Ref(at) = object else {
            return Err(self.type_error("the right side of `in` is no object"));
        };
        let is_own = match self.get(*at) {
            Cell::Array(values) => {
                let found = number::index(&key).and_then(|i| values.get(i as usize));
                &*key == "length" || found.is_some_and(|v| *v != Value::Empty)
            }
            Cell::Object(properties) => properties.iter().any(|(name, _)| *name == key),
            _ => return Err(unsupported("`in` is read for arrays and plain objects only", "use `e.data`")),
        };
        if !is_own && self.has_method(object, &key) {
            let message = format!("whether an object has the method `{}` is not read", formats::error::printable(&key));
            return Err(unsupported(message, "use another name, or `hasOwnProperty`"));
        }
        Ok(Value::Bool(is_own))
    }
}

pub(super) fn power(x: f64, y: f64) -> f64 {
    match y {
        _ if y.is_nan() || (x.abs() == 1.0 && y.is_infinite()) => f64::NAN,
        // A square is the product, rounded once. `powf` may round it twice.
        2.0 => x * x,
        _ => x.powf(y),
    }
}

/// True for the objects that `new Error(..)` makes.
fn is_error(properties: &[(Rc<str>, Value)]) -> bool {
    properties.len() == 2 && &*properties[0].0 == "name" && &*properties[1].0 == "message"
}
