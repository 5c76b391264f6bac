//! Small random reactive programs. They are built from a list of decisions, so that proptest can shrink the
//! list.
//!
//! The programs have errors, arithmetic that wraps and crashes, arrays, an alias behind a pointer, functions, a
//! temporary, invalid inputs, and sometimes undefined behaviour of C.

use crate::Random;
use model::Reactive;
use model::ids::{ArrayId, ErrorId, ExprId, FunctionId, VarId};
use model::reactive::{Arm, Binary, Block, Builder, Convention, Expr, Stmt, Unary};
use std::sync::Arc;

const NUMBERS: [i32; 13] = [0, 1, 2, 3, 4, 5, -1, -2, 7, 100, 46341, i32::MAX, i32::MIN];

/// The values that variables may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// Any value.
    Any,
    /// Few values: most assigned values are reduced modulo a small number, and conditions compare with small
    /// numbers.
    Few,
}

/// Builds a program from decisions. When all decisions are used up, they are used again from the first one.
///
/// # Panics
///
/// If `decisions` is empty.
#[must_use]
pub fn program(decisions: &[u8], values: Values) -> Arc<Reactive> {
    let mut decisions = decisions.iter().cycle();
    make(&mut |n| usize::from(*decisions.next().expect("at least one decision")) % n, values)
}

/// Returns a random program.
pub fn random(random: &mut Random, values: Values) -> Arc<Reactive> {
    make(&mut |n| random.below(n), values)
}

struct Maker<'a> {
    /// Returns a number below its argument.
    decide: &'a mut dyn FnMut(usize) -> usize,
    builder: Builder,
    values: Values,
    convention: Convention,
    vars: Vec<VarId>,
    temporary: VarId,
    pointer: VarId,
    arrays: Vec<ArrayId>,
    functions: Vec<FunctionId>,
    errors: Vec<ErrorId>,
}

fn make(decide: &mut dyn FnMut(usize) -> usize, values: Values) -> Arc<Reactive> {
    let mut builder = Builder::new();
    let convention = [Convention::Printed, Convention::Returned][decide(2)];
    let count = 2 + decide(if values == Values::Few { 3 } else { 4 });
    let vars: Vec<VarId> = (0..count).map(|i| builder.var(format!("x{i}"), decide(4) as i32)).collect();
    let temporary = builder.var("t", 77);
    let numbers: [i32; 3] = std::array::from_fn(|_| NUMBERS[decide(NUMBERS.len())]);
    let arrays = vec![builder.array("a", &numbers), builder.array("b", &[5, 6, 0]), builder.address(vars[0])];
    let pointer = builder.var("p", decide(3) as i32);
    (1..=1 + decide(3)).for_each(|input| _ = builder.input(input as i32));
    let mut errors: Vec<ErrorId> = (10..13).map(|number| builder.error(number)).collect();
    if decide(6) == 0 {
        errors.push(builder.undefined());
    }
    let functions = Vec::new();
    let mut maker = Maker { decide, builder, values, convention, vars, temporary, pointer, arrays, functions, errors };
    for number in 0..(maker.decide)(3) {
        let function = maker.builder.declare(format!("f{number}"));
        let body = maker.block(2);
        maker.builder.define(function, body);
        maker.functions.push(function);
    }
    maker.finish()
}

impl Maker<'_> {
    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[(self.decide)(items.len())]
    }

    fn finish(mut self) -> Arc<Reactive> {
        let entry = self.builder.declare("calculate_output");
        let mut stmts = Vec::new();
        if (self.decide)(8) > 0 {
            stmts.push(Stmt::Assign(self.temporary, self.expr(2)));
        }
        for _ in 0..2 + (self.decide)(3) {
            stmts.push(self.stmt(3));
        }
        if self.convention == Convention::Returned {
            let letter = self.of(&[20, 21, -1, -2]);
            stmts.push(Stmt::Return(self.number(letter)));
        }
        let body = self.builder.block(&stmts);
        self.builder.define(entry, body);
        Arc::new(self.builder.finish(entry, self.convention).expect("a program"))
    }

    fn number(&mut self, n: i32) -> ExprId {
        self.builder.expr(Expr::Const(n))
    }

    fn block(&mut self, depth: usize) -> Block {
        let stmts: Vec<Stmt> = (0..(self.decide)(3)).map(|_| self.stmt(depth)).collect();
        self.builder.block(&stmts)
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let has_functions = !self.functions.is_empty();
        match (self.decide)(if depth == 0 { 10 } else { 22 }) {
            0..=4 => self.assign(),
            5 => match self.convention {
                Convention::Printed => Stmt::Print(self.letter()),
                Convention::Returned => Stmt::Return(self.letter()),
            },
            6 => match (self.decide)(4) {
                0 => Stmt::Error(self.error()),
                1 => Stmt::Crash,
                2 => Stmt::End,
                _ => Stmt::Invalid,
            },
            7 if has_functions => Stmt::Call(self.function()),
            8 if has_functions => Stmt::ReturnCall(self.function()),
            9 => {
                let array = (self.decide)(self.arrays.len());
                let address = self.arrays[array].0.cast_signed();
                Stmt::Assign(self.pointer, self.number(address))
            }
            10 => Stmt::Error(self.error()),
            _ if depth == 0 => Stmt::Invalid,
            _ => {
                let depth = depth - 1;
                let count = 1 + (self.decide)(3);
                let arm = |_| Arm { condition: self.condition(2), body: self.block(depth) };
                let arms: Vec<Arm> = (0..count).map(arm).collect();
                Stmt::If { arms: self.builder.arms(&arms), otherwise: self.block(depth) }
            }
        }
    }

    fn error(&mut self) -> ErrorId {
        let error = (self.decide)(self.errors.len());
        self.errors[error]
    }

    fn function(&mut self) -> FunctionId {
        let function = (self.decide)(self.functions.len());
        self.functions[function]
    }

    fn var(&mut self) -> VarId {
        let var = (self.decide)(self.vars.len());
        self.vars[var]
    }

    fn letter(&mut self) -> ExprId {
        match (self.decide)(6) {
            0 => self.expr(1),
            1 => self.number(-1),
            2 => self.number(-2),
            n => self.number(18 + n as i32),
        }
    }

    fn assign(&mut self) -> Stmt {
        let var = self.var();
        let depth = 1 + (self.decide)(3);
        let value = self.expr(depth);
        if self.values == Values::Any || (self.decide)(30) == 0 {
            return Stmt::Assign(var, value);
        }
        let modulus = 2 + (self.decide)(5) as i32;
        let modulus = self.number(modulus);
        Stmt::Assign(var, self.builder.expr(Expr::Binary(Binary::Rem, value, modulus)))
    }

    fn expr(&mut self, depth: usize) -> ExprId {
        const OPS: [Binary; 7] =
            [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem, Binary::Lt, Binary::And];
        let expr = match (self.decide)(if depth == 0 { 8 } else { 16 }) {
            0 => Expr::Input,
            1 | 2 => Expr::Const(self.of(&NUMBERS)),
            3..=5 => Expr::Var(self.var()),
            6 => Expr::Var(self.temporary),
            7 => Expr::Element { pointer: self.pointer, index: self.of(&[0, 0, 1, 2]) },
            8 => Expr::Unary(self.of(&[Unary::Neg, Unary::Not]), self.expr(depth - 1)),
            _ => Expr::Binary(self.of(&OPS), self.expr(depth - 1), self.expr(depth - 1)),
        };
        self.builder.expr(expr)
    }

    fn condition(&mut self, depth: usize) -> ExprId {
        const OPS: [Binary; 7] = [Binary::Eq, Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge];
        let expr = match (self.decide)(if depth == 0 { 4 } else { 8 }) {
            0..=3 => {
                let op = self.of(&OPS);
                let right = if self.values == Values::Few { (self.decide)(4) as i32 } else { self.of(&NUMBERS) };
                // The programs of the RERS challenge have conditions of this form.
                let left = if self.values == Values::Few { self.expr(1) } else { self.operand() };
                Expr::Binary(op, left, self.number(right))
            }
            4 => Expr::Unary(Unary::Not, self.condition(depth - 1)),
            _ => {
                Expr::Binary(self.of(&[Binary::And, Binary::Or]), self.condition(depth - 1), self.condition(depth - 1))
            }
        };
        self.builder.expr(expr)
    }

    /// Returns mostly the input or a variable.
    fn operand(&mut self) -> ExprId {
        let expr = match (self.decide)(4) {
            0 => Expr::Input,
            1 | 2 => Expr::Var(self.var()),
            _ => return self.expr(2),
        };
        self.builder.expr(expr)
    }
}
