//! Statements.

use super::draft::Target;
use super::scope::is_foreign;
use super::{Compiler, Res, at};
use crate::code::{Binary, Op};
use crate::value::Value;
use formats::codes;
use formats::error::Span;
use oxc_ast::ast::{LabelIdentifier, Statement, SwitchStatement, VariableDeclaration, VariableDeclarationKind};
use std::rc::Rc;

impl Compiler<'_> {
    pub(super) fn statements(&mut self, statements: &[Statement<'_>]) -> Res<()> {
        statements.iter().try_for_each(|s| self.statement(s))
    }

    /// Compiles statements in a scope of their own.
    pub(super) fn block(&mut self, statements: &[Statement<'_>]) -> Res<()> {
        self.open_scope();
        self.declare_block(statements)?;
        self.statements(statements)?;
        self.close_scope();
        Ok(())
    }

    pub(super) fn statement(&mut self, statement: &Statement<'_>) -> Res<()> {
        match statement {
            Statement::BlockStatement(block) => self.labeled(|c| c.block(&block.body)),
            Statement::ExpressionStatement(statement) => {
                self.expression(&statement.expression)?;
                self.emit(Op::Pop, at(statement.span));
                Ok(())
            }
            Statement::IfStatement(choice) => self.labeled(|c| {
                let span = at(choice.span);
                if let Some(value) = c.known_test(&choice.test) {
                    // The other branch may use names that only BPjs's host program defines.
                    let branch = if value { Some(&choice.consequent) } else { choice.alternate.as_ref() };
                    return branch.map_or(Ok(()), |branch| c.single(branch));
                }
                c.condition(&choice.test)?;
                let to_else = c.emit(Op::JumpIfFalse(0), span);
                c.single(&choice.consequent)?;
                let to_end = choice.alternate.is_some().then(|| c.emit(Op::Jump(0), span));
                c.land(to_else);
                if let Some(alternate) = &choice.alternate {
                    c.single(alternate)?;
                }
                to_end.into_iter().for_each(|jump| c.land(jump));
                Ok(())
            }),
            Statement::VariableDeclaration(declaration) => self.variables(declaration),
            Statement::FunctionDeclaration(_) | Statement::EmptyStatement(_) => Ok(()),
            Statement::ForStatement(round) => self.for_loop(round),
            Statement::ForInStatement(round) => {
                self.for_each(at(round.span), Op::Keys, &round.left, &round.right, &round.body)
            }
            Statement::ForOfStatement(round) if !round.r#await => {
                self.for_each(at(round.span), Op::ToArray, &round.left, &round.right, &round.body)
            }
            Statement::WhileStatement(round) => self.while_loop(round),
            Statement::DoWhileStatement(round) => self.do_loop(round),
            Statement::ReturnStatement(end) => {
                match &end.argument {
                    Some(value) => self.expression(value)?,
                    None => drop(self.emit(Op::Push(Value::Undefined), at(end.span))),
                }
                self.give_back(at(end.span));
                Ok(())
            }
            Statement::ThrowStatement(throw) => {
                self.expression(&throw.argument)?;
                self.emit(Op::Throw, at(throw.span));
                Ok(())
            }
            Statement::BreakStatement(jump) => self.jump(jump.label.as_ref(), false, at(jump.span)),
            Statement::ContinueStatement(jump) => self.jump(jump.label.as_ref(), true, at(jump.span)),
            Statement::LabeledStatement(labeled) => {
                let label: Rc<str> = labeled.label.name.as_str().into();
                let is_known = |target: &Target| target.label.as_ref() == Some(&label);
                if self.labels.contains(&label) || self.draft().targets.iter().any(is_known) {
                    let message = format!("the label `{label}` stands inside of a statement with this label");
                    return Err(self.error(&codes::JS_SYNTAX, at(labeled.label.span), message));
                }
                self.labels.push(label);
                self.statement(&labeled.body)?;
                self.labels.clear();
                Ok(())
            }
            Statement::SwitchStatement(switch) => self.switch(switch),
            Statement::TryStatement(attempt) => self.labeled(|c| c.attempt(attempt)),
            other => self.foreign(other),
        }
    }

    /// Compiles a statement that is a branch or a loop body. A declaration cannot stand there.
    pub(super) fn single(&mut self, statement: &Statement<'_>) -> Res<()> {
        self.block(std::slice::from_ref(statement))
    }

    fn foreign(&self, statement: &Statement<'_>) -> Res<()> {
        let span = at(oxc_span::GetSpan::span(statement));
        let hint = "docs/bpjs.md describes the subset of JavaScript";
        match statement {
            Statement::ClassDeclaration(_) => {
                self.unsupported(span, "classes are not read", "use functions and plain objects")
            }
            Statement::ForOfStatement(_) => self.unsupported(span, "`for await` is not read", hint),
            Statement::WithStatement(_) => self.unsupported(span, "`with` is not read", hint),
            _ if statement.as_declaration().is_some_and(is_foreign) => {
                self.unsupported(span, "this declaration is not read", hint)
            }
            _ if statement.is_module_declaration() => {
                self.unsupported(span, "modules are not read", "put the whole program into one file")
            }
            _ => self.unsupported(span, "this statement is not read", hint),
        }
    }

    /// Compiles a statement that only a `break` with a label can leave.
    fn labeled(&mut self, body: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let labels = std::mem::take(&mut self.labels);
        if labels.is_empty() {
            return body(self);
        }
        let count = labels.len();
        let depth = self.draft().depth;
        for label in labels {
            let target = Target {
                label: Some(label),
                is_loop: false,
                is_breakable: false,
                depth,
                breaks: vec![],
                continues: vec![],
            };
            self.draft().targets.push(target);
        }
        body(self)?;
        for _ in 0..count {
            self.end_target();
        }
        Ok(())
    }

    /// Begins a statement that `break` leaves. All labels in front of it name it.
    pub(super) fn begin_target(&mut self, is_loop: bool) -> usize {
        let mut labels: Vec<Option<Rc<str>>> = std::mem::take(&mut self.labels).into_iter().map(Some).collect();
        labels.push(None);
        let depth = self.draft().depth;
        let count = labels.len();
        for label in labels {
            let is_breakable = label.is_none();
            let target = Target { label, is_loop, is_breakable, depth, breaks: vec![], continues: vec![] };
            self.draft().targets.push(target);
        }
        count
    }

    /// Lets the `continue`s of the innermost `count` targets lead here.
    pub(super) fn land_continues(&mut self, count: usize) {
        let from = self.draft().targets.len() - count;
        let mut jumps = Vec::new();
        self.draft().targets[from..].iter_mut().for_each(|t| jumps.append(&mut t.continues));
        jumps.into_iter().for_each(|jump| self.land(jump));
    }

    /// Ends the innermost target. Its `break`s lead here.
    pub(super) fn end_target(&mut self) {
        if let Some(target) = self.draft().targets.pop() {
            target.breaks.into_iter().for_each(|jump| self.land(jump));
        }
    }

    fn jump(&mut self, label: Option<&LabelIdentifier<'_>>, is_continue: bool, span: Span) -> Res<()> {
        self.leave(label.map(|label| label.name.as_str()), is_continue, span)
    }

    /// Compiles a `break` or `continue`.
    pub(super) fn leave(&mut self, label: Option<&str>, is_continue: bool, span: Span) -> Res<()> {
        let fits = |target: &Target| match label {
            Some(label) => target.label.as_deref() == Some(label) && (target.is_loop || !is_continue),
            None if is_continue => target.is_loop,
            None => target.is_breakable,
        };
        let Some(found) = self.draft().targets.iter().rposition(fits) else {
            let what = if is_continue { "continue" } else { "break" };
            let message = format!("this `{what}` stands in no such statement");
            return Err(self.error(&codes::JS_SYNTAX, span, message));
        };
        if self.leave_final(found, label, is_continue, span) {
            return Ok(());
        }
        let pops = self.draft().depth - self.draft().targets[found].depth;
        for _ in 0..pops {
            self.emit(Op::Pop, span);
        }
        let jump = self.emit(Op::Jump(0), span);
        let target = &mut self.draft().targets[found];
        if is_continue {
            target.continues.push(jump)
        } else {
            target.breaks.push(jump)
        }
        Ok(())
    }

    /// Compiles the values of a declaration.
    pub(super) fn variables(&mut self, declaration: &VariableDeclaration<'_>) -> Res<()> {
        for declarator in &declaration.declarations {
            match &declarator.init {
                Some(value) => self.expression(value)?,
                None if declaration.kind == VariableDeclarationKind::Var => continue,
                None => drop(self.emit(Op::Push(Value::Undefined), at(declarator.span))),
            }
            self.bind(&declarator.id)?;
        }
        Ok(())
    }

    fn switch(&mut self, switch: &SwitchStatement<'_>) -> Res<()> {
        let span = at(switch.span);
        self.expression(&switch.discriminant)?;
        self.draft().depth += 1;
        let count = self.begin_target(false);
        self.open_scope();
        for case in &switch.cases {
            self.declare_block(&case.consequent)?;
        }
        if let Some(second) = switch.cases.iter().filter(|case| case.test.is_none()).nth(1) {
            return Err(self.error(&codes::JS_SYNTAX, at(second.span), "this is the second `default` of the `switch`"));
        }
        let mut bodies = Vec::new();
        for case in &switch.cases {
            let Some(test) = &case.test else { continue };
            self.emit(Op::Dup, at(case.span));
            self.expression(test)?;
            self.emit(Op::Binary(Binary::StrictEq), at(case.span));
            bodies.push(self.emit(Op::JumpIfTrue(0), at(case.span)));
        }
        let to_default = self.emit(Op::Jump(0), span);
        let mut bodies = bodies.into_iter();
        let mut has_default = false;
        for case in &switch.cases {
            match case.test {
                Some(_) => bodies.next().into_iter().for_each(|jump| self.land(jump)),
                None => {
                    self.land(to_default);
                    has_default = true;
                }
            }
            self.statements(&case.consequent)?;
            // Another case may be entered without the declarations of this one.
            self.draft().scopes.last_mut().into_iter().for_each(super::draft::Scope::forget);
        }
        if !has_default {
            self.land(to_default);
        }
        self.close_scope();
        for _ in 0..count {
            self.end_target();
        }
        self.draft().depth -= 1;
        self.emit(Op::Pop, span);
        Ok(())
    }
}
