//! The functions of BPjs.

use super::machine::{Leg, MOST_QUEUED, MOST_WAYS, Machine, Name, Phase, Registered, Reply};
use super::names::refused;
use super::value::{Cell, PURE, SetCell, Statement, Stop, Value, argument, refuse, unsupported};
use formats::codes;
use formats::source::Strategy;
use std::rc::Rc;

type Res<T> = Result<T, Stop>;

/// The largest number of values of a random choice.
const MOST_CHOICES: u32 = 10_000;

impl Machine<'_> {
    /// Calls a function of `bp`.
    pub(super) fn bp(&mut self, path: &'static str, arguments: Vec<Value>) -> Res<Reply> {
        let first = argument(&arguments, 0);
        let value = match path {
            "bp.sync" => return self.sync(&first, &argument(&arguments, 1), false),
            "(hot).sync" => return self.sync(&first, &argument(&arguments, 1), true),
            // `bp.hot(..)` gives an object with the method `sync`.
            "bp.hot" | "(hot).hot" => Value::Native(if first.truth() { "(hot)" } else { "bp" }),
            "bp.Event" | "Event" => self.new_event(&arguments)?,
            "bp.EventSet" => self.new_set(&arguments)?,
            "bp.allExcept" | "bp.eventSets.allExcept" | "bp.eventSets.not" | "EventSets.not" => {
                let inner = if arguments.len() == 1 { first } else { self.heap.alloc(Cell::Array(arguments))? };
                self.new_composed(SetCell::Not(inner))?
            }
            "bp.eventSets.anyOf" | "EventSets.anyOf" => {
                let members = self.members(arguments);
                self.new_composed(SetCell::Any(members))?
            }
            "bp.eventSets.allOf" | "EventSets.allOf" => {
                let members = self.members(arguments);
                self.new_composed(SetCell::Every(members))?
            }
            "bp.registerBThread" => self.register(&arguments)?,
            "bp.ASSERT" if first.truth() => Value::Undefined,
            "bp.ASSERT" if self.phase == Phase::Handler => {
                let hint = "assert in a b-thread";
                return Err(unsupported("an assertion of an interrupt handler fails, which BPjs ignores", hint));
            }
            "bp.ASSERT" => {
                let message = argument(&arguments, 1);
                let text = if message == Value::Undefined { Rc::from("") } else { self.heap.text_of(&message)? };
                let text =
                    if text.is_empty() { "assertion failed".to_owned() } else { format!("assertion failed: {text}") };
                return Err(Stop::Assert(text));
            }
            "bp.random.nextBoolean" => return self.choice(2, true),
            "bp.random.nextInt" => {
                let count = self.heap.number_of(&first)?;
                if count.fract() != 0.0 || !(1.0..=f64::from(MOST_CHOICES)).contains(&count) {
                    let message = format!("`nextInt` is read for whole numbers from 1 to {MOST_CHOICES}");
                    return Err(unsupported(message, "give the number of the values to choose from"));
                }
                return self.choice(count as u32, false);
            }
            "bp.fork" => self.fork_thread()?,
            "bp.enqueueExternalEvent" => self.enqueue(first)?,
            // No event comes from outside of the program, as in a verification of BPjs.
            "bp.setWaitForExternalEvents" => Value::Undefined,
            "bp.setInterruptHandler" => self.set_handler(first)?,
            path if path.starts_with("bp.log.") => Value::Undefined,
            path if path.starts_with("bp.store.") => self.store(path, &arguments)?,
            other => return Err(refused(other)),
        };
        Ok(Reply::Value(value))
    }

    fn sync(&mut self, statement: &Value, data: &Value, is_hot: bool) -> Res<Reply> {
        match self.phase {
            Phase::Thread => {
                let priority = self.priority(data);
                Ok(Reply::Sync(Statement { is_hot, priority, ..self.heap.statement(statement)? }))
            }
            Phase::Top => {
                let hint = "call `bp.sync` in a function that `bp.registerBThread` gets: `f`, and not `f()`";
                Err(unsupported("`bp.sync` is called outside of a b-thread", hint))
            }
            Phase::Handler => {
                let hint = "a handler may call `bp.enqueueExternalEvent`";
                Err(unsupported("an interrupt handler calls `bp.sync`, which is an error in BPjs", hint))
            }
            Phase::Predicate => {
                Err(refuse(&codes::JS_PURE, "a predicate or the function of a `sort` calls `bp.sync`", PURE))
            }
        }
    }

    /// Returns the priority of a sync with this data, as `PrioritizedBSyncEventSelectionStrategy.getValue` does.
    fn priority(&self, data: &Value) -> i64 {
        let number = if let Value::Num(number) = data { Some(number.get()) } else { None };
        if number.is_some() && self.code.data.get().is_none() {
            self.code.data.set(Some(self.place()));
        }
        match self.code.strategy {
            Strategy::Simple => 0,
            // `intValue` of Java: towards 0, to the nearest number of 32 bits, and 0 for what is no number.
            Strategy::PrioritizedBSync => number.map_or(i32::MIN, |number| number as i32).into(),
        }
    }

    fn choice(&self, count: u32, is_bool: bool) -> Res<Reply> {
        if self.phase == Phase::Thread {
            return Ok(Reply::Choice(count, is_bool));
        }
        let hint = "call `bp.random` in a b-thread";
        Err(unsupported("a random choice outside of a b-thread is not read", hint))
    }

    fn new_event(&mut self, arguments: &[Value]) -> Res<Value> {
        let name = argument(arguments, 0);
        if arguments.is_empty() || name == Value::Null {
            return Err(self.heap.type_error("an event has no name"));
        }
        let name = self.heap.text_of(&name)?;
        let data = argument(arguments, 1);
        let data = if data == Value::Undefined { Value::Null } else { data };
        self.heap.alloc(Cell::Event(name, data))
    }

    fn new_set(&mut self, arguments: &[Value]) -> Res<Value> {
        let (name, function) = (argument(arguments, 0), argument(arguments, 1));
        let name = self.heap.text_of(&name)?;
        let is_closure = matches!(&function, Value::Ref(at) if matches!(self.heap.get(*at), Cell::Closure(..)));
        if !is_closure {
            return Err(self.heap.type_error("the predicate of an event set is not a function"));
        }
        self.heap.alloc(Cell::Set(SetCell::Predicate(name, function)))
    }

    /// Makes a composed set, after a check that its parts are sets.
    pub(super) fn new_composed(&mut self, set: SetCell) -> Res<Value> {
        let value = self.heap.alloc(Cell::Set(set))?;
        self.heap.set(&value, 0)?;
        Ok(value)
    }

    /// Returns the sets in a list of arguments: the arguments, or the elements of the only one.
    fn members(&mut self, arguments: Vec<Value>) -> Vec<Value> {
        match arguments.as_slice() {
            [one] => self.heap.array(one).cloned().unwrap_or(arguments),
            _ => arguments,
        }
    }

    fn register(&mut self, arguments: &[Value]) -> Res<Value> {
        if self.phase == Phase::Predicate {
            return Err(refuse(&codes::JS_PURE, "a predicate or the function of a `sort` registers a b-thread", PURE));
        }
        let (name, data, function) = match arguments {
            [function] => (Value::Undefined, Value::Null, function.clone()),
            [name, function] => (name.clone(), Value::Null, function.clone()),
            [name, data, function, ..] => (name.clone(), data.clone(), function.clone()),
            [] => (Value::Undefined, Value::Null, Value::Undefined),
        };
        if !self.is_closure(&function) {
            return Err(self.heap.type_error("`bp.registerBThread` gets no function"));
        }
        let is_top = self.phase == Phase::Top;
        let is_known = is_top || name != Value::Undefined;
        let name = match name {
            Value::Undefined if is_top => format!("autoadded-{}", self.registered.len() + 1).into(),
            Value::Undefined => Rc::from("autoadded"),
            ref name => self.heap.text_of(name)?,
        };
        let name = Name { text: name, is_known };
        let registered = Registered { name, data, function, span: self.place() };
        match &mut self.leg {
            _ if is_top => self.registered.push(registered),
            Some(leg) => {
                check_children(leg)?;
                leg.registered.push(registered);
            }
            None => return Err(unseen("bp.registerBThread")),
        }
        Ok(Value::Undefined)
    }

    fn is_closure(&self, value: &Value) -> bool {
        matches!(value, Value::Ref(at) if matches!(self.heap.get(*at), Cell::Closure(..)))
    }

    /// `bp.fork`: the copy goes on with the value 1 when the other b-threads are at their syncs.
    fn fork_thread(&mut self) -> Res<Value> {
        if self.phase != Phase::Thread {
            return Err(unsupported("`bp.fork` is called outside of a b-thread", "call it in a b-thread"));
        }
        if self.handler != Value::Undefined {
            let hint = "set the handler after the fork";
            return Err(unsupported("a b-thread with an interrupt handler calls `bp.fork`", hint));
        }
        let Some(leg) = &self.leg else { return Err(unseen("bp.fork")) };
        let seed = leg.store.seed.clone();
        check_children(leg)?;
        // The copy does not have what the b-thread did to others.
        let leg = self.leg.take();
        let mut copy = self.fork();
        self.leg = leg;
        copy.leg = Some(Box::new(Leg::new(seed)));
        copy.name = Name { text: format!("fork of {}", self.name.text).into(), is_known: false };
        copy.push(Value::num(1.0));
        if let Some(leg) = &mut self.leg {
            leg.forks.push(copy);
        }
        // BPjs resumes the parent with `undefined` (`BPEngineTask.continueParentOfFork`).
        Ok(Value::Undefined)
    }

    fn enqueue(&mut self, value: Value) -> Res<Value> {
        let Some(event) = self.heap.event(&value)? else {
            return Err(self.heap.type_error("`bp.enqueueExternalEvent` gets no event"));
        };
        if self.phase == Phase::Predicate {
            return Err(refuse(&codes::JS_PURE, "a predicate or the function of a `sort` enqueues an event", PURE));
        }
        let Some(leg) = &mut self.leg else { return Err(unseen("bp.enqueueExternalEvent")) };
        if leg.external.len() >= MOST_QUEUED {
            let message = format!("more than {MOST_QUEUED} external events are enqueued without a sync");
            return Err(refuse(&codes::JS_LOOP, message, "enqueue fewer events"));
        }
        leg.external.push(event);
        Ok(value)
    }

    fn set_handler(&mut self, value: Value) -> Res<Value> {
        if self.phase != Phase::Thread {
            return Err(unsupported("an interrupt handler is set outside of a b-thread", "set it in a b-thread"));
        }
        self.handler = if self.is_closure(&value) { value } else { Value::Undefined };
        Ok(Value::Undefined)
    }

    /// Calls a method of an event or an event set. `None` if there is no such method.
    pub(super) fn set_method(&mut self, set: &Value, name: &str, arguments: &[Value]) -> Res<Option<Reply>> {
        let first = argument(arguments, 0);
        let value = match name {
            "contains" => {
                let Some(event) = self.heap.event(&first)? else {
                    return Err(self.heap.type_error("`contains` gets no event"));
                };
                let set = self.heap.set(set, 0)?;
                Value::Bool(self.contains(&set, &event).map_err(Stop::Fatal)?)
            }
            "equals" => {
                let (a, b) = (self.heap.event(set)?, self.heap.event(&first)?);
                if a.is_none() {
                    return Err(unsupported("event sets are not compared", "use `contains`"));
                }
                Value::Bool(a == b)
            }
            "or" => self.new_composed(SetCell::Any(vec![set.clone(), first]))?,
            "and" => self.new_composed(SetCell::Every(vec![set.clone(), first]))?,
            "xor" => self.new_composed(SetCell::Xor(set.clone(), first))?,
            "negate" => self.new_composed(SetCell::Not(set.clone()))?,
            "nor" | "nand" => {
                let both = vec![set.clone(), first];
                let inner = self.new_composed(if name == "nor" { SetCell::Any(both) } else { SetCell::Every(both) })?;
                self.new_composed(SetCell::Not(inner))?
            }
            "getName" => self.heap.get_property(set, "name")?,
            "getData" => self.heap.get_property(set, "data")?,
            _ => return Ok(None),
        };
        Ok(Some(Reply::Value(value)))
    }

    /// Sets `bp.thread.data`. The value stays on the stack.
    pub(super) fn set_own_data(&mut self, value: Value) -> Res<()> {
        if self.phase != Phase::Thread {
            return Err(unsupported("`bp.thread` is changed outside of a b-thread", "change it in a b-thread"));
        }
        self.data = value.clone();
        self.push(value);
        Ok(())
    }

    /// Returns a property of `bp.thread`.
    pub(super) fn own_property(&self, name: &str) -> Res<Value> {
        match (self.phase, name) {
            (Phase::Top | Phase::Handler, _) => {
                Err(unsupported("`bp.thread` is used outside of a b-thread", "use it in a b-thread"))
            }
            (_, "name") if !self.name.is_known => {
                let hint = "give the b-thread a name";
                Err(unsupported("BPjs leaves the name of this b-thread open", hint))
            }
            (_, "name") => Ok(Value::Str(self.name.text.clone())),
            (_, "data") => Ok(self.data.clone()),
            _ => Err(unsupported("this property of `bp.thread` is not read", "`name` and `data` are read")),
        }
    }
}

/// Checks that a b-thread does not begin too many others between two syncs.
fn check_children(leg: &Leg<'_>) -> Res<()> {
    if leg.registered.len() + leg.forks.len() < MOST_WAYS {
        return Ok(());
    }
    let message = format!("more than {MOST_WAYS} b-threads begin in one step");
    Err(refuse(&codes::JS_LOOP, message, "call `bp.sync` between forks and registrations"))
}

impl Machine<'_> {
    /// Calls a method of `bp.store`, or of the set of its keys.
    pub(super) fn store(&mut self, path: &str, arguments: &[Value]) -> Res<Value> {
        if !matches!(self.phase, Phase::Top | Phase::Thread) {
            let hint = "use the store in b-threads, between their syncs";
            let message = "a predicate, the function of a `sort` or an interrupt handler uses the store";
            return Err(refuse(&codes::JS_PURE, message, hint));
        }
        let Some(leg) = &mut self.leg else { return Err(unseen("bp.store")) };
        let store = &mut leg.store;
        match path {
            "bp.store.size" | "bp.store.keys.size" => return Ok(Value::count(store.size())),
            "bp.store.keys.isEmpty" => return Ok(Value::Bool(store.size() == 0)),
            _ => {}
        }
        let Value::Str(key) = argument(arguments, 0) else {
            return Err(unsupported("a key of the store is no text", "use texts as keys: `String(key)`"));
        };
        match path {
            "bp.store.get" => store.get(&key, &mut self.heap),
            "bp.store.has" | "bp.store.keys.contains" => Ok(Value::Bool(store.has(&key))),
            "bp.store.put" => {
                let value = argument(arguments, 1);
                if value == Value::Undefined || value == Value::Empty {
                    return Err(unsupported("`undefined` is put into the store", "put `null`, or use `remove`"));
                }
                store.changes.insert(key, Some(value));
                Ok(Value::Undefined)
            }
            _ => {
                store.changes.insert(key, None);
                Ok(Value::Undefined)
            }
        }
    }
}

/// Refuses a use of a function that was not seen in the text.
pub(super) fn unseen(path: &str) -> Stop {
    let message = format!("`{path}` is used under another name, which is not read");
    unsupported(message, "write the name where it is used, for example `bp.store.get(key)`")
}
