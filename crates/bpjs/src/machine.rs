//! The machine that runs functions. It has an explicit stack of frames, so a sync anywhere in nested calls is a state:
//! the frames and the cells that they reach.

use super::code::{Code, Op, Try};
use super::frame::Frame;
use super::heap::Heap;
use super::store::{Items, Store};
use super::value::{Cell, Event, Refusal, Statement, Stop, Value, refuse};
use formats::codes;
use formats::error::{Error, Span, Text};
use std::rc::Rc;

/// The largest number of instructions between two syncs, and of frames.
const MOST_STEPS: usize = 1_000_000;
pub(super) const MOST_FRAMES: usize = 2_000;
/// The largest number of functions inside of each other that must change nothing. Each takes a part of the stack.
pub(super) const MOST_NESTED: usize = 50;

/// `bp.thread`.
const THREAD: Value = Value::Native("bp.thread");

/// What the machine runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// The top-level script.
    Top,
    /// A b-thread.
    Thread,
    /// The predicate of an event set, or the function of a `sort`.
    Predicate,
    /// An interrupt handler.
    Handler,
}

pub(super) struct Machine<'c> {
    pub(super) code: &'c Code,
    pub(super) source: Text<'c>,
    pub(super) heap: Heap,
    pub(super) frames: Vec<Frame>,
    pub(super) phase: Phase,
    /// The name and the data of the b-thread.
    pub(super) name: Name,
    pub(super) data: Value,
    /// The interrupt handler. `undefined` if there is none.
    pub(super) handler: Value,
    /// The place where the b-thread is registered.
    pub(super) span: Span,
    /// The b-threads that the top-level script registered.
    pub(super) registered: Vec<Registered>,
    /// The effects on other b-threads. `None` if the b-thread has none.
    pub(super) leg: Option<Box<Leg<'c>>>,
    /// The number of functions that must change nothing and are called now.
    pub(super) nested: usize,
    steps: usize,
}

/// Why the machine paused or ended.
pub(super) enum Exit {
    Done(Value),
    Sync(Statement),
    /// The next value is one of the numbers below this one, or (if true) one of `false` and `true`.
    Choice(u32, bool),
    /// An assertion failed or an error was not caught: the message and its place.
    Bad(String, Span),
}

/// What a call leads to.
pub(super) enum Reply {
    Value(Value),
    /// A call of a closure with `this` and arguments. Its result is the result.
    Enter(Value, Value, Vec<Value>),
    /// A call of a function of the prelude.
    Prelude(&'static str, Vec<Value>),
    Sync(Statement),
    Choice(u32, bool),
}

impl<'c> Machine<'c> {
    pub(super) fn new(code: &'c Code, source: Text<'c>, heap: Heap, phase: Phase) -> Self {
        let name = Name { text: "".into(), is_known: true };
        let (frames, registered, steps) = (Vec::new(), Vec::new(), MOST_STEPS);
        let (data, handler, span) = (Value::Null, Value::Undefined, Span::default());
        Self { code, source, heap, frames, phase, name, data, handler, span, registered, leg: None, nested: 0, steps }
    }

    /// Copies the machine.
    pub(super) fn fork(&self) -> Self {
        Self {
            heap: self.heap.clone(),
            frames: self.frames.clone(),
            name: self.name.clone(),
            data: self.data.clone(),
            handler: self.handler.clone(),
            registered: Vec::new(),
            leg: self.leg.as_ref().map(|leg| Box::new(leg.copy())),
            ..*self
        }
    }

    /// Runs until a sync, a choice or the end.
    pub(super) fn run(&mut self) -> Result<Exit, Box<Error>> {
        loop {
            let stop = match self.advance() {
                Ok(None) => continue,
                Ok(Some(exit)) => return Ok(exit),
                Err(stop) => stop,
            };
            match stop {
                Stop::Throw(value) => {
                    let span = self.place();
                    if !self.catch(&value) {
                        let message = self.describe_thrown(&value);
                        return self.fail(message, span);
                    }
                }
                Stop::Assert(_) if self.is_in_try() => {
                    let message = "an assertion fails inside of `try`, where BPjs takes the failure for an exception";
                    let error = self.source.error(&codes::JS_UNSUPPORTED, self.place().range(), message);
                    return Err(error.label("outside of the subset").hint("assert after the `try` statement"));
                }
                Stop::Assert(message) => {
                    let span = self.place();
                    return self.fail(message, span);
                }
                Stop::Refuse(refusal) => return Err(self.refused(refusal)),
                Stop::Fatal(error) => return Err(error),
            }
        }
    }

    /// Ends with a failure: a bad state of a b-thread, an error elsewhere.
    pub(super) fn fail(&self, message: String, span: Span) -> Result<Exit, Box<Error>> {
        if self.phase == Phase::Thread {
            return Ok(Exit::Bad(message, span));
        }
        let hint = match self.phase {
            Phase::Top => "the top-level script fails before any b-thread runs",
            Phase::Handler => "BPjs leaves open what follows when an interrupt handler fails",
            _ => {
                "a predicate, or the function of a `sort`, fails; events without data have the data `null`, so test \
                 `e.name` first"
            }
        };
        Err(self.source.error(&codes::JS_RUNTIME, span.range(), message).label("fails here").hint(hint))
    }

    /// Makes the error of a stop that no b-thread handles.
    pub(super) fn stopped(&mut self, stop: Stop) -> Box<Error> {
        match stop {
            Stop::Refuse(refusal) => self.refused(refusal),
            Stop::Fatal(error) => error,
            Stop::Assert(message) => self.source.error(&codes::JS_RUNTIME, self.place().range(), message),
            Stop::Throw(value) => {
                let message = self.describe_thrown(&value);
                self.source.error(&codes::JS_RUNTIME, self.place().range(), message)
            }
        }
    }

    /// The place of a function of the program.
    pub(super) fn function_place(&self, function: &Value) -> Span {
        let Value::Ref(at) = function else { return Span::default() };
        match self.heap.get(*at) {
            Cell::Closure(number, ..) => self.code.function(*number).spans.first().copied().unwrap_or_default(),
            _ => Span::default(),
        }
    }

    pub(super) fn refused(&self, refusal: Refusal) -> Box<Error> {
        let Refusal { code, message, hint } = refusal;
        self.source.error(code, self.place().range(), message).hint(hint)
    }

    /// The place of the instruction that runs, in the innermost function of the source.
    pub(super) fn place(&self) -> Span {
        let frames = self.frames.iter().rev();
        let mut frames = frames.map(|f| (self.code.function(f.function), f.pc)).filter(|(f, _)| !f.is_hidden);
        frames.next().and_then(|(f, pc)| f.spans.get(pc.saturating_sub(1) as usize).copied()).unwrap_or(self.span)
    }

    /// True if a `try` statement would see what is thrown now.
    fn is_in_try(&self) -> bool {
        self.frames.iter().any(|frame| {
            let at = frame.pc.saturating_sub(1);
            self.code.function(frame.function).tries.iter().any(|t| (t.start..t.end).contains(&at))
        })
    }

    /// Continues at the `catch` for a thrown value. False if there is none.
    fn catch(&mut self, value: &Value) -> bool {
        while let Some(frame) = self.frames.last_mut() {
            let at = frame.pc.saturating_sub(1);
            let tries = &self.code.function(frame.function).tries;
            if let Some(Try { catch, depth, .. }) = tries.iter().find(|t| (t.start..t.end).contains(&at)) {
                frame.stack.truncate(*depth as usize);
                frame.stack.push(value.clone());
                frame.pc = *catch;
                return true;
            }
            self.frames.pop();
        }
        false
    }

    fn describe_thrown(&mut self, value: &Value) -> String {
        match self.heap.text_of(value) {
            Ok(text) => format!("uncaught: {text}"),
            Err(_) => "an error is thrown".to_owned(),
        }
    }

    fn advance(&mut self) -> Result<Option<Exit>, Stop> {
        let code = self.code;
        let Some(frame) = self.frames.last_mut() else { return Ok(Some(Exit::Done(Value::Undefined))) };
        let function = code.function(frame.function);
        let op = &function.code[frame.pc as usize];
        frame.pc += 1;
        self.steps = self.steps.checked_sub(1).ok_or_else(|| {
            let message = format!("no sync in {MOST_STEPS} steps");
            refuse(&codes::JS_LOOP, message, "let every way through the loop reach a `bp.sync`, or an end")
        })?;
        match op {
            Op::Return => {
                let result = frame.stack.pop().unwrap_or(Value::Undefined);
                self.frames.pop();
                match self.frames.last_mut() {
                    Some(caller) => caller.stack.push(result),
                    None => return Ok(Some(Exit::Done(result))),
                }
                Ok(None)
            }
            Op::Call(_) | Op::CallSpread | Op::Method(..) | Op::MethodSpread(_) | Op::MethodIndex(_) | Op::New(_) => {
                let reply = self.call_op(op)?;
                self.answer(reply)
            }
            Op::GetProp(name) if frame.stack.last() == Some(&THREAD) => {
                self.pop();
                let value = self.own_property(name)?;
                self.push(value);
                Ok(None)
            }
            Op::SetProp(name) if &**name == "data" && frame.stack.iter().rev().nth(1) == Some(&THREAD) => {
                let value = self.pop();
                self.pop();
                self.set_own_data(value)?;
                Ok(None)
            }
            Op::Closure(number) => {
                super::step::close(frame, *number, code.function(*number), &mut self.heap)?;
                Ok(None)
            }
            op => {
                super::step::step(frame, function, op, &mut self.heap)?;
                Ok(None)
            }
        }
    }

    fn answer(&mut self, reply: Reply) -> Result<Option<Exit>, Stop> {
        match reply {
            Reply::Value(value) => self.push(value),
            Reply::Enter(function, this, arguments) => self.enter(&function, this, arguments)?,
            Reply::Prelude(name, arguments) => {
                let Some(function) = self.code.prelude(name) else { return Ok(None) };
                self.enter_function(function, Value::Undefined, Value::Empty, arguments)?;
            }
            Reply::Sync(statement) => return Ok(Some(Exit::Sync(statement))),
            Reply::Choice(count, is_bool) => return Ok(Some(Exit::Choice(count, is_bool))),
        }
        Ok(None)
    }

    /// Puts the result of a call on the stack.
    pub(super) fn push(&mut self, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            frame.stack.push(value);
        }
    }

    pub(super) fn pop(&mut self) -> Value {
        self.frames.last_mut().and_then(|frame| frame.stack.pop()).unwrap_or(Value::Undefined)
    }
}

/// The largest number of ways through the random choices between two syncs.
pub(super) const MOST_WAYS: usize = 1 << 16;

/// Returns the frames of a machine at a sync, without the dead variables.
pub(super) fn live_frames(machine: &Machine<'_>) -> Vec<Frame> {
    let mut frames = machine.frames.clone();
    for frame in &mut frames {
        let live = &machine.code.function(frame.function).live;
        let pc = frame.pc.saturating_sub(1) as usize;
        for (slot, value) in frame.slots.iter_mut().enumerate() {
            if !live.contains(pc, slot) {
                *value = Value::Undefined;
            }
        }
    }
    frames
}

/// The largest number of external events in the queue.
pub(super) const MOST_QUEUED: usize = 1 << 10;

/// The name of a b-thread. BPjs numbers forks and b-threads without a name in an order that it leaves open, so their
/// names are not known to the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Name {
    pub(super) text: Rc<str>,
    pub(super) is_known: bool,
}

/// What a b-thread does to others before its next sync.
pub(super) struct Leg<'c> {
    pub(super) store: Store,
    pub(super) registered: Vec<Registered>,
    pub(super) forks: Vec<Machine<'c>>,
    pub(super) external: Vec<Event>,
}

/// A b-thread that is registered.
#[derive(Clone, Debug)]
pub(super) struct Registered {
    pub(super) name: Name,
    pub(super) data: Value,
    pub(super) function: Value,
    pub(super) span: Span,
}

impl<'c> Leg<'c> {
    pub(super) fn new(store: Rc<Items>) -> Self {
        Self { store: Store::new(store), registered: Vec::new(), forks: Vec::new(), external: Vec::new() }
    }

    /// Copies the leg for another way of a random choice.
    pub(super) fn copy(&self) -> Self {
        Self {
            store: self.store.clone(),
            registered: self.registered.clone(),
            forks: self.forks.iter().map(Machine::fork).collect(),
            external: self.external.clone(),
        }
    }
}
