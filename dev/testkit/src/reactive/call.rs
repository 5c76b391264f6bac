//! Execution of one call directly from the definition. It is recursive, so it is for small programs only.

use model::ids::ExprId;
use model::reactive::{Binary, Block, Convention, Expr, Stmt, Unary};
use model::{InputId, Outcome, Reactive};

struct Call<'a> {
    program: &'a Reactive,
    values: &'a mut [i32],
    input: i32,
    printed: Vec<i32>,
    invalid: bool,
}

/// The reason why a block ends before its last statement.
enum Exit {
    Returned(Option<i32>),
    Stopped(Outcome),
}

/// Executes one call and updates the values of all variables.
pub fn call(program: &Reactive, values: &mut [i32], input: InputId) -> Outcome {
    let mut call = Call { program, values, input: program.input(input), printed: Vec::new(), invalid: false };
    let returned = match call.block(program.body(program.entry())) {
        Some(Exit::Stopped(outcome)) => return outcome,
        Some(Exit::Returned(value)) => value,
        None => None,
    };
    match (program.convention(), returned) {
        _ if call.invalid => Outcome::Invalid,
        (Convention::Returned, None) => Outcome::Unspelt,
        (Convention::Returned, Some(-2)) => Outcome::Invalid,
        (Convention::Returned, Some(-1)) => Outcome::Silent,
        (Convention::Returned, Some(letter)) => Outcome::Output(letter),
        (Convention::Printed, _) => match call.printed.as_slice() {
            [] => Outcome::Silent,
            &[letter] => Outcome::Output(letter),
            _ => Outcome::Unspelt,
        },
    }
}

impl Call<'_> {
    fn block(&mut self, block: Block) -> Option<Exit> {
        let program = self.program;
        program.stmts(block).iter().find_map(|&stmt| self.stmt(stmt).unwrap_or(Some(Exit::Stopped(Outcome::Crash))))
    }

    /// Executes one statement. `None` means a crash.
    fn stmt(&mut self, stmt: Stmt) -> Option<Option<Exit>> {
        let program = self.program;
        match stmt {
            Stmt::Assign(var, expr) => self.values[var.index()] = self.eval(expr)?,
            Stmt::If { arms, otherwise } => {
                for arm in program.arms(arms) {
                    if self.eval(arm.condition)? != 0 {
                        return Some(self.block(arm.body));
                    }
                }
                return Some(self.block(otherwise));
            }
            Stmt::Call(f) => {
                if let Some(Exit::Stopped(outcome)) = self.block(program.body(f)) {
                    return Some(Some(Exit::Stopped(outcome)));
                }
            }
            Stmt::Return(expr) => return Some(Some(Exit::Returned(Some(self.eval(expr)?)))),
            Stmt::ReturnCall(f) => return Some(Some(self.block(program.body(f)).unwrap_or(Exit::Returned(None)))),
            Stmt::End => return Some(Some(Exit::Returned(None))),
            Stmt::Print(expr) => {
                let letter = self.eval(expr)?;
                self.printed.push(letter);
            }
            Stmt::Invalid => self.invalid = true,
            Stmt::Error(error) => return Some(Some(Exit::Stopped(Outcome::Error(error)))),
            Stmt::Crash => return None,
        }
        Some(None)
    }

    fn eval(&self, expr: ExprId) -> Option<i32> {
        Some(match self.program.expr(expr) {
            Expr::Const(value) => value,
            Expr::Input => self.input,
            Expr::Var(var) => self.values[var.index()],
            Expr::Element { pointer, index } => {
                self.values[self.program.element(self.values[pointer.index()], index)?.index()]
            }
            Expr::Unary(Unary::Neg, a) => self.eval(a)?.wrapping_neg(),
            Expr::Unary(Unary::Not, a) => i32::from(self.eval(a)? == 0),
            Expr::Binary(Binary::And, a, b) => i32::from(self.eval(a)? != 0 && self.eval(b)? != 0),
            Expr::Binary(Binary::Or, a, b) => i32::from(self.eval(a)? != 0 || self.eval(b)? != 0),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                match op {
                    Binary::Add => a.wrapping_add(b),
                    Binary::Sub => a.wrapping_sub(b),
                    Binary::Mul => a.wrapping_mul(b),
                    Binary::Div | Binary::Rem if b == 0 || (a == i32::MIN && b == -1) => return None,
                    Binary::Div => a / b,
                    Binary::Rem => a % b,
                    Binary::Eq => i32::from(a == b),
                    Binary::Ne => i32::from(a != b),
                    Binary::Lt => i32::from(a < b),
                    Binary::Le => i32::from(a <= b),
                    Binary::Gt => i32::from(a > b),
                    _ => i32::from(a >= b),
                }
            }
        })
    }
}
