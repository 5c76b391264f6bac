//! Functions: their parameters and bodies, and the instructions of captured variables.

use super::draft::{Draft, Kind};
use super::{Compiler, Res, at};
use crate::code::{Function, Live, OfRounds, Op};
use crate::live;
use crate::value::Value;
use formats::codes;
use formats::error::{Span, printable};
use oxc_ast::ast::{
    ArrowFunctionExpression, BindingPattern, BindingPatternKind, Directive, FormalParameter, FormalParameterKind,
    FormalParameters, Function as Tree, FunctionBody, FunctionType, Statement,
};
use std::collections::HashSet;

impl Compiler<'_> {
    /// Compiles a function. Returns its number.
    pub(super) fn function(&mut self, tree: &Tree<'_>) -> Res<u32> {
        let span = at(tree.span);
        if tree.generator || tree.r#async {
            let hint = "a b-thread is an ordinary function that calls `bp.sync`";
            return self.unsupported(span, "generators and `async` functions are not read", hint);
        }
        let name = tree.id.as_ref().map_or("", |id| id.name.as_str());
        let is_strict = tree.body.as_ref().is_some_and(|body| body.directives.iter().any(Directive::is_use_strict));
        self.drafts.push(Draft { name: name.into(), is_strict, ..Draft::default() });
        if let (FunctionType::FunctionExpression, Some(id)) = (tree.r#type, &tree.id) {
            self.open_scope();
            let slot = self.declare(&id.name, Kind::Itself, at(id.span))?;
            self.emit(Op::NewVar(slot, false), at(id.span));
            self.emit(Op::LoadSelf, at(id.span));
            self.emit(Op::Store(slot), at(id.span));
        }
        self.params(&tree.params)?;
        let this = self.declare("this", Kind::Const, span)?;
        self.mark_ready("this");
        self.emit(Op::Param(this), span);
        self.draft().this = Some(this);
        if let Some(body) = &tree.body {
            self.body(body)?;
        }
        self.finish(Span { start: span.end.saturating_sub(1), end: span.end })
    }

    pub(super) fn arrow(&mut self, tree: &ArrowFunctionExpression<'_>) -> Res<u32> {
        let span = at(tree.span);
        if tree.r#async {
            return self.unsupported(span, "`async` functions are not read", "use an ordinary function");
        }
        let is_strict = tree.body.directives.iter().any(Directive::is_use_strict);
        self.drafts.push(Draft { is_strict, ..Draft::default() });
        self.params(&tree.params)?;
        match (tree.expression, tree.body.statements.first()) {
            (true, Some(Statement::ExpressionStatement(statement))) => {
                self.expression(&statement.expression)?;
                self.emit(Op::Return, at(statement.span));
            }
            _ => self.body(&tree.body)?,
        }
        self.finish(Span { start: span.end.saturating_sub(1), end: span.end })
    }

    fn body(&mut self, body: &FunctionBody<'_>) -> Res<()> {
        self.hoist_vars(&body.statements)?;
        self.declare_block(&body.statements)?;
        self.statements(&body.statements)
    }

    /// Checks that the names of parameters are distinct, unless this is an ordinary function with plain names
    /// that is not strict.
    fn check_params(&self, params: &FormalParameters<'_>) -> Res<()> {
        let is_name =
            |item: &FormalParameter<'_>| matches!(item.pattern.kind, BindingPatternKind::BindingIdentifier(_));
        let is_strict = self.drafts.iter().any(|draft| draft.is_strict);
        let is_plain = params.rest.is_none() && params.items.iter().all(is_name);
        if params.kind == FormalParameterKind::FormalParameter && is_plain && !is_strict {
            return Ok(());
        }
        let rest = params.rest.iter().flat_map(|rest| rest.argument.get_binding_identifiers());
        let names = params.items.iter().flat_map(|item| item.pattern.get_binding_identifiers()).chain(rest);
        let mut known = HashSet::new();
        for id in names {
            if !known.insert(id.name.as_str()) {
                let message = format!("two parameters are called `{}`", printable(&id.name));
                return Err(self.error(&codes::JS_SYNTAX, at(id.span), message));
            }
        }
        Ok(())
    }

    /// Declares the parameters. The arguments are in the first slots of the function. From the first pattern or
    /// default value on, the names are variables of their own, which have no value before their turn.
    fn params(&mut self, params: &FormalParameters<'_>) -> Res<()> {
        self.check_params(params)?;
        let patterns = params.items.iter().map(|item| (&item.pattern, at(item.span)));
        let rest = params.rest.iter().map(|rest| (&rest.argument, at(rest.span)));
        let patterns: Vec<(&BindingPattern<'_>, Span)> = patterns.chain(rest).collect();
        let is_name = |(p, _): &(&BindingPattern<'_>, Span)| matches!(p.kind, BindingPatternKind::BindingIdentifier(_));
        let plain = patterns.iter().position(|p| !is_name(p)).unwrap_or(patterns.len());
        self.open_scope();
        let draft = self.draft();
        draft.first = u32::try_from(draft.variables.len()).unwrap_or(u32::MAX);
        draft.params = u32::try_from(params.items.len()).unwrap_or(u32::MAX);
        let mut slots = Vec::new();
        for (i, (pattern, span)) in patterns.iter().enumerate() {
            let slot = self.hidden(*span);
            if let BindingPatternKind::BindingIdentifier(id) = &pattern.kind
                && i < plain
            {
                self.name_slot(slot, &id.name, at(id.span));
            }
            slots.push(slot);
        }
        self.draft().rest = params.rest.as_ref().and(slots.last().copied());
        for slot in &slots {
            self.emit(Op::Param(*slot), at(params.span));
        }
        let begin = self.draft().variables.len();
        patterns[plain..].iter().try_for_each(|(pattern, _)| self.declare_pattern(pattern, Kind::Var))?;
        self.begin_variables(begin, true, at(params.span));
        for ((pattern, span), slot) in patterns.iter().zip(&slots).skip(plain) {
            self.emit(Op::Load(*slot), *span);
            self.bind(pattern)?;
        }
        Ok(())
    }

    /// Ends the innermost function and returns its number.
    pub(super) fn finish(&mut self, end: Span) -> Res<u32> {
        self.emit(Op::Push(Value::Undefined), end);
        self.emit(Op::Return, end);
        let Some(mut draft) = self.drafts.pop() else { return Ok(0) };
        for op in &mut draft.code {
            replace(op, &draft.is_captured);
        }
        let is_shared = |(slot, of): &&(u32, OfRounds)| *of != OfRounds::Head || draft.is_captured[*slot as usize];
        let of_rounds = draft.of_rounds.iter().find(is_shared);
        let of_rounds = of_rounds.map(|(slot, of)| (draft.variables[*slot as usize].clone(), *of));
        let mut function = Function {
            of_rounds,
            name: draft.name,
            params: draft.params,
            first: draft.first,
            rest: draft.rest,
            this: draft.this,
            variables: draft.variables,
            code: draft.code,
            spans: draft.spans,
            captures: draft.captures,
            captured: draft.captured,
            tries: draft.tries,
            unset: draft.unset,
            is_hidden: self.is_prelude,
            live: Live::default(),
        };
        if !self.drafts.is_empty() || self.is_prelude {
            let found = live::live(&function, |inner| self.functions[inner as usize].captures.as_slice());
            function.live = found.ok_or_else(|| {
                let message = format!("the function has {} variables", function.variables.len());
                self.error(&codes::JS_MEMORY, end, message).hint("split the function into smaller ones")
            })?;
        }
        self.functions.push(function);
        Ok(u32::try_from(self.functions.len() - 1).unwrap_or(u32::MAX))
    }
}

/// Replaces the instruction of a captured variable.
fn replace(op: &mut Op, is_captured: &[bool]) {
    let captured = |slot: &u32| is_captured[*slot as usize];
    let new = match op {
        Op::NewVar(s, dead) if captured(s) => Op::NewBox(*s, *dead),
        Op::Fresh(s) if captured(s) => Op::FreshBox(*s),
        Op::Param(s) if captured(s) => Op::ParamBox(*s),
        Op::Load(s) if captured(s) => Op::LoadBox(*s),
        Op::Store(s) if captured(s) => Op::StoreBox(*s),
        Op::StoreChecked(s) if captured(s) => Op::StoreBoxChecked(*s),
        Op::Fresh(_) | Op::Param(_) => Op::Nop,
        _ => return,
    };
    *op = new;
}
