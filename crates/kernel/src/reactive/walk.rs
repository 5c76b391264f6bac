//! The control flow of a call: which statement of the program comes next, independent of the representation of
//! values.
//!
//! The plain interpreter, the interpreter for many rows at once and the interpreter for abstract states advance
//! a [`Walk`] step by step, and decide its conditions. The frames are on an explicit stack, so statements can
//! be nested to any depth.

use model::reactive::{Arm, Block, Convention, Stmt};
use model::{ErrorId, ExprId, FunctionId, Reactive, VarId};

/// The next step of a call.
#[derive(Clone, Copy, Debug)]
pub enum CallStep {
    /// Assigns the value of an expression to a variable.
    Assign(VarId, ExprId),
    /// Evaluates a condition. The caller must then call [`Walk::decide`].
    Test(ExprId),
    /// Prints the value of an expression as a letter.
    Print(ExprId),
    /// Evaluates the value that a function returns.
    Return {
        /// The returned expression.
        value: ExprId,
        /// True if this is the value of the whole call, which then ends.
        of_call: bool,
    },
    /// Marks the input as invalid.
    Invalid,
    /// Stops at an error label.
    Error(ErrorId),
    /// Crashes.
    Crash,
    /// The call ends without a value. If the program's calls should return one, its value is unknown.
    End,
}

#[derive(Clone, Copy, Debug)]
struct Frame<'p> {
    rest: &'p [Stmt],
    kind: FrameKind,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum FrameKind {
    /// An arm of an `if`.
    Arm,
    /// The body of a function. `returns` is true if the function's value is the value of the call.
    Function { returns: bool },
}

/// The position of a call in the program.
#[derive(Clone, Debug)]
pub struct Walk<'p> {
    program: &'p Reactive,
    frames: Vec<Frame<'p>>,
    /// The arms of the current `if` that are not tried yet, and the block that is taken if no condition holds.
    pending: Option<(&'p [Arm], Block)>,
}

impl<'p> Walk<'p> {
    /// Creates a walk at the start of a call.
    #[must_use]
    pub fn new(program: &'p Reactive) -> Self {
        let mut walk = Self { program, frames: Vec::new(), pending: None };
        walk.restart();
        walk
    }

    /// Starts the next call.
    pub fn restart(&mut self) {
        let kind = FrameKind::Function { returns: self.program.convention() == Convention::Returned };
        self.frames.clear();
        self.frames.push(Frame { rest: self.program.stmts(self.program.body(self.program.entry())), kind });
        self.pending = None;
    }

    /// Decides the condition of the last [`CallStep::Test`].
    pub fn decide(&mut self, holds: bool) {
        debug_assert!(self.pending.is_some(), "a condition was asked for");
        let Some((arms, otherwise)) = self.pending else { return };
        let body = match (holds, arms) {
            (true, [arm, ..]) => arm.body,
            (false, [_, rest @ ..]) if !rest.is_empty() => {
                self.pending = Some((rest, otherwise));
                return;
            }
            _ => otherwise,
        };
        self.pending = None;
        self.frames.push(Frame { rest: self.program.stmts(body), kind: FrameKind::Arm });
    }

    /// Returns the next step that depends on values or ends the call.
    pub fn advance(&mut self) -> CallStep {
        loop {
            if let Some(([arm, ..], _)) = self.pending {
                return CallStep::Test(arm.condition);
            }
            let Some(frame) = self.frames.last_mut() else { return CallStep::End };
            let Some((&stmt, rest)) = frame.rest.split_first() else {
                let kind = frame.kind;
                self.frames.pop();
                if kind == (FrameKind::Function { returns: true }) {
                    return CallStep::End;
                }
                continue;
            };
            frame.rest = rest;
            match stmt {
                Stmt::Assign(var, expr) => return CallStep::Assign(var, expr),
                Stmt::If { arms, otherwise } => self.pending = Some((self.program.arms(arms), otherwise)),
                Stmt::Call(function) => self.enter(function, false),
                Stmt::ReturnCall(function) => {
                    // A tail call: the caller has nothing left to do, so the callee replaces it and returns to
                    // the caller's caller.
                    let returns = self.leave();
                    self.enter(function, returns);
                }
                Stmt::Return(value) => {
                    let of_call = self.leave();
                    return CallStep::Return { value, of_call };
                }
                Stmt::End => {
                    if self.leave() {
                        return CallStep::End;
                    }
                }
                Stmt::Print(expr) => return CallStep::Print(expr),
                Stmt::Invalid => return CallStep::Invalid,
                Stmt::Error(error) => return CallStep::Error(error),
                Stmt::Crash => return CallStep::Crash,
            }
        }
    }

    fn enter(&mut self, function: FunctionId, returns: bool) {
        let rest = self.program.stmts(self.program.body(function));
        self.frames.push(Frame { rest, kind: FrameKind::Function { returns } });
    }

    /// Leaves the function. Returns true if its value is the value of the call.
    fn leave(&mut self) -> bool {
        while let Some(frame) = self.frames.pop() {
            if let FrameKind::Function { returns } = frame.kind {
                return returns;
            }
        }
        false
    }
}
