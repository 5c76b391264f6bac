//! Parser from tokens to the tree of [`super::ast`]: one token of lookahead, one function per rule of the
//! grammar.
//!
//! The functions recurse on the nesting of the text, up to `Limits::nesting`. After an error in an element of a
//! list, the parser records the error and continues with the next element: see [`super::recover`].

use super::ast::{For, If, Item, List, Member, Name, Span, Var, Word};
use super::hints;
use super::lex::{Lexer, Tok};
pub(super) use super::parser::{Parser, Res};
use super::recover::{Element, Level};
use formats::error::{Error, Text, printable};
use formats::errors::Errors;
use formats::source::Limits;
use formats::{codes, suggest};
use model::Goal;
use std::collections::HashSet;

/// The result of parsing a file.
pub(super) struct Parsed<'a> {
    /// The version of the format: 1 or 2.
    pub(super) version: u8,
    pub(super) items: List<'a, Item<'a>>,
    /// The errors so far.
    pub(super) errors: Errors,
    /// Names that parts with errors may declare.
    pub(super) doubtful: HashSet<&'a str>,
    /// True if the `}` of a `for` or `when` over items is missing. Items in it may then belong outside.
    pub(super) is_misnested: bool,
}

/// Parses a file, and returns its items and errors.
///
/// # Errors
/// An error that ends parsing: see [`Errors::note`].
pub(super) fn parse<'a>(source: Text<'a>, limits: &'a Limits) -> Res<Parsed<'a>> {
    let mut parser = Parser {
        source,
        limits,
        lexer: Lexer::new(source, limits),
        tok: Tok::Eof,
        span: 0..0,
        before: 0,
        depth: 0,
        errors: Errors::default(),
        doubtful: HashSet::new(),
        open: Vec::new(),
        missing: None,
        suspect: None,
        unclosed_at: None,
        unmarked: 0,
        is_misnested: false,
    };
    let items = parser.file();
    let Parser { errors, doubtful, is_misnested, lexer: Lexer { version, .. }, .. } = parser;
    match items {
        Ok(items) => Ok(Parsed { version, items, errors, doubtful, is_misnested }),
        Err(error) => errors.finish(Err(error)),
    }
}

impl<'a> Parser<'a> {
    fn file(&mut self) -> Res<List<'a, Item<'a>>> {
        self.advance()?;
        self.header()?;
        self.list(Tok::Eof)
    }

    /// Moves to the next token. Invalid words and characters are recorded as errors and skipped.
    pub(super) fn advance(&mut self) -> Res<()> {
        match self.tok {
            Tok::Open => self.open.push(self.span.start),
            Tok::Close => {
                self.open.pop();
            }
            _ => {}
        }
        self.before = self.span.end;
        self.lexer.has_skipped = false;
        loop {
            match self.lexer.next() {
                Ok((Tok::BadNumber, span)) => {
                    let error = self.lexer.bad_number(span.clone());
                    self.doubtful.insert(&self.source.text[span.clone()]);
                    (self.tok, self.span) = (Tok::Name, span.clone());
                    return self.note(error, span.start);
                }
                Ok((tok, span)) => {
                    (self.tok, self.span) = (tok, span);
                    return Ok(());
                }
                Err(error) => self.note(error, self.before)?,
            }
        }
    }

    /// True if the text is of version 2.
    pub(super) fn is_second(&self) -> bool {
        self.lexer.version == 2
    }

    /// Returns the first value in version 1, and the second one in version 2.
    pub(super) fn of<T>(&self, first: T, second: T) -> T {
        if self.is_second() { second } else { first }
    }

    /// Returns the end of the previous token.
    pub(super) fn end(&self) -> Span {
        Span::new(0..self.before)
    }

    pub(super) fn text(&self) -> &'a str {
        &self.source.text[self.span.clone()]
    }

    pub(super) fn eat(&mut self, tok: Tok) -> Res<bool> {
        let found = self.tok == tok;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, tok: Tok, expected: &str) -> Res<()> {
        if self.eat(tok)? { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Makes the error that `expected` should stand in place of the current token, with a hint if a similar word
    /// was probably meant.
    pub(super) fn unexpected(&self, expected: &str) -> Box<Error> {
        if self.is_quiet() {
            return Error::following();
        }
        let found = match self.tok {
            Tok::Eof => "the end of the file".to_owned(),
            tok if tok.is_word() => format!("the reserved word `{}`", self.text()),
            _ => format!("`{}`", printable(self.text())),
        };
        let error = self
            .source
            .error(&codes::RWB_SYNTAX, self.span.clone(), format!("expected {expected}, found {found}"))
            .label("unexpected here");
        if self.is_second() && self.tok == Tok::Assign && expected == "`{`" {
            return error.hint("values are compared by `==`; `=` assigns");
        }
        if self.tok != Tok::Name && !self.is_second() {
            return error;
        }
        if let Some(hint) = hints::of(self.lexer.version, self.text(), &self.source.text[self.span.end..]) {
            return error.hint(hint);
        }
        // Another letter is no misspelling.
        if self.tok != Tok::Name || (self.is_second() && self.span.len() == 1) {
            return error;
        }
        // Only expected words are suggested. They stand in backquotes.
        let words = expected.split('`').skip(1).step_by(2).filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()));
        suggest::hinted(error, self.text(), words, "")
    }

    /// Runs `inner` one level of nesting deeper.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth == self.limits.nesting {
            let message = format!("blocks or brackets are nested more than {} deep", self.limits.nesting);
            let error = self.source.error(&codes::LIMIT_NESTING, self.span.clone(), message);
            return Err(error.label("one level too deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn header(&mut self) -> Res<()> {
        if self.tok == Tok::Eof && !self.errors.any() {
            let error = self.source.error(&codes::INPUT_EMPTY, self.span.clone(), "the file is empty");
            return Err(error.label("expected `rwb 1`").hint("a program begins with the line `rwb 1`"));
        }
        if self.tok != Tok::Rwb {
            let message = format!("expected `rwb 1`, found `{}`", printable(self.text()));
            let error = self.source.error(&codes::RWB_HEADER, self.span.clone(), message);
            let error = error.label("not a behavioral program").hint("a program begins with the line `rwb 1`");
            let is_item = matches!(self.tok, Tok::Const | Tok::Event | Tok::Set | Tok::Check | Tok::Thread);
            // A text that begins like a program probably is one, so parsing continues.
            return if is_item { self.note(error, self.span.start) } else { Err(error) };
        }
        self.advance()?;
        self.lexer.version = match (self.tok, self.text()) {
            (Tok::Number, "1") => 1,
            (Tok::Number, "2") => 2,
            (_, version) => {
                let message = format!("version `{}` of the format is unknown", printable(version));
                let error = self.source.error(&codes::RWB_VERSION, self.span.clone(), message);
                return Err(error.label("expected `1` or `2`"));
            }
        };
        self.advance()
    }

    pub(super) fn for_of<T: Element<'a>>(&mut self) -> Res<For<'a, T>> {
        self.advance()?;
        let variable = self.word("the name of a loop variable")?;
        if matches!(self.tok, Tok::Assign | Tok::OpenParen) {
            return Err(self.unexpected("`in`").hint("as in `for i in 0..3 { .. }`"));
        }
        self.expect(Tok::In, "`in`")?;
        Ok(For { variable, range: self.range()?, body: self.block()? })
    }

    pub(super) fn if_of<T: Element<'a>>(&mut self) -> Res<If<'a, T>> {
        self.advance()?;
        let (condition, then) = (self.expr()?, self.block()?);
        let otherwise = match () {
            () if !self.eat(Tok::Else)? => Vec::new(),
            () if self.tok == Tok::If => vec![self.nested(Self::node)?],
            () => self.block()?,
        };
        Ok(If { condition, then, otherwise })
    }

    fn goals(&mut self) -> Res<Vec<(Goal, Span)>> {
        let mut goals = Vec::new();
        loop {
            let goal = match self.tok {
                Tok::Deadlock => Goal::Deadlock,
                Tok::Bad => Goal::Bad,
                _ => return Err(self.unexpected("`deadlock` or `bad`")),
            };
            goals.push((goal, Span::new(self.span.clone())));
            self.advance()?;
            if !self.eat(Tok::Comma)? {
                return Ok(goals);
            }
        }
    }

    pub(super) fn names(&mut self, separator: Tok, what: &str) -> Res<Vec<Name<'a>>> {
        let mut names = vec![self.name(what)?];
        while self.eat(separator)? {
            names.push(self.name(what)?);
        }
        names.shrink_to_fit();
        Ok(names)
    }

    pub(super) fn word(&mut self, what: &str) -> Res<Word<'a>> {
        if self.tok != Tok::Name {
            let error = self.unexpected(what);
            return Err(if self.tok.is_word() { error.hint("reserved words are no names") } else { error });
        }
        let word = Word { text: self.text(), span: Span::new(self.span.clone()) };
        self.advance()?;
        Ok(word)
    }

    pub(super) fn name(&mut self, what: &str) -> Res<Name<'a>> {
        let base = self.word(what)?;
        let mut indices = Vec::new();
        while self.eat(Tok::OpenIndex)? {
            indices.push(self.nested(Self::expr)?);
            self.expect(Tok::CloseIndex, "`]`")?;
        }
        Ok(Name { base, indices: indices.into_boxed_slice(), span: base.span.to(self.end()) })
    }
}

impl<'a> Element<'a> for Item<'a> {
    const LEVEL: Level = Level::Item;

    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        let (keyword, text) = (p.tok, p.text());
        if !Level::Item.begins(keyword, text) || (p.is_second() && matches!(keyword, Tok::Name | Tok::When)) {
            let error = p.unexpected(p.of(
                "`const`, `event`, `set`, `check`, `thread`, `class`, `assume`, `for` or `when`",
                "`const`, `enum`, `event`, `environment`, `set`, `check`, `thread`, `for` or `if`",
            ));
            return Err(p.misplaced(Level::Item, error));
        }
        p.advance()?;
        Ok(match keyword {
            Tok::Name if text == "assume" => Item::Assume(p.assume()?),
            Tok::Name => Item::Class(p.class()?),
            Tok::Const => {
                let name = p.word("the name of a constant")?;
                p.expect(Tok::Assign, "`=`")?;
                if p.tok == Tok::Star && p.is_second() {
                    return Err(p.unexpected("a number").hint("a number that is left open is a matter of version 1"));
                }
                if p.eat(Tok::Star)? { Item::Any(name) } else { Item::Const(name, p.expr()?) }
            }
            Tok::Enum => Item::Enum(p.word("the name of an enum")?, p.values()?),
            Tok::Environment => {
                if !p.eat(Tok::Event)? {
                    let error = p.unexpected("`event`");
                    return Err(error.hint("what comes from outside is an event: `environment event e`"));
                }
                Item::Events(p.event_list(true)?)
            }
            Tok::Event => Item::Events(p.event_list(false)?),
            Tok::Set => {
                let name = p.word("the name of an event set")?;
                p.expect(Tok::Assign, "`=`")?;
                Item::Set(name, p.events()?)
            }
            Tok::Check => Item::Check(p.goals()?),
            _ => Item::Thread(p.name("the name of a thread")?, p.block()?),
        })
    }
}

impl<'a> Element<'a> for Member<'a> {
    const LEVEL: Level = Level::Member;

    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        let start = Span::new(p.span.clone());
        if p.eat(Tok::Var)? {
            let (name, kind) = (p.name("the name of a variable")?, p.typed()?);
            let initial = if p.eat(Tok::Assign)? { Some(p.value()?) } else { None };
            Ok(Member::Var(Box::new(Var { name, kind, initial })))
        } else if p.eat(Tok::Init)? {
            Ok(Member::Init(p.names(Tok::Bar, "the name of a state")?))
        } else if p.eat(Tok::State)? {
            Ok(Member::State(p.name("the name of a state")?, p.block()?))
        } else if p.eat(Tok::Body)? {
            Ok(Member::Body(start, p.block()?))
        } else {
            Err(p.outside_of_body()?)
        }
    }
}
