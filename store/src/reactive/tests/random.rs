//! Small random programs, made from a list of decisions so that proptest can shrink them.

use model::Reactive;
use model::ids::{ArrayId, ErrorId, ExprId, FunctionId, VarId};
use model::reactive::{Arm, Binary, Block, Builder, Convention, Expr, Stmt, Unary};
use std::sync::Arc;

const NUMBERS: [i32; 12] = [0, 1, 2, 3, 5, -1, -2, 7, 100, i32::MIN, i32::MAX, 46341];

struct Maker<'a> {
    b: Builder,
    decisions: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    vars: Vec<VarId>,
    pointer: VarId,
    arrays: Vec<ArrayId>,
    functions: Vec<FunctionId>,
    errors: Vec<ErrorId>,
    convention: Convention,
}

/// A program with six variables, an alphabet of three and two procedures.
pub(crate) fn program(decisions: &[u8]) -> Arc<Reactive> {
    let mut b = Builder::new();
    let vars = (0..5).map(|v| b.var(format!("v{v}"), v % 3)).collect();
    let arrays = vec![b.array("t", &[1, 2, 3]), b.array("u", &[2, 7]), b.address(VarId(1))];
    let pointer = b.var("p", 0);
    for input in [1, 2, 5] {
        b.input(input);
    }
    let errors = vec![b.error(4), b.error(9)];
    let mut maker = Maker {
        b,
        decisions: decisions.iter().cycle(),
        vars,
        pointer,
        arrays,
        functions: Vec::new(),
        errors,
        convention: Convention::Printed,
    };
    if maker.below(2) == 0 {
        maker.convention = Convention::Returned;
    }
    let helper = maker.b.declare("helper");
    let body = maker.block(2);
    maker.b.define(helper, body);
    maker.functions.push(helper);
    let entry = maker.b.declare("entry");
    let body = maker.block(3);
    maker.b.define(entry, body);
    Arc::new(maker.b.finish(entry, maker.convention).expect("a sound program"))
}

impl Maker<'_> {
    fn below(&mut self, n: usize) -> usize {
        usize::from(*self.decisions.next().expect("at least one decision")) % n
    }

    fn var(&mut self) -> VarId {
        let var = self.below(self.vars.len());
        self.vars[var]
    }

    fn block(&mut self, depth: usize) -> Block {
        let stmts: Vec<Stmt> = (0..1 + self.below(4)).map(|_| self.stmt(depth)).collect();
        self.b.block(&stmts)
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        match self.below(if depth == 0 { 10 } else { 16 }) {
            0..=3 => {
                let var = self.below(self.vars.len());
                Stmt::Assign(self.vars[var], self.expr(2))
            }
            4 => {
                let array = self.below(self.arrays.len());
                let value = self.b.expr(Expr::Const(self.arrays[array].0.cast_signed()));
                Stmt::Assign(self.pointer, value)
            }
            5 => match (self.convention, self.functions.last()) {
                (_, Some(&f)) => [Stmt::Call(f), Stmt::ReturnCall(f)][self.below(2)],
                _ => Stmt::Invalid,
            },
            6 => [Stmt::Invalid, Stmt::End][self.below(2)],
            7 if self.convention == Convention::Printed => Stmt::Print(self.expr(1)),
            7 | 8 => Stmt::Return(self.expr(0)),
            9 => {
                let error = self.below(self.errors.len());
                [Stmt::Error(self.errors[error]), Stmt::Crash, Stmt::Invalid][self.below(3)]
            }
            _ => {
                let arms: Vec<Arm> = (0..1 + self.below(3))
                    .map(|_| Arm { condition: self.expr(3), body: self.block(depth - 1) })
                    .collect();
                let otherwise = self.block(depth - 1);
                Stmt::If { arms: self.b.arms(&arms), otherwise }
            }
        }
    }

    fn expr(&mut self, depth: usize) -> ExprId {
        let expr = match self.below(if depth == 0 { 7 } else { 16 }) {
            0 | 1 => Expr::Const(NUMBERS[self.below(NUMBERS.len())]),
            2 => Expr::Input,
            3..=5 => Expr::Var(self.var()),
            6 => Expr::Element { pointer: self.pointer, index: u32::try_from(self.below(3)).expect("small") },
            7 => Expr::Unary([Unary::Neg, Unary::Not][self.below(2)], self.expr(depth - 1)),
            8..=11 => {
                // What challenge programs are made of.
                let op = [Binary::Eq, Binary::Eq, Binary::Le, Binary::Lt, Binary::Gt, Binary::Ge][self.below(6)];
                let left = [Expr::Input, Expr::Var(self.var())][self.below(2)];
                let (left, right) = (self.b.expr(left), Expr::Const(NUMBERS[self.below(NUMBERS.len())]));
                Expr::Binary(op, left, self.b.expr(right))
            }
            _ => {
                let op = [
                    Binary::Add,
                    Binary::Sub,
                    Binary::Mul,
                    Binary::Div,
                    Binary::Rem,
                    Binary::Ne,
                    Binary::And,
                    Binary::Or,
                    Binary::And,
                    Binary::Lt,
                ][self.below(10)];
                Expr::Binary(op, self.expr(depth - 1), self.expr(depth - 1))
            }
        };
        self.b.expr(expr)
    }
}
