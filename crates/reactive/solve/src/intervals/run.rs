//! One call, executed as far as the knowledge about variables determines its way.
//!
//! A [`Run`] stops where it needs to know more about a variable, or where several ways are possible. Its driver
//! (`tree.rs` for abstract states, `boxes.rs` for boxes) provides the knowledge, and continues with copies. So
//! only variables that the call needs are tested.

use crate::intervals::eval::{Codes, Value, ValueSource};
use crate::intervals::layout::{Layout, Role};
use crate::store::interval::Interval;
use model::reactive::{Arms, Block, Convention, Stmt};
use model::{ErrorId, ExprId, Reactive, VarId};

/// The level of knowledge about a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    Nothing,
    Class,
    Cell,
}

/// The end of a way through a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The call ends with this output, and the next call follows.
    Continues(CallOutput),
    /// The program stops without an error label.
    Stops,
    /// The program stops at a label.
    Error(ErrorId),
    /// The abstraction cannot represent the value of a variable.
    TooCoarse,
}

/// The output of a call that does not stop the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallOutput {
    Output(i32),
    Silent,
    Invalid,
    /// One of several letters; the abstraction does not determine which.
    Unclear,
    /// Not exactly one letter.
    Unspelt,
}

/// The reason why a run stops.
#[derive(Debug)]
pub(crate) enum Event {
    /// The run needs to know more about a slot.
    Look { slot: usize, level: Level },
    /// Each of these continuations is possible.
    Fork(Vec<Run>),
    /// The call has ended.
    End(End),
}

#[derive(Clone, Copy, Debug)]
enum Frame {
    Block {
        block: Block,
        at: u32,
    },
    Chain {
        arms: Arms,
        otherwise: Block,
        at: u32,
    },
    /// The frames above belong to a called function. `returns` is true if the caller returns the function's
    /// value.
    Function {
        returns: bool,
    },
}

/// A call in progress.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    input: i32,
    known: Vec<(Level, Interval)>,
    assigned: Vec<(VarId, Interval)>,
    frames: Vec<Frame>,
    /// The output so far: the printed letter, or the returned one if the program returns its outputs.
    said: CallOutput,
    has_printed: bool,
}

/// Data shared by runs.
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Reactive,
    pub(crate) layout: &'a Layout,
    pub(crate) codes: &'a mut Codes,
    /// Conditions and assignments evaluated so far.
    pub(crate) work: u64,
}

/// Maximal number of pieces into which the interval of an assigned variable is split.
const PIECES: u32 = 16;

/// The variables, as an evaluation reads them.
struct View<'a> {
    layout: &'a Layout,
    run: &'a Run,
    /// The level of knowledge that is required about a slot.
    level: Level,
    missing: Missing,
}

/// The knowledge that an evaluation lacked.
struct Missing {
    /// The unknown slot that the program reads most often.
    open: Option<usize>,
    /// Of the slots of which only the class is known, the one that the program reads most often.
    class_only: Option<usize>,
    /// A variable that this call has assigned a value in one of several intervals.
    straddling: Option<VarId>,
}

impl View<'_> {
    fn heavier(&self, slot: usize, than: Option<usize>) -> Option<usize> {
        match than {
            Some(other) if self.layout.slots[other].weight >= self.layout.slots[slot].weight => Some(other),
            _ => Some(slot),
        }
    }
}

impl ValueSource for View<'_> {
    fn var(&mut self, var: VarId) -> Value {
        let role = self.layout.roles[var.index()];
        if let Some(value) = self.run.assigned(var) {
            if let Role::Slot(slot) = role
                && self.layout.slots[slot].codes_met(value).is_some_and(|(first, last)| first < last)
            {
                self.missing.straddling = Some(var);
            }
            return Value::Is(value);
        }
        match role {
            Role::Constant(value) => Value::Is(Interval::point(value)),
            Role::Temporary => Value::Is(Interval::ALL),
            Role::Slot(slot) => {
                let (level, value) = self.run.known[slot];
                if level < self.level {
                    self.missing.open = self.heavier(slot, self.missing.open);
                    return Value::Open;
                }
                if level == Level::Class {
                    self.missing.class_only = self.heavier(slot, self.missing.class_only);
                }
                Value::Is(value)
            }
        }
    }
}

impl Run {
    /// Starts a call with the given knowledge about each slot.
    pub(crate) fn new(program: &Reactive, input: i32, known: Vec<(Level, Interval)>) -> Self {
        let frames = vec![Frame::Block { block: program.body(program.entry()), at: 0 }];
        Self { input, known, assigned: Vec::new(), frames, said: CallOutput::Silent, has_printed: false }
    }

    fn assigned(&self, var: VarId) -> Option<Interval> {
        self.assigned.iter().find(|(v, _)| *v == var).map(|(_, value)| *value)
    }

    fn assign(&mut self, var: VarId, value: Interval) {
        match self.assigned.iter_mut().find(|(v, _)| *v == var) {
            Some((_, old)) => *old = value,
            None => self.assigned.push((var, value)),
        }
    }

    /// The assignments to slots.
    pub(crate) fn effects<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = (usize, Interval)> + 'a {
        self.assigned.iter().filter_map(|&(var, value)| match layout.roles[var.index()] {
            Role::Slot(slot) => Some((slot, value)),
            _ => None,
        })
    }

    /// Adds knowledge about a slot.
    pub(crate) fn learn(&mut self, slot: usize, level: Level, value: Interval) {
        debug_assert!(self.known[slot].0 < level);
        self.known[slot] = (level, value);
    }

    /// Continues to the next event.
    pub(crate) fn advance(&mut self, context: &mut Context<'_>) -> Event {
        let program = context.program;
        while let Some(&top) = self.frames.last() {
            let event = match top {
                Frame::Function { returns } => {
                    self.frames.pop();
                    if returns { self.without_value(context) } else { None }
                }
                Frame::Chain { arms, otherwise, at } => self.arm(arms, otherwise, at, context),
                Frame::Block { block, at } => match program.stmts(block).get(at as usize) {
                    Some(&stmt) => self.stmt(stmt, context),
                    None => {
                        self.frames.pop();
                        None
                    }
                },
            };
            if let Some(event) = event {
                return event;
            }
        }
        Event::End(match program.convention() {
            Convention::Returned if self.said != CallOutput::Invalid => End::Continues(CallOutput::Unspelt),
            _ => End::Continues(self.said),
        })
    }

    /// Moves past the current statement.
    fn next(&mut self) {
        if let Some(Frame::Block { at, .. }) = self.frames.last_mut() {
            *at += 1;
        }
    }

    fn stmt(&mut self, stmt: Stmt, context: &mut Context<'_>) -> Option<Event> {
        match stmt {
            Stmt::Assign(var, expr) => return self.assignment(var, expr, context),
            Stmt::If { arms, otherwise } => {
                self.next();
                self.frames.push(Frame::Chain { arms, otherwise, at: 0 });
            }
            Stmt::Call(f) | Stmt::ReturnCall(f) => {
                self.next();
                self.frames.push(Frame::Function { returns: matches!(stmt, Stmt::ReturnCall(_)) });
                self.frames.push(Frame::Block { block: context.program.body(f), at: 0 });
            }
            Stmt::Return(expr) => {
                let counts = context.program.convention() == Convention::Returned && self.said != CallOutput::Invalid;
                // The value is evaluated even if the caller ignores it, because its evaluation may stop the
                // program.
                match self.spoken(expr, context) {
                    Err(event) => return Some(event),
                    Ok(said) if counts && self.returns_from_entry() => {
                        self.said = match said {
                            CallOutput::Output(-1) => CallOutput::Silent,
                            CallOutput::Output(-2) => CallOutput::Invalid,
                            said => said,
                        }
                    }
                    Ok(_) => {}
                }
                return self.leave_function();
            }
            Stmt::End => return self.without_value(context),
            Stmt::Print(expr) => match self.spoken(expr, context) {
                Err(event) => return Some(event),
                Ok(said) => {
                    if self.said != CallOutput::Invalid {
                        self.said = if self.has_printed { CallOutput::Unspelt } else { said };
                    }
                    self.has_printed = true;
                    self.next();
                }
            },
            Stmt::Invalid => {
                self.said = CallOutput::Invalid;
                self.next();
            }
            Stmt::Error(error) => return Some(Event::End(End::Error(error))),
            Stmt::Crash => return Some(Event::End(End::Stops)),
        }
        None
    }

    /// Returns from the innermost function, and from its callers as long as they return its value.
    fn leave_function(&mut self) -> Option<Event> {
        while let Some(frame) = self.frames.pop() {
            if let Frame::Function { returns: false } = frame {
                return None;
            }
        }
        Some(Event::End(End::Continues(self.said)))
    }

    /// Returns without a value. If the output of the call would be the returned value, the call has no output
    /// letter ([`CallOutput::Unspelt`]).
    fn without_value(&mut self, context: &Context<'_>) -> Option<Event> {
        let counts = context.program.convention() == Convention::Returned && self.said != CallOutput::Invalid;
        if counts && self.returns_from_entry() {
            self.said = CallOutput::Unspelt;
        }
        self.leave_function()
    }

    /// True if a return at this point ends the call.
    fn returns_from_entry(&self) -> bool {
        self.frames.iter().all(|frame| !matches!(frame, Frame::Function { returns: false }))
    }

    /// The letter that is printed or returned.
    fn spoken(&self, expr: ExprId, context: &mut Context<'_>) -> Result<CallOutput, Event> {
        let (value, missing) = self.eval(expr, Level::Cell, context);
        match value {
            Value::Crash => Err(Event::End(End::Stops)),
            Value::Open => Err(look(missing.open, Level::Cell)),
            Value::Is(value) => Ok(value.single().map_or(CallOutput::Unclear, CallOutput::Output)),
        }
    }

    fn eval(&self, expr: ExprId, level: Level, context: &mut Context<'_>) -> (Value, Missing) {
        context.work += 1;
        let missing = Missing { open: None, class_only: None, straddling: None };
        let mut view = View { layout: context.layout, run: self, level, missing };
        let value = context.codes.eval(context.program, expr, self.input, &mut view);
        (value, view.missing)
    }

    fn assignment(&mut self, var: VarId, expr: ExprId, context: &mut Context<'_>) -> Option<Event> {
        let (value, missing) = self.eval(expr, Level::Cell, context);
        let value = match value {
            Value::Crash => return Some(Event::End(End::Stops)),
            Value::Open => return Some(look(missing.open, Level::Cell)),
            Value::Is(value) => value,
        };
        if let Some(pieces) = missing.straddling.and_then(|v| self.pieces(v, context.layout)) {
            return Some(Event::Fork(pieces));
        }
        if let Role::Slot(slot) = context.layout.roles[var.index()]
            && context.layout.slots[slot].codes_met(value).is_none()
        {
            return Some(Event::End(End::TooCoarse));
        }
        self.assign(var, value);
        self.next();
        None
    }

    fn arm(&mut self, arms: Arms, otherwise: Block, at: u32, context: &mut Context<'_>) -> Option<Event> {
        let Some(&arm) = context.program.arms(arms).get(at as usize) else {
            self.enter(otherwise);
            return None;
        };
        let (value, missing) = self.eval(arm.condition, Level::Class, context);
        let truth = match value {
            Value::Crash => return Some(Event::End(End::Stops)),
            Value::Open => return Some(look(missing.open, Level::Class)),
            Value::Is(value) => value.truth(),
        };
        match (truth, missing.class_only, missing.straddling) {
            (Some(true), ..) => self.enter(arm.body),
            (Some(false), ..) => self.past(at),
            (None, Some(slot), _) => return Some(Event::Look { slot, level: Level::Cell }),
            (None, None, straddling) => {
                if let Some(pieces) = straddling.and_then(|v| self.pieces(v, context.layout)) {
                    return Some(Event::Fork(pieces));
                }
                let (mut taken, mut skipped) = (self.clone(), self.clone());
                taken.enter(arm.body);
                skipped.past(at);
                return Some(Event::Fork(vec![taken, skipped]));
            }
        }
        None
    }

    fn enter(&mut self, block: Block) {
        self.frames.pop();
        self.frames.push(Frame::Block { block, at: 0 });
    }

    fn past(&mut self, arm: u32) {
        if let Some(Frame::Chain { at, .. }) = self.frames.last_mut() {
            *at = arm + 1;
        }
    }

    /// Makes one run for each interval that contains possible values of an assigned variable. If there are too
    /// many such intervals, makes one run for each class. Returns `None` if there are also too many classes, or
    /// only one class.
    fn pieces(&self, var: VarId, layout: &Layout) -> Option<Vec<Run>> {
        let Role::Slot(slot) = layout.roles[var.index()] else { return None };
        let (slot, value) = (&layout.slots[slot], self.assigned(var)?);
        let (first, last) = slot.codes_met(value)?;
        let (low, high) = (slot.class(first), slot.class(last));
        let intervals: Vec<Interval> = if last - first < PIECES {
            (first..=last).map(|code| slot.interval(code)).collect()
        } else if low < high && high - low < PIECES {
            (low..=high).map(|class| slot.class_interval(class)).collect()
        } else {
            return None;
        };
        let runs = intervals.into_iter().filter_map(|piece| piece.meet(value)).map(|piece| {
            let mut run = self.clone();
            run.assign(var, piece);
            run
        });
        Some(runs.collect())
    }
}

/// Makes the event for an open value. `open` is the slot that the evaluation has recorded.
fn look(open: Option<usize>, level: Level) -> Event {
    Event::Look { slot: open.expect("an open value depends on a slot"), level }
}
