//! Parser from tokens to the tree of [`super::ast`]: one token of lookahead, one function per rule of the
//! grammar.
//!
//! The functions recurse on the nesting of the text, up to `Limits::nesting`. After an error in an element of a
//! list, the parser records the error and continues with the next element: see [`super::recover`].

use super::ast::{EventAtom, Events, For, Item, List, Member, Name, Node, Selector, Span, Stmt, When, Word};
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
        is_misnested: false,
    };
    let items = parser.file();
    let Parser { errors, doubtful, is_misnested, .. } = parser;
    match items {
        Ok(items) => Ok(Parsed { items, errors, doubtful, is_misnested }),
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
            tok if tok.is_word(self.text()) => format!("the reserved word `{}`", self.text()),
            _ => format!("`{}`", printable(self.text())),
        };
        let error = self
            .source
            .error(&codes::RWB_SYNTAX, self.span.clone(), format!("expected {expected}, found {found}"))
            .label("unexpected here");
        if self.tok != Tok::Name {
            return error;
        }
        if let Some(hint) = hints::of(self.text(), &self.source.text[self.span.end..]) {
            return error.hint(hint);
        }
        // Only expected words are suggested. They stand in backquotes.
        let words = expected.split('`').skip(1).step_by(2).filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()));
        match suggest::nearest(self.text(), words) {
            Some(word) => error.hint(format!("did you mean `{word}`?")),
            None => error,
        }
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
        if self.tok != Tok::Number || self.text() != "1" {
            let message = format!("version `{}` of the format is unknown", printable(self.text()));
            let error = self.source.error(&codes::RWB_VERSION, self.span.clone(), message);
            return Err(error.label("expected `1` or `2`"));
        }
        self.advance()
    }

    pub(super) fn for_of<T: Element<'a>>(&mut self) -> Res<For<'a, Node<'a, T>>> {
        self.advance()?;
        let var = self.word("the name of a loop variable")?;
        if matches!(self.tok, Tok::Assign | Tok::OpenParen) {
            return Err(self.unexpected("`in`").hint("as in `for i in 0..3 { .. }`"));
        }
        self.expect(Tok::In, "`in`")?;
        let from = self.expr()?;
        self.expect(Tok::Dots, "`..`")?;
        let to = self.expr()?;
        Ok(For { var, from, to, body: self.block()? })
    }

    pub(super) fn when_of<T: Element<'a>>(&mut self) -> Res<When<'a, Node<'a, T>>> {
        self.advance()?;
        let condition = self.expr()?;
        let then = self.block()?;
        let otherwise = if self.eat(Tok::Else)? { self.block()? } else { Vec::new() };
        Ok(When { condition, then, otherwise })
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
            return Err(if self.tok.is_word(self.text()) { error.hint("reserved words are no names") } else { error });
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
        let span = Span { end: Span::new(0..self.before).end, ..base.span };
        Ok(Name { base, indices: indices.into_boxed_slice(), span })
    }

    pub(super) fn events(&mut self) -> Res<Events<'a>> {
        let start = Span::new(self.span.clone());
        let mut parts = Vec::new();
        loop {
            let mut atoms = vec![self.event_atom()?];
            while self.eat(Tok::Minus)? {
                atoms.push(self.event_atom()?);
            }
            parts.push(atoms.into_boxed_slice());
            if !self.eat(Tok::Comma)? {
                break;
            }
        }
        Ok(Events { parts: parts.into_boxed_slice(), span: Span { end: Span::new(0..self.before).end, ..start } })
    }

    fn event_atom(&mut self) -> Res<EventAtom<'a>> {
        match self.tok {
            Tok::Star => self.advance().map(|()| EventAtom::All),
            Tok::None => self.advance().map(|()| EventAtom::None),
            Tok::Open => {
                self.advance()?;
                let events = self.nested(Self::events)?;
                self.expect(Tok::Close, "`,`, `-` or `}`")?;
                Ok(EventAtom::Group(events))
            }
            Tok::OpenParen => {
                let error = self.unexpected("an event, an event set, `*`, `none` or `{`");
                Err(error.hint("events are listed without parentheses: `request a, b`; braces group: `{a, b} - c`"))
            }
            _ => {
                let base = self.word("an event, an event set, `*`, `none` or `{`")?;
                let mut selectors = Vec::new();
                while self.eat(Tok::OpenIndex)? {
                    selectors.push(self.nested(Self::selector)?);
                    self.expect(Tok::CloseIndex, "`]`")?;
                }
                let span = Span { end: Span::new(0..self.before).end, ..base.span };
                Ok(EventAtom::Named { base, selectors: selectors.into_boxed_slice(), span })
            }
        }
    }

    /// True if the current token is the word `final`. The word has a meaning only where no name can stand, and
    /// is a name elsewhere.
    pub(super) fn at_final(&self) -> bool {
        self.tok == Tok::Name && self.text() == "final"
    }

    fn selector(&mut self) -> Res<Selector<'a>> {
        if self.eat(Tok::Star)? {
            return Ok(Selector::All);
        }
        let from = self.expr()?;
        Ok(if self.eat(Tok::Dots)? { Selector::Range(from, self.expr()?) } else { Selector::One(from) })
    }
}

impl<'a> Element<'a> for Item<'a> {
    const LEVEL: Level = Level::Item;

    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        let (keyword, text) = (p.tok, p.text());
        if !Level::Item.begins(keyword, text) {
            let error = p.unexpected("`const`, `event`, `set`, `check`, `thread`, `class`, `assume`, `for` or `when`");
            return Err(p.misplaced(Level::Item, error));
        }
        p.advance()?;
        match keyword {
            Tok::Name if text == "assume" => Ok(Item::Assume(p.assume()?)),
            Tok::Name => Ok(Item::Class(p.class()?)),
            Tok::Const => {
                let name = p.word("the name of a constant")?;
                p.expect(Tok::Assign, "`=`")?;
                Ok(if p.eat(Tok::Star)? { Item::Any(name) } else { Item::Const(name, p.expr()?) })
            }
            Tok::Event => {
                let names = p.names(Tok::Comma, "the name of an event")?;
                let is_in_line = !p.source.text[p.before..p.span.start].contains('\n');
                if p.tok == Tok::Name && is_in_line && !Level::Item.begins(p.tok, p.text()) {
                    return Err(p.unexpected("`,` or the next item").hint("names are separated by `,`"));
                }
                Ok(Item::Event(names))
            }
            Tok::Set => {
                let name = p.word("the name of an event set")?;
                p.expect(Tok::Assign, "`=`")?;
                Ok(Item::Set(name, p.events()?))
            }
            Tok::Check => Ok(Item::Check(p.goals()?)),
            _ => Ok(Item::Thread(p.name("the name of a thread")?, p.block()?)),
        }
    }
}

impl<'a> Element<'a> for Member<'a> {
    const LEVEL: Level = Level::Member;

    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        let start = Span::new(p.span.clone());
        if p.eat(Tok::Init)? {
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

impl<'a> Element<'a> for Stmt<'a> {
    const LEVEL: Level = Level::Stmt;

    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        if p.eat(Tok::Request)? {
            Ok(Stmt::Request(p.events()?))
        } else if p.eat(Tok::Block)? {
            Ok(Stmt::Block(p.events()?))
        } else if p.eat(Tok::On)? {
            let events = p.events()?;
            p.expect(Tok::Arrow, "`->`")?;
            Ok(Stmt::On(events, p.names(Tok::Bar, "the name of a state")?))
        } else if p.eat(Tok::Bad)? {
            Ok(Stmt::Bad)
        } else if p.at_final() {
            p.advance()?;
            Ok(Stmt::Final)
        } else if p.tok == Tok::Name && p.text() == "priority" {
            p.advance()?;
            Ok(Stmt::Priority(p.expr()?))
        } else {
            let error = p.unexpected("`request`, `block`, `on`, `priority`, `bad`, `final`, `for`, `when` or `}`");
            Err(p.misplaced(Level::Stmt, error))
        }
    }
}
