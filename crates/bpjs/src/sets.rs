//! Events and event sets.

use super::heap::Heap;
use super::machine::Machine;
use super::value::{Cell, Data, Event, Num, Set, SetCell, Statement, Stop, Value, unsupported};
use formats::codes;
use formats::error::Error;
use std::rc::Rc;

type Res<T> = Result<T, Stop>;

/// The largest depth of data in events, and of event sets.
const DEPTH: usize = 50;

impl Heap {
    /// Returns the event, if the value is one.
    pub(super) fn event(&mut self, value: &Value) -> Res<Option<Event>> {
        let Value::Ref(at) = value else { return Ok(None) };
        let Cell::Event(name, data) = self.get(*at) else { return Ok(None) };
        let (name, data) = (name.clone(), data.clone());
        let data = self.data(&data, 0)?;
        Ok(Some(Event { name, data: if data == Data::Undefined { Data::Null } else { data } }))
    }

    /// Copies a value as the data of an event.
    fn data(&mut self, value: &Value, depth: usize) -> Res<Data> {
        if depth > DEPTH {
            return Err(unsupported("the data of an event is nested too deep, or contains itself", "use plain data"));
        }
        self.charge(1)?;
        Ok(match value {
            Value::Null => Data::Null,
            Value::Undefined => Data::Undefined,
            Value::Bool(b) => Data::Bool(*b),
            // BPjs does not tell -0 from 0 in events.
            Value::Num(n) => Data::Num(Num::new(n.get() + 0.0)),
            Value::Str(text) => Data::Str(text.clone()),
            Value::Ref(at) => match self.get(*at) {
                Cell::Array(values) => {
                    let values = values.clone();
                    Data::Array(values.iter().map(|v| self.data(v, depth + 1)).collect::<Res<_>>()?)
                }
                Cell::Object(properties) => {
                    let properties = properties.clone();
                    let mut data = Vec::with_capacity(properties.len());
                    for (name, value) in properties {
                        data.push((name, self.data(&value, depth + 1)?));
                    }
                    data.sort();
                    Data::Object(data)
                }
                _ => return Err(unsupported("a function, an event or a set is data of an event", "use plain data")),
            },
            Value::Empty | Value::Native(_) => {
                return Err(unsupported("a hole of an array or a function is data of an event", "use plain data"));
            }
        })
    }

    /// Makes the value of an event.
    pub(super) fn event_value(&mut self, event: &Event) -> Res<Value> {
        let data = self.data_value(&event.data)?;
        self.alloc(Cell::Event(event.name.clone(), data))
    }

    fn data_value(&mut self, data: &Data) -> Res<Value> {
        Ok(match data {
            Data::Null => Value::Null,
            Data::Undefined => Value::Undefined,
            Data::Bool(b) => Value::Bool(*b),
            Data::Num(n) => Value::Num(*n),
            Data::Str(text) => Value::Str(text.clone()),
            Data::Array(values) => {
                let values = values.iter().map(|v| self.data_value(v)).collect::<Res<_>>()?;
                self.alloc(Cell::Array(values))?
            }
            Data::Object(properties) => {
                let mut all = Vec::with_capacity(properties.len());
                for (name, value) in properties {
                    let value = self.data_value(value)?;
                    super::props::put(&mut all, name.clone(), value);
                }
                self.alloc(Cell::Object(all))?
            }
        })
    }

    /// Converts a value to an event set.
    pub(super) fn set(&mut self, value: &Value, depth: usize) -> Res<Set> {
        if depth > DEPTH {
            return Err(unsupported("event sets are nested too deep", "use `bp.eventSets.anyOf` of a list"));
        }
        match value {
            Value::Native("bp.all" | "bp.eventSets.all" | "EventSets.all") => Ok(Set::All),
            Value::Native("bp.none" | "bp.eventSets.none" | "EventSets.none") => Ok(Set::None),
            Value::Ref(at) => match self.get(*at) {
                Cell::Event(..) => Ok(self.event(value)?.map_or(Set::None, Set::One)),
                Cell::Array(values) => {
                    let values = values.clone();
                    self.sets(&values, depth).map(Set::Any)
                }
                Cell::Set(set) => match set.clone() {
                    SetCell::Predicate(name, function) => Ok(Set::Predicate(name, function)),
                    SetCell::Any(values) => self.sets(&values, depth).map(Set::Any),
                    SetCell::Every(values) => self.sets(&values, depth).map(Set::Every),
                    SetCell::Not(value) => Ok(Set::Not(Box::new(self.set(&value, depth + 1)?))),
                    SetCell::Xor(a, b) => {
                        Ok(Set::Xor(Box::new(self.set(&a, depth + 1)?), Box::new(self.set(&b, depth + 1)?)))
                    }
                },
                _ => Err(self.type_error("an object is neither an event nor an event set")),
            },
            other => {
                let what = self.type_of(other);
                Err(self.type_error(format!("a value of type {what} is neither an event nor an event set")))
            }
        }
    }

    fn sets(&mut self, values: &[Value], depth: usize) -> Res<Vec<Set>> {
        values.iter().map(|value| self.set(value, depth + 1)).collect()
    }

    /// Reads the argument of `bp.sync`.
    pub(super) fn statement(&mut self, argument: &Value) -> Res<Statement> {
        let is_object = matches!(argument, Value::Ref(at) if matches!(self.get(*at), Cell::Object(_)));
        if !is_object {
            return Err(self.type_error("the argument of `bp.sync` is no object"));
        }
        for key in self.keys(argument)? {
            let key = self.text_of(&key)?;
            if !["request", "waitFor", "block", "interrupt"].contains(&&*key) {
                let hint = "a sync has `request`, `waitFor`, `block` and `interrupt`";
                let name = formats::error::printable(&key);
                return Err(unsupported(format!("`{name}` means nothing to `bp.sync`"), hint));
            }
        }
        let request = self.get_property(argument, "request")?;
        let mut part = |name: &str| {
            let value = self.get_property(argument, name)?;
            if value.is_nullish() { Ok(Set::None) } else { self.set(&value, 0) }
        };
        let (wait, block, interrupt) = (part("waitFor")?, part("block")?, part("interrupt")?);
        Ok(Statement { request: self.requests(&request)?, wait, block, interrupt, is_hot: false, priority: 0 })
    }

    fn requests(&mut self, value: &Value) -> Res<Vec<Event>> {
        let values = match self.array(value) {
            Some(values) => values.clone(),
            None if value.is_nullish() => Vec::new(),
            None => vec![value.clone()],
        };
        let mut events = Vec::with_capacity(values.len());
        for value in values {
            match self.event(&value)? {
                Some(event) => events.push(event),
                None => return Err(self.type_error("`request` is neither an event nor an array of events")),
            }
        }
        events.sort();
        events.dedup();
        Ok(events)
    }
}

impl Set {
    /// True if the set certainly contains no event.
    pub(super) fn is_none(&self) -> bool {
        match self {
            Self::None => true,
            Self::Any(sets) => sets.is_empty(),
            _ => false,
        }
    }
}

/// Evaluates a predicate, given by its name and its function.
type Evaluate<'e> = dyn FnMut(&Rc<str>, &Value) -> Result<bool, Box<Error>> + 'e;

/// Returns true if the set contains the event. `call` evaluates predicates.
pub(super) fn contains(set: &Set, event: &Event, call: &mut Evaluate<'_>) -> Result<bool, Box<Error>> {
    Ok(match set {
        Set::All => true,
        Set::None => false,
        Set::One(one) => one == event,
        Set::Any(sets) => {
            for set in sets {
                if contains(set, event, call)? {
                    return Ok(true);
                }
            }
            false
        }
        Set::Every(sets) => {
            for set in sets {
                if !contains(set, event, call)? {
                    return Ok(false);
                }
            }
            true
        }
        Set::Not(set) => !contains(set, event, call)?,
        Set::Xor(a, b) => contains(a, event, call)? != contains(b, event, call)?,
        Set::Predicate(name, function) => call(name, function)?,
    })
}

impl Machine<'_> {
    /// Returns true if the set contains the event.
    pub(super) fn contains(&mut self, set: &Set, event: &Event) -> Result<bool, Box<Error>> {
        contains(set, event, &mut |name, function| {
            let argument = match self.heap.event_value(event) {
                Ok(value) => value,
                Err(stop) => return Err(self.stopped(stop)),
            };
            match self.pure(function, vec![argument])? {
                Value::Bool(result) => Ok(result),
                other => {
                    let what = self.heap.type_of(&other);
                    let name = formats::error::printable(name);
                    let message = format!("the predicate of `{name}` returns a value of type {what}");
                    let span = self.function_place(function);
                    let error = self.source.error(&codes::JS_RUNTIME, span.range(), message);
                    Err(error.label("this predicate").hint("a predicate returns `true` or `false`"))
                }
            }
        })
    }
}
