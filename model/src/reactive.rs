//! Reactive programs: integer variables and one procedure that a loop calls with an input for ever (the programs of the RERS
//! challenges; Howar et al. 2012).
//!
//! A *call* is one step: from a valuation of the variables, with an input letter, to exactly one [`Outcome`]. Nothing else is
//! observed. Statements and expressions lie in arenas, children before parents, so that nobody needs recursion on what may be
//! a chain of a million `else if`s.

mod builder;
#[cfg(test)]
mod tests;

pub use builder::{Builder, Flaw};

use crate::ids::{ErrorId, ExprId, FunctionId, InputId, VarId};

/// What one call does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// A new valuation, and this output letter.
    Output(i32),
    /// A new valuation, and nothing to see.
    Silent,
    /// A new valuation, and something else than one letter: several were printed, or what an `int` procedure returns that ends
    /// without `return` is not defined. Infinite runs with such a call are not spelt here; runs into errors go on after it.
    Unspelt,
    /// The input is not accepted: infinite runs do not take it. Some programs change variables all the same, and errors that
    /// are reached after such a call count.
    Invalid,
    /// The program stops at this error label; or what follows is not defined ([`Reactive::undefined`]).
    Error(ErrorId),
    /// The program stops, and no property is about it: a failed assertion without a number, a division that the processor
    /// refuses, an element that no array has.
    Crash,
}

/// An operator with one operand. Numbers are 32 bits and wrap; truth is 1 or 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `-a`
    Neg,
    /// `!a`
    Not,
}

/// An operator with two operands. Numbers are 32 bits and wrap; division truncates towards zero; truth is 1 or 0; `And` and `Or`
/// look at the right side only if the left one leaves it open. A quotient that is no number of 32 bits is a crash, of `Div` and
/// of `Rem`: dividing by zero, and dividing the smallest number by -1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a % b`, with the sign of `a`
    Rem,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a && b`
    And,
    /// `a || b`
    Or,
}

/// An expression; its operands have smaller ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number. The name of an array or the address of a variable is the number of its [`crate::ArrayId`].
    Const(i32),
    /// The input of the call.
    Input,
    /// The value of a variable.
    Var(VarId),
    /// Element `index` of the array that `pointer` points to (its value is the number of a [`crate::ArrayId`]); a crash if there is none.
    Element {
        /// A variable.
        pointer: VarId,
        /// Counts from 0.
        index: u32,
    },
    /// One operand.
    Unary(Unary, ExprId),
    /// Two operands.
    Binary(Binary, ExprId, ExprId),
}

/// Statements in a row: a range of [`Reactive::stmts`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Block {
    first: u32,
    len: u32,
}

/// The arms of an `if`: a range of [`Reactive::arms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arms {
    first: u32,
    len: u32,
}

/// A condition and what to do if it holds (is not 0) and none before it does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arm {
    /// The condition.
    pub condition: ExprId,
    /// What follows.
    pub body: Block,
}

/// A statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stmt {
    /// `v = e;`
    Assign(VarId, ExprId),
    /// `if .. else if .. else ..`, the whole chain.
    If {
        /// At least one.
        arms: Arms,
        /// If no condition holds.
        otherwise: Block,
    },
    /// `f(input);`, whatever it returns.
    Call(FunctionId),
    /// `return e;` ends the function.
    Return(ExprId),
    /// `return f(input);`
    ReturnCall(FunctionId),
    /// `return;` ends the function. What an `int` entry shows then is not defined.
    End,
    /// Prints an output letter. With a second one in a call the outcome is [`Outcome::Unspelt`].
    Print(ExprId),
    /// Says that the input is invalid, and goes on; the call then is [`Outcome::Invalid`] however it ends, if it does not stop.
    Invalid,
    /// Stops the program at an error label.
    Error(ErrorId),
    /// Stops the program.
    Crash,
}

/// How a call shows its output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Convention {
    /// The entry returns the letter, -1 for silence, -2 for an invalid input (programs of 2012). Its `Print` prints nothing
    /// that counts as output; builders refuse it.
    Returned,
    /// Letters are printed (2013 and later).
    Printed,
}

/// An array: its elements are variables in a row. A variable whose address is taken is one of length 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// As in the text.
    pub name: String,
    /// Its element 0.
    pub first: VarId,
    /// How many.
    pub len: u32,
}

/// A reactive program. Made by [`Builder`], which checks it: ids exist, operands come first, functions do not recurse.
#[derive(Clone, Debug)]
pub struct Reactive {
    names: Vec<String>,
    initial: Vec<i32>,
    arrays: Vec<Array>,
    inputs: Vec<i32>,
    exprs: Vec<Expr>,
    stmts: Vec<Stmt>,
    arms: Vec<Arm>,
    functions: Vec<(String, Block)>,
    entry: FunctionId,
    convention: Convention,
    errors: Vec<u32>,
    undefined: Option<ErrorId>,
}

impl Reactive {
    /// How many variables there are, elements of arrays among them.
    #[must_use]
    pub fn var_count(&self) -> usize {
        self.initial.len()
    }

    /// The name of a variable; elements of arrays are called `a[0]`.
    #[must_use]
    pub fn name(&self, var: VarId) -> &str {
        &self.names[var.index()]
    }

    /// The values before the first call, by [`VarId`].
    #[must_use]
    pub fn initial(&self) -> &[i32] {
        &self.initial
    }

    /// All arrays, by [`crate::ArrayId`].
    #[must_use]
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// Element `index` of the array whose number is `pointer`, if there is such an array and element.
    #[must_use]
    pub fn element(&self, pointer: i32, index: u32) -> Option<VarId> {
        let array = self.arrays.get(usize::try_from(pointer).ok()?)?;
        (index < array.len).then(|| VarId(array.first.0 + index))
    }

    /// The input alphabet, by [`InputId`], in the order of the text, each once.
    #[must_use]
    pub fn inputs(&self) -> &[i32] {
        &self.inputs
    }

    /// The number that `input` stands for.
    #[must_use]
    pub fn input(&self, input: InputId) -> i32 {
        self.inputs[input.index()]
    }

    /// All expressions, by [`ExprId`].
    #[must_use]
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }

    /// An expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id.index()]
    }

    /// The statements of a block, in order.
    #[must_use]
    pub fn stmts(&self, block: Block) -> &[Stmt] {
        &self.stmts[block.first as usize..][..block.len as usize]
    }

    /// Every statement of every function, in no particular order.
    #[must_use]
    pub fn all_stmts(&self) -> &[Stmt] {
        &self.stmts
    }

    /// The arms of an `if`, in order.
    #[must_use]
    pub fn arms(&self, arms: Arms) -> &[Arm] {
        &self.arms[arms.first as usize..][..arms.len as usize]
    }

    /// How many functions there are.
    #[must_use]
    pub fn function_count(&self) -> usize {
        self.functions.len()
    }

    /// The body of a function.
    #[must_use]
    pub fn body(&self, function: FunctionId) -> Block {
        self.functions[function.index()].1
    }

    /// The name of a function.
    #[must_use]
    pub fn function_name(&self, function: FunctionId) -> &str {
        &self.functions[function.index()].0
    }

    /// The function that is called with each input.
    #[must_use]
    pub fn entry(&self) -> FunctionId {
        self.entry
    }

    /// How a call shows its output.
    #[must_use]
    pub fn convention(&self) -> Convention {
        self.convention
    }

    /// The numbers of the error labels, by [`ErrorId`], each once; that of [`Reactive::undefined`] means nothing.
    #[must_use]
    pub fn errors(&self) -> &[u32] {
        &self.errors
    }

    /// The label of calls whose language leaves open what happens from there on. Runs into other labels are real if they do
    /// not pass it; that a label is unreachable, or that a formula holds, is true only if this one is unreachable, too.
    #[must_use]
    pub fn undefined(&self) -> Option<ErrorId> {
        self.undefined
    }

    /// The error labels that properties ask about, in no particular order.
    pub fn labels(&self) -> impl Iterator<Item = (ErrorId, u32)> + '_ {
        let labels = self.errors.iter().enumerate().map(|(i, &number)| (ErrorId::new(i), number));
        labels.filter(|&(id, _)| Some(id) != self.undefined)
    }
}

/// The letter of a number as the challenges write it: `A` is 1, `Z` is 26; other numbers stand for themselves.
#[must_use]
pub fn letter(value: i32) -> String {
    match u8::try_from(value) {
        Ok(n @ 1..=26) => char::from(b'A' + n - 1).to_string(),
        _ => value.to_string(),
    }
}
