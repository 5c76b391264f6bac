//! Tests small programs with known answers.

use crate::intervals::Intervals;
use crate::intervals::words::{Refined, Words};
use model::reactive::{Arm, Binary, Builder, Convention, Expr, Stmt};
use model::{
    Budget, Certificate, Claim, Engine, ErrorId, EventId, ExprId, Goal, InputId, Outcome, Reactive, ReactiveTask,
    StateSet, Trace, Turn, VarId,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use temporal::Calls;

fn op(b: &mut Builder, op: Binary, left: ExprId, right: ExprId) -> ExprId {
    b.expr(Expr::Binary(op, left, right))
}

fn with(b: &mut Builder, var: VarId, operator: Binary, number: i32) -> ExprId {
    let (left, right) = (b.expr(Expr::Var(var)), b.expr(Expr::Const(number)));
    op(b, operator, left, right)
}

/// `if (condition) { stmts }`
fn when(b: &mut Builder, condition: ExprId, stmts: &[Stmt]) -> Stmt {
    let body = b.block(stmts);
    let otherwise = b.block(&[]);
    let arms = b.arms(&[Arm { condition, body }]);
    Stmt::If { arms, otherwise }
}

fn program(mut b: Builder, stmts: &[Stmt]) -> Arc<Reactive> {
    b.input(1);
    b.input(2);
    let body = b.block(stmts);
    let entry = b.declare("calculate_output");
    b.define(entry, body);
    Arc::new(b.finish(entry, Convention::Printed).expect("a program"))
}

/// The engine's answer for each error number, and the number of rows of its last certificate.
fn answers(program: &Arc<Reactive>, work: u64) -> (BTreeMap<u32, &'static str>, u64) {
    let goals: Vec<Goal> = (0..program.errors().len()).map(|e| Goal::Error(ErrorId::new(e))).collect();
    let mut engine = Intervals::new(&ReactiveTask::new(Arc::clone(program), goals.iter().copied(), &[]));
    let mut budget = Budget::new(work, Arc::default());
    let (mut answers, mut rows) = (BTreeMap::new(), 0);
    let number = |goal: &Goal| match goal {
        Goal::Error(error) => program.errors()[error.index()],
        _ => panic!("not asked"),
    };
    while let Turn::Claims(claim) = engine.run(&mut budget) {
        match claim {
            Claim::Safe { goals, certificate: Certificate::Valuations(set) } => {
                answers.extend(goals.iter().map(|g| (number(g), "safe")));
                rows = set.rows.len();
                assert_eq!(rows, listed(&*set.rows));
            }
            Claim::Unsafe { goal, .. } => {
                answers.insert(number(&goal), "unsafe");
            }
            other => panic!("{other:?}"),
        }
    }
    (answers, rows)
}

fn listed(rows: &dyn StateSet) -> u64 {
    let mut count = 0;
    let _ = rows.for_each(&mut |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    count
}

/// `a` takes the values 0, 3, .. 30 and so on, and returns to 0 from 40 on. Error 1 is at a > 100, error 2 at a
/// == 30.
#[test]
fn a_counter_is_cut_where_it_turns_back() {
    let mut b = Builder::new();
    let a = b.var("a", 0);
    let (e1, e2) = (b.error(1), b.error(2));
    let above = with(&mut b, a, Binary::Gt, 100);
    let at_end = with(&mut b, a, Binary::Eq, 30);
    let checks = [when(&mut b, above, &[Stmt::Error(e1)]), when(&mut b, at_end, &[Stmt::Error(e2)])];
    let three_more = with(&mut b, a, Binary::Add, 3);
    let turns = with(&mut b, a, Binary::Ge, 40);
    let zero = b.expr(Expr::Const(0));
    let back = when(&mut b, turns, &[Stmt::Assign(a, zero)]);
    let program = program(b, &[checks[0], checks[1], Stmt::Assign(a, three_more), back]);
    let (answers, rows) = answers(&program, 1 << 20);
    assert_eq!(answers, BTreeMap::from([(1, "safe"), (2, "unsafe")]));
    assert!(rows > 0);
}

/// Labels that require values that a variable never takes need almost no exploration.
#[test]
fn value_sets_alone_exclude_labels() {
    let mut b = Builder::new();
    let a = b.var("a", 1);
    let e = b.error(7);
    let never = with(&mut b, a, Binary::Eq, 5);
    let check = when(&mut b, never, &[Stmt::Error(e)]);
    let two = b.expr(Expr::Const(2));
    let program = program(b, &[check, Stmt::Assign(a, two)]);
    assert_eq!(answers(&program, 1 << 20), (BTreeMap::from([(7, "safe")]), 2));
}

/// After a = (a % 90) - 50 from above 138, `a` is between -50 and 39.
#[test]
fn remainders_lead_into_ranges() {
    let mut b = Builder::new();
    let (a, x) = (b.var("a", 200), b.var("x", 1));
    let (e1, e2) = (b.error(1), b.error(2));
    let one = with(&mut b, x, Binary::Eq, 0);
    let low = with(&mut b, a, Binary::Lt, -50);
    let both = op(&mut b, Binary::And, one, low);
    let wrong = when(&mut b, both, &[Stmt::Error(e1)]);
    let high = with(&mut b, a, Binary::Gt, 138);
    let rest = with(&mut b, a, Binary::Rem, 90);
    let fifty = b.expr(Expr::Const(50));
    let moved = op(&mut b, Binary::Sub, rest, fifty);
    let zero = b.expr(Expr::Const(0));
    let step = when(&mut b, high, &[Stmt::Assign(a, moved), Stmt::Assign(x, zero)]);
    let far = with(&mut b, a, Binary::Gt, 1_000_000);
    let check = when(&mut b, far, &[Stmt::Error(e2)]);
    let program = program(b, &[wrong, check, step]);
    assert_eq!(answers(&program, 1 << 20).0, BTreeMap::from([(1, "safe"), (2, "safe")]));
}

/// An overflow may yield any number, and proofs must account for that.
#[test]
fn overflow_is_any_number() {
    let mut b = Builder::new();
    let a = b.var("a", 1);
    let e = b.error(1);
    let negative = with(&mut b, a, Binary::Lt, 0);
    let check = when(&mut b, negative, &[Stmt::Error(e)]);
    let three = with(&mut b, a, Binary::Mul, 3);
    let program = program(b, &[check, Stmt::Assign(a, three)]);
    // 3^20 is 3486784401, which is negative as a 32-bit number, so the label is reachable.
    assert_ne!(answers(&program, 1 << 16).0.get(&1), Some(&"safe"));
}

/// `a` grows by 190 in each call and becomes `a % 3` above 1000. The program prints 1 below 500 and 2 from
/// there.
fn two_letters() -> Arc<Reactive> {
    let mut b = Builder::new();
    let a = b.var("a", 0);
    let (one, two) = (b.expr(Expr::Const(1)), b.expr(Expr::Const(2)));
    let is_high = with(&mut b, a, Binary::Ge, 500);
    let (low, high) = (b.block(&[Stmt::Print(one)]), b.block(&[Stmt::Print(two)]));
    let arms = b.arms(&[Arm { condition: is_high, body: high }]);
    let print = Stmt::If { arms, otherwise: low };
    let next = with(&mut b, a, Binary::Add, 190);
    let above = with(&mut b, a, Binary::Gt, 1000);
    let rest = with(&mut b, a, Binary::Rem, 3);
    let back = when(&mut b, above, &[Stmt::Assign(a, rest)]);
    program(b, &[print, Stmt::Assign(a, next), back])
}

/// The abstraction prints the same letters as the program, call by call.
#[test]
fn words_of_exact_cells_are_words_of_the_program() {
    let program = two_letters();
    let mut words = Words::new(Arc::clone(&program));
    let mut budget = Budget::new(1 << 24, Arc::default());
    while words.refine(&mut budget) == Refined::Vague {}
    assert_eq!(words.refine(&mut budget), Refined::Exact);
    let mut calls = words.calls();
    let mut state = calls.initial();
    let mut room = state.clone();
    let mut a = 0;
    for _ in 0..1000 {
        let said = if a >= 500 { 2 } else { 1 };
        a += 190;
        if a > 1000 {
            a %= 3;
        }
        let mut ways = Vec::new();
        calls.call(&state, InputId(0), &mut room, &mut |outcome, after| ways.push((outcome, after.to_vec())));
        assert_eq!(ways.len(), 1);
        let (outcome, after) = ways.remove(0);
        assert_eq!(outcome, Outcome::Output(said));
        state = after;
    }
    let mut lasso = Trace::new(Box::from([]));
    lasso.push_repeat(vec![EventId(0)], 2);
    lasso.repeats_from = Some(1);
    let trace = calls.close(lasso).expect("it comes back");
    assert!(trace.repeats_from.is_some_and(|from| trace.len().is_some_and(|len| from < len)));
}
