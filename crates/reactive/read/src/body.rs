//! Parser for statements. It uses explicit stacks instead of recursion: statements stay on one stack until their
//! block ends, arms on another one until their `if` chain ends. So a chain of a million `else if`s is one list.

use super::declare::number;
use super::lex::Tok;
use super::operand::Operand;
use super::parse::{Parser, Reads};
use super::pointers::Target;
use super::symbols::Symbol;
use super::text::Res;
use formats::codes;
use formats::error::{Error, Span, printable};
use model::ExprId;
use model::reactive::{Arm, Block, Expr, Stmt, Unary};

/// What the entry function of a program of the 2012 challenge returns: [`SILENT`] for no output, [`INVALID`] if
/// it does not accept the input.
const SILENT: i32 = -1;
const INVALID: i32 = -2;

#[derive(Clone, Copy, Debug)]
enum FrameKind {
    /// A block `{ .. }` without `if`. Its statements belong to the surrounding block.
    Plain,
    Arm(ExprId),
    Else,
}

/// A block or branch that has begun and not ended.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: FrameKind,
    /// True if it ends with `}`, false if it ends with its first statement.
    braced: bool,
    /// `stmts` is the index of its first statement in [`Parser::stmts`] (for a plain block: the `stmts` of the
    /// surrounding `if`, or [`OUTSIDE`]). `arms` is the index of the first arm of its chain in
    /// [`Parser::arms`].
    stmts: usize,
    arms: usize,
}

/// The value of [`Frame::stmts`] outside every `if`.
const OUTSIDE: usize = usize::MAX;

impl<'a> Parser<'a> {
    /// Parses a block after its `{`, and consumes its `}`.
    pub(super) fn body(&mut self) -> Res<Block> {
        let base = self.stmts.len();
        let mut open: Vec<Frame> = Vec::new();
        loop {
            match self.at.tok {
                Tok::CloseBrace => match open.pop() {
                    None => {
                        self.at.advance()?;
                        return Ok(self.block(base));
                    }
                    Some(frame) if frame.braced => {
                        self.at.advance()?;
                        self.finish_frame(frame, &mut open)?;
                    }
                    Some(_) => return Err(self.at.unexpected("a statement")),
                },
                Tok::OpenBrace => {
                    self.at.advance()?;
                    let stmts = open.last().map_or(OUTSIDE, |frame| frame.stmts);
                    open.push(Frame { kind: FrameKind::Plain, braced: true, stmts, arms: 0 });
                }
                Tok::If => {
                    let arms = self.arms.len();
                    self.arm(arms, &mut open)?;
                }
                _ => {
                    let rule = open.last().map_or(OUTSIDE, |frame| frame.stmts);
                    self.statement(open.is_empty(), rule)?;
                    self.complete(&mut open)?;
                }
            }
        }
    }

    /// Makes a block of the statements from index `from` on, and removes them from the stack.
    fn block(&mut self, from: usize) -> Block {
        let block = if from == self.stmts.len() { Block::default() } else { self.program.block(&self.stmts[from..]) };
        self.stmts.truncate(from);
        block
    }

    /// Parses `if (condition)` and an optional `{`.
    fn arm(&mut self, arms: usize, open: &mut Vec<Frame>) -> Res<()> {
        self.at.advance()?;
        self.at.expect(Tok::Open, "`(`")?;
        let operand = self.unchecked()?;
        let condition = self.node(operand);
        self.at.expect(Tok::Close, "an operator or `)`")?;
        let braced = self.at.eat(Tok::OpenBrace)?;
        open.push(Frame { kind: FrameKind::Arm(condition), braced, stmts: self.stmts.len(), arms });
        Ok(())
    }

    /// Called after a statement: ends every frame without braces that consists of this statement.
    fn complete(&mut self, open: &mut Vec<Frame>) -> Res<()> {
        match open.last() {
            Some(&frame) if !frame.braced => {
                open.pop();
                self.finish_frame(frame, open)
            }
            _ => Ok(()),
        }
    }

    /// Ends `frame`, and every frame without braces that ends with it. A loop replaces recursion: each round
    /// ends one frame, or opens an `else` branch and returns.
    fn finish_frame(&mut self, mut frame: Frame, open: &mut Vec<Frame>) -> Res<()> {
        loop {
            let otherwise = match frame.kind {
                FrameKind::Plain => None,
                FrameKind::Arm(condition) => {
                    let is_idle = self.is_idle(frame.stmts);
                    let body = self.block(frame.stmts);
                    self.arms.push((Arm { condition, body }, is_idle));
                    if self.at.eat(Tok::Else)? {
                        if self.at.tok == Tok::If {
                            return self.arm(frame.arms, open);
                        }
                        let braced = self.at.eat(Tok::OpenBrace)?;
                        open.push(Frame { kind: FrameKind::Else, braced, stmts: self.stmts.len(), ..frame });
                        return Ok(());
                    }
                    Some((Block::default(), true))
                }
                FrameKind::Else => {
                    let is_idle = self.is_idle(frame.stmts);
                    Some((self.block(frame.stmts), is_idle))
                }
            };
            if let Some((otherwise, is_idle)) = otherwise {
                let (arms, is_idle) = self.checked_arms(frame.arms, is_idle);
                if is_idle {
                    self.idle.insert(arms);
                }
                self.stmts.push(Stmt::If { arms, otherwise });
            }
            match open.last() {
                Some(&outer) if !outer.braced => {
                    open.pop();
                    frame = outer;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Parses a statement that contains no other statement. `rule` is the index where the statements of the
    /// innermost `if` begin.
    fn statement(&mut self, outermost: bool, rule: usize) -> Res<()> {
        let span = self.at.span;
        match self.at.tok {
            Tok::Semicolon => self.at.advance().map(|_| ()),
            Tok::Return => self.returns(rule),
            Tok::Name => {
                let (name, span) = self.at.name("a statement")?;
                match self.at.tok {
                    Tok::Colon => self.label(name, span),
                    Tok::Assign => self.assign(name, span),
                    Tok::Open => self.call(name, span, outermost),
                    Tok::OpenBracket => {
                        let error = self.at.error(&codes::C_ARRAY_ASSIGN, span, "an element of an array is assigned");
                        Err(error
                            .label("not in the C subset")
                            .hint("arrays are constant; set a pointer to another array"))
                    }
                    _ => Err(self.at.unexpected("`=`, `(` or `:`")),
                }
            }
            Tok::Int if self.reads != Reads::Never && outermost => self.local(),
            Tok::Int | Tok::Const | Tok::Static => {
                let error = self.at.error(&codes::C_LOCAL, span, "a variable is declared in a function");
                Err(error.label("not in the C subset").hint("declare it outside the function"))
            }
            Tok::While | Tok::For => Err(self.a_loop(span)),
            Tok::OtherWord if matches!(self.at.slice(span), "do" | "goto") => Err(self.a_loop(span)),
            Tok::Star => {
                let error = self.at.error(&codes::C_ARRAY_ASSIGN, span, "an assignment through a pointer");
                Err(error.label("not in the C subset"))
            }
            Tok::Not | Tok::Number | Tok::Open => self.assertion(None),
            _ => Err(self.at.unexpected("a statement or `}`")),
        }
    }

    fn a_loop(&self, span: Span) -> Box<Error> {
        let error = self.at.error(&codes::C_LOOP, span, "a loop outside `main`");
        error.label("not in the C subset").hint("the only loop is that of `main`, which reads inputs for ever")
    }

    fn assign(&mut self, name: &'a str, span: Span) -> Res<()> {
        self.at.advance()?;
        let symbol = if self.parameter == Some(name) { Some(Symbol::Input) } else { self.names.get(name) };
        let stmt = match symbol {
            None => return Err(self.unknown(name, span)),
            Some(Symbol::Scalar(var, _)) => Stmt::Assign(var, self.expression()?),
            Some(Symbol::Pointer(var)) => {
                let target = self.target()?;
                self.pointers.set(var, target);
                let value = match target {
                    Target::Array(array) => self.node(Operand::Constant(number(array))),
                    Target::Pointer(from) => self.program.expr(Expr::Var(from)),
                };
                Stmt::Assign(var, value)
            }
            Some(Symbol::Input) if self.at.tok == Tok::Name && self.reads != Reads::Never => return self.nondet(),
            Some(other) => {
                let what = match other {
                    Symbol::Input => "the input",
                    Symbol::Constant(_) => "a constant",
                    Symbol::Array(..) => "an array as a whole",
                    _ => "a function",
                };
                let message = format!("`{}` is {what} and cannot be assigned", printable(name));
                return Err(self.at.error(&codes::C_TYPE, span, message).label("not a variable"));
            }
        };
        self.stmts.push(stmt);
        self.at.expect(Tok::Semicolon, "an operator or `;`")?;
        Ok(())
    }

    fn returns(&mut self, rule: usize) -> Res<()> {
        let span = self.at.advance()?;
        if self.reads != Reads::Never {
            // `return` in `main` ends the run: there is no further call.
            if self.at.tok != Tok::Semicolon {
                self.constant()?;
            }
            self.stmts.extend([Stmt::Invalid, Stmt::End]);
        } else if self.at.tok == Tok::Semicolon {
            self.stmts.push(Stmt::End);
        } else if !self.returns {
            let error = self.at.error(&codes::C_TYPE, span, "a `void` function returns a number");
            return Err(error.label("expected `return;`"));
        } else if let Some(name) = self.function_here() {
            let span = self.at.advance()?;
            let function = self.callee(name, span)?;
            if !function.returns {
                let error = self.at.error(&codes::C_TYPE, span, "this function returns no number");
                return Err(error.label("`void`"));
            }
            let id = self.function_id(name, function, span);
            self.argument(name, span)?;
            self.stmts.push(Stmt::ReturnCall(id));
        } else {
            let value = match self.operand()? {
                // A rule that assigns a variable and then returns -2 has fired. The solutions of the challenge
                // count such a call as one without output (2012, problem 10). Only a call that has assigned
                // nothing is invalid.
                value if value.number() == Some(INVALID) && self.has_assigned(rule) => Operand::Constant(SILENT),
                value => value,
            };
            let value = self.node(value);
            self.stmts.push(Stmt::Return(value));
        }
        self.at.expect(Tok::Semicolon, "an operator or `;`")?;
        Ok(())
    }

    /// True if an assignment stands among the statements from `rule` on, after the last `return` among them.
    fn has_assigned(&self, rule: usize) -> bool {
        let stmts = self.stmts.get(rule..).unwrap_or_default();
        let reached =
            stmts.iter().rev().take_while(|stmt| !matches!(stmt, Stmt::Return(_) | Stmt::End | Stmt::ReturnCall(_)));
        reached.into_iter().any(|stmt| matches!(stmt, Stmt::Assign(..)))
    }

    /// Returns the current token if it is the name of a function, or a name that is not declared yet.
    fn function_here(&self) -> Option<&'a str> {
        let name = Some(self.at.slice(self.at.span))
            .filter(|name| self.at.tok == Tok::Name && self.parameter != Some(name))?;
        matches!(self.names.get(name), None | Some(Symbol::Function(_))).then_some(name)
    }

    /// Emits the statements `otherwise`, to be executed if the operand is 0.
    pub(super) fn demand(&mut self, operand: Operand, otherwise: &[Stmt]) {
        match operand.number() {
            Some(0) => self.stmts.extend_from_slice(otherwise),
            Some(_) => {}
            None => {
                let not = self.unary(Unary::Not, operand);
                let condition = self.node(not);
                let body = self.program.block(otherwise);
                let arms = self.program.arms(&[Arm { condition, body }]);
                self.stmts.push(Stmt::If { arms, otherwise: Block::default() });
            }
        }
    }
}
