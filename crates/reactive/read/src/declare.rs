//! Parser for the top level: variables, arrays, pointers, prototypes and functions.

use super::calls::{is_builtin, parameters};
use super::lex::{Heading, Tok};
use super::parse::Parser;
use super::pointers::{NOWHERE, Target};
use super::symbols::{Function, Symbol};
use super::text::Res;
use formats::codes;
use formats::error::{Error, Span, printable};
use model::reactive::Expr;
use model::{ArrayId, VarId};

/// The largest length of an array.
const LENGTH: i32 = 1 << 20;

impl<'a> Parser<'a> {
    /// Parses a declaration or a function.
    pub(super) fn item(&mut self) -> Res<()> {
        if self.at.tok == Tok::Extern {
            return self.external();
        }
        let mut constant = false;
        while matches!(self.at.tok, Tok::Static | Tok::Const) {
            constant |= self.at.tok == Tok::Const;
            self.at.advance()?;
        }
        match self.at.tok {
            Tok::Semicolon => self.at.advance().map(|_| ()),
            Tok::Void => {
                self.at.advance()?;
                let (name, span) = self.at.name("the name of a function")?;
                self.at.expect(Tok::Open, "`(`")?;
                self.function(name, span, false)
            }
            Tok::Int => {
                self.at.advance()?;
                constant |= self.at.eat(Tok::Const)?;
                self.declarators(constant)
            }
            _ => Err(self.at.unexpected("a declaration that begins with `int`, `void` or `extern`")),
        }
    }

    /// Parses an `extern` declaration. Only names of functions are stored.
    fn external(&mut self) -> Res<()> {
        self.at.advance()?;
        let returns = self.at.tok != Tok::Void;
        let mut last = None;
        let mut depth = 0usize;
        // The function with the parameter list that is being read: its name, its place, the number of commas so
        // far, and true if the list is not empty.
        let mut open: Option<(&'a str, Span, usize, bool)> = None;
        let mut is_void = false;
        while self.at.tok != Tok::Semicolon || depth > 0 {
            match self.at.tok {
                Tok::Eof | Tok::OpenBrace | Tok::CloseBrace => return Err(self.at.unexpected("`;`")),
                Tok::Open => {
                    if let (0, Some((name, place))) = (depth, last.take()) {
                        open = Some((name, place, 0, false));
                    }
                    depth += 1;
                }
                Tok::Close => {
                    depth = depth.saturating_sub(1);
                    if let (0, Some((name, place, commas, any))) = (depth, open.take_if(|_| depth == 0)) {
                        let params = if is_void { Some(0) } else { any.then_some(commas + 1) };
                        self.prototype(name, returns, params, place)?;
                    }
                }
                tok => {
                    if let Some((.., commas, any)) = &mut open {
                        is_void = tok == Tok::Void && !*any;
                        *commas += usize::from(tok == Tok::Comma && depth == 1);
                        *any = true;
                    }
                }
            }
            last = (self.at.tok == Tok::Name).then(|| (self.at.slice(self.at.span), self.at.span));
            self.at.advance()?;
        }
        self.at.advance()?;
        Ok(())
    }

    fn prototype(&mut self, name: &'a str, returns: bool, params: Option<usize>, place: Span) -> Res<()> {
        match self.names.get(name) {
            _ if is_builtin(name) || name == "__attribute__" => Ok(()),
            None => {
                self.names.set(name, Symbol::Function(Function { id: None, returns, params, is_defined: false }));
                Ok(())
            }
            Some(Symbol::Function(function)) if function.returns == returns => {
                if let (Some(before), Some(now)) = (function.params, params)
                    && before != now
                    && !function.is_defined
                {
                    return Err(self.other_parameters(name, before, now, place));
                }
                let params = function.params.or(params);
                self.names.set(name, Symbol::Function(Function { params, ..function }));
                Ok(())
            }
            Some(_) => Err(self.twice(name, place)),
        }
    }

    /// Makes the error for a function with another number of parameters than in its declaration.
    pub(super) fn other_parameters(&self, name: &str, before: usize, now: usize, place: Span) -> Box<Error> {
        let message =
            format!("`{}` was declared with {} and has {} here", printable(name), parameters(before), parameters(now));
        self.at.error(&codes::C_TYPE, place, message).label("not as declared")
    }

    /// Parses the declarators after `int`.
    fn declarators(&mut self, constant: bool) -> Res<()> {
        loop {
            let is_pointer = self.at.eat(Tok::Star)?;
            let heading = self.at.heading();
            let (name, span) = self.at.name("a name")?;
            if !is_pointer && self.at.eat(Tok::Open)? {
                return self.function(name, span, true);
            }
            if name == "input" && self.at.tok == Tok::Semicolon {
                self.names.set(name, Symbol::Input);
            } else if self.names.get(name).is_some() {
                return Err(self.twice(name, span));
            } else if is_pointer {
                self.pointer(name)?;
            } else if self.at.eat(Tok::OpenBracket)? {
                self.array(name)?;
            } else {
                self.scalar(name, constant, heading)?;
            }
            if !self.at.eat(Tok::Comma)? {
                break;
            }
        }
        self.at.expect(Tok::Semicolon, "`;`")?;
        Ok(())
    }

    /// Parses a variable after its name. With `const` it becomes a constant.
    pub(super) fn scalar(&mut self, name: &'a str, constant: bool, heading: Heading) -> Res<()> {
        let value = if self.at.eat(Tok::Assign)? { self.constant()? } else { 0 };
        if constant {
            self.names.set(name, Symbol::Constant(value));
            return Ok(());
        }
        let is_letter = name.len() == 1 || (name.len() == 6 && name.starts_with("input"));
        if is_letter && (heading == Heading::Inputs || (heading == Heading::None && name.len() == 6)) {
            self.headed.push(value);
        }
        let var = self.new_variable(name, value);
        let id = self.program.expr(Expr::Var(var));
        self.names.set(name, Symbol::Scalar(var, id));
        Ok(())
    }

    fn new_variable(&mut self, name: &str, value: i32) -> VarId {
        self.variables += 1;
        self.program.var(name, value)
    }

    fn pointer(&mut self, name: &'a str) -> Res<()> {
        let mut points_to = None;
        let target = match self.at.eat(Tok::Assign)? {
            true if self.at.tok == Tok::Number && self.at.slice(self.at.span) == "0" => {
                self.at.advance()?;
                NOWHERE
            }
            true => {
                let span = self.at.span;
                match self.target()? {
                    target @ Target::Array(array) => {
                        points_to = Some(target);
                        number(array)
                    }
                    Target::Pointer(_) => {
                        let error = self.at.error(&codes::C_CONSTANT, span, "this is not a constant");
                        return Err(error.label("expected the name of an array"));
                    }
                }
            }
            false => NOWHERE,
        };
        let var = self.new_variable(name, target);
        self.pointers.declare(var, points_to);
        self.names.set(name, Symbol::Pointer(var));
        Ok(())
    }

    /// Parses a value for a pointer: `a`, `&x` or `p`.
    pub(super) fn target(&mut self) -> Res<Target> {
        let is_address = self.at.eat(Tok::Ampersand)?;
        let (name, span) = self.at.name("the name of an array")?;
        match (is_address, self.names.get(name)) {
            (true, Some(Symbol::Scalar(var, _))) => Ok(Target::Array(self.program.address(var))),
            (false, Some(Symbol::Array(array, ..))) => Ok(Target::Array(array)),
            (false, Some(Symbol::Pointer(var))) => Ok(Target::Pointer(var)),
            (_, None) => Err(self.unknown(name, span)),
            (_, Some(_)) => {
                let message = format!("a pointer cannot be set to `{}`", printable(name));
                Err(self.at.error(&codes::C_TYPE, span, message).label("expected an array, `&x` or a pointer"))
            }
        }
    }

    /// Parses an array after its `[`.
    fn array(&mut self, name: &'a str) -> Res<()> {
        let span = self.at.span;
        let length = if self.at.tok == Tok::CloseBracket { None } else { Some(self.constant()?) };
        self.at.expect(Tok::CloseBracket, "`]`")?;
        let mut elements = Vec::new();
        if self.at.eat(Tok::Assign)? {
            self.at.expect(Tok::OpenBrace, "`{`")?;
            while self.at.tok != Tok::CloseBrace {
                elements.push(self.constant()?);
                if !self.at.eat(Tok::Comma)? {
                    break;
                }
            }
            self.at.expect(Tok::CloseBrace, "`}`")?;
        } else if length.is_none() {
            return Err(self.at.unexpected("`=`"));
        }
        let length = length.unwrap_or_else(|| i32::try_from(elements.len()).unwrap_or(i32::MAX));
        let Some(length) = usize::try_from(length).ok().filter(|&l| length <= LENGTH && elements.len() <= l) else {
            return Err(self.length(span));
        };
        elements.resize(length, 0);
        if name == "inputs" {
            self.listed = Some(elements.clone());
        }
        let id = self.program.array(name, &elements);
        let first = VarId::new(self.variables);
        self.variables += length;
        self.names.set(name, Symbol::Array(id, first, u32::try_from(length).unwrap_or(0)));
        Ok(())
    }

    fn length(&self, span: Span) -> Box<Error> {
        let message = "this is not a valid length for the array";
        self.at
            .error(&codes::C_INDEX, span, message)
            .label(format!("expected at least the number of elements, and at most {LENGTH}"))
    }

    /// Parses a prototype or function after its `(`.
    fn function(&mut self, name: &'a str, place: Span, returns: bool) -> Res<()> {
        if is_builtin(name) || name == "main" {
            self.at.skip_arguments()?;
            return match self.at.tok {
                Tok::OpenBrace if name == "main" => self.main(name, place),
                Tok::OpenBrace => self.skip_block(),
                _ => self.at.expect(Tok::Semicolon, "`;` or `{`").map(|_| ()),
            };
        }
        let mut parameter = None;
        let mut params = None;
        match self.at.tok {
            Tok::Void => {
                self.at.advance()?;
                params = Some(0);
            }
            Tok::Int => {
                self.at.advance()?;
                params = Some(1);
                if self.at.tok == Tok::Name {
                    parameter = Some(self.at.name("a name")?.0);
                }
            }
            _ => {}
        }
        if self.at.tok != Tok::Close {
            let error = self.at.unexpected("`)`");
            return Err(error.hint("a function has no parameter, or one for the input: `(int input)`"));
        }
        self.at.advance()?;
        if self.at.eat(Tok::OpenBrace)? {
            return self.define(name, returns, params, parameter, place);
        }
        self.prototype(name, returns, params, place)?;
        self.at.expect(Tok::Semicolon, "`;` or `{`")?;
        Ok(())
    }

    /// Skips `{ .. }`: the body of a built-in function, or of `main`.
    pub(super) fn skip_block(&mut self) -> Res<()> {
        let mut depth = 0usize;
        loop {
            match self.at.tok {
                Tok::OpenBrace => depth += 1,
                Tok::CloseBrace => depth -= 1,
                Tok::Eof => return Err(self.at.unexpected("`}`")),
                _ => {}
            }
            self.at.advance()?;
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// Returns the number that represents an array as the value of a pointer.
pub(super) fn number(array: ArrayId) -> i32 {
    i32::try_from(array.0).unwrap_or(NOWHERE)
}
