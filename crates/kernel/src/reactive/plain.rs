//! The plain interpreter of calls: it executes one call with one valuation and one input. Faster interpreters
//! are tested against it.

use super::values::{binary, unary};
use super::walk::{CallStep, Walk};
use crate::work::Work;
use crate::{Check, reject};
use model::reactive::{Binary, Convention, Expr, Unary};
use model::{ExprId, Outcome, Reactive, VarId};

/// The values of the variables of a program. Some variables must not be read.
#[derive(Clone, PartialEq, Debug)]
pub struct Valuation {
    /// The value of each variable, indexed by [`VarId`].
    pub values: Vec<i32>,
    /// For each variable, indexed by [`VarId`]: true if it must not be read before it is assigned.
    pub poisoned: Vec<bool>,
}

impl Valuation {
    /// Returns the valuation before the first call.
    #[must_use]
    pub fn initial(program: &Reactive) -> Self {
        Self { values: program.initial().to_vec(), poisoned: vec![false; program.var_count()] }
    }
}

/// A source of values of variables for expressions.
pub trait Scope {
    /// Returns the value of a variable.
    ///
    /// # Errors
    /// If the variable must not be read.
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

/// Returns the refusal of a call that reads a variable which the evidence says nothing about.
///
/// # Errors
/// Always.
pub fn too_early<T>(program: &Reactive, var: VarId) -> Check<T> {
    reject(format!(
        "a call reads `{}` before it assigns it, and the evidence does not say its value",
        program.name(var)
    ))
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Value(ExprId),
    Unary(Unary),
    Binary(Binary),
    /// Decides whether the right side of `And` or `Or` is evaluated. The value of the left side is on the
    /// stack.
    Right(Binary, ExprId),
    /// The left side of `And` or `Or` did not decide the result: the result is the truth of the right side.
    Truth,
}

/// An evaluator of expressions. It reuses its stacks.
#[derive(Default, Debug)]
pub struct Evaluator {
    tasks: Vec<Task>,
    values: Vec<i32>,
}

impl Evaluator {
    /// Returns the value of `root`, or `None` if the evaluation crashes. Costs one work unit per operator or
    /// operand.
    ///
    /// # Errors
    /// If the expression reads a variable that must not be read, or if a resource limit is exceeded.
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

/// Returns the outcome of a call, from what it printed or returned and whether it found its input invalid.
#[must_use]
pub fn outcome(convention: Convention, said: PrintedLetter<i32>, is_invalid: bool) -> Outcome {
    match (convention, said) {
        _ if is_invalid => Outcome::Invalid,
        (Convention::Returned, PrintedLetter::Letter(-2)) => Outcome::Invalid,
        (Convention::Returned, PrintedLetter::Nothing) | (_, PrintedLetter::Several) => Outcome::Unspelt,
        (Convention::Returned, PrintedLetter::Letter(-1)) | (_, PrintedLetter::Nothing) => Outcome::Silent,
        (_, PrintedLetter::Letter(letter)) => Outcome::Output(letter),
    }
}

/// The letters that a call has printed or returned, as far as outcomes distinguish them.
#[derive(Clone, Copy, Debug)]
pub enum PrintedLetter<T> {
    /// No letter.
    Nothing,
    /// This one letter.
    Letter(T),
    /// More than one letter.
    Several,
}

impl<T> PrintedLetter<T> {
    /// Returns the value after one more letter.
    #[must_use]
    pub fn and(self, letter: T) -> Self {
        match self {
            PrintedLetter::Nothing => PrintedLetter::Letter(letter),
            PrintedLetter::Letter(_) | PrintedLetter::Several => PrintedLetter::Several,
        }
    }
}

/// An interpreter of calls.
#[derive(Debug)]
pub struct Interpreter<'p> {
    program: &'p Reactive,
    evaluator: Evaluator,
    walk: Walk<'p>,
    /// The letters that the last call printed or returned.
    letters: Vec<i32>,
}

impl<'p> Interpreter<'p> {
    /// Creates an interpreter for this program.
    #[must_use]
    pub fn new(program: &'p Reactive) -> Self {
        Self { program, evaluator: Evaluator::default(), walk: Walk::new(program), letters: Vec::new() }
    }

    /// Returns the letters that the last call printed, or returned as its output, in order. If the call
    /// stopped, they are the letters that it printed before.
    #[must_use]
    pub fn letters(&self) -> &[i32] {
        &self.letters
    }

    /// Executes one call, which changes `valuation`. If the call stops, the valuation is meaningless
    /// afterwards.
    ///
    /// # Errors
    /// If the call reads a variable that must not be read, or if a resource limit is exceeded.
    pub fn call(&mut self, valuation: &mut Valuation, input: i32, work: &mut Work<'_>) -> Check<Outcome> {
        let program = self.program;
        assert_eq!(valuation.values.len(), program.var_count(), "each variable has a value");
        assert_eq!(valuation.poisoned.len(), program.var_count(), "it is known of each variable");
        self.walk.restart();
        self.letters.clear();
        let (mut said, mut is_invalid) = (PrintedLetter::Nothing, false);
        loop {
            work.spend(1)?;
            let step = self.walk.advance();
            let value = match step {
                CallStep::Assign(_, expr)
                | CallStep::Test(expr)
                | CallStep::Print(expr)
                | CallStep::Return { value: expr, .. } => {
                    match self.evaluator.value(program, input, &(program, &*valuation), expr, work)? {
                        Some(value) => value,
                        None => return Ok(Outcome::Crash),
                    }
                }
                _ => 0,
            };
            match step {
                CallStep::Assign(var, _) => {
                    valuation.values[var.index()] = value;
                    valuation.poisoned[var.index()] = false;
                }
                CallStep::Test(_) => self.walk.decide(value != 0),
                CallStep::Print(_) => {
                    said = said.and(value);
                    self.letters.push(value);
                }
                CallStep::Return { of_call: true, .. } => {
                    let outcome = outcome(program.convention(), PrintedLetter::Letter(value), is_invalid);
                    self.letters.extend(matches!(outcome, Outcome::Output(_)).then_some(value));
                    return Ok(outcome);
                }
                CallStep::Return { .. } => {}
                CallStep::Invalid => is_invalid = true,
                CallStep::Error(error) => return Ok(Outcome::Error(error)),
                CallStep::Crash => return Ok(Outcome::Crash),
                CallStep::End => return Ok(outcome(program.convention(), said, is_invalid)),
            }
        }
    }
}
