//! Recogniser for `main`, which is not executed. Either `main` reads an input and calls the entry function with
//! it in an endless loop, or (in programs that a partial evaluator wrote) the loop contains the whole program.

use super::lex::{Heading, Tok};
use super::parse::{Entry, Parser, Reads};
use super::symbols::{Function, Symbol};
use super::text::Res;
use formats::codes;
use formats::error::{Error, Span};

impl<'a> Parser<'a> {
    /// Parses `main` from its `{` on.
    pub(super) fn main(&mut self, name: &'a str, place: Span) -> Res<()> {
        if self.entry.is_some() {
            return Err(self.twice(name, place));
        }
        if self.defined == 0 && self.errors.any() {
            // The function that `main` calls may be in the part with the error.
            return self.skip_block();
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
        // The number of blocks that are open when the entry function is called.
        let (mut accepted, mut open) = (None, 1);
        loop {
            match self.at.tok {
                Tok::Semicolon => {
                    self.at.advance()?;
                }
                Tok::Int => self.local()?,
                Tok::If => {
                    self.at.advance()?;
                    self.at.expect(Tok::Open, "`(`")?;
                    if self.scanned.is_some_and(|name| name == self.at.slice(self.at.span)) {
                        open += usize::from(self.end_of_inputs()?);
                    } else {
                        accepted = Some(self.filter()?);
                    }
                }
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
                    return self.report(open);
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
                if self.at.tok == Tok::Name {
                    return self.nondet();
                }
                // The value before the input is read.
                self.constant()?;
            }
        } else {
            if self.names.get(name).is_some() {
                return Err(self.twice(name, span));
            }
            self.locals.push(name);
            if self.scan_result(name)? {
                return Ok(());
            }
            self.scalar(name, false, Heading::Outputs)?;
        }
        self.at.expect(Tok::Semicolon, "`;`")?;
        Ok(())
    }

    /// Parses `= scanf("%d", &input);` behind the declaration of a variable. Returns false if something else stands
    /// there.
    fn scan_result(&mut self, name: &'a str) -> Res<bool> {
        let ahead = self.at.text.text[self.at.behind..].trim_start().strip_prefix('=').map(str::trim_start);
        if !ahead.is_some_and(|text| text.starts_with("scanf")) || self.reads != Reads::NotYet {
            return Ok(false);
        }
        self.at.expect(Tok::Assign, "`=`")?;
        self.at.advance()?;
        self.scanf()?;
        self.scanned = Some(name);
        Ok(true)
    }

    /// Parses the test of the result of `scanf` from this result on: `ret != 1) return 0;`, or
    /// `ret == EOF) exit(0); else`. The program ends with its inputs. Returns true if the call stands in a block.
    fn end_of_inputs(&mut self) -> Res<bool> {
        self.at.advance()?;
        let (operator, place) = (self.at.tok, self.at.span);
        self.at.advance()?;
        let number = match self.at.slice(self.at.span) {
            "EOF" => self.at.advance().map(|_| -1)?,
            _ => self.constant()?,
        };
        // One number was read. The test must fail.
        let ends = match operator {
            Tok::Ne => number == 1,
            Tok::Eq => number != 1,
            Tok::Lt => number <= 1,
            Tok::Le => number < 1,
            _ => false,
        };
        if !ends {
            let error = self.at.error(&codes::C_MAIN, place, "a test of the result of `scanf`");
            return Err(error.label("expected that it ends the program: `if (ret != 1) return 0;`"));
        }
        self.at.expect(Tok::Close, "`)`")?;
        let braced = self.at.eat(Tok::OpenBrace)?;
        match self.at.slice(self.at.span) {
            "break" => self.at.advance().map(|_| ())?,
            "return" => {
                self.at.advance()?;
                self.constant()?;
            }
            "exit" => {
                self.at.advance()?;
                self.at.expect(Tok::Open, "`(`")?;
                self.at.skip_arguments()?;
            }
            _ => return Err(self.at.unexpected("`return 0;`, `exit(0);` or `break;`")),
        }
        self.at.expect(Tok::Semicolon, "`;`")?;
        if braced {
            self.at.expect(Tok::CloseBrace, "`}`")?;
        }
        Ok(self.at.eat(Tok::Else)? && self.at.eat(Tok::OpenBrace)?)
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

    /// Parses `if ((input != 1) && (input != 2)) return -2;` behind its first `(`, and returns the inputs that the
    /// condition accepts.
    fn filter(&mut self) -> Res<Vec<i32>> {
        if self.reads != Reads::Done {
            return Err(self.not_here());
        }
        let mut letters = Vec::new();
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
    /// the `}` of the loop. `open` is the number of open blocks.
    fn report(&mut self, mut open: usize) -> Res<()> {
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
