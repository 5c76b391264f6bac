//! Parser for the acts of a body.

use super::ast::{Act, Branch, Events, Span};
use super::lex::Tok;
use super::parse::{Parser, Res};
use super::recover::{Element, Level};
use formats::codes;
use formats::error::Error;

impl<'a> Element<'a> for Act<'a> {
    const LEVEL: Level = Level::Act;

    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        if p.at_final() {
            let start = Span::new(p.span.clone());
            p.advance()?;
            // Nothing after an end is ever reached, so `final` before a sync marks this sync as a possible end.
            return match p.tok {
                Tok::Sync | Tok::Request | Tok::Wait => p.sync(start, true),
                Tok::Select => p.select(start, true),
                _ => Ok(Act::Final(start)),
            };
        }
        let keyword = p.tok;
        let start = Span::new(p.span.clone());
        match keyword {
            Tok::Sync | Tok::Request | Tok::Wait => p.sync(start, false),
            Tok::Loop => {
                p.advance()?;
                Ok(Act::Loop(start, p.block()?))
            }
            Tok::Repeat => {
                p.advance()?;
                Ok(Act::Repeat(p.expr()?, p.block()?))
            }
            Tok::Choose => {
                p.advance()?;
                let mut ways = vec![p.block()?];
                while p.eat(Tok::Or)? {
                    ways.push(p.block()?);
                }
                Ok(Act::Choose(ways))
            }
            Tok::Select => p.select(start, false),
            Tok::Bad | Tok::End => {
                p.advance()?;
                Ok(if keyword == Tok::Bad { Act::Bad(start) } else { Act::End(start) })
            }
            _ => {
                let error = p.unexpected(
                    "`sync`, `request`, `wait`, `loop`, `repeat`, `choose`, `select`, `bad`, `end`, `final`, `for`, \
                     `when` or `}`",
                );
                Err(p.misplaced(Level::Act, error))
            }
        }
    }
}

impl<'a> Parser<'a> {
    /// Parses a `sync` with its clauses in any order, or the short form: `request` or `wait`, then an optional
    /// `block`.
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
                // A second `request` or `wait` begins the next sync.
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
        Ok(Act::Select { block, branches, ends, span })
    }
}
