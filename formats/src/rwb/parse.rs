//! From tokens to the tree of [`super::ast`]: one token of lookahead, one function per rule of the grammar.
//!
//! The functions call each other as deep as the text nests, and no deeper than `Limits::nesting`.

use super::ast::{
    Act, Branch, EventAtom, Events, For, Item, List, Member, Name, Node, Selector, Span, Stmt, When, Word,
};
use super::lex::{Lexer, Tok};
use crate::codes;
use crate::error::{Error, Text, printable};
use crate::source::Limits;
use crate::suggest;
use model::Goal;
use std::ops::Range;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// The items of a file.
pub(super) fn parse<'a>(source: Text<'a>, limits: &'a Limits) -> Res<List<'a, Item<'a>>> {
    let lexer = Lexer::new(source, limits);
    let mut parser = Parser { source, limits, lexer, tok: Tok::Eof, span: 0..0, before: 0, depth: 0 };
    parser.advance()?;
    parser.header()?;
    parser.list_until(Tok::Eof, Parser::item)
}

pub(super) struct Parser<'a> {
    pub(super) source: Text<'a>,
    pub(super) limits: &'a Limits,
    lexer: Lexer<'a>,
    pub(super) tok: Tok,
    pub(super) span: Range<usize>,
    /// End of the token before.
    pub(super) before: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn advance(&mut self) -> Res<()> {
        self.before = self.span.end;
        (self.tok, self.span) = self.lexer.next()?;
        Ok(())
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

    /// "expected this, found that", with the word that may have been meant.
    pub(super) fn unexpected(&self, expected: &str) -> Box<Error> {
        let found = match self.tok {
            Tok::Eof => "the end of the file".to_owned(),
            tok if tok.is_word(self.text()) => format!("the reserved word `{}`", self.text()),
            _ => format!("`{}`", printable(self.text())),
        };
        let error = self
            .source
            .error(&codes::RWB_SYNTAX, self.span.clone(), format!("expected {expected}, found {found}"))
            .label("unexpected here");
        // Only words that were expected are worth suggesting; they stand in backquotes.
        let words = expected.split('`').skip(1).step_by(2);
        match suggest::nearest(self.text(), words).filter(|_| self.tok == Tok::Name) {
            Some(word) => error.hint(format!("did you mean `{word}`?")),
            None => error,
        }
    }

    /// Runs `inner` one level deeper.
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
        if self.tok == Tok::Eof {
            let error = self.source.error(&codes::INPUT_EMPTY, self.span.clone(), "the file is empty");
            return Err(error.label("expected `rwb 1`").hint("a program begins with the line `rwb 1`"));
        }
        if self.tok != Tok::Rwb {
            let message = format!("expected `rwb 1`, found `{}`", printable(self.text()));
            let error = self.source.error(&codes::RWB_HEADER, self.span.clone(), message);
            return Err(error.label("not a behavioral program").hint("a program begins with the line `rwb 1`"));
        }
        self.advance()?;
        if self.tok != Tok::Number || self.text() != "1" {
            let message = format!("version `{}` of the format is unknown", printable(self.text()));
            let error = self.source.error(&codes::RWB_VERSION, self.span.clone(), message);
            return Err(error.label("expected `1`"));
        }
        self.advance()
    }

    /// Elements up to `end`, which is consumed; `for` and `when` may wrap them anywhere.
    fn list_until<T>(&mut self, end: Tok, one: fn(&mut Self) -> Res<T>) -> Res<List<'a, T>> {
        let mut list = Vec::new();
        loop {
            while self.eat(Tok::Semicolon)? {}
            if self.eat(end)? {
                return Ok(list);
            }
            list.push(match self.tok {
                Tok::For => Node::For(Box::new(self.nested(|p| p.for_of(one))?)),
                Tok::When => Node::When(Box::new(self.nested(|p| p.when_of(one))?)),
                _ => Node::Plain(one(self)?),
            });
        }
    }

    /// `{` elements `}`
    pub(super) fn block_of<T>(&mut self, one: fn(&mut Self) -> Res<T>) -> Res<List<'a, T>> {
        self.expect(Tok::Open, "`{`")?;
        self.nested(|p| p.list_until(Tok::Close, one))
    }

    fn for_of<T>(&mut self, one: fn(&mut Self) -> Res<T>) -> Res<For<'a, Node<'a, T>>> {
        self.advance()?;
        let var = self.word("the name of a loop variable")?;
        self.expect(Tok::In, "`in`")?;
        let from = self.expr()?;
        self.expect(Tok::Dots, "`..`")?;
        let to = self.expr()?;
        Ok(For { var, from, to, body: self.block_of(one)? })
    }

    fn when_of<T>(&mut self, one: fn(&mut Self) -> Res<T>) -> Res<When<'a, Node<'a, T>>> {
        self.advance()?;
        let condition = self.expr()?;
        let then = self.block_of(one)?;
        let otherwise = if self.eat(Tok::Else)? { self.block_of(one)? } else { Vec::new() };
        Ok(When { condition, then, otherwise })
    }

    fn item(&mut self) -> Res<Item<'a>> {
        let (keyword, text) = (self.tok, self.text());
        // Words of this place only: elsewhere they are names, as they were before these items joined the format.
        let own = keyword == Tok::Name && matches!(text, "assume" | "class");
        let known = own || matches!(keyword, Tok::Const | Tok::Event | Tok::Set | Tok::Check | Tok::Thread);
        if !known {
            let expected = "`const`, `event`, `set`, `check`, `thread`, `class`, `assume`, `for` or `when`";
            return Err(self.unexpected(expected));
        }
        self.advance()?;
        match keyword {
            Tok::Name if text == "assume" => Ok(Item::Assume(self.assume()?)),
            Tok::Name => Ok(Item::Class(self.class()?)),
            Tok::Const => {
                let name = self.word("the name of a constant")?;
                self.expect(Tok::Assign, "`=`")?;
                Ok(if self.eat(Tok::Star)? { Item::Any(name) } else { Item::Const(name, self.expr()?) })
            }
            Tok::Event => Ok(Item::Event(self.names(Tok::Comma, "the name of an event")?)),
            Tok::Set => {
                let name = self.word("the name of an event set")?;
                self.expect(Tok::Assign, "`=`")?;
                Ok(Item::Set(name, self.events()?))
            }
            Tok::Check => Ok(Item::Check(self.goals()?)),
            _ => Ok(Item::Thread(self.name("the name of a thread")?, self.block_of(Self::member)?)),
        }
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

    pub(super) fn member(&mut self) -> Res<Member<'a>> {
        let start = Span::new(self.span.clone());
        if self.eat(Tok::Init)? {
            Ok(Member::Init(self.names(Tok::Bar, "the name of a state")?))
        } else if self.eat(Tok::State)? {
            Ok(Member::State(self.name("the name of a state")?, self.block_of(Self::stmt)?))
        } else if self.eat(Tok::Body)? {
            Ok(Member::Body(start, self.block_of(Self::act)?))
        } else {
            Err(self.unexpected("`init`, `state`, `body`, `for`, `when` or `}`"))
        }
    }

    fn stmt(&mut self) -> Res<Stmt<'a>> {
        if self.eat(Tok::Request)? {
            Ok(Stmt::Request(self.events()?))
        } else if self.eat(Tok::Block)? {
            Ok(Stmt::Block(self.events()?))
        } else if self.eat(Tok::On)? {
            let events = self.events()?;
            self.expect(Tok::Arrow, "`->`")?;
            Ok(Stmt::On(events, self.names(Tok::Bar, "the name of a state")?))
        } else if self.eat(Tok::Bad)? {
            Ok(Stmt::Bad)
        } else if self.at_final() {
            self.advance()?;
            Ok(Stmt::Final)
        } else {
            Err(self.unexpected("`request`, `block`, `on`, `bad`, `final`, `for`, `when` or `}`"))
        }
    }

    /// Is the word `final` next? It means something where no name can stand, and is a name like any other elsewhere.
    fn at_final(&self) -> bool {
        self.tok == Tok::Name && self.text() == "final"
    }

    fn act(&mut self) -> Res<Act<'a>> {
        if self.at_final() {
            let start = Span::new(self.span.clone());
            self.advance()?;
            // Nothing that comes after an end is ever reached: a sync right behind it is the one that may be the last.
            return match self.tok {
                Tok::Sync | Tok::Request | Tok::Wait => self.sync(start, true),
                Tok::Select => self.select(start, true),
                _ => Ok(Act::Final(start)),
            };
        }
        let keyword = self.tok;
        let start = Span::new(self.span.clone());
        match keyword {
            Tok::Sync | Tok::Request | Tok::Wait => self.sync(start, false),
            Tok::Loop => {
                self.advance()?;
                Ok(Act::Loop(start, self.block_of(Self::act)?))
            }
            Tok::Repeat => {
                self.advance()?;
                Ok(Act::Repeat(self.expr()?, self.block_of(Self::act)?))
            }
            Tok::Choose => {
                self.advance()?;
                let mut ways = vec![self.block_of(Self::act)?];
                while self.eat(Tok::Or)? {
                    ways.push(self.block_of(Self::act)?);
                }
                Ok(Act::Choose(ways))
            }
            Tok::Select => self.select(start, false),
            Tok::Bad | Tok::End => {
                self.advance()?;
                Ok(if keyword == Tok::Bad { Act::Bad(start) } else { Act::End(start) })
            }
            _ => Err(self.unexpected(
                "`sync`, `request`, `wait`, `loop`, `repeat`, `choose`, `select`, `bad`, `end`, `final`, `for`, `when` or `}`",
            )),
        }
    }

    /// `sync` with its clauses in any order, or the short form: `request` or `wait`, then perhaps `block`.
    fn sync(&mut self, start: Span, ends: bool) -> Res<Act<'a>> {
        let long = self.eat(Tok::Sync)?;
        let mut clauses: [Option<Events<'a>>; 3] = [None, None, None];
        loop {
            let slot = match self.tok {
                Tok::Request if long || clauses.iter().all(Option::is_none) => 0,
                Tok::Wait if long || clauses.iter().all(Option::is_none) => 1,
                Tok::Block => 2,
                _ => break,
            };
            match &clauses[slot] {
                // A `request` or `wait` can begin the next sync, and does if this one has its own.
                Some(_) if slot < 2 => break,
                Some(_) => return Err(self.repeated_block()),
                None => {}
            }
            self.advance()?;
            clauses[slot] = Some(self.events()?);
        }
        if clauses.iter().all(Option::is_none) {
            return Err(self.unexpected("`request`, `wait` or `block`"));
        }
        let [request, wait, block] = clauses;
        Ok(Act::Sync { request, wait, block, ends, span: Span { end: Span::new(0..self.before).end, ..start } })
    }

    fn repeated_block(&self) -> Box<Error> {
        self.source
            .error(&codes::RWB_REPEATED_CLAUSE, self.span.clone(), "a second `block` in one sync")
            .label("expected `block` at most once")
            .hint("join the events with `,`; a sync that only blocks is written `sync block ..`")
    }

    fn select(&mut self, start: Span, ends: bool) -> Res<Act<'a>> {
        self.advance()?;
        let span = Span { end: Span::new(0..self.before).end, ..start };
        let block = if self.eat(Tok::Block)? { Some(self.events()?) } else { None };
        self.expect(Tok::Open, "`{`")?;
        let branches = self.nested(|p| {
            let mut branches = Vec::new();
            loop {
                while p.eat(Tok::Semicolon)? {}
                if p.eat(Tok::Close)? {
                    return Ok(branches);
                }
                p.expect(Tok::On, "`on` or `}`")?;
                let requests = p.eat(Tok::Request)?;
                if !requests {
                    p.eat(Tok::Wait)?;
                }
                branches.push(Branch { requests, events: p.events()?, acts: p.block_of(Self::act)? });
            }
        })?;
        Ok(Act::Select { block, branches, ends, span })
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

    fn events(&mut self) -> Res<Events<'a>> {
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

    fn selector(&mut self) -> Res<Selector<'a>> {
        if self.eat(Tok::Star)? {
            return Ok(Selector::All);
        }
        let from = self.expr()?;
        Ok(if self.eat(Tok::Dots)? { Selector::Range(from, self.expr()?) } else { Selector::One(from) })
    }
}
