//! Destructuring, in declarations and in assignments.

use super::{Compiler, Res, at};
use crate::code::Op;
use crate::value::Value;
use formats::error::Span;
use oxc_ast::ast::{
    ArrayAssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPattern, BindingPatternKind,
    Expression, ObjectAssignmentTarget, PropertyKey,
};
use oxc_span::GetSpan;

const REST: &str = "the rest of an object is not read as a pattern";
const REST_HINT: &str = "name each property";

impl Compiler<'_> {
    /// Gives the declared variables of a pattern their first values: `value ->`.
    pub(super) fn bind(&mut self, pattern: &BindingPattern<'_>) -> Res<()> {
        let span = at(pattern.span());
        match &pattern.kind {
            BindingPatternKind::BindingIdentifier(id) => self.assign_declared(&id.name, span),
            BindingPatternKind::AssignmentPattern(with) => {
                self.default_value(&with.right, span)?;
                self.bind(&with.left)
            }
            BindingPatternKind::ObjectPattern(object) => {
                if let Some(rest) = &object.rest {
                    return self.unsupported(at(rest.span), REST, REST_HINT);
                }
                for property in &object.properties {
                    self.emit(Op::Dup, at(property.span));
                    self.get_key(&property.key, at(property.span))?;
                    self.bind(&property.value)?;
                }
                self.end_object(object.properties.is_empty(), span);
                Ok(())
            }
            BindingPatternKind::ArrayPattern(array) => {
                self.emit(Op::ToArray, span);
                for (i, element) in array.elements.iter().enumerate() {
                    if let Some(element) = element {
                        self.element(i, at(element.span()));
                        self.bind(element)?;
                    }
                }
                if let Some(rest) = &array.rest {
                    self.emit(Op::Dup, at(rest.span));
                    self.emit(Op::Rest(u32::try_from(array.elements.len()).unwrap_or(u32::MAX)), at(rest.span));
                    self.bind(&rest.argument)?;
                }
                self.emit(Op::Pop, span);
                Ok(())
            }
        }
    }

    pub(super) fn assign_array(&mut self, array: &ArrayAssignmentTarget<'_>) -> Res<()> {
        let span = at(array.span);
        self.emit(Op::ToArray, span);
        for (i, element) in array.elements.iter().enumerate() {
            if let Some(element) = element {
                self.element(i, at(element.span()));
                self.assign_default(element)?;
            }
        }
        if let Some(rest) = &array.rest {
            self.emit(Op::Dup, at(rest.span));
            self.emit(Op::Rest(u32::try_from(array.elements.len()).unwrap_or(u32::MAX)), at(rest.span));
            self.assign_target(&rest.target)?;
        }
        self.emit(Op::Pop, span);
        Ok(())
    }

    pub(super) fn assign_object(&mut self, object: &ObjectAssignmentTarget<'_>) -> Res<()> {
        let span = at(object.span);
        if let Some(rest) = &object.rest {
            return self.unsupported(at(rest.span), REST, REST_HINT);
        }
        for property in &object.properties {
            self.emit(Op::Dup, span);
            match property {
                AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(id) => {
                    self.emit(Op::GetProp(id.binding.name.as_str().into()), at(id.span));
                    if let Some(value) = &id.init {
                        self.default_value(value, at(id.span))?;
                    }
                    self.store(&id.binding.name, at(id.span))?;
                }
                AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                    self.get_key(&property.name, at(property.span))?;
                    self.assign_default(&property.binding)?;
                }
            }
        }
        self.end_object(object.properties.is_empty(), span);
        Ok(())
    }

    fn assign_default(&mut self, target: &AssignmentTargetMaybeDefault<'_>) -> Res<()> {
        if let AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(with) = target {
            self.default_value(&with.init, at(with.span))?;
            return self.assign_target(&with.binding);
        }
        target.as_assignment_target().map_or(Ok(()), |target| self.assign_target(target))
    }

    /// Removes the object. A pattern without properties fails for `undefined`, too.
    fn end_object(&mut self, is_empty: bool, span: Span) {
        if is_empty {
            self.emit(Op::GetProp("".into()), span);
        }
        self.emit(Op::Pop, span);
    }

    /// `array -> array element`
    fn element(&mut self, index: usize, span: Span) {
        self.emit(Op::Dup, span);
        self.emit(Op::Push(Value::count(index)), span);
        self.emit(Op::GetIndex, span);
    }

    /// Replaces `undefined` by a value: `value -> value`.
    fn default_value(&mut self, value: &Expression<'_>, span: Span) -> Res<()> {
        let end = self.emit(Op::JumpDefined(0), span);
        self.expression(value)?;
        self.land(end);
        Ok(())
    }

    /// `object -> value`
    fn get_key(&mut self, key: &PropertyKey<'_>, span: Span) -> Res<()> {
        match key {
            PropertyKey::StaticIdentifier(id) => drop(self.emit(Op::GetProp(id.name.as_str().into()), span)),
            key => match key.as_expression() {
                Some(key) => {
                    self.expression(key)?;
                    self.emit(Op::GetIndex, span);
                }
                None => return self.unsupported(span, "private names are not read", "use a plain property"),
            },
        }
        Ok(())
    }
}
