//! Tokens of `.rwb` text. Line ends are LF or CR LF; a lone CR is refused, because it would end a comment for some
//! readers and not for others.

use crate::codes;
use crate::error::{Error, Text, printable};
use crate::source::Limits;
use logos::Logos;
use std::ops::Range;

/// Words with a meaning of their own: never names.
pub(crate) const RESERVED: &[&str] = &[
    "bad", "block", "body", "check", "choose", "const", "deadlock", "else", "end", "event", "for", "in", "init",
    "loop", "none", "on", "or", "repeat", "request", "rwb", "select", "set", "state", "sync", "thread", "wait", "when",
];

/// Is `word` an identifier of the format?
pub(crate) fn is_identifier(word: &str) -> bool {
    let mut bytes = word.bytes();
    let head = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    head && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') && RESERVED.binary_search(&word).is_err()
}

/// A token kind; its text is in the source.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\n]+")]
#[logos(skip r"\r\n")]
#[logos(skip(r"#[^\r\n]*", allow_greedy = true))]
pub(super) enum Tok {
    #[regex(r"[A-Za-z_][A-Za-z_0-9]*")]
    Name,
    #[regex(r"[0-9]+")]
    Number,
    #[regex(r"[0-9]+[A-Za-z_][A-Za-z_0-9]*")]
    BadNumber,
    #[token("bad")]
    Bad,
    #[token("block")]
    Block,
    #[token("body")]
    Body,
    #[token("check")]
    Check,
    #[token("choose")]
    Choose,
    #[token("const")]
    Const,
    #[token("deadlock")]
    Deadlock,
    #[token("else")]
    Else,
    #[token("end")]
    End,
    #[token("event")]
    Event,
    #[token("for")]
    For,
    #[token("in")]
    In,
    #[token("init")]
    Init,
    #[token("loop")]
    Loop,
    #[token("none")]
    None,
    #[token("on")]
    On,
    #[token("or")]
    Or,
    #[token("repeat")]
    Repeat,
    #[token("request")]
    Request,
    #[token("rwb")]
    Rwb,
    #[token("select")]
    Select,
    #[token("set")]
    Set,
    #[token("state")]
    State,
    #[token("sync")]
    Sync,
    #[token("thread")]
    Thread,
    #[token("wait")]
    Wait,
    #[token("when")]
    When,
    #[token("{")]
    Open,
    #[token("}")]
    Close,
    #[token("[")]
    OpenIndex,
    #[token("]")]
    CloseIndex,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token("|")]
    Bar,
    #[token("->")]
    Arrow,
    #[token("..")]
    Dots,
    #[token("=")]
    Assign,
    #[token("||")]
    OrOr,
    #[token("&&")]
    AndAnd,
    #[token("==")]
    Equal,
    #[token("!=")]
    Unequal,
    #[token("<")]
    Less,
    #[token("<=")]
    AtMost,
    #[token(">")]
    Greater,
    #[token(">=")]
    AtLeast,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Not,
    /// The end of the file.
    Eof,
}

impl Tok {
    /// Is it a reserved word?
    pub(super) fn is_word(self, text: &str) -> bool {
        self != Tok::Name && RESERVED.contains(&text)
    }
}

/// Hands out tokens one at a time, so that a hostile file costs no more than what was read of it.
pub(super) struct Lexer<'a> {
    source: Text<'a>,
    limits: &'a Limits,
    inner: logos::Lexer<'a, Tok>,
    count: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: Text<'a>, limits: &'a Limits) -> Self {
        Self { source, limits, inner: Tok::lexer(source.text), count: 0 }
    }

    /// The next token and its place; [`Tok::Eof`] at the end, as often as asked.
    pub(super) fn next(&mut self) -> Result<(Tok, Range<usize>), Box<Error>> {
        let Some(token) = self.inner.next() else {
            return Ok((Tok::Eof, self.source.text.len()..self.source.text.len()));
        };
        let span = self.inner.span();
        self.count += 1;
        if self.count > self.limits.tokens {
            let message = format!("the file has more than {} words and signs", self.limits.tokens);
            return Err(self.source.error(&codes::LIMIT_TOKENS, span, message).label("one too many"));
        }
        match token {
            Ok(Tok::BadNumber) => Err(self.bad_number(span)),
            Ok(Tok::Name) if span.len() > self.limits.name_length => {
                Err(self.source.long_name(span, self.limits.name_length))
            }
            Ok(token) => Ok((token, span)),
            Err(()) => Err(self.bad_character(span.start)),
        }
    }

    fn bad_number(&self, span: Range<usize>) -> Box<Error> {
        let text = printable(&self.source.text[span.clone()]);
        self.source
            .error(&codes::RWB_BAD_NUMBER, span, format!("`{text}` is neither a number nor a name"))
            .label("expected a decimal number")
            .hint("names begin with a letter or `_`; numbers are decimal digits")
    }

    fn bad_character(&self, at: usize) -> Box<Error> {
        if self.source.text[at..].starts_with('\r') {
            return self.source.lone_return(&codes::RWB_LONE_CR, at);
        }
        self.source.stray(&codes::RWB_CHARACTER, at, |c| match c {
            '&' => "`and` is written `&&`",
            '.' => "a range is written `from..to`",
            '\'' | '"' => "names are written without quotes",
            _ => "names are ASCII letters, digits and `_`; a comment begins with `#`",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Tok> {
        let limits = Limits::default();
        let mut lexer = Lexer::new(Text { name: "t", text }, &limits);
        std::iter::from_fn(|| lexer.next().ok().map(|t| t.0).filter(|t| *t != Tok::Eof)).collect()
    }

    #[test]
    fn every_reserved_word_is_a_token_of_its_own() {
        for word in RESERVED {
            let kinds = kinds(word);
            assert!(kinds.len() == 1 && kinds[0] != Tok::Name, "{word}");
            assert!(super::tests::kinds(&format!("{word}s")) == [Tok::Name], "{word}s");
        }
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn ranges_and_numbers_do_not_mix() {
        assert_eq!(kinds("0..n # rest ] }\r\nx"), [Tok::Number, Tok::Dots, Tok::Name, Tok::Name]);
        assert_eq!(kinds("1a"), []);
        assert_eq!(kinds("a->b|c||d"), [Tok::Name, Tok::Arrow, Tok::Name, Tok::Bar, Tok::Name, Tok::OrOr, Tok::Name]);
    }
}
