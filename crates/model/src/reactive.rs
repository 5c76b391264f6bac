//! Reactive programs: integer variables, and one procedure that an endless loop calls with an input (the
//! programs of the RERS challenges; Howar et al. 2012).
//!
//! A *call* is one step. It maps a valuation of the variables and an input letter to exactly one [`Outcome`],
//! and nothing else is observed. Statements and expressions are stored in arenas, children before parents.
//! Algorithms therefore need no recursion, even on a chain of a million `else if`s.

mod builder;
#[cfg(test)]
mod tests;

pub use builder::{Builder, Flaw};

use crate::ids::{ErrorId, ExprId, FunctionId, InputId, VarId};

/// The result of one call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// A new valuation and this output letter.
    Output(i32),
    /// A new valuation and no output.
    Silent,
    /// A new valuation and an output that is not one letter: the call printed several letters, or an `int`
    /// procedure ended without `return`, so that its value is not defined. An infinite run with such a call is
    /// not a sequence of letters. Runs to errors may continue after such a call.
    Unspelt,
    /// The input is invalid, so infinite runs do not contain this call. Some programs change variables in such
    /// a call. Errors that are reached after such a call count.
    Invalid,
    /// The program stops at this error label, or the rest of the call is not defined ([`Reactive::undefined`]).
    Error(ErrorId),
    /// The program stops, and no property is about this: a failed assertion without a number, a division that
    /// the processor refuses, or an array element that does not exist.
    Crash,
}

/// An operator with one operand. Numbers have 32 bits and wrap around. Truth values are 1 and 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `-a`
    Neg,
    /// `!a`
    Not,
}

/// An operator with two operands. Numbers have 32 bits and wrap around, division truncates towards zero, and
/// truth values are 1 and 0. `And` and `Or` evaluate the right side only if the left side does not determine
/// the result. `Div` and `Rem` crash if the quotient is not a 32-bit number: for division by zero, and for the
/// smallest number divided by -1.
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

/// An expression. Its operands have smaller ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number. The name of an array or the address of a variable is the number of its [`crate::ArrayId`].
    Const(i32),
    /// The input letter of the call.
    Input,
    /// The value of a variable.
    Var(VarId),
    /// Element `index` of the array that `pointer` points to: the value of `pointer` is the number of an
    /// [`crate::ArrayId`]. The call crashes if the array or element does not exist.
    Element {
        /// The variable that contains the pointer.
        pointer: VarId,
        /// The position in the array, counted from 0.
        index: u32,
    },
    /// An operator and its operand.
    Unary(Unary, ExprId),
    /// An operator and its two operands.
    Binary(Binary, ExprId, ExprId),
}

/// A sequence of statements, which [`Reactive::stmts`] returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Block {
    first: u32,
    len: u32,
}

/// The arms of an `if`, which [`Reactive::arms`] returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arms {
    first: u32,
    len: u32,
}

/// One arm of an `if`. Its body is executed if its condition holds (is not 0) and no earlier condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arm {
    /// The condition.
    pub condition: ExprId,
    /// The statements to execute.
    pub body: Block,
}

/// A statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stmt {
    /// `v = e;`
    Assign(VarId, ExprId),
    /// A whole chain `if .. else if .. else ..`.
    If {
        /// The arms, at least one.
        arms: Arms,
        /// The statements to execute if no condition holds.
        otherwise: Block,
    },
    /// `f(input);`, ignoring the returned value.
    Call(FunctionId),
    /// `return e;`, which ends the function.
    Return(ExprId),
    /// `return f(input);`
    ReturnCall(FunctionId),
    /// `return;`, which ends the function. If the entry returns `int`, the output of the call is then not
    /// defined.
    End,
    /// Prints an output letter. If a call prints a second letter, its outcome is [`Outcome::Unspelt`].
    Print(ExprId),
    /// Reports that the input is invalid and continues. The outcome of the call is then [`Outcome::Invalid`],
    /// unless the program stops.
    Invalid,
    /// Stops the program at an error label.
    Error(ErrorId),
    /// Stops the program.
    Crash,
}

/// The way in which a call shows its output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Convention {
    /// The entry returns the output letter, -1 for no output, or -2 for an invalid input (programs of 2012). In
    /// such programs, printed text does not count as output, so the builder rejects [`Stmt::Print`].
    Returned,
    /// The call prints letters (programs of 2013 and later).
    Printed,
}

/// An array. Its elements are consecutive variables. If the program takes the address of a variable, the
/// variable is an array of length 1, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// The name in the text.
    pub name: String,
    /// The variable that is element 0.
    pub first: VarId,
    /// Number of elements.
    pub len: u32,
}

/// A reactive program. [`Builder`] builds it and checks that ids exist, operands come first, and functions do
/// not recurse.
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
    /// Returns the number of variables, including elements of arrays.
    #[must_use]
    pub fn var_count(&self) -> usize {
        self.initial.len()
    }

    /// Returns the name of a variable. Elements of arrays have names such as `a[0]`.
    #[must_use]
    pub fn name(&self, var: VarId) -> &str {
        &self.names[var.index()]
    }

    /// The initial values of the variables, by [`VarId`].
    #[must_use]
    pub fn initial(&self) -> &[i32] {
        &self.initial
    }

    /// All arrays, by [`crate::ArrayId`].
    #[must_use]
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// Returns element `index` of the array with the number `pointer`; `None` if the array or element does not
    /// exist.
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

    /// Returns the number that the program receives for `input`.
    #[must_use]
    pub fn input(&self, input: InputId) -> i32 {
        self.inputs[input.index()]
    }

    /// All expressions, by [`ExprId`].
    #[must_use]
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }

    /// Returns an expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id.index()]
    }

    /// Returns the statements of a block, in order.
    #[must_use]
    pub fn stmts(&self, block: Block) -> &[Stmt] {
        &self.stmts[block.first as usize..][..block.len as usize]
    }

    /// All statements of all functions, in no particular order.
    #[must_use]
    pub fn all_stmts(&self) -> &[Stmt] {
        &self.stmts
    }

    /// Returns the arms of an `if`, in order.
    #[must_use]
    pub fn arms(&self, arms: Arms) -> &[Arm] {
        &self.arms[arms.first as usize..][..arms.len as usize]
    }

    /// Returns the number of functions.
    #[must_use]
    pub fn function_count(&self) -> usize {
        self.functions.len()
    }

    /// Returns the body of a function.
    #[must_use]
    pub fn body(&self, function: FunctionId) -> Block {
        self.functions[function.index()].1
    }

    /// Returns the name of a function.
    #[must_use]
    pub fn function_name(&self, function: FunctionId) -> &str {
        &self.functions[function.index()].0
    }

    /// The function that is called for each input.
    #[must_use]
    pub fn entry(&self) -> FunctionId {
        self.entry
    }

    /// The way in which a call shows its output.
    #[must_use]
    pub fn convention(&self) -> Convention {
        self.convention
    }

    /// The numbers of the error labels, by [`ErrorId`], each once. The number of the label
    /// [`Reactive::undefined`] has no meaning.
    #[must_use]
    pub fn errors(&self) -> &[u32] {
        &self.errors
    }

    /// A special error label for calls that reach an operation with behaviour that the language does not
    /// define. Runs to other labels are valid if they do not pass this label. The claims that a label is
    /// unreachable and that a formula holds are valid only if this label is unreachable, too.
    #[must_use]
    pub fn undefined(&self) -> Option<ErrorId> {
        self.undefined
    }

    /// Iterates over the error labels that properties ask about, in no particular order.
    pub fn labels(&self) -> impl Iterator<Item = (ErrorId, u32)> + '_ {
        let labels = self.errors.iter().enumerate().map(|(i, &number)| (ErrorId::new(i), number));
        labels.filter(|&(id, _)| Some(id) != self.undefined)
    }
}

/// Returns the letter for a number as the challenges write it: `A` for 1 up to `Z` for 26. Other numbers are
/// written as numbers.
#[must_use]
pub fn letter(value: i32) -> String {
    match u8::try_from(value) {
        Ok(n @ 1..=26) => char::from(b'A' + n - 1).to_string(),
        _ => value.to_string(),
    }
}
