//! Error recovery: after an error in an element of a list, the parser continues with the next element, as if
//! the element with the error were not there.
//!
//! Parsing continues in the list of the wrong element: after the braces of this element, or at the next word
//! that begins an element. If a word belongs to an outer list, and the file closes fewer braces than it opens,
//! a brace is missing. The error is shown at the opening brace without an end. Exception: if a later pair of
//! braces has a closing brace that is indented less than the line of its opening brace, the error is shown at
//! this later opening brace. A second error on the same line is shown only after a `;` or `}` that ends the
//! wrong element, and never after skipped characters.

use super::ast::{List, Node};
use super::lex::{self, Tok};
use super::parse::{Parser, Res};
pub(super) use super::parser::{Element, Level, Suspect};
use formats::codes;
use formats::error::{Error, printable};

/// The largest number of bytes before a position that are examined to find the indentation of its line.
const INDENTATION: usize = 200;

/// The beginning of an element: its position, and the number of open braces there.
struct Mark {
    start: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// Parses `{`, elements and `}`.
    pub(super) fn block<T: Element<'a>>(&mut self) -> Res<List<'a, T>> {
        self.expect(Tok::Open, "`{`")?;
        self.nested(|p| p.list(Tok::Close))
    }

    /// Parses elements up to `end`, and consumes `end`. Elements may be wrapped in `for` and `when`.
    pub(super) fn list<T: Element<'a>>(&mut self, end: Tok) -> Res<List<'a, T>> {
        let mut list = Vec::new();
        loop {
            while self.eat(Tok::Semicolon)? {}
            if self.tok == end {
                if end == Tok::Close {
                    self.watch_indentation();
                }
                self.advance()?;
                return Ok(list);
            }
            if end == Tok::Close && self.is_outside(T::LEVEL) {
                self.is_misnested |= T::LEVEL == Level::Item;
                self.unclosed()?;
                return Ok(list);
            }
            let mark = Mark { start: self.span.start, depth: self.open.len() };
            match self.node() {
                Ok(node) => list.push(node),
                Err(error) => {
                    self.note(error, self.span.start)?;
                    self.recover(T::LEVEL, end, &mark)?;
                    list.push(Node::Broken);
                }
            }
        }
    }

    pub(super) fn node<T: Element<'a>>(&mut self) -> Res<Node<'a, T>> {
        Ok(match self.tok {
            Tok::For => Node::For(Box::new(self.nested(Self::for_of)?)),
            Tok::When if !self.is_second() => Node::If(Box::new(self.nested(Self::if_of)?)),
            Tok::If => Node::If(Box::new(self.nested(Self::if_of)?)),
            Tok::Close => return Err(self.stray_brace()?),
            _ => Node::Plain(T::parse(self)?),
        })
    }

    /// Records an error. Further errors on the line of `at` are not shown.
    pub(super) fn note(&mut self, error: Box<Error>, at: usize) -> Res<()> {
        if !error.follows {
            let rest = &self.source.text[at..];
            self.lexer.quiet_until = self.lexer.quiet_until.max(at + rest.find('\n').unwrap_or(rest.len()));
        }
        self.errors.note(error)
    }

    /// True if an error at the current token would be only a consequence of an earlier one.
    pub(super) fn is_quiet(&self) -> bool {
        self.lexer.has_skipped || self.span.start < self.lexer.quiet_until
    }

    /// Skips the rest of an element that began at `mark`, up to where its list continues.
    fn recover(&mut self, level: Level, end: Tok, mark: &Mark) -> Res<()> {
        loop {
            let (tok, depth) = (self.tok, self.open.len().saturating_sub(mark.depth));
            let has_moved = self.span.start > mark.start;
            let leaves = level.leaves(tok, self.text()) && self.is_line_start() && self.is_missing();
            match tok {
                Tok::Eof => break,
                Tok::Close if depth == 0 && end == Tok::Close => {
                    self.resume(level, mark);
                    break;
                }
                Tok::Close if depth == 1 => {
                    self.advance()?;
                    if self.tok != Tok::Else {
                        break;
                    }
                }
                Tok::Semicolon if depth == 0 => {
                    self.resume(level, mark);
                    break;
                }
                _ if leaves || (depth == 0 && has_moved && level.begins(tok, self.text())) => break,
                _ => self.advance()?,
            }
        }
        let skipped = &self.source.text[mark.start..self.before.max(mark.start)];
        self.doubtful.extend(lex::names(skipped));
        Ok(())
    }

    /// If the wrong element is a statement or act that certainly ends here, a later error on the same line is
    /// reported.
    fn resume(&mut self, level: Level, mark: &Mark) {
        let skipped = &self.source.text[mark.start..self.span.start];
        let count = |sign: char| skipped.matches(sign).count();
        if matches!(level, Level::Clause | Level::Act) && count('(') == count(')') {
            self.lexer.quiet_until = self.lexer.quiet_until.min(self.span.start);
        }
    }

    /// True if the current token ends the current list without its `}`.
    pub(super) fn is_outside(&mut self, level: Level) -> bool {
        self.tok == Tok::Eof || (level.leaves(self.tok, self.text()) && self.is_missing())
    }

    /// True if the file closes fewer braces than it opens. Braces that already have an error do not count.
    fn is_missing(&mut self) -> bool {
        let text = self.source.text;
        *self.missing.get_or_insert_with(|| lex::missing_braces(text)) > 0
    }

    /// Records the error that the innermost brace is not closed, and continues as if it were closed.
    pub(super) fn unclosed(&mut self) -> Res<()> {
        let open = self.open.pop().unwrap_or(self.span.start);
        if let Some(missing) = &mut self.missing {
            *missing -= 1;
        }
        // If several braces are missing at one place, the error is shown only for the innermost brace.
        if self.unclosed_at.replace(self.span.start) == Some(self.span.start) {
            return self.errors.note(Error::following());
        }
        let next = match self.tok {
            Tok::Eof => "the end of the file".to_owned(),
            _ => format!("`{}` in line {}", printable(self.text()), self.source.line(self.span.start)),
        };
        let suspect = self.suspect.take().filter(|suspect| suspect.open > open);
        if let Some(Suspect { open, .. }) = suspect {
            // Syntax errors after the suspect brace may be consequences of the missing brace.
            self.errors.forget(&codes::RWB_SYNTAX, self.source.line(open));
        }
        let place = suspect.map_or(open, |suspect| suspect.open);
        let error = self.source.error(&codes::RWB_UNCLOSED, place..place + 1, "this brace is not closed");
        let error = error.label("opened here").hint(match suspect {
            None => format!("expected its `}}` before {next}"),
            Some(Suspect { close, .. }) => format!(
                "the `}}` in line {} is indented as if it closed another one; there is one too few before {next}",
                self.source.line(close)
            ),
        });
        self.errors.note(error)
    }

    /// Makes the error about a `}` without an open brace, and skips it.
    fn stray_brace(&mut self) -> Res<Box<Error>> {
        let at = self.span.clone();
        // After an earlier error, the opening brace of this `}` may have been skipped.
        let is_shown = !self.is_quiet() && !(self.errors.any() && (self.is_missing() || self.missing == Some(0)));
        self.advance()?;
        if !is_shown {
            return Ok(Error::following());
        }
        let error = self.source.error(&codes::RWB_SYNTAX, at, "this brace closes nothing");
        Ok(error.label("unexpected here").hint("there is one `}` too many before it, or one `{` too few"))
    }

    /// Stores the first block with a `}` that begins a line and is indented less than the line of its `{`.
    fn watch_indentation(&mut self) {
        let (Some(&open), close) = (self.open.last(), self.span.start) else { return };
        if self.suspect.is_some() {
            return;
        }
        let (Some((first, _)), Some((last, at))) = (self.indentation(open), self.indentation(close)) else { return };
        if at == close && last < first {
            self.suspect = Some(Suspect { open, close });
        }
    }

    /// Returns the indentation of the line of `at`, and the position of its first word, or `None` if the line
    /// begins too far before `at`.
    fn indentation(&self, at: usize) -> Option<(usize, usize)> {
        let from = at.saturating_sub(INDENTATION);
        let before = &self.source.text.as_bytes()[from..at];
        let start = match before.iter().rposition(|b| *b == b'\n') {
            Some(end) => from + end + 1,
            None if from == 0 => 0,
            None => return None,
        };
        let blank = self.source.text.as_bytes()[start..=at].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        Some((blank, start + blank))
    }

    fn is_line_start(&self) -> bool {
        self.indentation(self.span.start).is_some_and(|(_, first)| first == self.span.start)
    }

    /// Adds a hint to `error` if the current word belongs to a list of another kind.
    pub(super) fn misplaced(&self, level: Level, error: Box<Error>) -> Box<Error> {
        let is = |other: Level| level != other && other.begins(self.tok, self.text());
        // `when` has a hint of its own in version 2.
        if error.follows || self.tok == Tok::Name || (self.tok == Tok::When && self.is_second()) {
            return error;
        }
        let when = self.of("when", "if");
        if self.tok == Tok::Else {
            error.hint(format!("an `else` follows the `}}` of its `{when}`"))
        } else if level == Level::Branch && matches!(self.tok, Tok::For | Tok::When | Tok::If) {
            error.hint(format!(
                "a `select` has `on` branches only: one branch can be for several events (`on a, b[*] {{ .. }}`), and \
                 `for` and `{when}` stand around the `select` or in a branch",
            ))
        } else if level == Level::Branch {
            error
        } else if is(Level::Item) {
            error.hint(format!("`{}` is for the file as a whole: move it in front of the threads", self.text()))
        } else if level == Level::Act && self.tok == Tok::On {
            error.hint("in a `body`, `on` stands in a `select`: `select { on a { .. } on b { .. } }`")
        } else if level == Level::Act && self.tok == Tok::Block {
            error.hint("a sync that only blocks is written `sync block a`")
        } else if level == Level::Clause && is(Level::Act) {
            error.hint(
                "a `state` says `request a`, `block b` and `on c -> NEXT`; what happens one after the other stands in \
                 a `body`",
            )
        } else if is(Level::Act) || is(Level::Clause) {
            error.hint("it stands in a thread: `thread NAME { body { .. } }`")
        } else if is(Level::Member) {
            error.hint("it stands in a `thread`, beside its other states or alone")
        } else {
            error
        }
    }

    /// Makes the error about something in a thread that is not a member. If it is an act, the acts are parsed,
    /// so that errors in them are found.
    pub(super) fn outside_of_body(&mut self) -> Res<Box<Error>> {
        let error =
            self.unexpected(self.of(
                "`init`, `state`, `body`, `for`, `when` or `}`",
                "`var`, `body`, `state`, `init`, `for`, `if` or `}`",
            ));
        let is_act = Level::Act.begins(self.tok, self.text());
        if error.follows || !(is_act || Level::Clause.begins(self.tok, self.text())) {
            return Ok(self.misplaced(Level::Member, error));
        }
        let message = format!("`{}` outside of a `body`", self.text());
        let error = self.source.error(&codes::RWB_OUTSIDE, self.span.clone(), message);
        let error = error.label("expected `body { .. }` around it").hint(
            "what a thread does one after the other stands in its `body { .. }`, what it does in a state in a `state \
             NAME { .. }`",
        );
        if !is_act {
            return Ok(error);
        }
        let start = self.span.start;
        self.note(error, start)?;
        while Level::Act.begins(self.tok, self.text()) || self.tok == Tok::Semicolon {
            if !self.eat(Tok::Semicolon)? {
                self.node::<super::ast::Act<'a>>()?;
            }
        }
        Ok(Error::following())
    }
}
