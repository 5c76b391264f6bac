//! Values, the cells of the heap, and events.

use super::regex::Flags;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

pub(super) type Res<T> = Result<T, Stop>;

/// A number. Equality, order and hash distinguish `0` and `-0`, because programs can, and every NaN is the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Num(f64);

impl Num {
    pub(super) fn new(number: f64) -> Self {
        Self(if number.is_nan() { f64::NAN } else { number })
    }

    pub(super) fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Num {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Num {}

impl Hash for Num {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl PartialOrd for Num {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Num {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A value. A reference is the number of a cell of the heap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Value {
    /// No value: a variable before its declaration, or a hole of an array.
    Empty,
    Undefined,
    Null,
    Bool(bool),
    Num(Num),
    Str(Rc<str>),
    Ref(u32),
    /// A function or object of the environment, by its path: `Math.floor`.
    Native(&'static str),
}

impl Value {
    pub(super) fn num(number: f64) -> Self {
        Self::Num(Num::new(number))
    }

    pub(super) fn count(number: usize) -> Self {
        Self::num(number as f64)
    }

    pub(super) fn str(text: impl Into<Rc<str>>) -> Self {
        Self::Str(text.into())
    }

    pub(super) fn is_nullish(&self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    /// Returns the value as a condition.
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::Empty | Self::Undefined | Self::Null => false,
            Self::Bool(b) => *b,
            Self::Num(n) => n.get() != 0.0 && !n.get().is_nan(),
            Self::Str(s) => !s.is_empty(),
            Self::Ref(_) | Self::Native(_) => true,
        }
    }
}

/// The properties of an object in the order of JavaScript: array indices ascending, then other names in the order of
/// insertion.
pub(super) type Properties = Vec<(Rc<str>, Value)>;

/// A cell of the heap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Cell {
    /// A variable that closures share.
    Box(Value),
    Array(Vec<Value>),
    Object(Properties),
    /// A function with the boxes of its captured variables, and the properties that were given to it.
    Closure(u32, Rc<[Value]>, Properties),
    Event(Rc<str>, Value),
    Set(SetCell),
    /// A map, by entries in the order of insertion. True for a set: its elements are the keys.
    Map(Vec<(Value, Value)>, bool),
    /// A regular expression.
    Regex(Rc<str>, Flags),
    /// A cell that another b-thread or the store can reach, too. It never changes.
    Frozen(Box<Cell>),
}

/// An event set that is not a single event.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum SetCell {
    Predicate(Rc<str>, Value),
    Any(Vec<Value>),
    Every(Vec<Value>),
    Not(Value),
    Xor(Value, Value),
}

impl Cell {
    /// Calls `visit` for each value in the cell.
    pub(super) fn each(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match self {
            Self::Box(value) | Self::Event(_, value) => visit(value),
            Self::Array(values) => values.iter_mut().for_each(visit),
            Self::Object(properties) => properties.iter_mut().for_each(|(_, value)| visit(value)),
            Self::Closure(_, captured, properties) => {
                properties.iter_mut().for_each(|(_, value)| visit(value));
                let mut values = captured.to_vec();
                values.iter_mut().for_each(visit);
                *captured = values.into();
            }
            Self::Set(SetCell::Predicate(_, value) | SetCell::Not(value)) => visit(value),
            Self::Set(SetCell::Any(values) | SetCell::Every(values)) => values.iter_mut().for_each(visit),
            Self::Set(SetCell::Xor(a, b)) => [a, b].into_iter().for_each(visit),
            Self::Map(entries, _) => {
                entries.iter_mut().for_each(|(key, value)| [key, value].into_iter().for_each(&mut *visit))
            }
            Self::Regex(..) => {}
            Self::Frozen(cell) => cell.each(visit),
        }
    }

    /// Returns the number of values in the cell, plus one.
    pub(super) fn size(&self) -> usize {
        1 + match self {
            Self::Array(values) | Self::Set(SetCell::Any(values) | SetCell::Every(values)) => values.len(),
            Self::Object(properties) => properties.len(),
            Self::Map(entries, _) => 2 * entries.len(),
            Self::Closure(_, captured, properties) => captured.len() + properties.len(),
            Self::Box(_) | Self::Event(..) | Self::Set(_) | Self::Regex(..) => 1,
            Self::Frozen(cell) => return cell.size(),
        }
    }
}

/// The data of an event: a value without identity.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Data {
    Null,
    Undefined,
    Bool(bool),
    Num(Num),
    Str(Rc<str>),
    Array(Vec<Data>),
    /// Properties, sorted by name. Events are equal whatever the order of the properties is.
    Object(Vec<(Rc<str>, Data)>),
}

/// An event: a name and data. Events without data have the data `null`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Event {
    pub(super) name: Rc<str>,
    pub(super) data: Data,
}

/// An event set as a sync has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Set {
    All,
    None,
    One(Event),
    Any(Vec<Set>),
    Every(Vec<Set>),
    Not(Box<Set>),
    Xor(Box<Set>, Box<Set>),
    /// The name and the function of a predicate.
    Predicate(Rc<str>, Value),
}

impl Set {
    /// Calls `visit` for each function of a predicate.
    pub(super) fn each(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match self {
            Self::All | Self::None | Self::One(_) => {}
            Self::Any(sets) | Self::Every(sets) => sets.iter_mut().for_each(|set| set.each(visit)),
            Self::Not(set) => set.each(visit),
            Self::Xor(a, b) => {
                a.each(visit);
                b.each(visit);
            }
            Self::Predicate(_, function) => visit(function),
        }
    }
}

/// What a sync says. The requests are ascending and distinct.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Statement {
    pub(super) request: Vec<Event>,
    pub(super) wait: Set,
    pub(super) block: Set,
    pub(super) interrupt: Set,
    pub(super) is_hot: bool,
    /// The priority of the requests; 0 if the strategy does without.
    pub(super) priority: i64,
}

/// The reason why a machine stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// A value is thrown.
    Throw(Value),
    /// An assertion fails.
    Assert(String),
    /// The program is outside of what is read.
    Refuse(Refusal),
    /// An error with its place.
    Fatal(Box<formats::error::Error>),
}

/// An error without its place.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) code: &'static formats::codes::Code,
    pub(super) message: String,
    pub(super) hint: Cow<'static, str>,
}

/// The hint of [`codes::JS_PURE`](formats::codes).
pub(super) const PURE: &str =
    "a predicate only answers whether an event is in the set, and the function of a `sort` only compares";

/// Makes the refusal of what is outside of the subset.
pub(super) fn unsupported(message: impl Into<String>, hint: impl Into<Cow<'static, str>>) -> Stop {
    refuse(&formats::codes::JS_UNSUPPORTED, message, hint)
}

pub(super) fn refuse(
    code: &'static formats::codes::Code,
    message: impl Into<String>,
    hint: impl Into<Cow<'static, str>>,
) -> Stop {
    Stop::Refuse(Refusal { code, message: message.into(), hint: hint.into() })
}

/// Returns an argument. A missing one is `undefined`.
pub(super) fn argument(arguments: &[Value], index: usize) -> Value {
    arguments.get(index).cloned().unwrap_or(Value::Undefined)
}

/// Makes a text of UTF-16 units.
pub(super) fn from_units(units: &[u16]) -> Res<String> {
    String::from_utf16(units).map_err(|_| unsupported("half of a surrogate pair is not read", "use whole characters"))
}

/// Returns a unit of a text as a text.
pub(super) fn unit(text: &str, index: usize) -> Res<Option<String>> {
    if text.is_ascii() {
        return Ok(text.get(index..=index).map(str::to_owned));
    }
    text.encode_utf16().nth(index).map(|unit| from_units(&[unit])).transpose()
}
