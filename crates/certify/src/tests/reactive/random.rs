//! Random reactive programs, and the effect of their calls, by recursion over the text. This module shares no
//! code with any interpreter.

use model::reactive::{Arm, Binary, Block, Builder, Convention, Expr, Stmt, Unary};
use model::{ArrayId, ErrorId, ExprId, FunctionId, Outcome, Reactive, VarId};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

struct Writer<'r> {
    rng: &'r mut Rng,
    builder: Builder,
    convention: Convention,
    state: Vec<VarId>,
    temporary: VarId,
    pointer: VarId,
    arrays: Vec<ArrayId>,
    helpers: Vec<FunctionId>,
    errors: Vec<ErrorId>,
}

const NUMBERS: [i32; 12] = [0, 1, 2, 3, 4, 5, -1, -2, 7, 1000, i32::MAX, i32::MIN];

/// A program in which most variables have few values, because assigned values are mostly reduced modulo a small
/// number. It has planted errors, arithmetic that wraps and crashes, an array and an alias behind a pointer,
/// functions, a temporary, and invalid inputs.
pub(crate) fn program(rng: &mut Rng) -> Reactive {
    let mut builder = Builder::new();
    let convention = rng.of(&[Convention::Printed, Convention::Returned]);
    let state: Vec<VarId> =
        (0..2 + rng.below(3)).map(|i| builder.var(format!("x{i}"), rng.of(&[0, 1, 2, 3]))).collect();
    let temporary = builder.var("t", 77);
    let numbers: Vec<i32> = (0..3).map(|_| rng.of(&NUMBERS)).collect();
    let arrays = vec![builder.array("a", &numbers), builder.array("b", &[5, 6, 0]), builder.address(state[0])];
    let pointer = builder.var("p", rng.below(3) as i32);
    for input in 0..1 + rng.below(3) {
        builder.input(1 + input as i32);
    }
    let mut errors: Vec<ErrorId> = (0..3).map(|number| builder.error(10 + number)).collect();
    if rng.below(6) == 0 {
        errors.push(builder.undefined());
    }
    let helpers = Vec::new();
    let mut writer = Writer { rng, builder, convention, state, temporary, pointer, arrays, helpers, errors };
    for number in 0..writer.rng.below(3) {
        let helper = writer.builder.declare(format!("f{number}"));
        let body = writer.body(2);
        writer.builder.define(helper, body);
        writer.helpers.push(helper);
    }
    let entry = writer.builder.declare("calculate_output");
    let temporary = writer.temporary;
    let mut stmts = Vec::new();
    if writer.rng.below(8) > 0 {
        let value = writer.expr(2);
        stmts.push(Stmt::Assign(temporary, value));
    }
    for _ in 0..2 + writer.rng.below(3) {
        stmts.push(writer.stmt(3));
    }
    if convention == Convention::Returned {
        let letters = [20, 21, -1, -2];
        let letter = writer.rng.of(&letters);
        let letter = writer.builder.expr(Expr::Const(letter));
        stmts.push(Stmt::Return(letter));
    }
    let body = writer.builder.block(&stmts);
    writer.builder.define(entry, body);
    writer.builder.finish(entry, convention).expect("a program")
}

impl Writer<'_> {
    fn body(&mut self, depth: usize) -> Block {
        let stmts: Vec<Stmt> = (0..self.rng.below(3)).map(|_| self.stmt(depth)).collect();
        self.builder.block(&stmts)
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        match self.rng.below(if depth == 0 { 10 } else { 22 }) {
            0..=4 => self.assign(),
            5 => match self.convention {
                Convention::Printed => Stmt::Print(self.letter()),
                Convention::Returned => Stmt::Return(self.letter()),
            },
            6 => match self.rng.below(4) {
                0 => Stmt::Error(self.rng.of(&self.errors)),
                1 => Stmt::Crash,
                2 => Stmt::End,
                _ => Stmt::Invalid,
            },
            7 if !self.helpers.is_empty() => Stmt::Call(self.rng.of(&self.helpers)),
            8 if !self.helpers.is_empty() => Stmt::ReturnCall(self.rng.of(&self.helpers)),
            9 => Stmt::Assign(self.pointer, self.pointed()),
            10 => Stmt::Error(self.rng.of(&self.errors)),
            _ => {
                let arms: Vec<Arm> = (0..1 + self.rng.below(3))
                    .map(|_| Arm { condition: self.condition(2), body: self.body(depth.saturating_sub(1)) })
                    .collect();
                let arms = self.builder.arms(&arms);
                Stmt::If { arms, otherwise: self.body(depth.saturating_sub(1)) }
            }
        }
    }

    fn pointed(&mut self) -> ExprId {
        let array = self.rng.of(&self.arrays);
        self.builder.expr(Expr::Const(array.0 as i32))
    }

    fn letter(&mut self) -> ExprId {
        match self.rng.below(6) {
            0 => self.expr(1),
            1 => self.builder.expr(Expr::Const(-1)),
            2 => self.builder.expr(Expr::Const(-2)),
            n => self.builder.expr(Expr::Const(18 + n as i32)),
        }
    }

    fn assign(&mut self) -> Stmt {
        let var = self.rng.of(&self.state);
        let depth = 1 + self.rng.below(3);
        let mut value = self.expr(depth);
        if self.rng.below(30) > 0 {
            let modulus = self.builder.expr(Expr::Const(2 + self.rng.below(5) as i32));
            value = self.builder.expr(Expr::Binary(Binary::Rem, value, modulus));
        }
        Stmt::Assign(var, value)
    }

    fn expr(&mut self, depth: usize) -> ExprId {
        let expr = match self.rng.below(if depth == 0 { 8 } else { 16 }) {
            0 => Expr::Input,
            1 | 2 => Expr::Const(self.rng.of(&NUMBERS)),
            3..=5 => Expr::Var(self.rng.of(&self.state)),
            6 => Expr::Var(self.temporary),
            7 => Expr::Element { pointer: self.pointer, index: self.rng.of(&[0, 0, 1, 2]) },
            8 => Expr::Unary(self.rng.of(&[Unary::Neg, Unary::Not]), self.expr(depth - 1)),
            _ => {
                let ops = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem, Binary::Lt, Binary::And];
                let op = self.rng.of(&ops);
                Expr::Binary(op, self.expr(depth - 1), self.expr(depth - 1))
            }
        };
        self.builder.expr(expr)
    }

    fn condition(&mut self, depth: usize) -> ExprId {
        let expr = match self.rng.below(if depth == 0 { 4 } else { 8 }) {
            0..=3 => {
                let ops = [Binary::Eq, Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge];
                let op = self.rng.of(&ops);
                let (left, right) = (self.expr(1), self.builder.expr(Expr::Const(self.rng.below(4) as i32)));
                Expr::Binary(op, left, right)
            }
            4 => Expr::Unary(Unary::Not, self.condition(depth - 1)),
            _ => {
                let op = self.rng.of(&[Binary::And, Binary::Or]);
                Expr::Binary(op, self.condition(depth - 1), self.condition(depth - 1))
            }
        };
        self.builder.expr(expr)
    }
}

enum Flow {
    Next,
    Return(Option<i32>),
    Stop(Outcome),
}

struct Call<'a> {
    program: &'a Reactive,
    values: &'a mut [i32],
    input: i32,
    printed: Vec<i32>,
    is_invalid: bool,
}

/// Executes one call, which changes `values`.
pub(crate) fn call(program: &Reactive, values: &mut [i32], input: i32) -> Outcome {
    let mut call = Call { program, values, input, printed: Vec::new(), is_invalid: false };
    let returned = match call.block(program.body(program.entry())) {
        Flow::Stop(outcome) => return outcome,
        Flow::Return(value) => value,
        Flow::Next => None,
    };
    let letter = match program.convention() {
        Convention::Printed => match call.printed.as_slice() {
            [] => Outcome::Silent,
            &[letter] => Outcome::Output(letter),
            _ => Outcome::Unspelt,
        },
        Convention::Returned => match returned {
            None => Outcome::Unspelt,
            Some(-1) => Outcome::Silent,
            Some(-2) => Outcome::Invalid,
            Some(letter) => Outcome::Output(letter),
        },
    };
    if call.is_invalid { Outcome::Invalid } else { letter }
}

impl Call<'_> {
    fn block(&mut self, block: Block) -> Flow {
        for stmt in self.program.stmts(block) {
            match self.stmt(*stmt) {
                Some(Flow::Next) => {}
                Some(flow) => return flow,
                None => return Flow::Stop(Outcome::Crash),
            }
        }
        Flow::Next
    }

    /// `None` if an expression crashes.
    fn stmt(&mut self, stmt: Stmt) -> Option<Flow> {
        let program = self.program;
        Some(match stmt {
            Stmt::Assign(var, expr) => {
                self.values[var.index()] = self.expr(expr)?;
                Flow::Next
            }
            Stmt::If { arms, otherwise } => {
                for arm in program.arms(arms) {
                    if self.expr(arm.condition)? != 0 {
                        return Some(self.block(arm.body));
                    }
                }
                self.block(otherwise)
            }
            Stmt::Call(function) => match self.block(program.body(function)) {
                Flow::Stop(outcome) => Flow::Stop(outcome),
                _ => Flow::Next,
            },
            Stmt::ReturnCall(function) => match self.block(program.body(function)) {
                Flow::Next => Flow::Return(None),
                flow => flow,
            },
            Stmt::Return(expr) => Flow::Return(Some(self.expr(expr)?)),
            Stmt::End => Flow::Return(None),
            Stmt::Print(expr) => {
                let letter = self.expr(expr)?;
                self.printed.push(letter);
                Flow::Next
            }
            Stmt::Invalid => {
                self.is_invalid = true;
                Flow::Next
            }
            Stmt::Error(error) => Flow::Stop(Outcome::Error(error)),
            Stmt::Crash => Flow::Stop(Outcome::Crash),
        })
    }

    fn expr(&self, expr: ExprId) -> Option<i32> {
        Some(match self.program.expr(expr) {
            Expr::Const(value) => value,
            Expr::Input => self.input,
            Expr::Var(var) => self.values[var.index()],
            Expr::Element { pointer, index } => {
                self.values[self.program.element(self.values[pointer.index()], index)?.index()]
            }
            Expr::Unary(Unary::Neg, a) => self.expr(a)?.wrapping_neg(),
            Expr::Unary(Unary::Not, a) => i32::from(self.expr(a)? == 0),
            Expr::Binary(Binary::And, a, b) => i32::from(self.expr(a)? != 0 && self.expr(b)? != 0),
            Expr::Binary(Binary::Or, a, b) => i32::from(self.expr(a)? != 0 || self.expr(b)? != 0),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                match op {
                    Binary::Add => a.wrapping_add(b),
                    Binary::Sub => a.wrapping_sub(b),
                    Binary::Mul => a.wrapping_mul(b),
                    Binary::Div | Binary::Rem if b == 0 || (a == i32::MIN && b == -1) => return None,
                    Binary::Div => a / b,
                    Binary::Rem => a % b,
                    Binary::Eq => (a == b).into(),
                    Binary::Ne => (a != b).into(),
                    Binary::Lt => (a < b).into(),
                    Binary::Le => (a <= b).into(),
                    Binary::Gt => (a > b).into(),
                    _ => (a >= b).into(),
                }
            }
        })
    }
}
