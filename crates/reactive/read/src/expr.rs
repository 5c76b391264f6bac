//! Parser for expressions: operator precedence with two stacks (Dijkstra's shunting yard), so that ten million
//! parentheses need only memory on the heap. Operations on two numbers are evaluated while parsing.
//!
//! The program's IR has array elements at fixed indices only. An element `a[e]` at a computed index becomes the
//! sum `(e == 0) * a[0] + ..`. A check that the index is inside the array stands before the expression
//! (`undefined.rs`).

use super::lex::Tok;
use super::operand::{Operand, Waiting};
use super::parse::Parser;
use super::symbols::Symbol;
use super::text::Res;
use formats::codes;
use formats::error::{Error, Span, printable};
use model::reactive::{Binary, Expr, Unary};
use model::{ExprId, VarId};

/// The largest length of an array with a computed index, and the largest number of nodes for all such indices
/// together.
const COMPUTED_LENGTH: u32 = 256;
const COMPUTED_NODES: usize = 50_000_000;

/// Returns how tightly an operator binds its operands; larger numbers bind tighter.
fn tightness(op: Binary) -> u8 {
    match op {
        Binary::Or => 1,
        Binary::And => 2,
        Binary::Eq | Binary::Ne => 3,
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => 4,
        Binary::Add | Binary::Sub => 5,
        Binary::Mul | Binary::Div | Binary::Rem => 6,
    }
}

fn binary(tok: Tok) -> Option<Binary> {
    Some(match tok {
        Tok::Plus => Binary::Add,
        Tok::Minus => Binary::Sub,
        Tok::Star => Binary::Mul,
        Tok::Slash => Binary::Div,
        Tok::Percent => Binary::Rem,
        Tok::Eq => Binary::Eq,
        Tok::Ne => Binary::Ne,
        Tok::Lt => Binary::Lt,
        Tok::Le => Binary::Le,
        Tok::Gt => Binary::Gt,
        Tok::Ge => Binary::Ge,
        Tok::And => Binary::And,
        Tok::Or => Binary::Or,
        _ => return None,
    })
}

/// Returns the result of an operation on numbers with wrapping, as the compiler computes it, or `None` where the
/// program would crash.
fn fold(op: Binary, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div | Binary::Rem if b == 0 => return None,
        Binary::Div => a.wrapping_div(b),
        Binary::Rem => a.wrapping_rem(b),
        Binary::Eq => i32::from(a == b),
        Binary::Ne => i32::from(a != b),
        Binary::Lt => i32::from(a < b),
        Binary::Le => i32::from(a <= b),
        Binary::Gt => i32::from(a > b),
        Binary::Ge => i32::from(a >= b),
        Binary::And => i32::from(a != 0 && b != 0),
        Binary::Or => i32::from(a != 0 || b != 0),
    })
}

impl<'a> Parser<'a> {
    /// Returns the node of an operand.
    pub(super) fn node(&mut self, operand: Operand) -> ExprId {
        match operand {
            Operand::Node(id) => id,
            number => {
                let value = number.number().unwrap_or(i32::MIN);
                let program = &mut self.program;
                *self.constants.entry(value).or_insert_with(|| program.expr(Expr::Const(value)))
            }
        }
    }

    /// Parses an expression and returns its node.
    pub(super) fn expression(&mut self) -> Res<ExprId> {
        let operand = self.operand()?;
        Ok(self.node(operand))
    }

    /// Parses a number, or an expression of numbers, and returns its value.
    pub(super) fn constant(&mut self) -> Res<i32> {
        let span = self.at.span;
        match self.operand()?.number() {
            Some(value) => Ok(value),
            None => Err(self.at.error(&codes::C_CONSTANT, span, "this is not a constant").label("expected a number")),
        }
    }

    /// Parses an expression, and emits the check that it needs before the current statement.
    pub(super) fn operand(&mut self) -> Res<Operand> {
        let operand = self.unchecked()?;
        self.check_before(operand);
        Ok(operand)
    }

    /// Parses an expression up to the first token that cannot continue it. Emits no check.
    pub(super) fn unchecked(&mut self) -> Res<Operand> {
        debug_assert!(self.operands.is_empty() && self.waiting.is_empty());
        let span = self.at.span;
        self.expression_from = self.program.expr_count();
        let result = self.operators();
        self.waiting.clear();
        result?;
        self.limit_hazards(span)?;
        let operand = self.operands.pop().unwrap_or(Operand::Constant(0));
        if operand == Operand::Beyond {
            return Err(self.too_long(span));
        }
        Ok(operand)
    }

    /// Returns the number of nodes of the current expression so far.
    pub(super) fn expression_nodes(&self) -> usize {
        self.program.expr_count() - self.expression_from
    }

    /// Makes the error for arithmetic on a number of type `long`.
    fn too_long(&self, span: Span) -> Box<Error> {
        let error = self.at.error(&codes::C_NUMBER, span, "2147483648 is of type `long` in C");
        let error = error.label("arithmetic with 64 bits");
        error.hint("the smallest number is written `-2147483647 - 1`; `-2147483648` may be compared and assigned")
    }

    fn operators(&mut self) -> Res<()> {
        let mut brackets = 0usize;
        loop {
            brackets += self.begin()?;
            loop {
                match self.at.tok {
                    Tok::Close | Tok::CloseBracket if brackets > 0 => {
                        self.close()?;
                        brackets -= 1;
                    }
                    tok => match binary(tok) {
                        Some(op) => {
                            self.reduce(tightness(op))?;
                            self.waiting.push(Waiting::Binary(op));
                            self.at.advance()?;
                            break;
                        }
                        None if brackets > 0 => return Err(self.unclosed()),
                        None => return self.reduce(0),
                    },
                }
            }
        }
    }

    /// Parses the signs and brackets before an operand, and the operand. Returns the number of brackets that
    /// were opened.
    fn begin(&mut self) -> Res<usize> {
        let mut brackets = 0;
        loop {
            let span = self.at.span;
            match self.at.tok {
                Tok::Open => {
                    self.waiting.push(Waiting::Parenthesis(span));
                    brackets += 1;
                }
                Tok::Not => self.waiting.push(Waiting::Unary(Unary::Not)),
                Tok::Minus => self.waiting.push(Waiting::Unary(Unary::Neg)),
                Tok::Plus => {}
                Tok::Number => {
                    let value = self.number(span)?;
                    self.at.advance()?;
                    self.operands.push(value);
                    return Ok(brackets);
                }
                Tok::Name => {
                    let (name, span) = self.at.name("a name")?;
                    match self.read(name, span)? {
                        Some(operand) => {
                            self.operands.push(operand);
                            return Ok(brackets);
                        }
                        None => {
                            brackets += 1;
                            continue;
                        }
                    }
                }
                Tok::Star => {
                    self.at.advance()?;
                    let (name, span) = self.at.name("a pointer")?;
                    let Some(Symbol::Pointer(pointer)) = self.names.get(name) else {
                        return Err(self
                            .at
                            .error(&codes::C_TYPE, span, "this is not a pointer")
                            .label("not a pointer"));
                    };
                    let operand = self.behind(pointer, 0, span);
                    self.operands.push(operand);
                    return Ok(brackets);
                }
                _ => return Err(self.at.unexpected("an expression")),
            }
            self.at.advance()?;
        }
    }

    /// Returns the value of a number. 2147483648 is accepted only after `-`.
    pub(super) fn number(&mut self, span: Span) -> Res<Operand> {
        let text = self.at.slice(span);
        let (digits, radix) = match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&text[2..], 16),
            [b'0', _, ..] => (&text[1..], 8),
            _ => (text, 10),
        };
        let value = u32::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
        let is_negated = matches!(self.waiting.last(), Some(Waiting::Unary(Unary::Neg)));
        if value == Some(1 << 31) && radix == 10 && is_negated {
            return Ok(Operand::Beyond);
        }
        match value.and_then(|v| i32::try_from(v).ok()) {
            Some(value) => Ok(Operand::Constant(value)),
            None => {
                let message = format!("`{}` is not a number of 32 bits", printable(text));
                Err(self.at.error(&codes::C_NUMBER, span, message).label("expected at most 2147483647"))
            }
        }
    }

    /// Returns the operand for a name that was just consumed, or `None` if the name was followed by `[`.
    fn read(&mut self, name: &'a str, span: Span) -> Res<Option<Operand>> {
        if self.parameter == Some(name) {
            return self.input(span).map(Some);
        }
        let symbol = self.names.get(name).ok_or_else(|| self.unknown(name, span))?;
        if self.at.tok == Tok::OpenBracket && matches!(symbol, Symbol::Array(..) | Symbol::Pointer(_)) {
            self.at.advance()?;
            self.waiting.push(Waiting::Index(symbol, span));
            return Ok(None);
        }
        let wrong = match symbol {
            Symbol::Scalar(_, id) => return Ok(Some(Operand::Node(id))),
            Symbol::Constant(value) => return Ok(Some(Operand::Named(value))),
            Symbol::Input => return self.input(span).map(Some),
            Symbol::Array(..) | Symbol::Pointer(_) => "an array or a pointer is not a number: expected `[`",
            Symbol::Function(_) => "a call cannot be part of an expression",
        };
        Err(self.at.error(&codes::C_TYPE, span, wrong).label("not a number"))
    }

    fn input(&mut self, span: Span) -> Res<Operand> {
        if self.reads == super::parse::Reads::NotYet {
            let error = self.at.error(&codes::C_READS_INPUT, span, "the input is used before it is read");
            return Err(error.label("expected `scanf(\"%d\", &input);` before this"));
        }
        let program = &mut self.program;
        Ok(Operand::Node(*self.input.get_or_insert_with(|| program.expr(Expr::Input))))
    }

    fn unclosed(&self) -> Box<Error> {
        let open = self.waiting.iter().rev().find_map(|w| match w {
            Waiting::Parenthesis(span) => Some((span, "`)`")),
            Waiting::Index(_, span) => Some((span, "`]`")),
            _ => None,
        });
        match open {
            Some((span, sign)) => {
                let line = self.at.text.line(span.range().start);
                self.at.unexpected(sign).hint(format!("the bracket to close is in line {line}"))
            }
            None => self.at.unexpected("an operator"),
        }
    }

    /// Closes the innermost bracket with the current token, `)` or `]`.
    fn close(&mut self) -> Res<()> {
        self.reduce(0)?;
        match (self.waiting.pop(), self.at.tok) {
            (Some(Waiting::Parenthesis(_)), Tok::Close) => {}
            (Some(Waiting::Index(symbol, span)), Tok::CloseBracket) => {
                let index = self.operands.pop().unwrap_or(Operand::Constant(0));
                let element = self.element(symbol, index, span)?;
                self.operands.push(element);
            }
            (open, _) => {
                self.waiting.extend(open);
                return Err(self.unclosed());
            }
        }
        self.at.advance()?;
        Ok(())
    }

    /// Applies the waiting operators that bind at least as tightly as `least`.
    fn reduce(&mut self, least: u8) -> Res<()> {
        loop {
            let value = match self.waiting.last() {
                Some(&Waiting::Unary(op)) => {
                    let a = self.operands.pop().unwrap_or(Operand::Constant(0));
                    if op == Unary::Neg && a == Operand::Lowest {
                        return Err(self.too_long(self.at.span));
                    }
                    self.unary(op, a)
                }
                Some(&Waiting::Binary(op)) if tightness(op) >= least => {
                    let b = self.operands.pop().unwrap_or(Operand::Constant(0));
                    let a = self.operands.pop().unwrap_or(Operand::Constant(0));
                    let reckons = tightness(op) >= tightness(Binary::Add);
                    if reckons && (a == Operand::Lowest || b == Operand::Lowest) {
                        return Err(self.too_long(self.at.span));
                    }
                    self.apply(op, a, b)
                }
                _ => return Ok(()),
            };
            self.operands.push(value);
            self.waiting.pop();
        }
    }

    pub(super) fn unary(&mut self, op: Unary, a: Operand) -> Operand {
        let value = |a: i32| if op == Unary::Neg { a.wrapping_neg() } else { i32::from(a == 0) };
        match a {
            Operand::Constant(a) => Operand::Constant(value(a)),
            Operand::Named(a) => Operand::Named(value(a)),
            Operand::Beyond => Operand::Lowest,
            Operand::Lowest => Operand::Constant(value(i32::MIN)),
            Operand::Node(a) => {
                let node = self.program.expr(Expr::Unary(op, a));
                self.note_unary(node, a);
                Operand::Node(node)
            }
        }
    }

    fn apply(&mut self, op: Binary, a: Operand, b: Operand) -> Operand {
        let is_known = |operand| matches!(operand, Operand::Constant(_) | Operand::Lowest);
        if let (Some(x), Some(y)) = (a.number(), b.number()) {
            // The smallest number divided by -1 traps in the processor. Only a compiler that sees the literal -1
            // avoids the division.
            let is_refused = x == i32::MIN && y == -1 && !is_known(b) && matches!(op, Binary::Div | Binary::Rem);
            if let Some(value) = fold(op, x, y).filter(|_| !is_refused) {
                return if is_known(a) && is_known(b) { Operand::Constant(value) } else { Operand::Named(value) };
            }
        }
        let (node, number) = if let Operand::Node(_) = a { (a, b.number()) } else { (b, a.number()) };
        if let (Operand::Node(node), Some(value)) = (node, number)
            && matches!(op, Binary::Eq | Binary::Ne)
            && Some(node) == self.input
        {
            self.compared.insert(value);
        }
        if b == Operand::Constant(-1) {
            // For a literal divisor -1, gcc negates for `/` and yields 0 for `%`, without a division.
            match op {
                Binary::Div => return self.unary(Unary::Neg, a),
                Binary::Rem => return self.nothing_of(a),
                _ => {}
            }
        }
        let (left, right) = (self.node(a), self.node(b));
        let node = self.program.expr(Expr::Binary(op, left, right));
        self.note_binary(node, op, a, b);
        Operand::Node(node)
    }

    /// Returns 0, as a product of `a` and 0, which keeps the hazard of `a` (see `undefined.rs`). The compiler
    /// leaves out `a`, so the traps of `a` may not happen.
    fn nothing_of(&mut self, a: Operand) -> Operand {
        let zero = Operand::Constant(0);
        let Operand::Node(product) = self.apply(Binary::Mul, a, zero) else { return zero };
        self.drops(product);
        Operand::Node(product)
    }

    fn element(&mut self, symbol: Symbol, index: Operand, span: Span) -> Res<Operand> {
        match (symbol, index.number().ok_or(index)) {
            (Symbol::Array(_, first, len), Ok(index)) => match u32::try_from(index).ok().filter(|i| *i < len) {
                Some(index) => {
                    let var = VarId(first.0 + index);
                    Ok(Operand::Node(self.variable(var)))
                }
                None => {
                    let message = format!("an array of length {len} has no element {index}");
                    Err(self.at.error(&codes::C_INDEX, span, message).label("not in the array"))
                }
            },
            (Symbol::Pointer(pointer), Ok(index)) => match u32::try_from(index) {
                Ok(index) => Ok(self.behind(pointer, index, span)),
                Err(_) => Err(self.at.error(&codes::C_INDEX, span, "the index is negative").label("not in any array")),
            },
            (Symbol::Array(_, first, len), Err(Operand::Node(index))) => self.computed(first, len, index, span),
            _ => {
                let message = "the index of a pointer is computed";
                let error = self.at.error(&codes::C_COMPUTED_INDEX, span, message).label("expected a number as index");
                Err(error.hint("only an array under its own name may have a computed index"))
            }
        }
    }

    /// Returns the operand for `a[e]` with a computed index: the sum that the head of the module describes.
    fn computed(&mut self, first: VarId, len: u32, index: ExprId, span: Span) -> Res<Operand> {
        let refuse =
            |message: &str| Err(self.at.error(&codes::C_COMPUTED_INDEX, span, message).label("computed index"));
        if len > COMPUTED_LENGTH {
            return refuse(&format!("an array of more than {COMPUTED_LENGTH} elements has a computed index"));
        }
        if self.waiting.iter().any(|w| matches!(w, Waiting::Index(..))) {
            return refuse("a computed index stands inside a computed index");
        }
        self.computed += 3 * len as usize + 4;
        if self.computed > COMPUTED_NODES {
            return refuse("the program has too many computed indices");
        }
        if len == 0 {
            return refuse("an array without elements has a computed index");
        }
        let mut sum = None;
        for i in 0..len {
            let number = self.node(Operand::Constant(i32::try_from(i).unwrap_or(i32::MAX)));
            let here = self.program.expr(Expr::Binary(Binary::Eq, index, number));
            let element = self.variable(VarId(first.0 + i));
            let part = self.program.expr(Expr::Binary(Binary::Mul, here, element));
            sum = Some(sum.map_or(part, |sum| self.program.expr(Expr::Binary(Binary::Add, sum, part))));
        }
        let sum = sum.expect("there are elements");
        self.note_table(sum, index, len);
        Ok(Operand::Node(sum))
    }

    /// Returns the node that reads an element of an array.
    fn variable(&mut self, var: VarId) -> ExprId {
        let program = &mut self.program;
        *self.elements.entry(var).or_insert_with(|| program.expr(Expr::Var(var)))
    }

    /// Makes the error about a name that was never declared.
    pub(super) fn unknown(&self, name: &str, span: Span) -> Box<Error> {
        if self.doubtful.contains(name) {
            return Error::following();
        }
        let message = format!("`{}` is not declared", printable(name));
        let error = self.at.error(&codes::C_UNKNOWN, span, message).label("unknown name");
        match self.names.nearest(name) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("every name is declared before it is used"),
        }
    }
}
