//! Calls: of functions of the environment, of methods, and of functions of the program.

use super::code::{Function, Op};
use super::frame::Frame;
use super::machine::{Exit, MOST_FRAMES, MOST_NESTED, Machine, Phase, Reply};
use super::matching::MATCHES;
use super::methods;
use super::value::{Cell, Stop, Value, refuse, unsupported};
use formats::codes;
use formats::error::{Error, Span, printable};
use std::rc::Rc;

impl Machine<'_> {
    fn pop_many(&mut self, count: u32) -> Vec<Value> {
        let Some(frame) = self.frames.last_mut() else { return Vec::new() };
        let from = frame.stack.len().saturating_sub(count as usize);
        frame.stack.split_off(from)
    }

    pub(super) fn call_op(&mut self, op: &Op) -> Result<Reply, Stop> {
        match op {
            Op::Call(count) => {
                let arguments = self.pop_many(*count);
                let callee = self.pop();
                self.call(&callee, Value::Empty, arguments)
            }
            Op::CallSpread => {
                let list = self.pop();
                let callee = self.pop();
                let arguments = self.heap.array(&list).cloned().unwrap_or_default();
                self.call(&callee, Value::Empty, arguments)
            }
            Op::Method(name, count) => {
                let arguments = self.pop_many(*count);
                let receiver = self.pop();
                self.method(&receiver, name, arguments)
            }
            Op::MethodSpread(name) => {
                let list = self.pop();
                let receiver = self.pop();
                let arguments = self.heap.array(&list).cloned().unwrap_or_default();
                self.method(&receiver, name, arguments)
            }
            Op::MethodIndex(count) => {
                let arguments = self.pop_many(*count);
                let key = self.pop();
                let receiver = self.pop();
                let name = self.heap.text_of(&key)?;
                self.method(&receiver, &name, arguments)
            }
            Op::New(count) => {
                let arguments = self.pop_many(*count);
                match self.pop() {
                    Value::Native(path) => self.construct(path, arguments),
                    _ => Err(unsupported(
                        "`new` is read for events and errors only",
                        "call a function that returns an object",
                    )),
                }
            }
            _ => Ok(Reply::Value(Value::Undefined)),
        }
    }

    /// Calls a value.
    fn call(&mut self, callee: &Value, this: Value, arguments: Vec<Value>) -> Result<Reply, Stop> {
        match callee {
            Value::Native(path) => self.native(path, arguments),
            Value::Ref(at) if matches!(self.heap.get(*at), Cell::Closure(..)) => {
                Ok(Reply::Enter(callee.clone(), this, arguments))
            }
            other => {
                let what = self.heap.type_of(other);
                Err(self.heap.type_error(format!("a value of type {what} is not a function")))
            }
        }
    }

    fn method(&mut self, receiver: &Value, name: &Rc<str>, arguments: Vec<Value>) -> Result<Reply, Stop> {
        let is_test = matches!(receiver, Value::Str(_)) && arguments.iter().any(|value| self.pattern(value).is_some());
        let name = if &**name == MATCHES && !is_test { &"match".into() } else { name };
        if let Some(reply) = self.built_in(receiver, name, &arguments)? {
            return Ok(reply);
        }
        let is_own = matches!(receiver, Value::Ref(at) if matches!(self.heap.get(*at), Cell::Object(properties)
            if properties.iter().any(|(own, _)| own == name)));
        if !is_own && self.heap.has_method(receiver, name) {
            let with = if arguments.is_empty() { "" } else { " with these arguments" };
            let message = format!("the method `{}`{with} is not read", printable(name));
            return Err(unsupported(message, methods::instead(name)));
        }
        let callee = self.heap.get_property(receiver, name)?;
        if !self.heap.is_function(&callee) {
            let what = self.heap.type_of(receiver);
            let message = format!("`{}` of a value of type {what} is not a function", printable(name));
            return Err(self.heap.type_error(message));
        }
        self.call(&callee, receiver.clone(), arguments)
    }

    /// Begins a call of a closure.
    pub(super) fn enter(&mut self, closure: &Value, this: Value, arguments: Vec<Value>) -> Result<(), Stop> {
        let number = match closure {
            Value::Ref(at) => match self.heap.get(*at) {
                Cell::Closure(number, ..) => *number,
                _ => return Err(self.heap.type_error("this object is not a function")),
            },
            _ => return Err(self.heap.type_error("this value is not a function of the program")),
        };
        self.enter_function(number, closure.clone(), this, arguments)
    }

    pub(super) fn enter_function(
        &mut self,
        number: u32,
        closure: Value,
        this: Value,
        mut arguments: Vec<Value>,
    ) -> Result<(), Stop> {
        if self.frames.len() >= MOST_FRAMES {
            let message = format!("more than {MOST_FRAMES} calls are inside each other");
            return Err(refuse(&codes::JS_LOOP, message, "let the recursion end, or use a loop"));
        }
        let function: &Function = self.code.function(number);
        let mut slots = vec![Value::Undefined; function.variables.len()];
        self.heap.charge(slots.len() / 8 + arguments.len() / 8)?;
        if let Some(rest) = function.rest {
            let more = arguments.split_off(arguments.len().min(function.params as usize));
            slots[rest as usize] = self.heap.alloc(Cell::Array(more))?;
        }
        for (slot, value) in slots[function.first as usize..].iter_mut().zip(arguments).take(function.params as usize) {
            *slot = value;
        }
        if let Some(slot) = function.this {
            slots[slot as usize] = this;
        }
        self.frames.push(Frame { function: number, pc: 0, closure, slots, stack: Vec::new() });
        Ok(())
    }

    /// Runs a function that must change nothing to its end, while everything that exists is locked. It is the predicate
    /// of an event set, or the function of a `sort`.
    pub(super) fn pure(&mut self, function: &Value, arguments: Vec<Value>) -> Result<Value, Box<Error>> {
        if self.nested >= MOST_NESTED {
            let message = format!("more than {MOST_NESTED} predicates or functions of `sort` are inside each other");
            return Err(self.stopped(refuse(&codes::JS_LOOP, message, "let the recursion end")));
        }
        self.nested += 1;
        let result = self.run_pure(function, arguments);
        self.nested -= 1;
        result
    }

    fn run_pure(&mut self, function: &Value, arguments: Vec<Value>) -> Result<Value, Box<Error>> {
        let locked = self.heap.lock();
        let phase = std::mem::replace(&mut self.phase, Phase::Predicate);
        let frames = std::mem::take(&mut self.frames);
        let result = match self.enter(function, Value::Empty, arguments) {
            Ok(()) => self.run(),
            Err(Stop::Refuse(refusal)) => Err(self.refused(refusal)),
            Err(Stop::Fatal(error)) => Err(error),
            Err(_) => self.fail("this is not a function of the program".to_owned(), Span::default()),
        };
        self.frames = frames;
        self.phase = phase;
        self.heap.unlock(locked);
        match result? {
            Exit::Done(value) => Ok(value),
            _ => Ok(Value::Undefined),
        }
    }
}
