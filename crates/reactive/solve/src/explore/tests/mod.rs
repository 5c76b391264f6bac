//! Checks a small program with verdicts that are obvious.

mod strategies;

use super::ReactiveSearch;
use model::ids::{ErrorId, InputId, VarId};
use model::reactive::{Arm, Binary, Builder, Convention, Expr, Stmt};
use model::{Budget, Certificate, Claim, Engine, Goal, Outcome, Reactive, ReactiveTask, Turn};
use search::explicit::Options;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Input 1 counts up to `full` and then fails; input 2 resets the count to 0. Error 1 never happens.
fn counter(full: i32) -> Arc<Reactive> {
    let mut b = Builder::new();
    let count = b.var("count", 0);
    b.input(1);
    b.input(2);
    let (yes, no) = (b.error(0), b.error(1));
    let (zero, one) = (b.expr(Expr::Const(0)), b.expr(Expr::Const(1)));
    let (full, letter) = (b.expr(Expr::Const(full)), b.expr(Expr::Const(21)));
    let (input, old) = (b.expr(Expr::Input), b.expr(Expr::Var(count)));
    let is_one = b.expr(Expr::Binary(Binary::Eq, input, one));
    let is_full = b.expr(Expr::Binary(Binary::Eq, old, full));
    let is_lost = b.expr(Expr::Binary(Binary::Lt, old, zero));
    let both = b.expr(Expr::Binary(Binary::And, is_one, is_full));
    let more = b.expr(Expr::Binary(Binary::Add, old, one));
    let fail = b.block(&[Stmt::Error(yes)]);
    let lost = b.block(&[Stmt::Error(no)]);
    let up = b.block(&[Stmt::Assign(count, more)]);
    let back = b.block(&[Stmt::Assign(count, zero)]);
    let arms = b.arms(&[
        Arm { condition: both, body: fail },
        Arm { condition: is_lost, body: lost },
        Arm { condition: is_one, body: up },
    ]);
    let body = b.block(&[Stmt::If { arms, otherwise: back }, Stmt::Return(letter)]);
    let entry = b.declare("calculate_output");
    b.define(entry, body);
    Arc::new(b.finish(entry, Convention::Returned).unwrap())
}

fn task(program: &Arc<Reactive>) -> ReactiveTask {
    ReactiveTask::new(Arc::clone(program), (0..2).map(|e| Goal::Error(ErrorId(e))), &[])
}

/// Returns the claims, for turns of `work` units.
fn claims(program: &Arc<Reactive>, work: u64) -> (Vec<Claim>, ReactiveSearch) {
    let mut engine = crate::explore(&task(program), Options::default());
    let mut claims = Vec::new();
    loop {
        match engine.run(&mut Budget::new(work, Arc::default())) {
            Turn::Claims(claim) => claims.push(claim),
            Turn::More => {}
            Turn::Done => return (claims, engine),
        }
    }
}

#[test]
fn labels_are_met_with_shortest_runs_and_the_rest_is_closed() {
    for (full, work) in [(3, u64::MAX), (1000, 7)] {
        let program = counter(full);
        let (claims, engine) = claims(&program, work);
        let [Claim::Unsafe { goal, trace, .. }, Claim::Safe { goals, certificate }] = &claims[..] else {
            panic!("one of each: {claims:?}")
        };
        assert_eq!((*goal, goals.as_slice()), (Goal::Error(ErrorId(0)), &[Goal::Error(ErrorId(1))][..]));
        assert_eq!(trace.len(), Some(u64::from(full.unsigned_abs()) + 1));
        assert!(trace.runs().iter().flat_map(|run| &run.word).all(|step| step.event.0 == 0));
        let Certificate::Valuations(valuations) = certificate else { panic!("valuations") };
        assert_eq!(valuations.slots[0].0, VarId(0));
        let mut rows = Vec::new();
        let _ = valuations.rows.for_each(&mut |row| {
            rows.push(row[0]);
            ControlFlow::Continue(())
        });
        assert_eq!(rows, (0..=full.unsigned_abs()).collect::<Vec<_>>());
        assert_eq!(engine.stats().states, rows.len() as u64);
        assert!(engine.is_complete());
    }
}

#[test]
fn a_deep_state_has_its_way_back() {
    let program = counter(300);
    let mut search = crate::store::Exploration::new(crate::ReactiveStepper::new(&program), 1);
    search.advance(u64::MAX, |_| false);
    let inputs = search.inputs_to(200).expect("a run");
    let mut stepper = crate::ReactiveStepper::new(&program);
    let (mut state, mut next) = (stepper.initial(), stepper.initial());
    for &input in &inputs {
        assert_eq!(stepper.step(&state, input, &mut next), Outcome::Output(21));
        state.copy_from_slice(&next);
    }
    assert_eq!((inputs, &*state), (vec![InputId(0); 200], &[200][..]));
}
