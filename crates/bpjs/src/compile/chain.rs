//! Properties, calls, and chains of them with `?.`.

use super::{Compiler, Res, at};
use crate::code::Op;
use crate::value::Value;
use formats::error::Span;
use oxc_ast::ast::{
    Argument, ArrayExpressionElement, BinaryOperator, CallExpression, ChainElement, ComputedMemberExpression,
    Expression, NewExpression, StaticMemberExpression,
};
use oxc_span::GetSpan;

impl Compiler<'_> {
    /// Compiles properties and calls. A `?.` leaves the whole chain.
    pub(super) fn whole_chain(&mut self, tree: &Expression<'_>) -> Res<()> {
        let mut exits = Vec::new();
        self.chain(tree, &mut exits)?;
        exits.into_iter().for_each(|exit| self.land(exit));
        Ok(())
    }

    fn chain(&mut self, tree: &Expression<'_>, exits: &mut Vec<usize>) -> Res<()> {
        match tree {
            Expression::StaticMemberExpression(member) => self.property(member, exits),
            Expression::ComputedMemberExpression(member) => self.index(member, exits),
            Expression::CallExpression(call) => self.call(call, exits),
            Expression::ChainExpression(chain) => {
                // A chain in parentheses is left at its own end.
                let mut own = Vec::new();
                match &chain.expression {
                    ChainElement::CallExpression(call) => self.call(call, &mut own)?,
                    ChainElement::StaticMemberExpression(member) => self.property(member, &mut own)?,
                    ChainElement::ComputedMemberExpression(member) => self.index(member, &mut own)?,
                    _ => return self.unsupported(at(chain.span), "this chain is not read", "use plain properties"),
                }
                own.into_iter().for_each(|exit| self.land(exit));
                Ok(())
            }
            Expression::NewExpression(new) => self.new_object(new),
            other => self.expression(other),
        }
    }

    /// Compiles an object, and leaves the chain if it is nullish after `?.`.
    fn object_of(&mut self, object: &Expression<'_>, optional: bool, exits: &mut Vec<usize>) -> Res<()> {
        self.chain(object, exits)?;
        if optional {
            exits.push(self.emit(Op::JumpNullish(0), at(object.span())));
        }
        Ok(())
    }

    fn property(&mut self, member: &StaticMemberExpression<'_>, exits: &mut Vec<usize>) -> Res<()> {
        self.object_of(&member.object, member.optional, exits)?;
        self.emit(Op::GetProp(member.property.name.as_str().into()), at(member.span));
        Ok(())
    }

    fn index(&mut self, member: &ComputedMemberExpression<'_>, exits: &mut Vec<usize>) -> Res<()> {
        self.object_of(&member.object, member.optional, exits)?;
        self.expression(&member.expression)?;
        self.emit(Op::GetIndex, at(member.span));
        Ok(())
    }

    fn call(&mut self, call: &CallExpression<'_>, exits: &mut Vec<usize>) -> Res<()> {
        let span = at(call.span);
        if self.is_import(call)? {
            self.emit(Op::Push(Value::Undefined), span);
            return Ok(());
        }
        let has_spread = call.arguments.iter().any(Argument::is_spread);
        let is_method =
            matches!(call.callee, Expression::StaticMemberExpression(_) | Expression::ComputedMemberExpression(_));
        if call.optional && is_method {
            return self.unsupported(span, "`?.(..)` after a property is not read", "test the property with `if`");
        }
        match &call.callee {
            Expression::StaticMemberExpression(member) => {
                let keys = store_keys(&member.object).filter(|_| !member.optional && !has_spread);
                self.object_of(keys.unwrap_or(&member.object), member.optional, exits)?;
                let name = member.property.name.as_str();
                // The set of keys is no value: its methods are methods of the store.
                let name = if keys.is_some() { format!("keys.{name}").into() } else { name.into() };
                if has_spread {
                    self.spread(&call.arguments, span)?;
                    self.emit(Op::MethodSpread(name), span);
                } else if is_path(&member.object, "bp", "log") {
                    let count = self.logged(&call.arguments)?;
                    self.emit(Op::Method(name, count), span);
                } else {
                    let count = self.arguments(&call.arguments)?;
                    self.emit(Op::Method(name, count), span);
                }
            }
            Expression::ComputedMemberExpression(member) => {
                self.object_of(&member.object, member.optional, exits)?;
                self.expression(&member.expression)?;
                if has_spread {
                    return self.unsupported(span, "this call with `...` is not read", "name the method");
                }
                let count = self.arguments(&call.arguments)?;
                self.emit(Op::MethodIndex(count), span);
            }
            callee => {
                self.object_of(callee, call.optional, exits)?;
                if has_spread {
                    self.spread(&call.arguments, span)?;
                    self.emit(Op::CallSpread, span);
                } else {
                    let count = self.arguments(&call.arguments)?;
                    self.emit(Op::Call(count), span);
                }
            }
        }
        Ok(())
    }

    fn new_object(&mut self, new: &NewExpression<'_>) -> Res<()> {
        let span = at(new.span);
        if new.arguments.iter().any(Argument::is_spread) {
            return self.unsupported(span, "`new` with `...` is not read", "list the arguments");
        }
        self.expression(&new.callee)?;
        let count = self.arguments(&new.arguments)?;
        self.emit(Op::New(count), span);
        Ok(())
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) -> Res<u32> {
        for argument in arguments {
            if let Some(value) = argument.as_expression() {
                self.expression(value)?;
            }
        }
        Ok(u32::try_from(arguments.len()).unwrap_or(u32::MAX))
    }

    /// Compiles the arguments of a function of `bp.log`, which has no effect. What is only shown is not computed, so
    /// that it may have names that BPjs numbers, and classes that are not read. Variables are read, because this may
    /// fail.
    fn logged(&mut self, arguments: &[Argument<'_>]) -> Res<u32> {
        for argument in arguments.iter().filter_map(Argument::as_expression) {
            let mut names = Vec::new();
            if !is_only_shown(argument, &mut names) {
                self.expression(argument)?;
                continue;
            }
            for name in names {
                self.expression(name)?;
                self.emit(Op::Pop, at(name.span()));
            }
            self.emit(Op::Push(Value::Undefined), at(argument.span()));
        }
        Ok(u32::try_from(arguments.len()).unwrap_or(u32::MAX))
    }

    /// Compiles arguments to an array.
    fn spread(&mut self, arguments: &[Argument<'_>], span: Span) -> Res<()> {
        self.emit(Op::NewArray, span);
        for argument in arguments {
            match argument {
                Argument::SpreadElement(spread) => {
                    self.expression(&spread.argument)?;
                    self.emit(Op::AppendAll, at(spread.span));
                }
                argument => {
                    if let Some(value) = argument.as_expression() {
                        self.expression(value)?;
                    }
                    self.emit(Op::Append, span);
                }
            }
        }
        Ok(())
    }
}

/// True if the expression is `first.second`.
fn is_path(expression: &Expression<'_>, first: &str, second: &str) -> bool {
    let Expression::StaticMemberExpression(member) = expression else { return false };
    member.property.name == second && matches!(&member.object, Expression::Identifier(name) if name.name == first)
}

/// True if the expression joins texts, variables, `bp.thread.name` and new sets, maps and dates. Adds the variables.
fn is_only_shown<'e, 'a>(expression: &'e Expression<'a>, names: &mut Vec<&'e Expression<'a>>) -> bool {
    let mut open = vec![expression];
    while let Some(part) = open.pop() {
        match part {
            Expression::StringLiteral(_) | Expression::NumericLiteral(_) => {}
            Expression::Identifier(_) => names.push(part),
            Expression::TemplateLiteral(text) => open.extend(text.expressions.iter().rev()),
            Expression::BinaryExpression(both) if both.operator == BinaryOperator::Addition => {
                open.extend([&both.right, &both.left]);
            }
            Expression::StaticMemberExpression(member)
                if member.property.name == "name" && is_path(&member.object, "bp", "thread") => {}
            Expression::ArrayExpression(list) if list.elements.iter().all(ArrayExpressionElement::is_expression) => {
                open.extend(list.elements.iter().rev().filter_map(ArrayExpressionElement::as_expression));
            }
            Expression::NewExpression(new) if is_collection(&new.callee) => {
                let values = new.arguments.iter().rev().filter_map(Argument::as_expression);
                open.extend(values);
                if new.arguments.iter().any(Argument::is_spread) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

/// True if the expression is the name of a class of sets, maps or dates.
fn is_collection(callee: &Expression<'_>) -> bool {
    matches!(callee, Expression::Identifier(name) if matches!(name.name.as_str(), "Set" | "Map" | "Date"))
}

/// Returns `bp.store` if this is `bp.store.keys()`.
fn store_keys<'t, 'a>(object: &'t Expression<'a>) -> Option<&'t Expression<'a>> {
    let Expression::CallExpression(call) = object else { return None };
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    let is_keys = member.property.name == "keys" && call.arguments.is_empty() && !member.optional && !call.optional;
    (is_keys && is_path(&member.object, "bp", "store")).then_some(&member.object)
}
