//! A line as words. Blanks separate words, and a word that begins with `;` begins a comment.

use super::Res;
use formats::codes;
use formats::error::{Error, Text, printable};
use std::ops::Range;

/// A word, and its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) at: Range<usize>,
}

/// The rest of a line.
pub(super) struct Line<'a> {
    text: Text<'a>,
    at: usize,
    end: usize,
}

impl<'a> Line<'a> {
    /// Returns the line at `at`, without its end.
    pub(super) fn new(text: Text<'a>, at: usize, end: usize) -> Self {
        Self { text, at, end }
    }

    /// Consumes the next word, if there is one before the comment.
    pub(super) fn word(&mut self) -> Option<Word<'a>> {
        let bytes = &self.text.text.as_bytes()[..self.end];
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let start = self.at + bytes[self.at..].iter().position(|byte| !is_blank(byte))?;
        if bytes[start] == b';' {
            self.at = self.end;
            return None;
        }
        let end = bytes[start..].iter().position(is_blank).map_or(self.end, |length| start + length);
        self.at = end;
        Some(Word { text: &self.text.text[start..end], at: start..end })
    }

    /// Consumes the next word, which the line must have. `expected` describes it in errors.
    pub(super) fn expect(&mut self, expected: &str) -> Res<Word<'a>> {
        let place = self.at;
        self.word().ok_or_else(|| {
            let error = self.text.error(&codes::BTOR2_SYNTAX, place..place, "the line ends too early");
            error.label(format!("expected {expected}"))
        })
    }

    /// Consumes a natural number below 2^32.
    pub(super) fn number(&mut self, expected: &str) -> Res<(u32, Range<usize>)> {
        let word = self.expect(expected)?;
        match word.text.parse::<u32>() {
            Ok(number) if word.text.bytes().all(|byte| byte.is_ascii_digit()) => Ok((number, word.at)),
            _ => {
                let message = format!("`{}` is not a natural number below 2^32", printable(word.text));
                Err(self.text.error(&codes::BTOR2_SYNTAX, word.at, message).label(format!("expected {expected}")))
            }
        }
    }

    /// Consumes the rest of the line: at most one word, the symbol.
    pub(super) fn symbol(&mut self, longest: usize) -> Res<Option<&'a str>> {
        let Some(symbol) = self.word() else { return Ok(None) };
        if symbol.text.len() > longest {
            return Err(self.text.long_name(symbol.at, longest));
        }
        match self.word() {
            None => Ok(Some(symbol.text)),
            Some(extra) => Err(self.extra(&extra)),
        }
    }

    fn extra(&self, extra: &Word<'_>) -> Box<Error> {
        let message = format!("`{}` does not belong here", printable(extra.text));
        let error = self.text.error(&codes::BTOR2_SYNTAX, extra.at.clone(), message);
        error.label("expected the end of the line").hint("after the operands stands at most one word, the symbol")
    }
}
