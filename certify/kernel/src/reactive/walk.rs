//! The way of a call through the statements of a program: which statement comes next, whatever numbers are.
//!
//! The plain interpreter, the one for many rows at once and the one for cells ask it for one step after the other and
//! answer its conditions. Frames are on a stack of its own: texts may nest as deep as they like.

use model::reactive::{Arm, Block, Convention, Stmt};
use model::{ErrorId, ExprId, FunctionId, Reactive, VarId};

/// What a call does next.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Assigns.
    Assign(VarId, ExprId),
    /// Asks for the truth of a condition: [`Walk::decide`] comes next.
    Test(ExprId),
    /// Prints a letter.
    Print(ExprId),
    /// Evaluates what a function returns. If it is what the call returns, [`Walk::returns`] has been true before.
    Return {
        /// The value.
        value: ExprId,
        /// It is the value of the whole call: that ends here.
        of_call: bool,
    },
    /// Says that the input is invalid.
    Invalid,
    /// Stops at an error label.
    Error(ErrorId),
    /// Stops.
    Crash,
    /// The call ends, without a value; if it should have one, nothing is known of that.
    End,
}

#[derive(Clone, Copy, Debug)]
struct Frame<'p> {
    rest: &'p [Stmt],
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// An arm of an `if`.
    Arm,
    /// The body of a function; is its value that of the call?
    Function { returns: bool },
}

/// Where a call is.
#[derive(Clone, Debug)]
pub struct Walk<'p> {
    program: &'p Reactive,
    frames: Vec<Frame<'p>>,
    /// Arms not tried yet, and what follows if none holds.
    pending: Option<(&'p [Arm], Block)>,
}

impl<'p> Walk<'p> {
    /// A call that has not begun.
    #[must_use]
    pub fn new(program: &'p Reactive) -> Self {
        let mut walk = Self { program, frames: Vec::new(), pending: None };
        walk.restart();
        walk
    }

    /// Begins the next call.
    pub fn restart(&mut self) {
        let kind = Kind::Function { returns: self.program.convention() == Convention::Returned };
        self.frames.clear();
        self.frames.push(Frame { rest: self.program.stmts(self.program.body(self.program.entry())), kind });
        self.pending = None;
    }

    /// The condition just asked for is true, or not.
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
        self.frames.push(Frame { rest: self.program.stmts(body), kind: Kind::Arm });
    }

    /// The next step that looks at numbers, or ends the call.
    pub fn advance(&mut self) -> Step {
        loop {
            if let Some(([arm, ..], _)) = self.pending {
                return Step::Test(arm.condition);
            }
            let Some(frame) = self.frames.last_mut() else { return Step::End };
            let Some((&stmt, rest)) = frame.rest.split_first() else {
                let kind = frame.kind;
                self.frames.pop();
                if kind == (Kind::Function { returns: true }) {
                    return Step::End;
                }
                continue;
            };
            frame.rest = rest;
            match stmt {
                Stmt::Assign(var, expr) => return Step::Assign(var, expr),
                Stmt::If { arms, otherwise } => self.pending = Some((self.program.arms(arms), otherwise)),
                Stmt::Call(function) => self.enter(function, false),
                Stmt::ReturnCall(function) => {
                    // The caller has nothing left to do: the callee takes its place, and returns to where it would.
                    let returns = self.leave();
                    self.enter(function, returns);
                }
                Stmt::Return(value) => {
                    let of_call = self.leave();
                    return Step::Return { value, of_call };
                }
                Stmt::End => {
                    if self.leave() {
                        return Step::End;
                    }
                }
                Stmt::Print(expr) => return Step::Print(expr),
                Stmt::Invalid => return Step::Invalid,
                Stmt::Error(error) => return Step::Error(error),
                Stmt::Crash => return Step::Crash,
            }
        }
    }

    fn enter(&mut self, function: FunctionId, returns: bool) {
        let rest = self.program.stmts(self.program.body(function));
        self.frames.push(Frame { rest, kind: Kind::Function { returns } });
    }

    /// Leaves the function; was its value that of the call?
    fn leave(&mut self) -> bool {
        while let Some(frame) = self.frames.pop() {
            if let Kind::Function { returns } = frame.kind {
                return returns;
            }
        }
        false
    }
}
