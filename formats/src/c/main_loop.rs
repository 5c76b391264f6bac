//! Recogniser for `main`, which is not executed. Either `main` reads an input and calls the entry function with
//! it in an endless loop, or (in programs that a partial evaluator wrote) the loop contains the whole program.

use super::lex::{Heading, Tok};
use super::parse::{Entry, Parser, Reads};
use super::symbols::{Function, Symbol};
use super::text::Res;
use crate::codes;
use crate::error::{Error, Span};

impl<'a> Parser<'a> {
    /// Parses `main` from its `{` on.
    pub(super) fn main(&mut self, name: &'a str, place: Span) -> Res<()> {
        if self.entry.is_some() {
            return Err(self.twice(name, place));
        }
        self.at.advance()?;
        self.reads = Reads::NotYet;
        while self.at.tok == Tok::Int {
            self.local()?;
        }
        self.forever()?;
        if self.defined == 0 {
            self.whole_program(name, place)?;
        } else {
            self.reading_loop()?;
        }
        if self.at.eat(Tok::Return)? {
            self.constant()?;
            self.at.expect(Tok::Semicolon, "`;`")?;
        }
        self.reads = Reads::Never;
        self.at.expect(Tok::CloseBrace, "`}`")?;
        Ok(())
    }

    /// Parses `while (1) {` or `for (;;) {`.
    fn forever(&mut self) -> Res<()> {
        match self.at.tok {
            Tok::While => {
                self.at.advance()?;
                self.at.expect(Tok::Open, "`(`")?;
                let span = self.at.span;
                if self.constant()? == 0 {
                    return Err(self.at.error(&codes::C_MAIN, span, "the loop never runs").label("expected `1`"));
                }
            }
            Tok::For => {
                self.at.advance()?;
                self.at.expect(Tok::Open, "`(`")?;
                self.at.expect(Tok::Semicolon, "`;`")?;
                self.at.expect(Tok::Semicolon, "`;`")?;
            }
            _ => return Err(self.not_here()),
        }
        self.at.expect(Tok::Close, "`)`")?;
        self.at.expect(Tok::OpenBrace, "`{`")?;
        Ok(())
    }

    fn not_here(&self) -> Box<Error> {
        let error = self.at.error(
            &codes::C_MAIN,
            self.at.span,
            "`main` does something other than read an input and call a function",
        );
        error
            .label("unexpected in `main`")
            .hint("expected `while (1) { int input; scanf(\"%d\", &input); calculate_output(input); }`")
    }

    /// Parses a loop that contains the whole program.
    fn whole_program(&mut self, name: &'a str, place: Span) -> Res<()> {
        let function = Function { id: None, returns: false, params: Some(0), is_defined: true };
        let id = self.function_id(name, function, place);
        (self.function, self.returns, self.parameter) = (Some(id), false, None);
        let body = self.body()?;
        self.program.define(id, body);
        self.function = None;
        self.entry = Some(Entry { name, place, accepted: None });
        Ok(())
    }

    /// Parses a loop that reads an input and calls the entry function. After the call it may only test and print
    /// the output.
    fn reading_loop(&mut self) -> Res<()> {
        let mut accepted = None;
        loop {
            match self.at.tok {
                Tok::Semicolon => {
                    self.at.advance()?;
                }
                Tok::Int => self.local()?,
                Tok::If => accepted = Some(self.filter()?),
                Tok::Name => {
                    let (mut name, mut span) = self.at.name("a call")?;
                    if name == "scanf" && self.reads == Reads::NotYet {
                        self.scanf()?;
                        continue;
                    }
                    if self.at.eat(Tok::Assign)? {
                        if matches!(self.names.get(name), Some(Symbol::Input)) {
                            self.nondet()?;
                            continue;
                        }
                        if self.at.tok != Tok::Name {
                            return Err(self.not_here());
                        }
                        (name, span) = self.at.name("a call")?;
                    }
                    if !matches!(self.names.get(name), Some(Symbol::Function(_))) || self.reads != Reads::Done {
                        return Err(self.not_here());
                    }
                    self.argument(name, span)?;
                    self.at.expect(Tok::Semicolon, "`;`")?;
                    self.entry = Some(Entry { name, place: span, accepted });
                    return self.report();
                }
                _ => return Err(self.not_here()),
            }
        }
    }

    /// Parses a local variable of `main`: the input or the output.
    pub(super) fn local(&mut self) -> Res<()> {
        self.at.advance()?;
        let (name, span) = self.at.name("a name")?;
        if name == "input" {
            self.names.set(name, Symbol::Input);
            if self.at.eat(Tok::Assign)? {
                return self.nondet();
            }
        } else {
            if self.names.get(name).is_some() {
                return Err(self.twice(name, span));
            }
            self.locals.push(name);
            self.scalar(name, false, Heading::Outputs)?;
        }
        self.at.expect(Tok::Semicolon, "`;`")?;
        Ok(())
    }

    /// Parses `__VERIFIER_nondet_int();`, which reads the input.
    pub(super) fn nondet(&mut self) -> Res<()> {
        if self.at.slice(self.at.span) != "__VERIFIER_nondet_int" || self.reads != Reads::NotYet {
            return Err(self.at.unexpected("`__VERIFIER_nondet_int()`, once"));
        }
        self.at.advance()?;
        self.at.expect(Tok::Open, "`(`")?;
        self.at.expect(Tok::Close, "`)`")?;
        self.reads = Reads::Done;
        self.at.expect(Tok::Semicolon, "`;`")?;
        Ok(())
    }

    /// Parses `scanf("%d", &input);` after its name. The call reads the input.
    pub(super) fn scanf(&mut self) -> Res<()> {
        self.at.expect(Tok::Open, "`(`")?;
        let format = self.at.expect(Tok::Text, "a text")?;
        if !matches!(self.at.slice(format), "\"%d\"" | "\" %d\"" | "\"%i\"") {
            let error = self.at.error(&codes::C_MAIN, format, "something other than a number is read");
            return Err(error.label("expected \"%d\""));
        }
        self.at.expect(Tok::Comma, "`,`")?;
        self.at.expect(Tok::Ampersand, "`&`")?;
        let (name, span) = self.at.name("the input")?;
        if self.locals.contains(&name) {
            self.names.set(name, Symbol::Input);
        } else if !matches!(self.names.get(name), Some(Symbol::Input)) {
            return Err(self.at.error(&codes::C_MAIN, span, "this is not the input").label("expected `input`"));
        }
        self.at.expect(Tok::Close, "`)`")?;
        self.at.expect(Tok::Semicolon, "`;`")?;
        self.reads = Reads::Done;
        Ok(())
    }

    /// Parses `if ((input != 1) && (input != 2)) return -2;` and returns the inputs that the condition accepts.
    fn filter(&mut self) -> Res<Vec<i32>> {
        if self.reads != Reads::Done {
            return Err(self.not_here());
        }
        self.at.advance()?;
        let mut letters = Vec::new();
        self.at.expect(Tok::Open, "`(`")?;
        let mut open = 1usize;
        while open > 0 {
            while self.at.eat(Tok::Open)? {
                open += 1;
            }
            if !matches!(self.names.get(self.at.slice(self.at.span)), Some(Symbol::Input)) {
                return Err(self.not_here());
            }
            self.at.advance()?;
            self.at.expect(Tok::Ne, "`!=`")?;
            let minus = self.at.eat(Tok::Minus)?;
            let number = self.at.expect(Tok::Number, "a number")?;
            let letter = self.number(number)?.number().unwrap_or(i32::MIN);
            letters.push(if minus { -letter } else { letter });
            while open > 0 && self.at.eat(Tok::Close)? {
                open -= 1;
            }
            if open > 0 {
                self.at.expect(Tok::And, "`&&` or `)`")?;
            }
        }
        let braced = self.at.eat(Tok::OpenBrace)?;
        if self.at.eat(Tok::Return)? {
            self.constant()?;
        } else if self.at.slice(self.at.span) == "__VERIFIER_assume" {
            self.at.advance()?;
            self.at.expect(Tok::Open, "`(`")?;
            let span = self.at.span;
            if self.constant()? != 0 {
                return Err(self
                    .at
                    .error(&codes::C_MAIN, span, "this assumption excludes nothing")
                    .label("expected 0"));
            }
            self.at.expect(Tok::Close, "`)`")?;
        } else {
            return Err(self.not_here());
        }
        self.at.expect(Tok::Semicolon, "`;`")?;
        if braced {
            self.at.expect(Tok::CloseBrace, "`}`")?;
        }
        Ok(letters)
    }

    /// Skips what `main` does with the output: it may test and print it. Consumes everything up to and including
    /// the `}` of the loop.
    fn report(&mut self) -> Res<()> {
        let mut open = 1usize;
        while open > 0 {
            match self.at.tok {
                Tok::OpenBrace => open += 1,
                Tok::CloseBrace => open -= 1,
                Tok::If | Tok::Else | Tok::Open | Tok::Close | Tok::Eq | Tok::Ne | Tok::Minus | Tok::Number => {}
                Tok::Text | Tok::Comma | Tok::Semicolon => {}
                Tok::Name => {
                    let name = self.at.slice(self.at.span);
                    let reports = matches!(name, "printf" | "fprintf" | "fflush" | "stderr" | "stdout");
                    if !reports && !matches!(self.names.get(name), Some(Symbol::Scalar(..) | Symbol::Input)) {
                        return Err(self.not_here());
                    }
                }
                _ => return Err(self.not_here()),
            }
            self.at.advance()?;
        }
        Ok(())
    }
}
