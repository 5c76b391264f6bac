//! Parser for the acts of a body and the clauses of a state.

use super::ast::{Act, Branch, Clause, Events, Sync};
use super::lex::{LOCAL, Token};
use super::parse::{Element, Parser, Res};
use formats::codes;
use formats::error::{Error, Span};

/// The marks before a sync.
#[derive(Clone, Copy, Default)]
struct Marks {
    is_final: bool,
    is_hot: bool,
}

impl<'a> Parser<'a> {
    /// Parses `{`, acts and `}`.
    pub(super) fn acts(&mut self) -> Res<Vec<Act<'a>>> {
        self.expect("{", "`{`")?;
        self.nested(|p| {
            let mut acts = Vec::new();
            loop {
                while p.eat(";") {}
                if p.eat("}") {
                    return Ok(acts);
                }
                acts.push(p.act()?);
            }
        })
    }

    fn act(&mut self) -> Res<Act<'a>> {
        let (word, span) = (self.token().text, self.token().span);
        if let Some(marks) = self.marks() {
            return match self.token().text {
                "select" => self.select(span, marks),
                _ => Ok(Act::Sync(self.sync(span, marks)?)),
            };
        }
        if self.eat("final") {
            return Ok(Act::Final(span));
        }
        if self.token().is_name() {
            return self.assignment();
        }
        let expected = "`sync`, `request`, `wait`, `select`, `loop`, `while`, `if`, `for`, `repeat`, `choose`, \
                        `assert`, `bad`, `end`, `final`, `break`, `continue`, an assignment or `}`";
        if !["loop", "while", "if", "for", "repeat", "choose", "assert", "bad", "end", "break", "continue"]
            .contains(&word)
        {
            return Err(self.unexpected(expected));
        }
        self.advance();
        Ok(match word {
            "loop" => Act::Loop(span, self.acts()?),
            "while" => Act::While { condition: self.expr()?, acts: self.acts()? },
            "if" => self.conditional()?,
            "for" => {
                let (variable, from, to, closed) = self.for_head()?;
                Act::For { variable, from, to, closed, acts: self.acts()? }
            }
            "repeat" => Act::Repeat(self.sum()?, self.acts()?),
            "choose" => {
                let mut ways = vec![self.acts()?];
                while self.eat("or") {
                    ways.push(self.acts()?);
                }
                Act::Choose(ways)
            }
            "assert" => Act::Assert(self.expr()?),
            "bad" => Act::Bad(span),
            "end" => Act::End(span),
            "break" => Act::Break(span),
            _ => Act::Continue(span),
        })
    }

    /// Parses the marks of a sync. `None`, without parsing anything, if no sync follows. `hot` is a word only here, and
    /// a name elsewhere.
    fn marks(&mut self) -> Option<Marks> {
        let (start, mut marks) = (self.mark(), Marks::default());
        loop {
            match self.token().text {
                "final" => marks.is_final = true,
                "hot" => marks.is_hot = true,
                "sync" | "request" | "wait" | "select" => return Some(marks),
                _ => {
                    self.back(start);
                    return None;
                }
            }
            self.advance();
        }
    }

    /// Parses an `if` after its keyword.
    fn conditional(&mut self) -> Res<Act<'a>> {
        let condition = self.expr()?;
        let then = self.acts()?;
        let otherwise = match () {
            () if !self.eat("else") => Vec::new(),
            () if self.eat("if") => vec![self.nested(Self::conditional)?],
            () => self.acts()?,
        };
        Ok(Act::If { condition, then, otherwise })
    }

    fn assignment(&mut self) -> Res<Act<'a>> {
        let name = self.word("the name of a variable")?;
        let indices = self.indices()?;
        if !self.eat("=") {
            return Err(self.unexpected("`=`").hint(match self.token().text {
                _ if name.text == "priority" => "a priority stands in a sync, after its events: `request e priority 3`",
                _ if name.text == "hot" => "`hot` stands before a sync: `hot wait e`, `hot request e`",
                _ if name.text == "let" => LOCAL,
                "==" => "`=` assigns; a condition stands in `if`, `while` or `assert`",
                "+" | "-" | "*" | "/" | "%" => "a change is written in full: `n = n + 1`",
                _ => "an event is requested by `request e`, and awaited by `wait e`",
            }));
        }
        let value = self.value()?;
        Ok(Act::Assign { name, indices, value, span: name.span.to(self.before()) })
    }

    /// Parses a `sync` with its clauses in any order, or the short form, which begins with `request` or `wait`.
    fn sync(&mut self, start: Span, marks: Marks) -> Res<Sync<'a>> {
        let long = self.eat("sync");
        let Marks { is_final, is_hot } = marks;
        let mut sync = Sync { is_final, is_hot, span: start, ..Sync::default() };
        let mut has_event = false;
        loop {
            let word = self.token();
            if self.priority(&mut sync)? {
                continue;
            }
            let slot = match word.text {
                "request" if long || !has_event => &mut sync.request,
                "wait" if long || !has_event => &mut sync.wait,
                "block" => &mut sync.block,
                "interrupt" => &mut sync.interrupt,
                _ => break,
            };
            if slot.is_some() {
                // A second `request` or `wait` begins the next sync.
                if matches!(word.text, "request" | "wait") {
                    break;
                }
                return Err(self.repeated(word, "sync"));
            }
            has_event |= matches!(word.text, "request" | "wait");
            self.advance();
            let events = self.events()?;
            *match word.text {
                "request" => &mut sync.request,
                "wait" => &mut sync.wait,
                "block" => &mut sync.block,
                _ => &mut sync.interrupt,
            } = Some(events);
        }
        if sync.request.is_none() && sync.wait.is_none() && sync.block.is_none() && sync.interrupt.is_none() {
            return Err(self.unexpected("`request`, `wait`, `block` or `interrupt`"));
        }
        sync.span = start.to(self.before());
        Ok(sync)
    }

    /// True if the word `priority` begins a clause. Elsewhere it is a name: `priority = 3` and `priority[i] = 3` are
    /// assignments.
    fn at_priority(&self) -> bool {
        self.is("priority") && !self.is_next("=") && !self.is_next("[")
    }

    /// Parses a priority. Returns false, without parsing anything, if there is none.
    fn priority(&mut self, sync: &mut Sync<'a>) -> Res<bool> {
        if !self.at_priority() {
            return Ok(false);
        }
        if sync.priority.is_some() {
            let error = self.repeated_clause(self.token(), "sync");
            return Err(error.hint("all requests of a sync have the same priority"));
        }
        self.advance();
        sync.priority = Some(self.sum()?);
        Ok(true)
    }

    fn repeated(&self, word: Token<'a>, of: &str) -> Box<Error> {
        self.repeated_clause(word, of).hint("join the events with `,`")
    }

    fn repeated_clause(&self, word: Token<'a>, of: &str) -> Box<Error> {
        let message = format!("a second `{}` in one {of}", word.text);
        let error = self.source.error(&codes::RWB_REPEATED_CLAUSE, word.span.range(), message);
        error.label("expected at most one")
    }

    fn select(&mut self, start: Span, marks: Marks) -> Res<Act<'a>> {
        self.advance();
        let Marks { is_final, is_hot } = marks;
        let mut sync = Sync { is_final, is_hot, span: start.to(self.before()), ..Sync::default() };
        while self.is("block") || self.is("interrupt") || self.at_priority() {
            if self.priority(&mut sync)? {
                continue;
            }
            let (is_block, word) = (self.is("block"), self.token());
            if if is_block { sync.block.is_some() } else { sync.interrupt.is_some() } {
                return Err(self.repeated(word, "`select`"));
            }
            self.advance();
            let events: Events<'a> = self.events()?;
            *if is_block { &mut sync.block } else { &mut sync.interrupt } = Some(events);
        }
        self.expect("{", "`block`, `interrupt`, `priority` or `{`")?;
        let branches = self.nested(|p| {
            let mut branches = Vec::new();
            loop {
                while p.eat(";") {}
                if p.eat("}") {
                    return Ok(branches);
                }
                p.expect("on", "`on` or `}`")?;
                let requests = p.eat("request");
                if !requests {
                    p.eat("wait");
                }
                branches.push(Branch { requests, events: p.events()?, acts: p.acts()? });
            }
        })?;
        Ok(Act::Select(sync, branches))
    }
}

impl<'a> Element<'a> for Clause<'a> {
    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        if p.eat("request") {
            Ok(Clause::Request(p.events()?))
        } else if p.eat("block") {
            Ok(Clause::Block(p.events()?))
        } else if p.eat("on") {
            let events = p.events()?;
            p.expect("->", "`->`")?;
            Ok(Clause::On(events, p.names("|", "the name of a state")?))
        } else if p.eat("priority") {
            Ok(Clause::Priority(p.sum()?))
        } else if p.eat("bad") {
            Ok(Clause::Bad)
        } else if p.eat("final") {
            Ok(Clause::Final)
        } else if p.eat("hot") {
            Ok(Clause::Hot)
        } else {
            let error = p.unexpected("`request`, `block`, `on`, `priority`, `bad`, `final`, `hot`, `for`, `if` or `}`");
            let assigns = p.token().is_name() && (p.is_next("=") || p.is_next("["));
            Err(if assigns { error.hint("variables are assigned in a `body`, not in a `state`") } else { error })
        }
    }
}
