//! The symbol table. Variables, arrays and functions share one name space, as in C.

use formats::suggest;
use hashbrown::HashMap;
use model::{ArrayId, ExprId, FunctionId, VarId};

/// A declared function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    /// Its number in the program, if it was called or defined.
    pub(super) id: Option<FunctionId>,
    /// True if it returns a number.
    pub(super) returns: bool,
    /// The number of its parameters, if it is declared. As in C89, a prototype `f()` does not declare the
    /// number.
    pub(super) params: Option<usize>,
    /// True if its body was read.
    pub(super) is_defined: bool,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// A variable, and the node that reads it, which all uses share.
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

    /// True if `name` is a function with a body.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Symbol::Function(Function { is_defined: true, .. })))
    }

    /// Returns the declared name that is most similar to an unknown one.
    pub(super) fn nearest(&self, name: &str) -> Option<&'a str> {
        suggest::nearest(name, self.order.iter().copied())
    }
}
