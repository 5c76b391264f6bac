use super::Stepper;
use model::ids::{ErrorId, ExprId, VarId};
use model::reactive::{Arm, Binary, Builder, Convention, Expr, Stmt};
use model::{InputId, Outcome, Reactive};
use std::sync::Arc;

fn compare(b: &mut Builder, op: Binary, var: VarId, value: i32) -> ExprId {
    let left = b.expr(Expr::Var(var));
    let right = b.expr(Expr::Const(value));
    b.expr(Expr::Binary(op, left, right))
}

fn number(b: &mut Builder, value: i32) -> ExprId {
    b.expr(Expr::Const(value))
}

/// Counts to 3 on input 1, then fails; `flag` is set before it is looked at.
fn counter() -> Arc<Reactive> {
    let mut b = Builder::new();
    let (count, flag) = (b.var("count", 0), b.var("flag", 7));
    b.input(1);
    b.input(2);
    let error = b.error(19);
    let (one, zero, minus_two) = (number(&mut b, 1), number(&mut b, 0), number(&mut b, -2));
    let full = compare(&mut b, Binary::Ge, count, 3);
    let fail = b.block(&[Stmt::Error(error)]);
    let checks = b.arms(&[Arm { condition: full, body: fail }]);
    let input = b.expr(Expr::Input);
    let is_one = b.expr(Expr::Binary(Binary::Eq, input, one));
    let old = b.expr(Expr::Var(count));
    let more = b.expr(Expr::Binary(Binary::Add, old, one));
    let twenty = number(&mut b, 20);
    let letter = b.expr(Expr::Binary(Binary::Add, more, twenty));
    let count_up = b.block(&[Stmt::Assign(count, more), Stmt::Assign(flag, zero), Stmt::Return(letter)]);
    let rules = b.arms(&[Arm { condition: is_one, body: count_up }]);
    let untouched = b.expr(Expr::Var(flag));
    let flagged = b.expr(Expr::Binary(Binary::Sub, minus_two, untouched));
    let none = b.block(&[]);
    let body = b.block(&[
        Stmt::Assign(flag, zero),
        Stmt::If { arms: checks, otherwise: none },
        Stmt::If { arms: rules, otherwise: none },
        Stmt::Return(flagged),
    ]);
    let entry = b.declare("calculate_output");
    b.define(entry, body);
    Arc::new(b.finish(entry, Convention::Returned).unwrap())
}

#[test]
fn calls_are_executed() {
    let program = counter();
    let mut stepper = Stepper::new(&program);
    assert_eq!(stepper.slots(), [VarId(0)], "what is assigned before it is looked at is no state");
    let mut state = stepper.initial();
    let mut next = state.clone();
    assert_eq!(stepper.step(&state, InputId(1), &mut next), Outcome::Invalid);
    assert_eq!(next, state);
    for letter in 22..25 {
        assert_eq!(stepper.step(&state, InputId(0), &mut next), Outcome::Output(letter));
        state.copy_from_slice(&next);
    }
    assert_eq!(stepper.step(&state, InputId(1), &mut next), Outcome::Error(ErrorId(0)));
}
