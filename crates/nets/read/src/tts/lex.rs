//! Lexer for `.tts` and `.prop` text and for `--init`. Line ends are tokens.

use formats::codes;
use formats::error::{Error, Text};
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

/// A lexer that returns one token at a time.
pub(super) struct Lexer<'a> {
    source: Text<'a>,
    inner: logos::Lexer<'a, Tok>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: Text<'a>) -> Self {
        Self { source, inner: Tok::lexer(source.text) }
    }

    /// Returns the next token and its place. At the end of the text every call returns [`Tok::Eof`].
    pub(super) fn next(&mut self) -> Result<(Tok, Range<usize>), Box<Error>> {
        match self.inner.next() {
            None => Ok((Tok::Eof, self.source.text.len()..self.source.text.len())),
            Some(Ok(token)) => Ok((token, self.inner.span())),
            Some(Err(())) => Err(self.bad_character(self.inner.span().start)),
        }
    }

    fn bad_character(&self, at: usize) -> Box<Error> {
        if self.source.text[at..].starts_with('\r') {
            return self.source.lone_return(&codes::TTS_LONE_CR, at);
        }
        self.source.stray(&codes::TTS_CHARACTER, at, |c| match c {
            '-' => "states are counted from 0; a transition is written `0 0 -> 1 1`",
            _ => "states are numbers, transitions `0 0 -> 1 1`; a comment begins with `#`",
        })
    }
}
