//! `JSON.stringify`, and values as text in reports.

use super::heap::Heap;
use super::machine::Machine;
use super::number;
use super::value::{Cell, Data, Event, Stop, Value, argument, unsupported};

type Res<T> = Result<T, Stop>;

const DEPTH: usize = 50;

/// Appends a text in quotes.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

impl Machine<'_> {
    pub(super) fn stringify(&mut self, arguments: &[Value]) -> Res<Value> {
        if arguments.len() > 1 {
            return Err(unsupported("`JSON.stringify` with two arguments is not read", "give only the value"));
        }
        let mut out = String::new();
        let value = argument(arguments, 0);
        Ok(if self.heap.write_json(&value, &mut out, 0)? { Value::str(out) } else { Value::Undefined })
    }
}

impl Heap {
    /// Appends a value as JSON. False if the value has no form in JSON.
    fn write_json(&mut self, value: &Value, out: &mut String, depth: usize) -> Res<bool> {
        if depth > DEPTH {
            return Err(unsupported("this value is nested too deep for JSON, or contains itself", "use plain data"));
        }
        self.charge(1)?;
        match value {
            Value::Empty | Value::Undefined | Value::Native(_) => return Ok(false),
            Value::Null => out.push_str("null"),
            Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Value::Num(n) if n.get().is_finite() => out.push_str(&number::text(n.get())),
            Value::Num(_) => out.push_str("null"),
            Value::Str(text) => quote(text, out),
            Value::Ref(at) => match self.get(*at) {
                Cell::Array(values) => {
                    let values = values.clone();
                    out.push('[');
                    for (i, value) in values.iter().enumerate() {
                        out.push_str(if i > 0 { "," } else { "" });
                        if !self.write_json(value, out, depth + 1)? {
                            out.push_str("null");
                        }
                    }
                    out.push(']');
                }
                Cell::Object(properties) => {
                    let properties = properties.clone();
                    let own = properties.iter().find(|(name, _)| &**name == "toJSON").map(|(_, value)| value);
                    if own.is_some_and(|value| self.is_function(value)) {
                        return Err(unsupported("an object with its own `toJSON` as JSON is not read", "call it"));
                    }
                    out.push('{');
                    let mut is_first = true;
                    for (name, value) in &properties {
                        let length = out.len();
                        out.push_str(if is_first { "" } else { "," });
                        quote(name, out);
                        out.push(':');
                        if self.write_json(value, out, depth + 1)? {
                            is_first = false;
                        } else {
                            out.truncate(length);
                        }
                    }
                    out.push('}');
                }
                Cell::Closure(..) => return Ok(false),
                _ => return Err(unsupported("an event or an event set as JSON is not read", "use `e.name`, `e.data`")),
            },
        }
        self.charge_length(out.len())?;
        Ok(true)
    }
}

/// Appends data, so that different data have different texts.
fn write_data(data: &Data, out: &mut String) {
    match data {
        Data::Null => out.push_str("null"),
        Data::Undefined => out.push_str("undefined"),
        Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Data::Num(n) => out.push_str(&number::text(n.get())),
        Data::Str(text) => quote(text, out),
        Data::Array(values) => {
            out.push('[');
            for (i, value) in values.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                write_data(value, out);
            }
            out.push(']');
        }
        Data::Object(properties) => {
            out.push('{');
            for (i, (name, value)) in properties.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                quote(name, out);
                out.push(':');
                write_data(value, out);
            }
            out.push('}');
        }
    }
}

/// Returns the name of an event in reports: its name, with its data in parentheses.
pub(super) fn event_name(event: &Event) -> String {
    let mut out = event.name.to_string();
    if event.data != Data::Null {
        out.push('(');
        write_data(&event.data, &mut out);
        out.push(')');
    }
    out
}

/// The largest length and depth of a value in a report.
const SHOWN: usize = 60;
const SHOWN_DEPTH: usize = 4;

/// Appends a value for a report. False if it is a function or an event set, which are not shown.
pub(super) fn show(heap: &Heap, value: &Value, out: &mut String, depth: usize) -> bool {
    if depth > SHOWN_DEPTH || out.len() > SHOWN {
        out.push_str("..");
        return true;
    }
    match value {
        Value::Empty | Value::Native(_) => return false,
        Value::Undefined => out.push_str("undefined"),
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Num(n) => out.push_str(&number::text(n.get())),
        Value::Str(text) => quote(text, out),
        Value::Ref(at) => match heap.get(*at) {
            Cell::Box(value) => return show(heap, value, out, depth + 1),
            Cell::Array(values) => {
                out.push('[');
                for (i, value) in values.iter().enumerate().take(SHOWN) {
                    out.push_str(if i > 0 { "," } else { "" });
                    show(heap, value, out, depth + 1);
                }
                out.push(']');
            }
            Cell::Object(properties) => {
                out.push('{');
                for (i, (name, value)) in properties.iter().enumerate().take(SHOWN) {
                    out.push_str(if i > 0 { "," } else { "" });
                    out.push_str(name);
                    out.push(':');
                    show(heap, value, out, depth + 1);
                }
                out.push('}');
            }
            Cell::Event(name, data) => {
                out.push_str(name);
                if *data != Value::Null {
                    out.push('(');
                    show(heap, data, out, depth + 1);
                    out.push(')');
                }
            }
            Cell::Map(entries, is_set) => {
                out.push_str(if *is_set { "Set(" } else { "Map(" });
                for (i, (key, value)) in entries.iter().enumerate().take(SHOWN) {
                    out.push_str(if i > 0 { "," } else { "" });
                    show(heap, key, out, depth + 1);
                    if !is_set {
                        out.push(':');
                        show(heap, value, out, depth + 1);
                    }
                }
                out.push(')');
            }
            Cell::Closure(..) | Cell::Set(_) | Cell::Regex(..) | Cell::Frozen(_) => return false,
        },
    }
    true
}
