//! The text form of LRAT.

use super::step::{Buffers, RecordKind, rat};
use crate::codes;
use crate::error::{Error, printable};
use crate::source::Source;
use std::ops::Range;

pub(super) struct Text<'a> {
    source: &'a Source,
    at: usize,
}

/// The largest length in bytes of a word in an error. Longer words are no numbers below 2^63.
const LONGEST: usize = 40;

impl<'a> Text<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, at: 0 }
    }

    pub(super) fn next(&mut self, step: &mut Buffers) -> Result<Option<RecordKind>, Box<Error>> {
        self.skip_comments();
        let Some(first) = self.word() else { return Ok(None) };
        step.id = self.id(&first, "the number of a clause, from 1")?;
        let mut last = first;
        let mut word = self.word_after(&mut last)?;
        if self.bytes(&word) == b"d" {
            self.ids(&mut last, &mut step.ids)?;
            return Ok(Some(RecordKind::Delete));
        }
        loop {
            let number = self.number(&word, "a literal or 0")?;
            match i32::try_from(number) {
                Ok(0) => break,
                Ok(literal) if literal != i32::MIN => step.clause.push(literal),
                _ => return Err(self.wrong(word, "a literal below 2^31, or 0")),
            }
            word = self.word_after(&mut last)?;
        }
        self.ids(&mut last, &mut step.ids)?;
        Ok(Some(RecordKind::Add))
    }

    /// Reads numbers of clauses up to a 0.
    fn ids(&mut self, last: &mut Range<usize>, ids: &mut Vec<u64>) -> Result<(), Box<Error>> {
        loop {
            let word = self.word_after(last)?;
            match self.number(&word, "the number of a clause, or 0")? {
                0 => return Ok(()),
                number if number < 0 => {
                    let error = |code, message: String| self.error(code, word, message).label("a negative hint");
                    return Err(rat(error, number.unsigned_abs()));
                }
                number => ids.push(number.unsigned_abs()),
            }
        }
    }

    fn id(&self, word: &Range<usize>, expected: &str) -> Result<u64, Box<Error>> {
        let number = self.number(word, expected)?;
        u64::try_from(number).ok().filter(|id| *id > 0).ok_or_else(|| self.wrong(word.clone(), expected))
    }

    fn number(&self, word: &Range<usize>, expected: &str) -> Result<i64, Box<Error>> {
        let bytes = self.bytes(word);
        let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
        let mut number = (!digits.is_empty()).then_some(0i64);
        for digit in digits {
            let value = digit.is_ascii_digit().then(|| i64::from(digit - b'0'));
            number = number.zip(value).and_then(|(n, v)| n.checked_mul(10)?.checked_add(v));
        }
        let number = number.filter(|n| *n != 0 || digits.len() == bytes.len());
        let number = number.ok_or_else(|| self.wrong(word.clone(), expected))?;
        Ok(if digits.len() < bytes.len() { -number } else { number })
    }

    fn skip_comments(&mut self) {
        let bytes = &self.source.bytes;
        loop {
            self.skip_blanks();
            if bytes.get(self.at) != Some(&b'c') {
                return;
            }
            self.at += bytes[self.at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - self.at);
        }
    }

    fn skip_blanks(&mut self) {
        while self.source.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn word(&mut self) -> Option<Range<usize>> {
        self.skip_blanks();
        let start = self.at;
        while self.source.bytes.get(self.at).is_some_and(|b| !b.is_ascii_whitespace()) {
            self.at += 1;
        }
        (self.at > start).then_some(start..self.at)
    }

    /// Reads the next word of a step that has begun. `last` is the previous word, and becomes the new one.
    fn word_after(&mut self, last: &mut Range<usize>) -> Result<Range<usize>, Box<Error>> {
        match self.word() {
            Some(word) => {
                *last = word.clone();
                Ok(word)
            }
            None => {
                let error = self.error(&codes::LRAT_UNFINISHED, last.clone(), "the last step has no end".to_owned());
                Err(error.label("the file ends after this").hint("is it cut off?"))
            }
        }
    }

    fn bytes(&self, word: &Range<usize>) -> &'a [u8] {
        &self.source.bytes[word.clone()]
    }

    fn wrong(&self, word: Range<usize>, expected: &str) -> Box<Error> {
        let shown = &self.source.bytes[word.start..word.end.min(word.start + LONGEST)];
        let message = format!("`{}` is out of place", printable(&String::from_utf8_lossy(shown)));
        self.error(&codes::LRAT_SYNTAX, word, message).label(format!("expected {expected}"))
    }

    fn error(&self, code: &'static codes::Code, word: Range<usize>, message: String) -> Box<Error> {
        Error::at(code, &self.source.name, &self.source.bytes, word, message)
    }
}
