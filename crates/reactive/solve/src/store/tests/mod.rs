//! Compares calls by the tree with calls by the definition.

mod crew;

use super::ReactiveStepper;
use model::ids::{ErrorId, ExprId, VarId};
use model::reactive::{Arm, Binary, Builder, Convention, Expr, Stmt};
use model::{InputId, Outcome, Reactive};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;
use testkit::reactive::{Values, call, program};

fn compare(b: &mut Builder, op: Binary, var: VarId, value: i32) -> ExprId {
    let left = b.expr(Expr::Var(var));
    let right = b.expr(Expr::Const(value));
    b.expr(Expr::Binary(op, left, right))
}

fn number(b: &mut Builder, value: i32) -> ExprId {
    b.expr(Expr::Const(value))
}

/// Returns a program that counts to 3 on input 1, and then fails. `flag` is assigned before it is read.
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
    let mut stepper = ReactiveStepper::new(&program);
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

/// Makes random calls and compares each with the definition.
fn agrees(decisions: &[u8], limit: Option<usize>) {
    let program = program(decisions, Values::Any);
    let mut stepper = ReactiveStepper::new(&program);
    limit.into_iter().for_each(|bytes| stepper.tree.limit(bytes));
    let slots: Vec<VarId> = stepper.slots().to_vec();
    let mut state = stepper.initial();
    let mut all = vec![(Outcome::Crash, state.clone()); program.inputs().len()];
    let mut next = state.clone();
    for round in 0..40 {
        stepper.step_all(&state, |input, outcome, next| {
            all[input.index()] = (outcome, next.into());
            ControlFlow::Continue(())
        });
        for input in (0..program.inputs().len()).map(InputId::new) {
            let mut values = program.initial().to_vec();
            slots.iter().zip(&state).for_each(|(var, &value)| values[var.index()] = value);
            let expected = call(&program, &mut values, input);
            assert_eq!(stepper.step(&state, input, &mut next), expected, "{input:?} from {state:?} in {program:#?}");
            assert_eq!(all[input.index()].0, expected);
            if !matches!(expected, Outcome::Error(_) | Outcome::Crash) {
                let values: Vec<i32> = slots.iter().map(|var| values[var.index()]).collect();
                assert_eq!(&*next, &*values, "{input:?} from {state:?} in {program:#?}");
                assert_eq!(&*all[input.index()].1, &*values);
                for (slot, value) in values.iter().enumerate() {
                    assert!(stepper.values(slot).is_none_or(|known| known.contains(value)));
                }
            }
        }
        let choice = usize::from(decisions[round % decisions.len()]) % all.len();
        match &all[choice] {
            (Outcome::Error(_) | Outcome::Crash, _) => state = stepper.initial(),
            (_, next) => state.clone_from(next),
        }
    }
}

proptest! {
    #![proptest_config(testkit::config(2000))]

    #[test]
    fn the_tree_does_what_the_program_says(decisions in proptest::collection::vec(any::<u8>(), 20..300)) {
        agrees(&decisions, None);
    }

    #[test]
    fn a_tree_without_room_does_too(
        decisions in proptest::collection::vec(any::<u8>(), 20..300),
        bytes in 0usize..2000,
    ) {
        agrees(&decisions, Some(bytes));
    }
}
