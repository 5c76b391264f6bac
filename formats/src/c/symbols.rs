//! What names stand for. Variables, arrays and functions share one space of names, as in C.

use crate::suggest;
use hashbrown::HashMap;
use model::{ArrayId, ExprId, FunctionId, VarId};

/// A function, once it was declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    /// Its number in the program, once it is called or defined.
    pub(super) id: Option<FunctionId>,
    /// Does it return a number?
    pub(super) returns: bool,
    /// How many parameters it has, if it was said: `f()` before the body says nothing, as in the C of 1989.
    pub(super) params: Option<usize>,
    /// Does it have a body already?
    pub(super) is_defined: bool,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// A variable, and the expression that reads it: one for all uses.
    Scalar(VarId, ExprId),
    /// A variable that points to an array.
    Pointer(VarId),
    /// An array, its element 0 and its length.
    Array(ArrayId, VarId, u32),
    /// A number.
    Constant(i32),
    /// The input of the call, where it is a global variable.
    Input,
    /// A function.
    Function(Function),
}

/// All names.
#[derive(Default)]
pub(super) struct Symbols<'a> {
    table: HashMap<&'a str, Symbol>,
    /// In the order of the text, for suggestions.
    order: Vec<&'a str>,
}

impl<'a> Symbols<'a> {
    pub(super) fn get(&self, name: &str) -> Option<Symbol> {
        self.table.get(name).copied()
    }

    pub(super) fn set(&mut self, name: &'a str, symbol: Symbol) {
        if self.table.insert(name, symbol).is_none() {
            self.order.push(name);
        }
    }

    /// Is it a function with a body?
    pub(super) fn is_defined(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Symbol::Function(Function { is_defined: true, .. })))
    }

    /// The known name nearest to an unknown one.
    pub(super) fn nearest(&self, name: &str) -> Option<&'a str> {
        suggest::nearest(name, self.order.iter().copied())
    }
}
