//! Building a reactive program, bottom up: what something refers to is there before it.

use super::{Arm, Arms, Array, Block, Convention, Expr, Reactive, Stmt};
use crate::ids::{ArrayId, ErrorId, ExprId, FunctionId, InputId, VarId};
use hashbrown::HashMap;

/// Why the pieces are no program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The function calls itself, perhaps by way of others.
    Recursion(FunctionId),
    /// The function was declared and never defined.
    Undefined(FunctionId),
    /// A program that returns its outputs prints.
    PrintsAndReturns,
    /// There is no input letter.
    NoInputs,
}

/// Takes the pieces of a [`Reactive`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    names: Vec<String>,
    initial: Vec<i32>,
    arrays: Vec<Array>,
    inputs: Vec<i32>,
    exprs: Vec<Expr>,
    stmts: Vec<Stmt>,
    arms: Vec<Arm>,
    functions: Vec<(String, Option<Block>)>,
    errors: Vec<u32>,
    undefined: Option<ErrorId>,
    error_ids: HashMap<u32, ErrorId>,
    input_ids: HashMap<i32, InputId>,
    aliases: HashMap<VarId, ArrayId>,
}

impl Builder {
    /// An empty program.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A variable. Of a pointer the value is the number of an [`ArrayId`].
    pub fn var(&mut self, name: impl Into<String>, initial: i32) -> VarId {
        let id = VarId::new(self.initial.len());
        self.names.push(name.into());
        self.initial.push(initial);
        id
    }

    /// An array with its elements' initial values.
    pub fn array(&mut self, name: &str, initial: &[i32]) -> ArrayId {
        let first = VarId::new(self.initial.len());
        for (i, &value) in initial.iter().enumerate() {
            self.var(format!("{name}[{i}]"), value);
        }
        let len = u32::try_from(initial.len()).expect("ids are 32 bits");
        self.arrays.push(Array { name: name.to_owned(), first, len });
        ArrayId::new(self.arrays.len() - 1)
    }

    /// Makes a variable something one can point to.
    pub fn address(&mut self, var: VarId) -> ArrayId {
        let next = ArrayId::new(self.arrays.len());
        let id = *self.aliases.entry(var).or_insert(next);
        if id == next {
            self.arrays.push(Array { name: self.names[var.index()].clone(), first: var, len: 1 });
        }
        id
    }

    /// The length of an array.
    #[must_use]
    pub fn array_len(&self, array: ArrayId) -> u32 {
        self.arrays[array.index()].len
    }

    /// The name of an array.
    #[must_use]
    pub fn array_name(&self, array: ArrayId) -> &str {
        &self.arrays[array.index()].name
    }

    /// A letter of the input alphabet; the same number again is the same letter.
    pub fn input(&mut self, value: i32) -> InputId {
        let next = InputId::new(self.inputs.len());
        let id = *self.input_ids.entry(value).or_insert(next);
        if id == next {
            self.inputs.push(value);
        }
        id
    }

    /// An error label; the same number again is the same label.
    pub fn error(&mut self, number: u32) -> ErrorId {
        let next = ErrorId::new(self.errors.len());
        let id = *self.error_ids.entry(number).or_insert(next);
        if id == next {
            self.errors.push(number);
        }
        id
    }

    /// The label of what is not defined ([`Reactive::undefined`]).
    pub fn undefined(&mut self) -> ErrorId {
        *self.undefined.get_or_insert_with(|| {
            self.errors.push(0);
            ErrorId::new(self.errors.len() - 1)
        })
    }

    /// An expression.
    ///
    /// # Panics
    /// If it refers to an expression or variable that is not there yet.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        let known = self.exprs.len();
        match expr {
            Expr::Const(_) | Expr::Input => {}
            Expr::Var(var) | Expr::Element { pointer: var, .. } => {
                assert!(var.index() < self.initial.len(), "no such variable")
            }
            Expr::Unary(_, a) => assert!(a.index() < known, "operands come first"),
            Expr::Binary(_, a, b) => assert!(a.index() < known && b.index() < known, "operands come first"),
        }
        self.exprs.push(expr);
        ExprId::new(known)
    }

    /// An expression that is there.
    #[must_use]
    pub fn get(&self, id: ExprId) -> Expr {
        self.exprs[id.index()]
    }

    /// How many expressions there are.
    #[must_use]
    pub fn expr_count(&self) -> usize {
        self.exprs.len()
    }

    /// Statements in a row; their parts come first.
    ///
    /// # Panics
    /// If a statement refers to something that is not there yet.
    pub fn block(&mut self, stmts: &[Stmt]) -> Block {
        for stmt in stmts {
            let is_known = match *stmt {
                Stmt::Assign(var, expr) => var.index() < self.initial.len() && expr.index() < self.exprs.len(),
                Stmt::If { arms, otherwise } => {
                    arms.len > 0
                        && (arms.first + arms.len) as usize <= self.arms.len()
                        && (otherwise.first + otherwise.len) as usize <= self.stmts.len()
                }
                Stmt::Call(f) | Stmt::ReturnCall(f) => f.index() < self.functions.len(),
                Stmt::Return(expr) | Stmt::Print(expr) => expr.index() < self.exprs.len(),
                Stmt::Error(error) => error.index() < self.errors.len(),
                Stmt::End | Stmt::Invalid | Stmt::Crash => true,
            };
            assert!(is_known, "parts come first: {stmt:?}");
        }
        let first = u32::try_from(self.stmts.len()).expect("ids are 32 bits");
        self.stmts.extend_from_slice(stmts);
        Block { first, len: u32::try_from(stmts.len()).expect("ids are 32 bits") }
    }

    /// The arms of one `if` chain.
    ///
    /// # Panics
    /// If there is none, or one refers to something that is not there yet.
    pub fn arms(&mut self, arms: &[Arm]) -> Arms {
        assert!(!arms.is_empty(), "an `if` has a condition");
        for arm in arms {
            assert!(arm.condition.index() < self.exprs.len(), "parts come first: {arm:?}");
            assert!((arm.body.first + arm.body.len) as usize <= self.stmts.len(), "parts come first: {arm:?}");
        }
        let first = u32::try_from(self.arms.len()).expect("ids are 32 bits");
        self.arms.extend_from_slice(arms);
        Arms { first, len: u32::try_from(arms.len()).expect("ids are 32 bits") }
    }

    /// A function, to be defined later.
    pub fn declare(&mut self, name: impl Into<String>) -> FunctionId {
        self.functions.push((name.into(), None));
        FunctionId::new(self.functions.len() - 1)
    }

    /// The body of a declared function.
    pub fn define(&mut self, function: FunctionId, body: Block) {
        self.functions[function.index()].1 = Some(body);
    }

    /// The program whose calls are calls of `entry`.
    ///
    /// # Errors
    /// What keeps the pieces from being a program.
    pub fn finish(self, entry: FunctionId, convention: Convention) -> Result<Reactive, Flaw> {
        if self.inputs.is_empty() {
            return Err(Flaw::NoInputs);
        }
        if convention == Convention::Returned && self.stmts.iter().any(|s| matches!(s, Stmt::Print(_))) {
            return Err(Flaw::PrintsAndReturns);
        }
        let mut functions = Vec::with_capacity(self.functions.len());
        for (i, (name, body)) in self.functions.into_iter().enumerate() {
            functions.push((name, body.ok_or(Flaw::Undefined(FunctionId::new(i)))?));
        }
        let program = Reactive {
            names: self.names,
            initial: self.initial,
            arrays: self.arrays,
            inputs: self.inputs,
            exprs: self.exprs,
            stmts: self.stmts,
            arms: self.arms,
            functions,
            entry,
            convention,
            errors: self.errors,
            undefined: self.undefined,
        };
        match program.recursion() {
            Some(function) => Err(Flaw::Recursion(function)),
            None => Ok(program),
        }
    }
}

impl Reactive {
    /// A function that calls itself, if there is one: depth-first search over calls.
    fn recursion(&self) -> Option<FunctionId> {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            Not,
            Open,
            Done,
        }
        let mut seen = vec![Seen::Not; self.functions.len()];
        for root in 0..self.functions.len() {
            let mut path: Vec<(FunctionId, Vec<FunctionId>)> = Vec::new();
            if seen[root] == Seen::Not {
                seen[root] = Seen::Open;
                path.push((FunctionId::new(root), self.callees(FunctionId::new(root))));
            }
            while let Some((f, rest)) = path.last_mut() {
                let Some(next) = rest.pop() else {
                    seen[f.index()] = Seen::Done;
                    path.pop();
                    continue;
                };
                match seen[next.index()] {
                    Seen::Open => return Some(next),
                    Seen::Done => {}
                    Seen::Not => {
                        seen[next.index()] = Seen::Open;
                        path.push((next, self.callees(next)));
                    }
                }
            }
        }
        None
    }

    fn callees(&self, function: FunctionId) -> Vec<FunctionId> {
        let mut blocks = vec![self.body(function)];
        let mut callees = Vec::new();
        while let Some(block) = blocks.pop() {
            for stmt in self.stmts(block) {
                match *stmt {
                    Stmt::Call(f) | Stmt::ReturnCall(f) => callees.push(f),
                    Stmt::If { arms, otherwise } => {
                        blocks.push(otherwise);
                        blocks.extend(self.arms(arms).iter().map(|arm| arm.body));
                    }
                    _ => {}
                }
            }
        }
        callees
    }
}
