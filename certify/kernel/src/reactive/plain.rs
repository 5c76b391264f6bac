//! The plain interpreter of calls: one valuation, one input, one walk through the text. What is
//! quicker is tested against it.

use super::values::{binary, unary};
use super::walk::{Step, Walk};
use crate::work::Work;
use crate::{Check, reject};
use model::reactive::{Binary, Convention, Expr, Unary};
use model::{ExprId, Outcome, Reactive, VarId};

/// The variables of a program, some of which must not be looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct Valuation {
    /// By [`VarId`].
    pub values: Vec<i32>,
    /// By [`VarId`]: not to be read before it is assigned.
    pub poisoned: Vec<bool>,
}

impl Valuation {
    /// Before the first call.
    #[must_use]
    pub fn initial(program: &Reactive) -> Self {
        Self { values: program.initial().to_vec(), poisoned: vec![false; program.var_count()] }
    }
}

/// What an expression is evaluated in.
pub trait Scope {
    /// The value of a variable.
    ///
    /// # Errors
    /// If it must not be looked at.
    fn value(&self, var: VarId) -> Check<i32>;
}

impl Scope for (&Reactive, &Valuation) {
    fn value(&self, var: VarId) -> Check<i32> {
        if self.1.poisoned[var.index()] {
            return too_early(self.0, var);
        }
        Ok(self.1.values[var.index()])
    }
}

/// A call reads a variable that the evidence says nothing of.
///
/// # Errors
/// Always.
pub fn too_early<T>(program: &Reactive, var: VarId) -> Check<T> {
    reject(format!(
        "a call looks at `{}` before it assigns it, and the evidence says nothing of its value",
        program.name(var)
    ))
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Value(ExprId),
    Unary(Unary),
    Binary(Binary),
    /// The left side of `And` or `Or` is there; the right side may be needed.
    Right(Binary, ExprId),
    /// `And`, `Or` of which the left side left it open: the truth of the right side.
    Truth,
}

/// Evaluates expressions. Keeps its stacks for the next time.
#[derive(Default, Debug)]
pub struct Evaluator {
    tasks: Vec<Task>,
    values: Vec<i32>,
}

impl Evaluator {
    /// The value of `root`, or none if it crashes. A unit per operator or operand.
    ///
    /// # Errors
    /// If it looks at what must not be looked at; beyond the limits.
    pub fn value(
        &mut self,
        program: &Reactive,
        input: i32,
        scope: &impl Scope,
        root: ExprId,
        work: &mut Work<'_>,
    ) -> Check<Option<i32>> {
        self.tasks.clear();
        self.values.clear();
        self.tasks.push(Task::Value(root));
        while let Some(task) = self.tasks.pop() {
            work.spend(1)?;
            let value = match task {
                Task::Value(expr) => match program.expr(expr) {
                    Expr::Const(value) => Some(value),
                    Expr::Input => Some(input),
                    Expr::Var(var) => Some(scope.value(var)?),
                    Expr::Element { pointer, index } => match program.element(scope.value(pointer)?, index) {
                        Some(var) => Some(scope.value(var)?),
                        None => None,
                    },
                    Expr::Unary(op, a) => {
                        self.tasks.extend([Task::Unary(op), Task::Value(a)]);
                        continue;
                    }
                    Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                        self.tasks.extend([Task::Right(op, b), Task::Value(a)]);
                        continue;
                    }
                    Expr::Binary(op, a, b) => {
                        self.tasks.extend([Task::Binary(op), Task::Value(b), Task::Value(a)]);
                        continue;
                    }
                },
                Task::Unary(op) => Some(unary(op, self.pop())),
                Task::Binary(op) => {
                    let b = self.pop();
                    binary(op, self.pop(), b)
                }
                Task::Right(op, right) => {
                    let left = self.pop() != 0;
                    if left == (op == Binary::And) {
                        self.tasks.extend([Task::Truth, Task::Value(right)]);
                        continue;
                    }
                    Some(left.into())
                }
                Task::Truth => Some((self.pop() != 0).into()),
            };
            match value {
                Some(value) => self.values.push(value),
                None => return Ok(None),
            }
        }
        debug_assert_eq!(self.values.len(), 1, "one value is left");
        Ok(Some(self.pop()))
    }

    fn pop(&mut self) -> i32 {
        debug_assert!(!self.values.is_empty(), "operands come first");
        self.values.pop().unwrap_or_default()
    }
}

/// What a call shows, from what it printed or returned and whether it found its input invalid.
#[must_use]
pub fn outcome(convention: Convention, said: Said<i32>, is_invalid: bool) -> Outcome {
    match (convention, said) {
        _ if is_invalid => Outcome::Invalid,
        (Convention::Returned, Said::Letter(-2)) => Outcome::Invalid,
        (Convention::Returned, Said::Nothing) | (_, Said::Several) => Outcome::Unspelt,
        (Convention::Returned, Said::Letter(-1)) | (_, Said::Nothing) => Outcome::Silent,
        (_, Said::Letter(letter)) => Outcome::Output(letter),
    }
}

/// The letters that a call has printed, or returned, as far as outcomes tell them apart.
#[derive(Clone, Copy, Debug)]
pub enum Said<T> {
    /// None.
    Nothing,
    /// This one.
    Letter(T),
    /// More than one.
    Several,
}

impl<T> Said<T> {
    /// With one more.
    #[must_use]
    pub fn and(self, letter: T) -> Self {
        match self {
            Said::Nothing => Said::Letter(letter),
            Said::Letter(_) | Said::Several => Said::Several,
        }
    }
}

/// Makes calls.
#[derive(Debug)]
pub struct Interpreter<'p> {
    program: &'p Reactive,
    evaluator: Evaluator,
    walk: Walk<'p>,
    /// What the last call printed, or returned.
    letters: Vec<i32>,
}

impl<'p> Interpreter<'p> {
    /// Of this program.
    #[must_use]
    pub fn new(program: &'p Reactive) -> Self {
        Self { program, evaluator: Evaluator::default(), walk: Walk::new(program), letters: Vec::new() }
    }

    /// What the last call printed, or returned as its letter, in order; of a call that stops, what it printed before.
    #[must_use]
    pub fn letters(&self) -> &[i32] {
        &self.letters
    }

    /// One call, which changes `valuation`; what that holds after a stop means nothing. Refused if it reads what is
    /// poisoned.
    ///
    /// # Errors
    /// That; beyond the limits.
    pub fn call(&mut self, valuation: &mut Valuation, input: i32, work: &mut Work<'_>) -> Check<Outcome> {
        let program = self.program;
        assert_eq!(valuation.values.len(), program.var_count(), "each variable has a value");
        assert_eq!(valuation.poisoned.len(), program.var_count(), "it is known of each variable");
        self.walk.restart();
        self.letters.clear();
        let (mut said, mut is_invalid) = (Said::Nothing, false);
        loop {
            work.spend(1)?;
            let step = self.walk.advance();
            let value = match step {
                Step::Assign(_, expr) | Step::Test(expr) | Step::Print(expr) | Step::Return { value: expr, .. } => {
                    match self.evaluator.value(program, input, &(program, &*valuation), expr, work)? {
                        Some(value) => value,
                        None => return Ok(Outcome::Crash),
                    }
                }
                _ => 0,
            };
            match step {
                Step::Assign(var, _) => {
                    valuation.values[var.index()] = value;
                    valuation.poisoned[var.index()] = false;
                }
                Step::Test(_) => self.walk.decide(value != 0),
                Step::Print(_) => {
                    said = said.and(value);
                    self.letters.push(value);
                }
                Step::Return { of_call: true, .. } => {
                    let outcome = outcome(program.convention(), Said::Letter(value), is_invalid);
                    self.letters.extend(matches!(outcome, Outcome::Output(_)).then_some(value));
                    return Ok(outcome);
                }
                Step::Return { .. } => {}
                Step::Invalid => is_invalid = true,
                Step::Error(error) => return Ok(Outcome::Error(error)),
                Step::Crash => return Ok(Outcome::Crash),
                Step::End => return Ok(outcome(program.convention(), said, is_invalid)),
            }
        }
    }
}
