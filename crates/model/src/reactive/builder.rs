//! A builder for reactive programs. It works bottom up: parts must exist before they are referred to.

use super::{Arm, Arms, Array, Block, Convention, Expr, Reactive, Stmt};
use crate::ids::{ArrayId, ErrorId, ExprId, FunctionId, InputId, VarId};
use hashbrown::HashMap;

/// The reason why the parts do not form a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The function calls itself, directly or through other functions.
    Recursion(FunctionId),
    /// The function was declared but not defined.
    Undefined(FunctionId),
    /// The program returns its outputs and also prints.
    PrintsAndReturns,
    /// The program has no input letter.
    NoInputs,
}

/// Collects the parts of a [`Reactive`].
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
    /// Creates a builder without any parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable. If the variable is a pointer, its value is the number of an [`ArrayId`].
    pub fn var(&mut self, name: impl Into<String>, initial: i32) -> VarId {
        let id = VarId::new(self.initial.len());
        self.names.push(name.into());
        self.initial.push(initial);
        id
    }

    /// Adds an array with the initial values of its elements.
    pub fn array(&mut self, name: &str, initial: &[i32]) -> ArrayId {
        let first = VarId::new(self.initial.len());
        for (i, &value) in initial.iter().enumerate() {
            self.var(format!("{name}[{i}]"), value);
        }
        let len = u32::try_from(initial.len()).expect("ids are 32 bits");
        self.arrays.push(Array { name: name.to_owned(), first, len });
        ArrayId::new(self.arrays.len() - 1)
    }

    /// Makes a variable a possible target of pointers: adds an array of length 1 that consists of this
    /// variable, and returns its id. The same variable always gives the same id.
    pub fn address(&mut self, var: VarId) -> ArrayId {
        let next = ArrayId::new(self.arrays.len());
        let id = *self.aliases.entry(var).or_insert(next);
        if id == next {
            self.arrays.push(Array { name: self.names[var.index()].clone(), first: var, len: 1 });
        }
        id
    }

    /// Returns the length of an array.
    #[must_use]
    pub fn array_len(&self, array: ArrayId) -> u32 {
        self.arrays[array.index()].len
    }

    /// Returns the name of an array.
    #[must_use]
    pub fn array_name(&self, array: ArrayId) -> &str {
        &self.arrays[array.index()].name
    }

    /// Adds a letter of the input alphabet. The same number gives the same letter.
    pub fn input(&mut self, value: i32) -> InputId {
        let next = InputId::new(self.inputs.len());
        let id = *self.input_ids.entry(value).or_insert(next);
        if id == next {
            self.inputs.push(value);
        }
        id
    }

    /// Adds an error label. The same number gives the same label.
    pub fn error(&mut self, number: u32) -> ErrorId {
        let next = ErrorId::new(self.errors.len());
        let id = *self.error_ids.entry(number).or_insert(next);
        if id == next {
            self.errors.push(number);
        }
        id
    }

    /// Returns the label for undefined behaviour ([`Reactive::undefined`]), and adds it on the first call.
    pub fn undefined(&mut self) -> ErrorId {
        *self.undefined.get_or_insert_with(|| {
            self.errors.push(0);
            ErrorId::new(self.errors.len() - 1)
        })
    }

    /// Adds an expression.
    ///
    /// # Panics
    /// Panics if it refers to an expression or variable that does not exist yet.
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

    /// Returns an expression added before.
    #[must_use]
    pub fn get(&self, id: ExprId) -> Expr {
        self.exprs[id.index()]
    }

    /// Returns the number of expressions.
    #[must_use]
    pub fn expr_count(&self) -> usize {
        self.exprs.len()
    }

    /// Adds a sequence of statements. Their parts must exist.
    ///
    /// # Panics
    /// Panics if a statement refers to a part that does not exist yet.
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

    /// Adds the arms of one `if` chain.
    ///
    /// # Panics
    /// Panics if `arms` is empty, or if an arm refers to a part that does not exist yet.
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

    /// Declares a function, to be defined later.
    pub fn declare(&mut self, name: impl Into<String>) -> FunctionId {
        self.functions.push((name.into(), None));
        FunctionId::new(self.functions.len() - 1)
    }

    /// Defines the body of a declared function.
    pub fn define(&mut self, function: FunctionId, body: Block) {
        self.functions[function.index()].1 = Some(body);
    }

    /// Returns the program in which each call executes `entry`.
    ///
    /// # Errors
    /// Returns the reason why the parts do not form a program.
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
    /// Returns a function that calls itself, directly or through other functions, if one exists. Uses a
    /// depth-first search over calls.
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
