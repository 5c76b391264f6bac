//! One call, followed as far as what is known of the variables decides its way.
//!
//! A [`Run`] stops where it must look at a variable, or where the ways part: whoever drives it (`tree.rs` for whole
//! cells, `boxes.rs` for single states) says what is there and goes on with copies. So nothing is tested that the
//! call does not need.

use crate::eval::{Codes, Known, Value};
use crate::layout::{Layout, Role};
use model::reactive::{Arms, Block, Convention, Stmt};
use model::{ErrorId, ExprId, Reactive, VarId};
use store::reactive::interval::Interval;

/// How much is known of a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    Nothing,
    Class,
    Cell,
}

/// How a way through a call ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// There is a next call, after this was said.
    Continues(Said),
    /// The program stops, and nobody asks about it.
    Stops,
    /// The program stops at a label.
    Error(ErrorId),
    /// The abstraction cannot say what a variable holds now.
    TooCoarse,
}

/// What a call that does not stop the program shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Said {
    Output(i32),
    Silent,
    Invalid,
    /// One of several letters.
    Unclear,
    /// Something else than one letter.
    Unspelt,
}

/// Why a run stops.
#[derive(Debug)]
pub(crate) enum Event {
    /// It must know more about a slot.
    Look { slot: usize, level: Level },
    /// Each of these may happen.
    Fork(Vec<Run>),
    /// The call is over.
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
    /// Above it lies a called function; `returns`: its caller returns what it returns.
    Function {
        returns: bool,
    },
}

/// The middle of a call.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    input: i32,
    known: Vec<(Level, Interval)>,
    assigned: Vec<(VarId, Interval)>,
    frames: Vec<Frame>,
    /// What is printed so far; where outputs are returned, what is.
    said: Said,
    has_printed: bool,
}

/// What runs need and do not own.
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Reactive,
    pub(crate) layout: &'a Layout,
    pub(crate) codes: &'a mut Codes,
    /// Conditions and assignments evaluated so far.
    pub(crate) work: u64,
}

/// More pieces than these are not told apart.
const PIECES: u32 = 16;

/// The variables as an evaluation sees them.
struct View<'a> {
    layout: &'a Layout,
    run: &'a Run,
    /// How much must be known of a slot.
    level: Level,
    missing: Missing,
}

/// What an evaluation did not know.
struct Missing {
    /// The unknown slot that is looked at most often.
    open: Option<usize>,
    /// Such a slot of which only the class is known.
    class_only: Option<usize>,
    /// A variable assigned in this call that is in one of several cells.
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

impl Known for View<'_> {
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
    /// The start of a call, with what is known of each slot.
    pub(crate) fn new(program: &Reactive, input: i32, known: Vec<(Level, Interval)>) -> Self {
        let frames = vec![Frame::Block { block: program.body(program.entry()), at: 0 }];
        Self { input, known, assigned: Vec::new(), frames, said: Said::Silent, has_printed: false }
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

    /// What the call assigned to slots.
    pub(crate) fn effects<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = (usize, Interval)> + 'a {
        self.assigned.iter().filter_map(|&(var, value)| match layout.roles[var.index()] {
            Role::Slot(slot) => Some((slot, value)),
            _ => None,
        })
    }

    /// Now this is known of a slot.
    pub(crate) fn learn(&mut self, slot: usize, level: Level, value: Interval) {
        debug_assert!(self.known[slot].0 < level);
        self.known[slot] = (level, value);
    }

    /// Goes on to the next event.
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
            Convention::Returned if self.said != Said::Invalid => End::Continues(Said::Unspelt),
            _ => End::Continues(self.said),
        })
    }

    /// Past the statement on top.
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
                let counts = context.program.convention() == Convention::Returned && self.said != Said::Invalid;
                // Whoever wants the value or not: computing it may stop the program.
                match self.spoken(expr, context) {
                    Err(event) => return Some(event),
                    Ok(said) if counts && self.returns_from_entry() => {
                        self.said = match said {
                            Said::Output(-1) => Said::Silent,
                            Said::Output(-2) => Said::Invalid,
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
                    if self.said != Said::Invalid {
                        self.said = if self.has_printed { Said::Unspelt } else { said };
                    }
                    self.has_printed = true;
                    self.next();
                }
            },
            Stmt::Invalid => {
                self.said = Said::Invalid;
                self.next();
            }
            Stmt::Error(error) => return Some(Event::End(End::Error(error))),
            Stmt::Crash => return Some(Event::End(End::Stops)),
        }
        None
    }

    /// Returns from the innermost function, and from its callers if they return what it returns.
    fn leave_function(&mut self) -> Option<Event> {
        while let Some(frame) = self.frames.pop() {
            if let Frame::Function { returns: false } = frame {
                return None;
            }
        }
        Some(Event::End(End::Continues(self.said)))
    }

    /// Returns without a value: what the call returns, if that would be it, is not defined.
    fn without_value(&mut self, context: &Context<'_>) -> Option<Event> {
        let counts = context.program.convention() == Convention::Returned && self.said != Said::Invalid;
        if counts && self.returns_from_entry() {
            self.said = Said::Unspelt;
        }
        self.leave_function()
    }

    /// Does a return now end the call?
    fn returns_from_entry(&self) -> bool {
        self.frames.iter().all(|frame| !matches!(frame, Frame::Function { returns: false }))
    }

    /// The letter that is printed or returned.
    fn spoken(&self, expr: ExprId, context: &mut Context<'_>) -> Result<Said, Event> {
        let (value, missing) = self.eval(expr, Level::Cell, context);
        match value {
            Value::Crash => Err(Event::End(End::Stops)),
            Value::Open => Err(look(missing.open, Level::Cell)),
            Value::Is(value) => Ok(value.single().map_or(Said::Unclear, Said::Output)),
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

    /// One run for each class (if there is only one, for each cell) that an assigned variable may be in.
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

/// An open value has named a slot.
fn look(open: Option<usize>, level: Level) -> Event {
    Event::Look { slot: open.expect("an open value depends on a slot"), level }
}
