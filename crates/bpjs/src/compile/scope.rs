//! Scopes and names.

use super::draft::{Kind, Name, Scope};
use super::{Compiler, Pass, Res, at};
use crate::code::{Capture, OfRounds, Op, Variable};
use crate::names;
use formats::error::{Span, printable};
use formats::{codes, suggest};
use oxc_ast::ast::{
    BindingPattern, BindingPatternKind, Declaration, ForStatementInit, ForStatementLeft, Statement,
    VariableDeclaration, VariableDeclarationKind,
};
use std::rc::Rc;

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Slot {
        slot: u32,
        kind: Kind,
        is_ready: bool,
    },
    Up {
        number: u32,
        kind: Kind,
    },
    Native(&'static str),
    /// Nothing has this name. Only in the pass that collects the names without a declaration.
    Unknown,
}

impl Compiler<'_> {
    pub(super) fn open_scope(&mut self) {
        self.draft().scopes.push(Scope::default());
    }

    pub(super) fn close_scope(&mut self) {
        self.draft().scopes.pop();
    }

    /// Makes a variable in the innermost scope. `var` may declare a name again.
    pub(super) fn declare(&mut self, name: &str, kind: Kind, span: Span) -> Res<u32> {
        let draft = self.draft();
        let slot = u32::try_from(draft.variables.len()).unwrap_or(u32::MAX);
        let name: Rc<str> = name.into();
        let Some(scope) = draft.scopes.last_mut() else { return Ok(0) };
        if let Some(old) = scope.names.get(&name) {
            if old.kind == Kind::Var && kind == Kind::Var {
                return Ok(old.slot);
            }
            let message = format!("`{}` is declared twice", printable(&name));
            return Err(self.error(&codes::JS_SYNTAX, span, message).label("declared again"));
        }
        scope.names.insert(name.clone(), Name { slot, kind, is_ready: kind == Kind::Var });
        draft.variables.push(Variable { name, span });
        draft.is_captured.push(false);
        Ok(slot)
    }

    /// Makes a variable without a name.
    pub(super) fn hidden(&mut self, span: Span) -> u32 {
        let draft = self.draft();
        draft.variables.push(Variable { name: "".into(), span });
        draft.is_captured.push(false);
        u32::try_from(draft.variables.len() - 1).unwrap_or(u32::MAX)
    }

    /// Gives a parameter its name. The last parameter with a name has it.
    pub(super) fn name_slot(&mut self, slot: u32, name: &str, span: Span) {
        let draft = self.draft();
        let name: Rc<str> = name.into();
        draft.variables[slot as usize] = Variable { name: name.clone(), span };
        if let Some(scope) = draft.scopes.last_mut() {
            scope.names.insert(name, Name { slot, kind: Kind::Var, is_ready: true });
        }
    }

    /// True if the name stands for something.
    pub(super) fn is_known(&self, name: &str) -> bool {
        let is_declared = self.drafts.iter().flat_map(|d| &d.scopes).any(|scope| scope.names.contains_key(name));
        is_declared || names::global(name).is_some()
    }

    /// Notes that the declaration of this name was compiled.
    pub(super) fn mark_ready(&mut self, name: &str) {
        for scope in self.draft().scopes.iter_mut().rev() {
            if let Some(found) = scope.names.get_mut(name) {
                found.is_ready = true;
                return;
            }
        }
    }

    /// Finds a name, and captures the variable if it belongs to an outer function.
    pub(super) fn resolve(&mut self, name: &str, span: Span) -> Res<Place> {
        let inner = self.drafts.len() - 1;
        let find = |level: usize| self.drafts[level].scopes.iter().rev().find_map(|s| s.names.get(name).copied());
        let found = (0..=inner).rev().find_map(|level| Some((level, find(level)?)));
        let Some((level, found)) = found else {
            let hidden = names::hidden(name).filter(|_| self.is_prelude);
            if self.pass == Pass::Collecting && names::global(name).is_none() {
                return Ok(Place::Unknown);
            }
            return names::global(name).or(hidden).map(Place::Native).ok_or_else(|| self.unknown(name, span));
        };
        if level == inner {
            return Ok(Place::Slot { slot: found.slot, kind: found.kind, is_ready: found.is_ready });
        }
        self.drafts[level].is_captured[found.slot as usize] = true;
        let variable = self.drafts[level].variables[found.slot as usize].clone();
        let mut capture = Capture::Slot(found.slot);
        for draft in &mut self.drafts[level + 1..] {
            let next = u32::try_from(draft.captures.len()).unwrap_or(u32::MAX);
            let number = *draft.capture_numbers.entry(capture).or_insert(next);
            if number == next {
                draft.captures.push(capture);
                draft.captured.push(variable.clone());
            }
            capture = Capture::Up(number);
        }
        let Capture::Up(number) = capture else { return Err(self.unknown(name, span)) };
        Ok(Place::Up { number, kind: found.kind })
    }

    fn unknown(&self, name: &str, span: Span) -> Box<formats::error::Error> {
        let message = format!("nothing is called `{}`", printable(name));
        let error = self.error(&codes::JS_UNKNOWN, span, message).label("unknown name");
        let names = self.drafts.iter().flat_map(|d| &d.scopes).flat_map(|s| s.names.keys().map(|n| &**n));
        let mut names: Vec<&str> = names.chain(names::GLOBALS.iter().copied()).collect();
        names.sort_unstable();
        if let Some(instead) = names::instead(name) {
            return error.hint(instead);
        }
        suggest::hinted(error, name, names, self.unknown_hint())
    }

    /// Declares the names of a pattern.
    pub(super) fn declare_pattern(&mut self, pattern: &BindingPattern<'_>, kind: Kind) -> Res<()> {
        match &pattern.kind {
            BindingPatternKind::BindingIdentifier(id) => {
                if kind != Kind::Var && id.name == "let" {
                    let message = "`let` is not the name of a `let` or `const`";
                    return Err(self.error(&codes::JS_SYNTAX, at(id.span), message));
                }
                self.declare(&id.name, kind, at(id.span))?;
            }
            BindingPatternKind::ObjectPattern(object) => {
                for property in &object.properties {
                    self.declare_pattern(&property.value, kind)?;
                }
            }
            BindingPatternKind::ArrayPattern(array) => {
                for element in array.elements.iter().flatten() {
                    self.declare_pattern(element, kind)?;
                }
                if let Some(rest) = &array.rest {
                    self.declare_pattern(&rest.argument, kind)?;
                }
            }
            BindingPatternKind::AssignmentPattern(assignment) => self.declare_pattern(&assignment.left, kind)?,
        }
        Ok(())
    }

    /// Declares the `let`s, `const`s and functions of a block, and begins their scopes. Then makes the functions.
    pub(super) fn declare_block(&mut self, statements: &[Statement<'_>]) -> Res<()> {
        for statement in statements {
            match statement {
                Statement::VariableDeclaration(declaration) => {
                    self.declare_lexical(declaration)?;
                    self.remember_rounds(declaration);
                }
                Statement::FunctionDeclaration(function) => {
                    if let Some(id) = &function.id {
                        let slot = self.declare(&id.name, Kind::Var, at(id.span))?;
                        self.emit(Op::NewVar(slot, false), at(id.span));
                    }
                }
                _ => {}
            }
        }
        for statement in statements {
            if let Statement::FunctionDeclaration(function) = statement
                && let Some(id) = &function.id
            {
                let number = self.function(function)?;
                self.emit(Op::Closure(number), at(function.span));
                self.assign_declared(&id.name, at(id.span))?;
            }
        }
        Ok(())
    }

    /// Declares the names of a `let` or `const`, and begins their scopes.
    pub(super) fn declare_lexical(&mut self, declaration: &VariableDeclaration<'_>) -> Res<()> {
        let kind = match declaration.kind {
            VariableDeclarationKind::Let => Kind::Let,
            VariableDeclarationKind::Const => Kind::Const,
            VariableDeclarationKind::Var => return Ok(()),
            _ => return self.unsupported(at(declaration.span), "`using` is not read", "use `const`"),
        };
        let first = self.draft().variables.len();
        for declarator in &declaration.declarations {
            self.declare_pattern(&declarator.id, kind)?;
        }
        self.begin_variables(first, true, at(declaration.span));
        Ok(())
    }

    /// Remembers the variables from this number on, which are declared in the head of a loop.
    pub(super) fn of_head(&mut self, first: usize) {
        let draft = self.draft();
        let slots = (first..draft.variables.len()).filter_map(|slot| u32::try_from(slot).ok());
        draft.of_rounds.extend(slots.map(|slot| (slot, OfRounds::Head)));
    }

    /// Remembers the variables of this declaration that each round of a loop has anew, and BPjs has not: a `const`,
    /// unless its value is a literal, and a `let` without a value.
    fn remember_rounds(&mut self, declaration: &VariableDeclaration<'_>) {
        let draft = self.draft();
        if !draft.targets.iter().any(|target| target.is_loop) {
            return;
        }
        for declarator in &declaration.declarations {
            let of = match (declaration.kind, &declarator.init) {
                (VariableDeclarationKind::Const, Some(value)) if !value.is_literal() => OfRounds::Const,
                (VariableDeclarationKind::Let, None) => OfRounds::Bare,
                _ => continue,
            };
            let names = declarator.id.get_binding_identifiers();
            let slots = names.iter().filter_map(|id| draft.scopes.last()?.names.get(id.name.as_str()));
            draft.of_rounds.extend(slots.map(|name| (name.slot, of)).collect::<Vec<_>>());
        }
    }

    /// Begins the scopes of the variables from this number on.
    pub(super) fn begin_variables(&mut self, first: usize, has_dead_zone: bool, span: Span) {
        for slot in first..self.draft().variables.len() {
            self.emit(Op::NewVar(u32::try_from(slot).unwrap_or(u32::MAX), has_dead_zone), span);
        }
    }

    /// Declares all `var`s of a function body, in all its blocks.
    pub(super) fn hoist_vars(&mut self, statements: &[Statement<'_>]) -> Res<()> {
        let first = self.draft().variables.len();
        for statement in statements {
            self.hoist(statement)?;
        }
        self.begin_variables(first, false, Span::default());
        Ok(())
    }

    fn hoist(&mut self, statement: &Statement<'_>) -> Res<()> {
        match statement {
            Statement::VariableDeclaration(declaration) => self.hoist_declaration(declaration)?,
            Statement::BlockStatement(block) => self.hoist_all(&block.body)?,
            Statement::IfStatement(choice) => {
                self.hoist(&choice.consequent)?;
                choice.alternate.iter().try_for_each(|s| self.hoist(s))?;
            }
            Statement::ForStatement(round) => {
                if let Some(ForStatementInit::VariableDeclaration(declaration)) = &round.init {
                    self.hoist_declaration(declaration)?;
                }
                self.hoist(&round.body)?;
            }
            Statement::ForInStatement(round) => self.hoist_round(&round.left, &round.body)?,
            Statement::ForOfStatement(round) => self.hoist_round(&round.left, &round.body)?,
            Statement::WhileStatement(round) => self.hoist(&round.body)?,
            Statement::DoWhileStatement(round) => self.hoist(&round.body)?,
            Statement::LabeledStatement(labeled) => self.hoist(&labeled.body)?,
            Statement::SwitchStatement(switch) => {
                switch.cases.iter().try_for_each(|case| self.hoist_all(&case.consequent))?;
            }
            Statement::TryStatement(attempt) => {
                self.hoist_all(&attempt.block.body)?;
                attempt.handler.iter().try_for_each(|handler| self.hoist_all(&handler.body.body))?;
                attempt.finalizer.iter().try_for_each(|block| self.hoist_all(&block.body))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn hoist_all(&mut self, statements: &[Statement<'_>]) -> Res<()> {
        statements.iter().try_for_each(|s| self.hoist(s))
    }

    fn hoist_round(&mut self, left: &ForStatementLeft<'_>, body: &Statement<'_>) -> Res<()> {
        if let ForStatementLeft::VariableDeclaration(declaration) = left {
            self.hoist_declaration(declaration)?;
        }
        self.hoist(body)
    }

    fn hoist_declaration(&mut self, declaration: &VariableDeclaration<'_>) -> Res<()> {
        if declaration.kind != VariableDeclarationKind::Var {
            return Ok(());
        }
        declaration.declarations.iter().try_for_each(|d| self.declare_pattern(&d.id, Kind::Var))
    }
}

/// True for declarations that are outside of the subset.
pub(super) fn is_foreign(declaration: &Declaration<'_>) -> bool {
    !matches!(declaration, Declaration::VariableDeclaration(_) | Declaration::FunctionDeclaration(_))
}
