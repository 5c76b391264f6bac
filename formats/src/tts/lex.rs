//! Tokens of `.tts` and `.prop` text and of `--init`. Lines matter.

use crate::codes;
use crate::error::{Error, Text};
use logos::Logos;
use std::ops::Range;

/// A token kind; its text is in the source.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t]+")]
#[logos(skip(r"#[^\r\n]*", allow_greedy = true))]
pub(super) enum Tok {
    #[regex(r"[0-9]+")]
    Number,
    #[token("->")]
    Move,
    #[token("+>")]
    Spawn,
    #[token("~>")]
    Transfer,
    #[token("|")]
    #[token("B")]
    Bar,
    #[token("/")]
    #[token("U")]
    Slash,
    #[token(",")]
    Comma,
    #[regex(r"\r?\n")]
    Newline,
    /// The end of the file.
    Eof,
}

/// Hands out tokens one at a time.
pub(super) struct Lexer<'a> {
    source: Text<'a>,
    inner: logos::Lexer<'a, Tok>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: Text<'a>) -> Self {
        Self { source, inner: Tok::lexer(source.text) }
    }

    /// The next token and its place; [`Tok::Eof`] at the end, as often as asked.
    pub(super) fn next(&mut self) -> Result<(Tok, Range<usize>), Box<Error>> {
        match self.inner.next() {
            None => Ok((Tok::Eof, self.source.text.len()..self.source.text.len())),
            Some(Ok(token)) => Ok((token, self.inner.span())),
            Some(Err(())) => Err(self.bad_character(self.inner.span())),
        }
    }

    fn bad_character(&self, span: Range<usize>) -> Box<Error> {
        let Some(c) = self.source.text[span.start..].chars().next() else {
            return self.source.error(&codes::TTS_CHARACTER, span, "no character");
        };
        let span = span.start..span.start + c.len_utf8();
        if c == '\r' {
            return self
                .source
                .error(&codes::TTS_LONE_CR, span, "a carriage return without a line feed")
                .label("expected a line feed after it")
                .hint("end lines with LF or CR LF");
        }
        let hint = match c {
            '\u{feff}' => "the file begins with a byte order mark: save it as UTF-8 without one",
            '-' => "states are counted from 0; a transition is written `0 0 -> 1 1`",
            _ => "states are numbers, transitions `0 0 -> 1 1`; a comment begins with `#`",
        };
        let what = if c.is_ascii_graphic() { format!("`{c}`") } else { format!("U+{:04X}", u32::from(c)) };
        self.source
            .error(&codes::TTS_CHARACTER, span, format!("the character {what} means nothing here"))
            .label("unexpected character")
            .hint(hint)
    }
}
