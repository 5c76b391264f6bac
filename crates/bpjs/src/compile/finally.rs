//! `try`, `catch` and `finally`.
//!
//! Every way out of a `try` with a `finally` stores what it is (its kind, and a value) and jumps to the block of the
//! `finally`. After the block, a chain of tests continues that way. A `return`, `break` or `continue` in the block
//! itself leaves the chain out, as in JavaScript.

use super::draft::{Exit, Final, Kind};
use super::{Compiler, Res, at};
use crate::code::{Binary, Op, Try};
use crate::value::Value;
use formats::error::Span;
use oxc_ast::ast::{BlockStatement, CatchClause, TryStatement};
use std::rc::Rc;

/// The kinds of the normal way out, of the one of an exception, and of the first of the others.
const NORMAL: usize = 0;
const THROW: usize = 1;
const OTHERS: usize = 2;

impl Compiler<'_> {
    pub(super) fn attempt(&mut self, attempt: &TryStatement<'_>) -> Res<()> {
        let span = at(attempt.span);
        let Some(block) = &attempt.finalizer else { return self.try_catch(attempt, span) };
        let (kind, value, depth) = (self.hidden(span), self.hidden(span), self.draft().depth);
        let targets = self.draft().targets.len();
        let start = self.here();
        self.draft().finals.push(Final { kind, value, depth, targets, jumps: Vec::new(), exits: Vec::new() });
        self.try_catch(attempt, span)?;
        self.way_out(NORMAL, span);
        let end = self.here();
        let catch = self.here();
        self.draft().tries.push(Try { start, end, catch, depth });
        self.emit(Op::Store(value), span);
        self.set_kind(kind, THROW, span);
        self.finish_try(block, span)
    }

    /// Compiles the block of a `finally`, and what follows after each way out.
    fn finish_try(&mut self, block: &BlockStatement<'_>, span: Span) -> Res<()> {
        let Some(Final { kind, value, jumps, exits, .. }) = self.draft().finals.pop() else { return Ok(()) };
        jumps.into_iter().for_each(|jump| self.land(jump));
        self.block(&block.body)?;
        let others = self.test_kind(kind, THROW, span);
        self.emit(Op::Load(value), span);
        self.emit(Op::Throw, span);
        self.land(others);
        for (i, exit) in exits.into_iter().enumerate() {
            let others = self.test_kind(kind, OTHERS + i, span);
            match exit {
                Exit::Return => {
                    self.emit(Op::Load(value), span);
                    self.give_back(span);
                }
                Exit::Jump { label, is_continue } => self.leave(label.as_deref(), is_continue, span)?,
            }
            self.land(others);
        }
        Ok(())
    }

    fn try_catch(&mut self, attempt: &TryStatement<'_>, span: Span) -> Res<()> {
        let Some(handler) = &attempt.handler else { return self.block(&attempt.block.body) };
        let start = self.here();
        self.block(&attempt.block.body)?;
        let end = self.here();
        let to_end = self.emit(Op::Jump(0), span);
        let catch = self.here();
        let depth = self.draft().depth;
        self.draft().tries.push(Try { start, end, catch, depth });
        self.handler(handler)?;
        self.land(to_end);
        Ok(())
    }

    fn handler(&mut self, handler: &CatchClause<'_>) -> Res<()> {
        self.open_scope();
        match &handler.param {
            Some(param) => {
                let first = self.draft().variables.len();
                self.declare_pattern(&param.pattern, Kind::Let)?;
                self.begin_variables(first, true, at(param.span));
                self.bind(&param.pattern)?;
            }
            None => drop(self.emit(Op::Pop, at(handler.span))),
        }
        self.block(&handler.body.body)?;
        self.close_scope();
        Ok(())
    }

    /// Returns from the function: `value ->`.
    pub(super) fn give_back(&mut self, span: Span) {
        let Some(last) = self.draft().finals.last_mut() else {
            self.emit(Op::Return, span);
            return;
        };
        let (value, number) = (last.value, OTHERS + last.exits.len());
        last.exits.push(Exit::Return);
        self.emit(Op::Store(value), span);
        self.way_out(number, span);
    }

    /// Goes to a target outside of the innermost `finally`. Returns false if the target is inside.
    pub(super) fn leave_final(&mut self, target: usize, label: Option<&str>, is_continue: bool, span: Span) -> bool {
        let Some(last) = self.draft().finals.last_mut().filter(|last| target < last.targets) else { return false };
        let number = OTHERS + last.exits.len();
        last.exits.push(Exit::Jump { label: label.map(Rc::from), is_continue });
        self.way_out(number, span);
        true
    }

    /// Jumps to the block of the innermost `finally`.
    fn way_out(&mut self, number: usize, span: Span) {
        let Some((kind, depth)) = self.draft().finals.last().map(|last| (last.kind, last.depth)) else { return };
        self.set_kind(kind, number, span);
        for _ in depth..self.draft().depth {
            self.emit(Op::Pop, span);
        }
        let jump = self.emit(Op::Jump(0), span);
        if let Some(last) = self.draft().finals.last_mut() {
            last.jumps.push(jump);
        }
    }

    fn set_kind(&mut self, kind: u32, number: usize, span: Span) {
        self.emit(Op::Push(Value::count(number)), span);
        self.emit(Op::Store(kind), span);
    }

    /// Emits a jump for all other kinds than this one.
    fn test_kind(&mut self, kind: u32, number: usize, span: Span) -> usize {
        self.emit(Op::Load(kind), span);
        self.emit(Op::Push(Value::count(number)), span);
        self.emit(Op::Binary(Binary::StrictEq), span);
        self.emit(Op::JumpIfFalse(0), span)
    }
}
