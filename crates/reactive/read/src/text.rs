//! The cursor of the C parser: the current token, operations on it, and errors about it.

use super::lex::{Heading, Lexer, Tok};
use formats::codes::{self, Code};
use formats::error::{Error, Span, Text, printable};
use formats::source::Limits;
use formats::suggest;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// The text as a sequence of tokens, with the current token.
pub(super) struct Cursor<'a> {
    pub(super) text: Text<'a>,
    lexer: Lexer<'a>,
    /// The token not yet consumed, and its place.
    pub(super) tok: Tok,
    pub(super) span: Span,
    /// The end of the previous token.
    pub(super) behind: usize,
    /// The number of open braces.
    pub(super) braces: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: Text<'a>, limits: &'a Limits) -> Res<Self> {
        Self::new_from(text, 0, limits)
    }

    /// Makes a cursor that begins at byte `start`.
    pub(super) fn new_from(text: Text<'a>, start: usize, limits: &'a Limits) -> Res<Self> {
        let lexer = Lexer::new(text, start, limits);
        let mut cursor = Self { text, lexer, tok: Tok::Eof, span: Span::default(), behind: start, braces: 0 };
        cursor.advance()?;
        Ok(cursor)
    }

    /// Returns the last heading before the current token.
    pub(super) fn heading(&self) -> Heading {
        self.lexer.heading()
    }

    /// Consumes the token and returns its place.
    pub(super) fn advance(&mut self) -> Res<Span> {
        let span = self.span;
        match self.tok {
            Tok::OpenBrace => self.braces += 1,
            Tok::CloseBrace => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        self.behind = self.behind.max(span.range().end);
        let (tok, next) = self.lexer.next()?;
        (self.tok, self.span) = (tok, Span::new(next));
        Ok(span)
    }

    /// Consumes the token if it is `tok`.
    pub(super) fn eat(&mut self, tok: Tok) -> Res<bool> {
        let found = self.tok == tok;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, tok: Tok, what: &str) -> Res<Span> {
        if self.tok == tok { self.advance() } else { Err(self.unexpected(what)) }
    }

    /// Consumes a name.
    pub(super) fn name(&mut self, what: &str) -> Res<(&'a str, Span)> {
        let span = self.expect(Tok::Name, what)?;
        Ok((self.slice(span), span))
    }

    /// Consumes tokens up to and including the `)` that closes a `(` just consumed.
    pub(super) fn skip_arguments(&mut self) -> Res<()> {
        let mut open = 1usize;
        while open > 0 {
            match self.tok {
                Tok::Open => open += 1,
                Tok::Close => open -= 1,
                Tok::Eof | Tok::Semicolon | Tok::OpenBrace | Tok::CloseBrace => return Err(self.unexpected("`)`")),
                _ => {}
            }
            self.advance()?;
        }
        Ok(())
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text.text[span.range()]
    }

    pub(super) fn error(&self, code: &'static Code, span: Span, message: impl Into<String>) -> Box<Error> {
        self.text.error(code, span.range(), message)
    }

    /// Makes the error that `expected` should stand in place of the current token.
    pub(super) fn unexpected(&self, expected: &str) -> Box<Error> {
        let text = self.slice(self.span);
        let found = match self.tok {
            Tok::Eof => "the end of the file".to_owned(),
            tok if tok.is_word() => format!("the word `{text}`"),
            _ => format!("`{}`", printable(text)),
        };
        let error = self.error(&codes::C_SYNTAX, self.span, format!("expected {expected}, found {found}"));
        let error = error.label("unexpected");
        match self.tok {
            Tok::OtherWord | Tok::OtherSign => error.hint("this part of C is not in the subset: see docs/reactive.md"),
            Tok::Name => suggest::hinted(error, text, ["int", "void", "if", "else", "return", "while", "extern"], ""),
            _ => error,
        }
    }
}
