//! Parser for labels and calls, both of functions of the program and of built-in functions.

use super::lex::Tok;
use super::operand::Operand;
use super::parse::{Parser, Reads};
use super::symbols::{Function, Symbol};
use super::text::Res;
use formats::codes;
use formats::error::{Error, Span, printable};
use model::reactive::Stmt;

/// Built-in functions. If the program defines one of them, its body is skipped.
const BUILTIN: &[&str] = &[
    "assert",
    "__assert_fail",
    "__VERIFIER_error",
    "__VERIFIER_assume",
    "__VERIFIER_nondet_int",
    "reach_error",
    "abort",
    "exit",
    "printf",
    "fprintf",
    "fflush",
    "scanf",
];

/// True if the name is that of a built-in function.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTIN.contains(&name)
}

/// Writes a number of parameters in words.
pub(super) fn parameters(count: usize) -> String {
    match count {
        0 => "no parameter".to_owned(),
        1 => "one parameter".to_owned(),
        n => format!("{n} parameters"),
    }
}

impl<'a> Parser<'a> {
    /// Parses a label and the statement after it. The label `error_N` is the error with number N; other labels
    /// are no goals.
    pub(super) fn label(&mut self, name: &'a str, span: Span) -> Res<()> {
        self.at.advance()?;
        let number = match name.strip_prefix("error_").filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
            Some(digits) => Some(self.label_number(digits.parse().ok(), span)?),
            None => None,
        };
        // SV-COMP writes `error_7: {reach_error();abort();}`.
        let is_braced = self.at.eat(Tok::OpenBrace)?;
        match self.at.tok {
            Tok::Name => {
                let (callee, _) = self.at.name("an assertion")?;
                if self.at.tok == Tok::Open && is_builtin(callee) {
                    self.builtin(callee, span, number)?;
                    return if is_braced { self.rest_of_error() } else { Ok(()) };
                }
            }
            _ if is_braced => {}
            Tok::Not | Tok::Number | Tok::Open => return self.assertion(number),
            _ => {}
        }
        let error = self.at.error(&codes::C_LABEL, span, "the label does not mark an assertion");
        Err(error.label("expected `assert(0);` after it").hint("labels are for errors: `error_7: assert(0);`"))
    }

    /// Parses what stands behind the call that stops the program, up to the `}` of its block: further such calls.
    fn rest_of_error(&mut self) -> Res<()> {
        while !self.at.eat(Tok::CloseBrace)? {
            if self.at.eat(Tok::Semicolon)? {
                continue;
            }
            if !matches!(self.at.slice(self.at.span), "abort" | "exit" | "__assert_fail" | "reach_error") {
                return Err(self.at.unexpected("`abort();` or `}`"));
            }
            self.at.advance()?;
            self.at.expect(Tok::Open, "`(`")?;
            self.at.skip_arguments()?;
            self.at.expect(Tok::Semicolon, "`;`")?;
        }
        Ok(())
    }

    fn label_number(&self, number: Option<u32>, span: Span) -> Res<u32> {
        number.ok_or_else(|| {
            let error = self.at.error(&codes::C_LABEL, span, "this is not the number of an error");
            error.label("expected at most 4294967295")
        })
    }

    /// Returns the statement that stops the program: the error with this number, or a crash.
    fn stop(&mut self, number: Option<u32>) -> Stmt {
        match number {
            Some(number) => Stmt::Error(self.program.error(number)),
            None => Stmt::Crash,
        }
    }

    /// Parses `e ? (void)0 : __assert_fail(..);`, which the preprocessor makes of `assert(e);`.
    pub(super) fn assertion(&mut self, number: Option<u32>) -> Res<()> {
        let condition = self.operand()?;
        self.at.expect(Tok::Question, "`?`")?;
        while matches!(self.at.tok, Tok::Open | Tok::Void | Tok::Close | Tok::Number) {
            self.at.advance()?;
        }
        self.at.expect(Tok::Colon, "`:`")?;
        if self.at.slice(self.at.span) != "__assert_fail" {
            return Err(self.at.unexpected("`__assert_fail`"));
        }
        self.at.advance()?;
        self.at.expect(Tok::Open, "`(`")?;
        self.at.skip_arguments()?;
        let stop = self.stop(number);
        self.demand(condition, &[stop]);
        self.at.expect(Tok::Semicolon, "`;`")?;
        Ok(())
    }

    /// Parses a call after the name of the function.
    pub(super) fn call(&mut self, name: &'a str, span: Span, outermost: bool) -> Res<()> {
        match name {
            "scanf" if self.reads == Reads::NotYet && outermost => return self.scanf(),
            "scanf" | "__VERIFIER_nondet_int" => {
                let error = self.at.error(&codes::C_READS_INPUT, span, "a second input is read within one call");
                return Err(error
                    .label("not in the C subset")
                    .hint("only `main` reads an input, once before each call"));
            }
            _ if is_builtin(name) => return self.builtin(name, span, None),
            _ => {}
        }
        let function = self.callee(name, span)?;
        let id = self.function_id(name, function, span);
        self.argument(name, span)?;
        self.stmts.push(Stmt::Call(id));
        self.at.expect(Tok::Semicolon, "`;`")?;
        Ok(())
    }

    /// Returns the function called `name`. A name before `(` that was never declared becomes a function that
    /// returns an `int`, as in C89.
    pub(super) fn callee(&mut self, name: &'a str, span: Span) -> Res<Function> {
        match self.names.get(name) {
            Some(Symbol::Function(function)) => Ok(function),
            None if self.at.tok == Tok::Open => {
                let function = Function { id: None, returns: true, params: None, is_defined: false };
                self.names.set(name, Symbol::Function(function));
                Ok(function)
            }
            None => Err(self.unknown(name, span)),
            Some(_) => {
                let message = format!("`{}` is not a function", printable(name));
                Err(self.at.error(&codes::C_TYPE, span, message).label("cannot be called"))
            }
        }
    }

    /// Parses the arguments of a call of `callee`: `(input)` or `()`.
    pub(super) fn argument(&mut self, callee: &'a str, place: Span) -> Res<()> {
        self.at.expect(Tok::Open, "`(`")?;
        let given = usize::from(self.at.tok != Tok::Close);
        if self.at.tok == Tok::Name {
            let name = self.at.slice(self.at.span);
            let is_input = self.parameter == Some(name) || matches!(self.names.get(name), Some(Symbol::Input));
            if !is_input {
                let error =
                    self.at.error(&codes::C_ARGUMENT, self.at.span, "something other than the input is passed on");
                return Err(error.label("expected the input"));
            }
            self.at.advance()?;
        } else if self.at.tok != Tok::Close {
            let error = self.at.error(&codes::C_ARGUMENT, self.at.span, "something other than the input is passed on");
            return Err(error.label("expected the input or nothing"));
        }
        if self.at.tok == Tok::Comma {
            let error = self.at.error(&codes::C_ARGUMENT, self.at.span, "more than the input is passed on");
            return Err(error.label("expected `)`"));
        }
        self.at.expect(Tok::Close, "`)`")?;
        let Some(Symbol::Function(function)) = self.names.get(callee) else { return Ok(()) };
        match (function.params, function.id) {
            (Some(params), _) if params != given => Err(self.argument_count(callee, params, place)),
            (None, Some(id)) if given == 0 && !function.is_defined => {
                self.known[id.index()].bare.get_or_insert(place);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Makes the error for a call with the wrong number of arguments.
    pub(super) fn argument_count(&self, callee: &str, params: usize, place: Span) -> Box<Error> {
        let message = format!("`{}` has {}", printable(callee), parameters(params));
        let label = if params == 0 { "expected no argument" } else { "expected the input as its argument" };
        self.at.error(&codes::C_ARGUMENT, place, message).label(label)
    }

    /// Parses the arguments of a call of a built-in function, from its `(` on.
    fn builtin(&mut self, name: &'a str, span: Span, number: Option<u32>) -> Res<()> {
        self.at.expect(Tok::Open, "`(`")?;
        match name {
            "assert" => {
                let condition = self.operand()?;
                self.at.expect(Tok::Close, "an operator or `)`")?;
                let stop = self.stop(number);
                self.demand(condition, &[stop]);
            }
            "__VERIFIER_error" | "reach_error" => {
                let argument = if self.at.tok == Tok::Close { None } else { Some(self.constant()?) };
                let number = match (number, argument) {
                    (Some(number), _) => number,
                    (None, None) => 0,
                    (None, Some(argument)) => self.label_number(u32::try_from(argument).ok(), span)?,
                };
                self.at.expect(Tok::Close, "`)`")?;
                let stop = self.stop(Some(number));
                self.stmts.push(stop);
            }
            "__assert_fail" | "abort" | "exit" => {
                self.at.skip_arguments()?;
                let stop = self.stop(number);
                self.stmts.push(stop);
            }
            "__VERIFIER_assume" => {
                let condition = self.operand()?;
                self.at.expect(Tok::Close, "an operator or `)`")?;
                self.assumes.extend(self.function.map(|function| (function, span)));
                let end = match self.returns {
                    true => Stmt::Return(self.node(Operand::Constant(-2))),
                    false => Stmt::End,
                };
                self.demand(condition, &[Stmt::Invalid, end]);
            }
            "printf" => self.printf()?,
            "fprintf" => {
                let is_message = self.at.slice(self.at.span) == "stderr";
                if !is_message {
                    return Err(self.at.unexpected("`stderr`"));
                }
                self.at.skip_arguments()?;
                self.stmts.push(Stmt::Invalid);
            }
            "fflush" => self.at.skip_arguments()?,
            _ => {
                let error = self.at.error(&codes::C_READS_INPUT, span, "an input is read here");
                return Err(error.label("not in the C subset"));
            }
        }
        self.at.expect(Tok::Semicolon, "`;`")?;
        Ok(())
    }

    /// Parses the arguments of `printf("%d\n", e)` after the `(`.
    fn printf(&mut self) -> Res<()> {
        let span = self.at.expect(Tok::Text, "a text")?;
        if !matches!(self.at.slice(span), "\"%d\\n\"" | "\"%d\"" | "\"%i\\n\"") {
            let error = self.at.error(&codes::C_PRINTS, span, "only single numbers can be printed");
            return Err(error.label("expected \"%d\\n\""));
        }
        self.at.expect(Tok::Comma, "`,`")?;
        let value = self.expression()?;
        self.at.expect(Tok::Close, "an operator or `)`")?;
        self.first_print.get_or_insert(span);
        self.stmts.push(Stmt::Print(value));
        Ok(())
    }
}
