//! Assignments.

use super::draft::Kind;
use super::scope::Place;
use super::{Compiler, Pass, Res, at};
use crate::code::{Binary, Op, Unary};
use crate::names;
use crate::value::Value;
use formats::codes;
use formats::error::Span;
use oxc_ast::ast::{
    AssignmentExpression, AssignmentOperator, AssignmentTarget, MemberExpression, SimpleAssignmentTarget,
    UpdateExpression, UpdateOperator,
};
use oxc_span::GetSpan;

/// What an operator of an assignment does first.
enum Step {
    Nothing,
    Compute(Binary),
    /// Assigns only if the jump is not taken.
    Test(fn(u32) -> Op),
}

impl Compiler<'_> {
    /// Reads a variable: `-> value`.
    pub(super) fn load(&mut self, name: &str, span: Span) -> Res<()> {
        let place = match self.resolve(name, span) {
            Err(error) if self.pass == Pass::Lenient && error.code() == codes::JS_UNKNOWN.code => {
                self.emit(Op::Missing(error.into()), span);
                return Ok(());
            }
            place => place?,
        };
        if let Place::Slot { kind: Kind::Implicit, .. } | Place::Up { kind: Kind::Implicit, .. } = place {
            self.open_name(name, span);
        }
        let op = match place {
            Place::Slot { slot, .. } => Op::Load(slot),
            Place::Up { number, .. } => Op::LoadUp(number),
            Place::Native("undefined") => Op::Push(Value::Undefined),
            Place::Native("NaN") => Op::Push(Value::num(f64::NAN)),
            Place::Native("Infinity") => Op::Push(Value::num(f64::INFINITY)),
            Place::Native(path) => Op::Push(Value::Native(path)),
            Place::Unknown => Op::Push(Value::Undefined),
        };
        self.emit(op, span);
        Ok(())
    }

    /// Assigns to a variable: `value ->`.
    pub(super) fn store(&mut self, name: &str, span: Span) -> Res<()> {
        let op = match self.resolve(name, span)? {
            Place::Slot { kind: Kind::Const, .. } | Place::Up { kind: Kind::Const, .. } => Op::ThrowConst,
            Place::Slot { kind: Kind::Itself, .. } | Place::Up { kind: Kind::Itself, .. } => Op::Pop,
            Place::Slot { slot, is_ready: true, .. } | Place::Slot { slot, kind: Kind::Implicit, .. } => {
                Op::Store(slot)
            }
            Place::Slot { slot, .. } => Op::StoreChecked(slot),
            Place::Up { number, kind: Kind::Implicit } => Op::InitUp(number),
            Place::Up { number, .. } => Op::StoreUp(number),
            Place::Unknown if !names::is_unread(name) => {
                self.undeclared.push(name.into());
                Op::Pop
            }
            Place::Native(_) | Place::Unknown => {
                let hint = "give the variable another name, and declare it with `let`";
                return self.unsupported(span, &format!("`{name}` cannot be assigned"), hint);
            }
        };
        self.emit(op, span);
        Ok(())
    }

    /// Gives a declared variable its first value: `value ->`.
    pub(super) fn assign_declared(&mut self, name: &str, span: Span) -> Res<()> {
        self.mark_ready(name);
        match self.resolve(name, span)? {
            Place::Slot { slot, .. } => drop(self.emit(Op::Store(slot), span)),
            _ => self.store(name, span)?,
        }
        Ok(())
    }

    /// Assigns to a target: `value ->`.
    pub(super) fn assign_target(&mut self, target: &AssignmentTarget<'_>) -> Res<()> {
        let span = at(target.span());
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(id) => return self.store(&id.name, span),
            AssignmentTarget::ArrayAssignmentTarget(array) => return self.assign_array(array),
            AssignmentTarget::ObjectAssignmentTarget(object) => return self.assign_object(object),
            _ => {}
        }
        match target.as_member_expression() {
            Some(MemberExpression::StaticMemberExpression(member)) => {
                self.expression(&member.object)?;
                self.emit(Op::Swap, span);
                self.emit(Op::SetProp(member.property.name.as_str().into()), span);
            }
            Some(MemberExpression::ComputedMemberExpression(member)) => {
                let value = self.hidden(span);
                self.emit(Op::Store(value), span);
                self.expression(&member.object)?;
                self.expression(&member.expression)?;
                self.emit(Op::Load(value), span);
                self.emit(Op::SetIndex, span);
            }
            _ => return self.unsupported(span, "this cannot be assigned", "assign to variables and properties"),
        }
        self.emit(Op::Pop, span);
        Ok(())
    }

    /// Compiles an assignment: `-> value`.
    pub(super) fn assignment(&mut self, tree: &AssignmentExpression<'_>) -> Res<()> {
        let span = at(tree.span);
        let step = step(tree.operator);
        match &tree.left {
            AssignmentTarget::AssignmentTargetIdentifier(id) => {
                if !matches!(step, Step::Nothing) {
                    self.load(&id.name, at(id.span))?;
                }
                let end = self.right(tree, &step, span)?;
                self.emit(Op::Dup, span);
                self.store(&id.name, span)?;
                end.into_iter().for_each(|end| self.land(end));
                Ok(())
            }
            AssignmentTarget::ArrayAssignmentTarget(_) | AssignmentTarget::ObjectAssignmentTarget(_) => {
                self.expression(&tree.right)?;
                self.emit(Op::Dup, span);
                self.assign_target(&tree.left)
            }
            target => match target.as_member_expression() {
                Some(MemberExpression::StaticMemberExpression(member)) => {
                    let name: std::rc::Rc<str> = member.property.name.as_str().into();
                    self.expression(&member.object)?;
                    if !matches!(step, Step::Nothing) {
                        self.emit(Op::Dup, span);
                        self.emit(Op::GetProp(name.clone()), span);
                    }
                    let end = self.right(tree, &step, span)?;
                    self.emit(Op::SetProp(name), span);
                    self.skip(end, 1, span);
                    Ok(())
                }
                Some(MemberExpression::ComputedMemberExpression(member)) => {
                    self.expression(&member.object)?;
                    self.expression(&member.expression)?;
                    if !matches!(step, Step::Nothing) {
                        self.emit(Op::Dup2, span);
                        self.emit(Op::GetIndex, span);
                    }
                    let end = self.right(tree, &step, span)?;
                    self.emit(Op::SetIndex, span);
                    self.skip(end, 2, span);
                    Ok(())
                }
                _ => self.unsupported(span, "this cannot be assigned", "assign to variables and properties"),
            },
        }
    }

    /// Compiles the right side, after the old value if the operator needs it. Returns the jump that skips the
    /// assignment.
    fn right(&mut self, tree: &AssignmentExpression<'_>, step: &Step, span: Span) -> Res<Option<usize>> {
        let end = match step {
            Step::Test(jump) => Some(self.emit(jump(0), span)),
            _ => None,
        };
        self.expression(&tree.right)?;
        if let Step::Compute(operator) = step {
            self.emit(Op::Binary(*operator), span);
        }
        Ok(end)
    }

    /// Lets a skipped assignment remove the `count` values of its target below the result.
    fn skip(&mut self, jump: Option<usize>, count: u8, span: Span) {
        let Some(jump) = jump else { return };
        let to_end = self.emit(Op::Jump(0), span);
        self.land(jump);
        self.emit(Op::Nip(count), span);
        self.land(to_end);
    }

    /// Compiles `++` and `--`.
    pub(super) fn update(&mut self, tree: &UpdateExpression<'_>) -> Res<()> {
        let span = at(tree.span);
        let delta: i8 = if tree.operator == UpdateOperator::Increment { 1 } else { -1 };
        match &tree.argument {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(id) => {
                self.load(&id.name, at(id.span))?;
                self.emit(Op::Unary(Unary::Plus), span);
                if !tree.prefix {
                    self.emit(Op::Dup, span);
                }
                self.emit(Op::Push(Value::num(f64::from(delta))), span);
                self.emit(Op::Binary(Binary::Add), span);
                if tree.prefix {
                    self.emit(Op::Dup, span);
                }
                self.store(&id.name, span)
            }
            target => match target.as_member_expression() {
                Some(MemberExpression::StaticMemberExpression(member)) => {
                    self.expression(&member.object)?;
                    self.emit(Op::IncProp(member.property.name.as_str().into(), delta, !tree.prefix), span);
                    Ok(())
                }
                Some(MemberExpression::ComputedMemberExpression(member)) => {
                    self.expression(&member.object)?;
                    self.expression(&member.expression)?;
                    self.emit(Op::IncIndex(delta, !tree.prefix), span);
                    Ok(())
                }
                _ => self.unsupported(span, "this cannot be assigned", "assign to variables and properties"),
            },
        }
    }
}

fn step(operator: AssignmentOperator) -> Step {
    Step::Compute(match operator {
        AssignmentOperator::Assign => return Step::Nothing,
        AssignmentOperator::LogicalOr => return Step::Test(Op::JumpTrueKeep),
        AssignmentOperator::LogicalAnd => return Step::Test(Op::JumpFalseKeep),
        AssignmentOperator::LogicalNullish => return Step::Test(Op::JumpSomeKeep),
        AssignmentOperator::Addition => Binary::Add,
        AssignmentOperator::Subtraction => Binary::Sub,
        AssignmentOperator::Multiplication => Binary::Mul,
        AssignmentOperator::Division => Binary::Div,
        AssignmentOperator::Remainder => Binary::Rem,
        AssignmentOperator::Exponential => Binary::Pow,
        AssignmentOperator::ShiftLeft => Binary::Shl,
        AssignmentOperator::ShiftRight => Binary::Shr,
        AssignmentOperator::ShiftRightZeroFill => Binary::UShr,
        AssignmentOperator::BitwiseOR => Binary::Or,
        AssignmentOperator::BitwiseXOR => Binary::Xor,
        AssignmentOperator::BitwiseAnd => Binary::And,
    })
}
