//! The instructions of a program and its places.

use model::ids::{ErrorId, FunctionId, VarId};
use model::reactive::Binary;
use model::{Outcome, Reactive};
use std::sync::Arc;

/// The number of a variable that some statement assigns. Slots have the lowest numbers.
pub(super) type Cell = u32;

/// A range of [`Code::ops`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Span {
    pub(super) first: u32,
    pub(super) len: u32,
}

/// An instruction. All jumps lead forwards.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instr {
    /// Continues with the next instruction if the condition is not 0, else at `otherwise`.
    Branch {
        condition: Span,
        otherwise: u32,
    },
    Jump(u32),
    Assign(Cell, Span),
    Call(FunctionId),
    Return(Span),
    ReturnCall(FunctionId),
    End,
    Print(Span),
    Invalid,
    Error(ErrorId),
    Crash,
}

/// Where the value of a variable is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Constant(i32),
    Cell(Cell),
}

/// A position in a call, and the output of the call so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Point {
    pub(super) pc: u32,
    /// Return addresses of open function calls.
    pub(super) frames: Vec<u32>,
    /// The outcome if the call ends here. It depends on the letters printed so far.
    pub(super) printed: Option<Outcome>,
    pub(super) invalid: bool,
}

impl Point {
    /// Prints one more letter.
    pub(super) fn print(&mut self, letter: i32) {
        self.printed = Some(self.printed.map_or(Outcome::Output(letter), |_| Outcome::Unspelt));
    }
}

/// The flat program.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) program: Arc<Reactive>,
    pub(super) instrs: Vec<Instr>,
    pub(super) ops: Vec<Op>,
    /// The first instruction of each function.
    pub(super) starts: Vec<u32>,
    /// For each [`VarId`]: where its value is stored.
    pub(super) places: Vec<Place>,
    /// The variable of each cell.
    pub(super) cells: Vec<VarId>,
    pub(super) slot_count: usize,
}

/// An operation of a stack machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Op {
    Const(i32),
    Input,
    Cell(Cell),
    Element {
        pointer: Cell,
        index: u32,
    },
    Neg,
    Not,
    /// Replaces the top by 1 if it is not 0.
    Truth,
    /// Any binary operator except `And` and `Or`.
    Binary(Binary),
    /// Pops the top if it is not 0. Otherwise keeps it and skips this number of operations.
    And(u32),
    /// Pops the top if it is 0. Otherwise replaces it by 1 and skips this number of operations.
    Or(u32),
    Crash,
}
