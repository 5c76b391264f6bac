//! Expressions. Each leaves one value on the stack.

use super::draft::Kind;
use super::scope::Place;
use super::{Compiler, Res, at};
use crate::code::{Binary, Op, Try, Unary, Variable};
use crate::value::Value;
use formats::codes;
use formats::error::Span;
use oxc_ast::ast::{
    ArrayExpressionElement, BinaryExpression, BinaryOperator, Expression, LogicalExpression, LogicalOperator,
    ObjectExpression, ObjectPropertyKind, PropertyKey, PropertyKind, StringLiteral, TemplateLiteral, UnaryExpression,
    UnaryOperator,
};
use oxc_span::GetSpan;
use std::rc::Rc;

const SUBSET: &str = "docs/bpjs.md describes the subset of JavaScript";

impl Compiler<'_> {
    pub(super) fn expression(&mut self, tree: &Expression<'_>) -> Res<()> {
        let span = at(tree.span());
        match tree {
            Expression::BooleanLiteral(b) => self.push(Value::Bool(b.value), span),
            Expression::NullLiteral(_) => self.push(Value::Null, span),
            Expression::NumericLiteral(number) => self.push(Value::num(number.value), span),
            Expression::StringLiteral(text) => self.string(text),
            Expression::RegExpLiteral(regex) => self.regex(regex),
            Expression::TemplateLiteral(template) => self.template(template),
            Expression::Identifier(id) if id.name == "arguments" => {
                self.unsupported(span, "`arguments` is not read", "declare the parameter `...list`")
            }
            Expression::Identifier(id) => self.load(&id.name, span),
            Expression::ThisExpression(_) => self.this(span),
            Expression::ArrayExpression(array) => self.array(&array.elements, span),
            Expression::ObjectExpression(object) => self.object(object),
            Expression::FunctionExpression(function) => {
                let number = self.function(function)?;
                self.emit(Op::Closure(number), span);
                Ok(())
            }
            Expression::ArrowFunctionExpression(arrow) => {
                let number = self.arrow(arrow)?;
                self.emit(Op::Closure(number), span);
                Ok(())
            }
            Expression::AssignmentExpression(assignment) => self.assignment(assignment),
            Expression::UpdateExpression(update) => self.update(update),
            Expression::BinaryExpression(binary) => self.binary(binary),
            Expression::LogicalExpression(logical) => self.logical(logical),
            Expression::UnaryExpression(unary) => self.unary(unary),
            Expression::ConditionalExpression(choice) => {
                self.condition(&choice.test)?;
                let to_else = self.emit(Op::JumpIfFalse(0), span);
                self.expression(&choice.consequent)?;
                let to_end = self.emit(Op::Jump(0), span);
                self.land(to_else);
                self.expression(&choice.alternate)?;
                self.land(to_end);
                Ok(())
            }
            Expression::SequenceExpression(sequence) => {
                for (i, part) in sequence.expressions.iter().enumerate() {
                    if i > 0 {
                        self.emit(Op::Pop, span);
                    }
                    self.expression(part)?;
                }
                Ok(())
            }
            Expression::ParenthesizedExpression(inner) => self.expression(&inner.expression),
            Expression::CallExpression(_)
            | Expression::ChainExpression(_)
            | Expression::StaticMemberExpression(_)
            | Expression::ComputedMemberExpression(_)
            | Expression::NewExpression(_) => self.whole_chain(tree),
            other => self.foreign_expression(other),
        }
    }

    fn push(&mut self, value: Value, span: Span) -> Res<()> {
        self.emit(Op::Push(value), span);
        Ok(())
    }

    fn foreign_expression(&self, tree: &Expression<'_>) -> Res<()> {
        let span = at(tree.span());
        let (what, hint) = match tree {
            Expression::BigIntLiteral(_) => ("big integers are not read", "use a plain number"),
            Expression::ClassExpression(_) => ("classes are not read", "use functions and plain objects"),
            Expression::TaggedTemplateExpression(_) => ("tagged templates are not read", "call the function"),
            Expression::YieldExpression(_) | Expression::AwaitExpression(_) => {
                ("generators and `async` functions are not read", "call `bp.sync` in an ordinary function")
            }
            _ => ("this expression is not read", SUBSET),
        };
        self.unsupported(span, what, hint)
    }

    /// Reads `this`, which belongs to the innermost function that is no arrow function.
    fn this(&mut self, span: Span) -> Res<()> {
        if self.drafts.iter().all(|draft| draft.this.is_none()) {
            return self.unsupported(span, "`this` outside of a function is not read", "name the object");
        }
        self.load("this", span)
    }

    pub(super) fn string(&mut self, text: &StringLiteral<'_>) -> Res<()> {
        if text.lone_surrogates {
            return self.unsupported(at(text.span), "half of a surrogate pair is not read", "use whole characters");
        }
        self.push(Value::str(text.value.as_str()), at(text.span))
    }

    fn template(&mut self, template: &TemplateLiteral<'_>) -> Res<()> {
        let span = at(template.span);
        for (i, part) in template.quasis.iter().enumerate() {
            let text = part.value.cooked.as_ref().map_or("", |text| text.as_str());
            if part.lone_surrogates {
                return self.unsupported(at(part.span), "half of a surrogate pair is not read", "use whole characters");
            }
            self.push(Value::str(text), at(part.span))?;
            if i > 0 {
                self.emit(Op::Binary(Binary::Add), span);
            }
            if let Some(value) = template.expressions.get(i) {
                self.expression(value)?;
                self.emit(Op::Unary(Unary::ToStr), at(value.span()));
                self.emit(Op::Binary(Binary::Add), span);
            }
        }
        Ok(())
    }

    fn array(&mut self, elements: &[ArrayExpressionElement<'_>], span: Span) -> Res<()> {
        self.emit(Op::NewArray, span);
        for element in elements {
            let place = at(element.span());
            match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    self.expression(&spread.argument)?;
                    self.emit(Op::AppendAll, place);
                }
                ArrayExpressionElement::Elision(_) => drop(self.emit(Op::AppendHole, place)),
                element => {
                    if let Some(value) = element.as_expression() {
                        self.expression(value)?;
                    }
                    self.emit(Op::Append, place);
                }
            }
        }
        Ok(())
    }

    fn object(&mut self, object: &ObjectExpression<'_>) -> Res<()> {
        self.emit(Op::NewObject, at(object.span));
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    self.expression(&spread.argument)?;
                    self.emit(Op::FieldAll, at(spread.span));
                }
                ObjectPropertyKind::ObjectProperty(property) => {
                    let span = at(property.span);
                    if property.kind != PropertyKind::Init {
                        return self.unsupported(span, "getters and setters are not read", "use a function");
                    }
                    match &property.key {
                        PropertyKey::StaticIdentifier(id) => {
                            if id.name == "__proto__" && !property.shorthand && !property.method {
                                return self.unsupported(span, "prototypes are not read", "use another name");
                            }
                            self.expression(&property.value)?;
                            self.emit(Op::Field(id.name.as_str().into()), span);
                        }
                        key => {
                            let Some(key) = key.as_expression() else {
                                return self.unsupported(span, "private names are not read", "use a plain property");
                            };
                            self.expression(key)?;
                            self.expression(&property.value)?;
                            self.emit(Op::FieldIndex, span);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Compiles a chain of binary operators. The chain of the left operands is a loop, because it may be long.
    fn binary(&mut self, tree: &BinaryExpression<'_>) -> Res<()> {
        let mut chain = vec![tree];
        let mut left = &tree.left;
        while let Expression::BinaryExpression(inner) = left {
            chain.push(inner);
            left = &inner.left;
        }
        self.left(chain[chain.len() - 1], left)?;
        for tree in chain.into_iter().rev() {
            self.expression(&tree.right)?;
            self.emit(Op::Binary(operator(tree.operator)), at(tree.span));
        }
        Ok(())
    }

    fn logical(&mut self, tree: &LogicalExpression<'_>) -> Res<()> {
        let span = at(tree.span);
        self.expression(&tree.left)?;
        let jump = match tree.operator {
            LogicalOperator::And => Op::JumpFalseKeep(0),
            LogicalOperator::Or => Op::JumpTrueKeep(0),
            LogicalOperator::Coalesce => Op::JumpSomeKeep(0),
        };
        let end = self.emit(jump, span);
        self.expression(&tree.right)?;
        self.land(end);
        Ok(())
    }

    fn unary(&mut self, tree: &UnaryExpression<'_>) -> Res<()> {
        let span = at(tree.span);
        let operator = match tree.operator {
            UnaryOperator::UnaryPlus => Unary::Plus,
            UnaryOperator::UnaryNegation => Unary::Minus,
            UnaryOperator::LogicalNot => Unary::Not,
            UnaryOperator::BitwiseNot => Unary::BitNot,
            UnaryOperator::Typeof => return self.type_of(tree),
            UnaryOperator::Void => {
                self.expression(&tree.argument)?;
                self.emit(Op::Pop, span);
                return self.push(Value::Undefined, span);
            }
            UnaryOperator::Delete => return self.delete(tree),
        };
        match self.unset(operator, &tree.argument) {
            Some(name) => self.load_or_undefined(&name, span)?,
            None if operator == Unary::Not => self.condition(&tree.argument)?,
            None => self.expression(&tree.argument)?,
        }
        self.emit(Op::Unary(operator), span);
        Ok(())
    }

    /// Returns the name in a test such as `if (!SIZE) SIZE = 5;` of the top level: the host of a program may set `SIZE`
    /// before the program runs, and nothing in the text does. Remembers the place for a warning.
    fn unset(&mut self, operator: Unary, argument: &Expression<'_>) -> Option<Rc<str>> {
        let Expression::Identifier(id) = argument else { return None };
        let is_test = operator == Unary::Not && self.drafts.len() == 1;
        let place = is_test.then(|| self.resolve(&id.name, at(id.span)).ok()).flatten()?;
        let Place::Slot { slot, kind: Kind::Implicit, .. } = place else { return None };
        let draft = self.draft();
        if draft.code.iter().any(|op| matches!(op, Op::Store(set) if *set == slot)) {
            return None;
        }
        let name: Rc<str> = id.name.as_str().into();
        draft.unset.get_or_insert_with(|| Variable { name: name.clone(), span: at(id.span) });
        Some(name)
    }

    /// `typeof` of an unknown name is `undefined`.
    fn type_of(&mut self, tree: &UnaryExpression<'_>) -> Res<()> {
        let span = at(tree.span);
        if let Expression::Identifier(id) = &tree.argument {
            match self.resolve(&id.name, span) {
                Err(error) if error.code() == codes::JS_UNKNOWN.code && self.is_undefined(&id.name) => {
                    self.open_name(&id.name, span);
                    return self.push(Value::str("undefined"), span);
                }
                Ok(Place::Slot { kind: Kind::Implicit, .. } | Place::Up { kind: Kind::Implicit, .. }) => {
                    self.load_or_undefined(&id.name, span)?;
                    self.emit(Op::Unary(Unary::TypeOf), span);
                    return Ok(());
                }
                _ => {}
            }
        }
        self.expression(&tree.argument)?;
        self.emit(Op::Unary(Unary::TypeOf), span);
        Ok(())
    }

    /// Reads a variable without a declaration, as `undefined` before its first assignment. Reading it fails then, so
    /// the failure is caught.
    fn load_or_undefined(&mut self, name: &str, span: Span) -> Res<()> {
        let start = self.here();
        self.load(name, span)?;
        let end = self.here();
        let to_end = self.emit(Op::Jump(0), span);
        let (catch, depth) = (self.here(), self.draft().depth);
        self.draft().tries.push(Try { start, end, catch, depth });
        self.emit(Op::Pop, span);
        self.push(Value::Undefined, span)?;
        self.land(to_end);
        Ok(())
    }

    /// Returns the value of the test `typeof name === 'undefined'` and the like, if nothing has this name.
    pub(super) fn known_test(&mut self, test: &Expression<'_>) -> Option<bool> {
        let Expression::BinaryExpression(test) = test else { return None };
        let is_equal = match test.operator {
            BinaryOperator::StrictEquality | BinaryOperator::Equality => true,
            BinaryOperator::StrictInequality | BinaryOperator::Inequality => false,
            _ => return None,
        };
        let (Expression::UnaryExpression(type_of), Expression::StringLiteral(text)) = (&test.left, &test.right) else {
            return None;
        };
        let Expression::Identifier(id) = &type_of.argument else { return None };
        let is_unknown = type_of.operator == UnaryOperator::Typeof && self.is_undefined(&id.name);
        (is_unknown && text.value == "undefined").then(|| {
            self.open_name(&id.name, at(id.span));
            is_equal
        })
    }

    fn delete(&mut self, tree: &UnaryExpression<'_>) -> Res<()> {
        let span = at(tree.span);
        match &tree.argument {
            Expression::StaticMemberExpression(member) => {
                self.expression(&member.object)?;
                self.emit(Op::DeleteProp(member.property.name.as_str().into()), span);
                Ok(())
            }
            Expression::ComputedMemberExpression(member) => {
                self.expression(&member.object)?;
                self.expression(&member.expression)?;
                self.emit(Op::DeleteIndex, span);
                Ok(())
            }
            _ => self.unsupported(span, "only properties can be deleted", "assign `undefined` to the variable"),
        }
    }
}

fn operator(operator: BinaryOperator) -> Binary {
    match operator {
        BinaryOperator::Equality => Binary::Eq,
        BinaryOperator::Inequality => Binary::Ne,
        BinaryOperator::StrictEquality => Binary::StrictEq,
        BinaryOperator::StrictInequality => Binary::StrictNe,
        BinaryOperator::LessThan => Binary::Lt,
        BinaryOperator::LessEqualThan => Binary::Le,
        BinaryOperator::GreaterThan => Binary::Gt,
        BinaryOperator::GreaterEqualThan => Binary::Ge,
        BinaryOperator::Addition => Binary::Add,
        BinaryOperator::Subtraction => Binary::Sub,
        BinaryOperator::Multiplication => Binary::Mul,
        BinaryOperator::Division => Binary::Div,
        BinaryOperator::Remainder => Binary::Rem,
        BinaryOperator::Exponential => Binary::Pow,
        BinaryOperator::ShiftLeft => Binary::Shl,
        BinaryOperator::ShiftRight => Binary::Shr,
        BinaryOperator::ShiftRightZeroFill => Binary::UShr,
        BinaryOperator::BitwiseOR => Binary::Or,
        BinaryOperator::BitwiseXOR => Binary::Xor,
        BinaryOperator::BitwiseAnd => Binary::And,
        BinaryOperator::In => Binary::In,
        BinaryOperator::Instanceof => Binary::InstanceOf,
    }
}
