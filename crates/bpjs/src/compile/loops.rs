//! Loops.

use super::{Compiler, Res, at};
use crate::code::Op;
use crate::value::Value;
use formats::codes;
use formats::error::Span;
use oxc_ast::ast::{
    DoWhileStatement, Expression, ForStatement, ForStatementInit, ForStatementLeft, Statement, VariableDeclaration,
    VariableDeclarationKind, WhileStatement,
};

impl Compiler<'_> {
    pub(super) fn while_loop(&mut self, round: &WhileStatement<'_>) -> Res<()> {
        let span = at(round.span);
        let count = self.begin_target(true);
        let top = self.here();
        self.expression(&round.test)?;
        let exit = self.emit(Op::JumpIfFalse(0), span);
        self.single(&round.body)?;
        self.land_continues(count);
        self.emit(Op::Jump(top), span);
        self.land(exit);
        (0..count).for_each(|_| self.end_target());
        Ok(())
    }

    pub(super) fn do_loop(&mut self, round: &DoWhileStatement<'_>) -> Res<()> {
        let span = at(round.span);
        let count = self.begin_target(true);
        let top = self.here();
        self.single(&round.body)?;
        self.land_continues(count);
        self.expression(&round.test)?;
        self.emit(Op::JumpIfTrue(top), span);
        (0..count).for_each(|_| self.end_target());
        Ok(())
    }

    pub(super) fn for_loop(&mut self, round: &ForStatement<'_>) -> Res<()> {
        let span = at(round.span);
        let count = self.begin_target(true);
        self.open_scope();
        let first = self.draft().variables.len();
        match &round.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => {
                self.declare_lexical(declaration)?;
                let end = self.draft().variables.len();
                self.variables(declaration)?;
                self.of_head(first);
                self.fresh(first, end, span);
                self.rounds(round, count, first, end)?;
            }
            init => {
                if let Some(value) = init.as_ref().and_then(ForStatementInit::as_expression) {
                    self.expression(value)?;
                    self.emit(Op::Pop, span);
                }
                self.rounds(round, count, first, first)?;
            }
        }
        self.close_scope();
        (0..count).for_each(|_| self.end_target());
        Ok(())
    }

    /// Compiles the rounds of a `for` with the variables from `first` to `end`.
    fn rounds(&mut self, round: &ForStatement<'_>, count: usize, first: usize, end: usize) -> Res<()> {
        let span = at(round.span);
        let top = self.here();
        let exit = match &round.test {
            Some(test) => {
                self.expression(test)?;
                Some(self.emit(Op::JumpIfFalse(0), span))
            }
            None => None,
        };
        self.single(&round.body)?;
        self.land_continues(count);
        self.fresh(first, end, span);
        if let Some(update) = &round.update {
            self.expression(update)?;
            self.emit(Op::Pop, span);
        }
        self.emit(Op::Jump(top), span);
        exit.into_iter().for_each(|exit| self.land(exit));
        Ok(())
    }

    fn fresh(&mut self, first: usize, end: usize, span: Span) {
        for slot in first..end {
            self.emit(Op::Fresh(u32::try_from(slot).unwrap_or(u32::MAX)), span);
        }
    }

    /// Checks the declaration of `for .. of` or `for .. in`: one name or pattern, without a value.
    fn check_round(&self, declaration: &VariableDeclaration<'_>, is_in: bool) -> Res<()> {
        let what = if is_in { "for .. in" } else { "for .. of" };
        if let Some(second) = declaration.declarations.get(1) {
            let message = format!("`{what}` declares one name or pattern");
            return Err(self.error(&codes::JS_SYNTAX, at(second.span), message));
        }
        let first = declaration.declarations.first();
        let Some(value) = first.and_then(|declarator| declarator.init.as_ref()) else { return Ok(()) };
        let span = at(oxc_span::GetSpan::span(value));
        if is_in && declaration.kind == VariableDeclarationKind::Var {
            return self.unsupported(span, "a value in the declaration of `for .. in` is not read", "leave it out");
        }
        Err(self.error(&codes::JS_SYNTAX, span, format!("the declaration of `{what}` has a value")))
    }

    /// Compiles `for .. of` (`begin` makes the array of the elements) and `for .. in` (of the keys).
    pub(super) fn for_each(
        &mut self,
        span: Span,
        begin: Op,
        left: &ForStatementLeft<'_>,
        right: &Expression<'_>,
        body: &Statement<'_>,
    ) -> Res<()> {
        let labels = std::mem::take(&mut self.labels);
        self.expression(right)?;
        self.labels = labels;
        let is_in = matches!(begin, Op::Keys);
        let object = is_in.then(|| self.hidden(span));
        if let Some(object) = object {
            self.emit(Op::Dup, span);
            self.emit(Op::Store(object), span);
        }
        self.emit(begin, at(oxc_span::GetSpan::span(right)));
        self.emit(Op::Push(Value::num(0.0)), span);
        self.draft().depth += 2;
        let count = self.begin_target(true);
        let top = self.here();
        let exit = self.emit(Op::Next(0), span);
        if let Some(object) = object {
            // Keys that were deleted in an earlier round are left out.
            self.emit(Op::Dup, span);
            self.emit(Op::Load(object), span);
            self.emit(Op::HasKey, span);
            let enter = self.emit(Op::JumpIfTrue(0), span);
            self.emit(Op::Pop, span);
            self.emit(Op::Jump(top), span);
            self.land(enter);
        }
        self.open_scope();
        match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                self.check_round(declaration, is_in)?;
                if declaration.kind != VariableDeclarationKind::Var {
                    let first = self.draft().variables.len();
                    self.declare_lexical(declaration)?;
                    self.of_head(first);
                }
                if let Some(declarator) = declaration.declarations.first() {
                    self.bind(&declarator.id)?;
                }
            }
            target => {
                if let Some(target) = target.as_assignment_target() {
                    self.assign_target(target)?;
                }
            }
        }
        self.single(body)?;
        self.close_scope();
        self.land_continues(count);
        self.emit(Op::Jump(top), span);
        self.land(exit);
        (0..count).for_each(|_| self.end_target());
        self.draft().depth -= 2;
        self.emit(Op::Pop, span);
        self.emit(Op::Pop, span);
        Ok(())
    }
}
