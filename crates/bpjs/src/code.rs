//! The instructions of the stack machine.

use super::files::Files;
use super::regex::Flags;
use super::value::Value;
use formats::error::{Error, Span};
use formats::source::Strategy;
use std::cell::Cell;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Shl,
    Shr,
    UShr,
    Or,
    Xor,
    And,
    Eq,
    Ne,
    StrictEq,
    StrictNe,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    InstanceOf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Plus,
    Minus,
    Not,
    BitNot,
    TypeOf,
    ToStr,
}

/// An instruction. `a b -> c` says that it takes `b` and `a` from the stack and puts `c` there.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Nop,
    Push(Value),
    Pop,
    Dup,
    /// `a b -> a b a b`
    Dup2,
    /// `a b -> b a`
    Swap,
    /// Removes this many values below the top.
    Nip(u8),
    /// Begins the scope of a variable. True if the variable has no value before its declaration.
    NewVar(u32, bool),
    NewBox(u32, bool),
    /// Gives the next round of a loop a variable of its own, with the same value.
    Fresh(u32),
    FreshBox(u32),
    /// Puts the value of a parameter into a box.
    Param(u32),
    ParamBox(u32),
    Load(u32),
    LoadBox(u32),
    /// Assigns without a check that the variable has a value: `a ->`.
    Store(u32),
    StoreBox(u32),
    /// Assigns to a variable that may be in its dead zone.
    StoreChecked(u32),
    StoreBoxChecked(u32),
    LoadUp(u32),
    StoreUp(u32),
    /// Assigns to a variable of an outer function that has no declaration.
    InitUp(u32),
    /// The function that runs.
    LoadSelf,
    ThrowConst,
    /// Fails, because nothing has the name that is read. In BPjs, too, this is no mistake before it is run.
    Missing(Rc<Error>),
    Closure(u32),
    Binary(Binary),
    Unary(Unary),
    GetProp(Rc<str>),
    GetIndex,
    /// `object value -> value`
    SetProp(Rc<str>),
    /// `object key value -> value`
    SetIndex,
    /// `object -> value`, adds to the property; true: the old value is the result.
    IncProp(Rc<str>, i8, bool),
    /// `object key -> value`
    IncIndex(i8, bool),
    DeleteProp(Rc<str>),
    DeleteIndex,
    NewArray,
    /// `array value -> array`
    Append,
    AppendHole,
    /// `array iterable -> array`
    AppendAll,
    NewObject,
    NewRegex(Rc<str>, Flags),
    /// `object value -> object`
    Field(Rc<str>),
    /// `object key value -> object`
    FieldIndex,
    /// `object source -> object`
    FieldAll,
    Jump(u32),
    /// `a ->`
    JumpIfFalse(u32),
    JumpIfTrue(u32),
    /// Jumps with the value if it is false, else removes it.
    JumpFalseKeep(u32),
    JumpTrueKeep(u32),
    JumpSomeKeep(u32),
    /// Jumps with `undefined` in place of a nullish value.
    JumpNullish(u32),
    /// Replaces `undefined` by nothing and continues; jumps otherwise: the default value follows.
    JumpDefined(u32),
    /// `callee args.. -> result`
    Call(u32),
    /// `callee array -> result`
    CallSpread,
    /// `receiver args.. -> result`
    Method(Rc<str>, u32),
    MethodSpread(Rc<str>),
    /// `receiver key args.. -> result`
    MethodIndex(u32),
    New(u32),
    Return,
    Throw,
    /// `iterable -> array`
    ToArray,
    /// `object -> array of its keys`
    Keys,
    /// `key object -> bool`: true if the object still has the key.
    HasKey,
    /// `array index ->`: goes to the next element, or jumps. `array index -> array index element`
    Next(u32),
    /// `array -> array of the elements from this one on`
    Rest(u32),
}

/// A variable that a closure captures: a variable of the function around it, or one which that function captured.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Capture {
    Slot(u32),
    Up(u32),
}

/// The instructions from `start` to `end` are inside of a `try`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Try {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) catch: u32,
    /// Number of values on the stack that the `catch` keeps.
    pub(super) depth: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Rc<str>,
    pub(super) span: Span,
}

impl Variable {
    /// False for a variable of the script that is only assigned. It has no place.
    pub(super) fn is_declared(&self) -> bool {
        self.span != Span::default()
    }
}

/// A variable of the rounds of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OfRounds {
    /// A `const` in the body.
    Const,
    /// A `let` in the body, without a value.
    Bare,
    /// A variable in the head.
    Head,
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: Rc<str>,
    /// The slot of the first parameter, and the number of parameters.
    pub(super) first: u32,
    pub(super) params: u32,
    /// The slot of `...rest`.
    pub(super) rest: Option<u32>,
    /// The slot of `this`.
    pub(super) this: Option<u32>,
    /// The variables, by slot.
    pub(super) variables: Vec<Variable>,
    pub(super) code: Vec<Op>,
    pub(super) spans: Vec<Span>,
    pub(super) captures: Vec<Capture>,
    pub(super) captured: Vec<Variable>,
    /// Inner ranges come before outer ones.
    pub(super) tries: Vec<Try>,
    /// A variable of a loop that BPjs shares between the rounds.
    pub(super) of_rounds: Option<(Variable, OfRounds)>,
    /// A global variable that is tested before anything sets it.
    pub(super) unset: Option<Variable>,
    /// True for functions of the prelude, which have no place in the source.
    pub(super) is_hidden: bool,
    /// For each call: the slots that are read after it.
    pub(super) live: crate::code::Live,
}

/// All functions of a program.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) functions: Vec<Function>,
    /// The function of the top-level script.
    pub(super) main: u32,
    /// The functions of the prelude by their names.
    pub(super) prelude: Vec<(Rc<str>, u32)>,
    pub(super) strategy: Strategy,
    pub(super) files: Files,
    /// The place of a sync with a number as data, if one was met.
    pub(super) data: Cell<Option<Span>>,
}

impl Code {
    pub(super) fn function(&self, number: u32) -> &Function {
        &self.functions[number as usize]
    }

    pub(super) fn prelude(&self, name: &str) -> Option<u32> {
        self.prelude.iter().find(|(known, _)| &**known == name).map(|(_, number)| *number)
    }
}

/// The slots that are read after each call, as words of bits.
#[derive(Clone, Default, Debug)]
pub(super) struct Live {
    pub(super) words: usize,
    /// For each instruction, the row of its set. Only calls have one.
    pub(super) rows: Vec<Option<u32>>,
    pub(super) sets: Vec<u64>,
}

impl Live {
    /// True if the slot is read after the call at `pc`.
    pub(super) fn contains(&self, pc: usize, slot: usize) -> bool {
        let Some(Some(row)) = self.rows.get(pc) else { return true };
        self.sets[*row as usize * self.words + slot / 64] >> (slot % 64) & 1 == 1
    }
}
