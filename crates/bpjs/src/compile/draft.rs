//! The function that is compiled, and the scopes and statements around the current place.

use crate::code::{Capture, OfRounds, Op, Try, Variable};
use formats::error::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// A function that is compiled.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) name: Rc<str>,
    pub(super) code: Vec<Op>,
    pub(super) spans: Vec<Span>,
    pub(super) variables: Vec<Variable>,
    /// For each variable: true if an inner function uses it.
    pub(super) is_captured: Vec<bool>,
    pub(super) scopes: Vec<Scope>,
    pub(super) captures: Vec<Capture>,
    pub(super) captured: Vec<Variable>,
    pub(super) capture_numbers: HashMap<Capture, u32>,
    pub(super) targets: Vec<Target>,
    pub(super) tries: Vec<Try>,
    /// The `finally`s around the current place, the innermost last.
    pub(super) finals: Vec<Final>,
    /// Number of values of enclosing statements on the stack.
    pub(super) depth: u32,
    /// True with the directive `"use strict"`. (It has no other effect than in [`super::function`].)
    pub(super) is_strict: bool,
    pub(super) first: u32,
    pub(super) params: u32,
    pub(super) rest: Option<u32>,
    pub(super) this: Option<u32>,
    /// Slots of variables of loops.
    pub(super) of_rounds: Vec<(u32, OfRounds)>,
    /// A global variable that is tested before anything sets it.
    pub(super) unset: Option<Variable>,
}

/// A statement that `break` or `continue` may name.
pub(super) struct Target {
    pub(super) label: Option<Rc<str>>,
    pub(super) is_loop: bool,
    /// True if `break` without a label leaves this statement.
    pub(super) is_breakable: bool,
    pub(super) depth: u32,
    pub(super) breaks: Vec<usize>,
    pub(super) continues: Vec<usize>,
}

/// A scope: the slots of its names.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) names: HashMap<Rc<str>, Name>,
}

#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) slot: u32,
    pub(super) kind: Kind,
    /// True after the declaration, if the instructions after it are not reached without it.
    pub(super) is_ready: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `var`, a parameter, or a function.
    Var,
    Let,
    Const,
    /// The name of a function expression inside of it. Assignments have no effect.
    Itself,
    /// A variable of the script that is assigned but never declared. It exists from its first assignment on.
    Implicit,
}

impl Scope {
    /// Forgets which declarations were compiled.
    pub(super) fn forget(&mut self) {
        self.names = self.names.drain().map(|(k, n)| (k, Name { is_ready: n.kind == Kind::Var, ..n })).collect();
    }
}

/// A `finally` around the current place.
pub(super) struct Final {
    /// The slots of the kind and the value of the way out.
    pub(super) kind: u32,
    pub(super) value: u32,
    pub(super) depth: u32,
    /// Number of targets around the statement.
    pub(super) targets: usize,
    pub(super) jumps: Vec<usize>,
    /// The ways out, besides the normal one and the one of an exception.
    pub(super) exits: Vec<Exit>,
}

/// A way out of a `try`.
#[derive(Clone)]
pub(super) enum Exit {
    Return,
    Jump { label: Option<Rc<str>>, is_continue: bool },
}
