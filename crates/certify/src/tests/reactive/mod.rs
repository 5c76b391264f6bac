//! Tests of evidence about reactive programs.

mod lassos;
mod random;
mod replays;
mod sets;

use crate::{Confirmed, Options, Refusal, confirm};
use model::reactive::{Arm, Binary, Builder, Convention, Expr, Stmt};
use model::{
    Claim, ErrorId, EventId, ExprId, Goal, Letter, Ltl, LtlId, LtlNode, Problem, Property, Questions, Reactive, Stop,
    SystemModel, TemporalId, Trace, VarId,
};
use std::sync::Arc;

/// Builds programs with short calls.
struct Text(Builder);

impl Text {
    fn new(inputs: &[i32]) -> Self {
        let mut builder = Builder::new();
        for &input in inputs {
            builder.input(input);
        }
        Self(builder)
    }

    fn num(&mut self, value: i32) -> ExprId {
        self.0.expr(Expr::Const(value))
    }

    fn read(&mut self, var: VarId) -> ExprId {
        self.0.expr(Expr::Var(var))
    }

    fn op(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        self.0.expr(Expr::Binary(op, a, b))
    }

    /// `var op value`
    fn with(&mut self, op: Binary, var: VarId, value: i32) -> ExprId {
        let (a, b) = (self.read(var), self.num(value));
        self.op(op, a, b)
    }

    fn input_is(&mut self, value: i32) -> ExprId {
        let (a, b) = (self.0.expr(Expr::Input), self.num(value));
        self.op(Binary::Eq, a, b)
    }

    /// `if (condition) { then } else { otherwise }`
    fn branch(&mut self, condition: ExprId, then: &[Stmt], otherwise: &[Stmt]) -> Stmt {
        let body = self.0.block(then);
        let arms = self.0.arms(&[Arm { condition, body }]);
        Stmt::If { arms, otherwise: self.0.block(otherwise) }
    }

    fn finish(mut self, body: &[Stmt], convention: Convention) -> Arc<Reactive> {
        let entry = self.0.declare("calculate_output");
        let body = self.0.block(body);
        self.0.define(entry, body);
        Arc::new(self.0.finish(entry, convention).expect("a program"))
    }
}

/// The problem with all errors and these formulas as goals.
fn problem(program: &Arc<Reactive>, formulas: &[Ltl]) -> Problem {
    let errors = program.labels().map(|(id, _)| Property::never(format!("error:{}", id.0), Goal::Error(id)));
    let temporal = (0..formulas.len()).map(|i| Property::never(format!("ltl:{i}"), Goal::Temporal(TemporalId::new(i))));
    Problem::new(
        SystemModel::Reactive(program.clone()),
        Questions {
            temporal: formulas.iter().cloned().map(Arc::new).collect(),
            properties: errors.chain(temporal).collect(),
            ..Questions::default()
        },
    )
    .expect("it fits")
}

fn checked(problem: &Problem, claim: &Claim) -> Result<Confirmed, Refusal> {
    confirm(problem, claim, &Options::default(), &Stop::default())
}

fn trace(letters: &[u32], repeats_from: Option<u64>) -> Trace {
    let mut trace = Trace::new(Box::default());
    for &letter in letters {
        trace.push(EventId(letter), None);
    }
    trace.repeats_from = repeats_from;
    trace
}

fn run_of(problem: &Problem, goal: Goal, letters: &[u32], repeats_from: Option<u64>) -> Result<Confirmed, Refusal> {
    checked(problem, &Claim::Unsafe { goal, trace: trace(letters, repeats_from), candidate: false })
}

/// A counter x below 4. Input `1` increments it (output 20 + x), and `2` resets it (no output). At 3 the letter
/// `2` is error 7. So is `3` after an invalid `3` at 2, which changes `y`. `t` is a temporary that each call
/// assigns before it reads it.
fn counter() -> (Arc<Reactive>, [VarId; 3]) {
    let mut text = Text::new(&[1, 2, 3]);
    let error = text.0.error(7);
    let (x, y, t) = (text.0.var("x", 0), text.0.var("y", 0), text.0.var("t", 99));
    let input = text.0.expr(Expr::Input);
    let moved = text.with(Binary::Add, x, 1);
    let four = text.num(4);
    let moved = text.op(Binary::Rem, moved, four);
    let letter = text.with(Binary::Add, x, 20);
    let (zero, one) = (text.num(0), text.num(1));
    let at_three = text.with(Binary::Eq, x, 3);
    let at_two = text.with(Binary::Eq, x, 2);
    let marked = text.with(Binary::Eq, y, 1);
    let on_error = text.branch(marked, &[Stmt::Error(error)], &[]);
    let reset_error = text.branch(at_three, &[Stmt::Error(error)], &[]);
    let marks = text.branch(at_two, &[Stmt::Assign(y, one)], &[]);
    let is = [1, 2].map(|value| text.with(Binary::Eq, t, value));
    let third = [on_error, marks, Stmt::Invalid];
    let second = text.branch(is[1], &[reset_error, Stmt::Assign(x, zero)], &third);
    let first = text.branch(is[0], &[Stmt::Assign(x, moved), Stmt::Print(letter)], &[second]);
    let program = text.finish(&[Stmt::Assign(t, input), first], Convention::Printed);
    (program, [x, y, t])
}

/// G ! output
fn never(output: i32) -> Ltl {
    let nodes = vec![LtlNode::Letter(Letter::Output(output)), LtlNode::Not(LtlId(0)), LtlNode::Globally(LtlId(1))];
    Ltl::new(nodes)
}
