//! Parser for the acts of a body and the clauses of a state.

use super::ast::{Act, Branch, Clause, Events, Span, Sync, Value};
use super::hints;
use super::lex::Tok;
use super::parse::{Parser, Res};
use super::recover::{Element, Level};
use formats::codes;
use formats::error::Error;

const ACTS: &str = "`sync`, `request`, `wait`, `loop`, `repeat`, `choose`, `select`, `bad`, `end`, `final`, `for`, \
                    `when` or `}`";
const ACTS_WITH_DATA: &str = "`sync`, `request`, `wait`, `select`, `loop`, `while`, `if`, `for`, `repeat`, `choose`, \
                              `assert`, `bad`, `end`, `final`, `break`, `continue`, an assignment or `}`";

impl<'a> Element<'a> for Act<'a> {
    const LEVEL: Level = Level::Act;

    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        use Tok::{Assert, Bad, Break, Choose, Continue, End, Loop, Repeat, While};
        let (keyword, start) = (p.tok, Span::new(p.span.clone()));
        if let Some(sync) = p.marks()? {
            return if p.tok == Tok::Select { p.select(sync) } else { p.sync(sync) };
        }
        if p.at_final() {
            p.advance()?;
            return Ok(Act::Final(start));
        }
        if keyword == Tok::Name && p.is_second() {
            return p.assignment();
        }
        if !matches!(keyword, Loop | While | Repeat | Choose | Assert | Bad | End | Break | Continue) {
            return Err(p.misplaced(Level::Act, p.unexpected(p.of(ACTS, ACTS_WITH_DATA))));
        }
        p.advance()?;
        Ok(match keyword {
            Loop => Act::Loop(start, p.block()?),
            While => Act::While(p.expr()?, p.block()?),
            Repeat => Act::Repeat(p.bound()?, p.block()?),
            Choose => {
                let mut ways = vec![p.block()?];
                while p.eat(Tok::Or)? {
                    ways.push(p.block()?);
                }
                Act::Choose(ways)
            }
            Assert => Act::Assert(p.expr()?),
            Bad => Act::Bad(start),
            End => Act::End(start),
            Break => Act::Break(start),
            _ => Act::Continue(start),
        })
    }
}

impl<'a> Parser<'a> {
    /// True if the current token is the word `final`. In version 1 the word has a meaning only where no name can
    /// stand, and is a name elsewhere.
    fn at_final(&self) -> bool {
        self.text() == "final"
    }

    /// Parses the marks before a sync. Returns `None`, without parsing anything, if no sync follows. Nothing after an
    /// end is ever reached, so `final` before a sync marks this sync as a possible end.
    fn marks(&mut self) -> Res<Option<Sync<'a>>> {
        let begins = |tok| matches!(tok, Tok::Sync | Tok::Request | Tok::Wait | Tok::Select);
        let (text, is_second) = (self.source.text, self.is_second());
        let is_mark = |text| text == "final" || (is_second && text == "hot");
        if is_mark(self.text()) {
            if self.span.start < self.unmarked {
                return Ok(None);
            }
            let after = self.lexer.ahead().find(|(_, span)| !is_second || !is_mark(&text[span.clone()]));
            if !after.as_ref().is_some_and(|(tok, _)| begins(*tok)) {
                self.unmarked = after.map_or(text.len(), |(_, span)| span.start);
                return Ok(None);
            }
        } else if !begins(self.tok) {
            return Ok(None);
        }
        let mut sync = Sync { span: Span::new(self.span.clone()), ..Sync::default() };
        while !begins(self.tok) {
            *if self.at_final() { &mut sync.is_final } else { &mut sync.is_hot } = true;
            self.advance()?;
        }
        Ok(Some(sync))
    }

    /// Parses a `sync` with its clauses in any order, or the short form, which begins with `request` or `wait`.
    fn sync(&mut self, mut sync: Sync<'a>) -> Res<Act<'a>> {
        let long = self.eat(Tok::Sync)?;
        let (mut has_event, mut is_empty) = (false, true);
        loop {
            let word = self.tok;
            if self.priority(&mut sync)? {
                continue;
            }
            let Some(slot) = clause(&mut sync, word) else { break };
            if matches!(word, Tok::Request | Tok::Wait) {
                // A second `request` or `wait` begins the next sync.
                if slot.is_some() || (has_event && !long) {
                    break;
                }
                has_event = true;
            }
            self.clause(slot, "sync")?;
            is_empty = false;
        }
        if is_empty {
            let expected = self.of("`request`, `wait` or `block`", "`request`, `wait`, `block` or `interrupt`");
            return Err(self.unexpected(expected));
        }
        sync.span = sync.span.to(self.end());
        Ok(Act::Sync(Box::new(sync)))
    }

    fn clause(&mut self, slot: &mut Option<Events<'a>>, of: &str) -> Res<()> {
        if slot.is_some() {
            let more = if self.tok == Tok::Block { "; a sync that only blocks is written `sync block ..`" } else { "" };
            return Err(self.repeated(of).hint(format!("join the events with `,`{more}")));
        }
        self.advance()?;
        *slot = Some(self.events()?);
        Ok(())
    }

    /// Parses a priority. Returns false, without parsing anything, if there is none. The word is a name elsewhere:
    /// `priority = 3` and `priority[i] = 3` are assignments.
    fn priority(&mut self, sync: &mut Sync<'a>) -> Res<bool> {
        let is_assigned = || matches!(self.lexer.ahead().next(), Some((Tok::Assign | Tok::OpenIndex, _)));
        if !self.is_second() || self.text() != "priority" || is_assigned() {
            return Ok(false);
        }
        if sync.priority.is_some() {
            return Err(self.repeated("sync").hint("all requests of a sync have the same priority"));
        }
        self.advance()?;
        sync.priority = Some(self.sum()?);
        Ok(true)
    }

    fn repeated(&self, of: &str) -> Box<Error> {
        let word = self.text();
        self.source
            .error(&codes::RWB_REPEATED_CLAUSE, self.span.clone(), format!("a second `{word}` in one {of}"))
            .label(format!("expected `{word}` at most once"))
    }

    fn select(&mut self, mut sync: Sync<'a>) -> Res<Act<'a>> {
        self.advance()?;
        sync.span = sync.span.to(self.end());
        loop {
            if self.priority(&mut sync)? {
                continue;
            }
            match self.tok {
                Tok::Block => self.clause(&mut sync.block, "`select`")?,
                Tok::Interrupt => self.clause(&mut sync.interrupt, "`select`")?,
                _ => break,
            }
        }
        self.expect(Tok::Open, self.of("`{`", "`block`, `interrupt`, `priority` or `{`"))?;
        let branches = self.nested(|p| {
            let mut branches = Vec::new();
            loop {
                while p.eat(Tok::Semicolon)? {}
                if p.eat(Tok::Close)? {
                    return Ok(branches);
                }
                if p.is_outside(Level::Branch) {
                    p.unclosed()?;
                    return Ok(branches);
                }
                if !p.eat(Tok::On)? {
                    return Err(p.misplaced(Level::Branch, p.unexpected("`on` or `}`")));
                }
                let requests = p.eat(Tok::Request)?;
                if !requests {
                    p.eat(Tok::Wait)?;
                }
                branches.push(Branch { requests, events: p.events()?, acts: p.block()? });
            }
        })?;
        Ok(Act::Select(Box::new(sync), branches))
    }

    fn assignment(&mut self) -> Res<Act<'a>> {
        let name = self.name("the name of a variable")?;
        if self.tok != Tok::Assign {
            let hint = hints::of(2, name.base.text, "").unwrap_or(match self.tok {
                Tok::Equal => "`=` assigns; a condition stands in `if`, `while` or `assert`",
                Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash | Tok::Percent => {
                    "a change is written in full: `n = n + 1`"
                }
                _ => "an event is requested by `request e`, and awaited by `wait e`",
            });
            return Err(self.unexpected("`=`").hint(hint));
        }
        self.advance()?;
        Ok(Act::Assign(name, self.value()?))
    }

    /// Parses the right side of an assignment.
    pub(super) fn value(&mut self) -> Res<Value<'a>> {
        let span = Span::new(self.span.clone());
        if self.eat(Tok::Star)? { Ok(Value::Any(span)) } else { Ok(Value::One(self.expr()?)) }
    }
}

/// Returns the slot of the clause that begins with this word.
fn clause<'s, 'a>(sync: &'s mut Sync<'a>, word: Tok) -> Option<&'s mut Option<Events<'a>>> {
    match word {
        Tok::Request => Some(&mut sync.request),
        Tok::Wait => Some(&mut sync.wait),
        Tok::Block => Some(&mut sync.block),
        Tok::Interrupt => Some(&mut sync.interrupt),
        _ => None,
    }
}

impl<'a> Element<'a> for Clause<'a> {
    const LEVEL: Level = Level::Clause;

    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        let (keyword, text) = (p.tok, p.text());
        let is_clause = match text {
            "hot" => p.is_second(),
            _ => Level::Clause.begins(keyword, text) && !matches!(keyword, Tok::For | Tok::When | Tok::If),
        };
        if !is_clause {
            let error = p.unexpected(p.of(
                "`request`, `block`, `on`, `priority`, `bad`, `final`, `for`, `when` or `}`",
                "`request`, `block`, `on`, `priority`, `bad`, `final`, `hot`, `for`, `if` or `}`",
            ));
            let assigns = || matches!(p.lexer.ahead().next(), Some((Tok::Assign | Tok::OpenIndex, _)));
            if p.is_second() && keyword == Tok::Name && assigns() {
                return Err(error.hint("variables are assigned in a `body`, not in a `state`"));
            }
            return Err(p.misplaced(Level::Clause, error));
        }
        p.advance()?;
        Ok(match keyword {
            Tok::Request => Clause::Request(p.events()?),
            Tok::Block => Clause::Block(p.events()?),
            Tok::On => {
                let events = p.events()?;
                p.expect(Tok::Arrow, "`->`")?;
                Clause::On(events, p.names(Tok::Bar, "the name of a state")?)
            }
            Tok::Bad => Clause::Bad,
            _ if text == "priority" => Clause::Priority(p.bound()?),
            _ if text == "hot" => Clause::Hot,
            _ => Clause::Final,
        })
    }
}
