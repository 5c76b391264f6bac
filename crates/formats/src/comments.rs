//! Decoder for UTF-8 text with comments in any encoding. Files older than UTF-8 may have comments in Latin-1,
//! and the tools for such files accept them.
//!
//! The result is UTF-8 of the same length, in which every byte of a comment that is not UTF-8 is replaced by
//! `?`, so that all positions stay the same. A [`Comments`] value says where a format has comments. Text that
//! is valid UTF-8 as a whole is not scanned.

use crate::error::Error;
use crate::input;
use crate::source::Source;
use std::borrow::Cow;
use std::ops::Range;

/// The comment syntax of a format. It must agree with the lexer of the format.
pub struct Comments {
    /// Signs that begin a comment up to the end of the line.
    pub line: &'static [&'static str],
    /// True if `line` signs count only at the beginning of a line, after any blanks.
    pub at_start: bool,
    /// The signs that begin and end a block comment.
    pub block: Option<(&'static str, &'static str)>,
    /// The quotes of quoted text. No comment begins inside quoted text.
    pub quote: Option<Quote>,
}

/// The quotes of a format. Quoted text without end goes to the end of the file.
pub struct Quote {
    /// The byte that begins and ends the text.
    pub sign: u8,
    /// The escape: after it, a quote does not end the text.
    pub escape: Option<u8>,
}

/// Comments from `#` to the end of the line.
pub const HASH: Comments = Comments { line: &["#"], at_start: false, block: None, quote: None };

/// Returns the source as text.
///
/// # Errors
/// A byte outside all comments that is not UTF-8.
pub fn text<'s>(source: &'s Source, comments: &Comments) -> Result<Cow<'s, str>, Box<Error>> {
    decode(&source.bytes, comments).map_err(|(shown, at)| input::not_utf8(source, &shown, at))
}

/// Decodes bytes as text. On failure, returns the bytes with all comments replaced, and the first position that
/// is not UTF-8.
pub fn decode<'s>(bytes: &'s [u8], comments: &Comments) -> Result<Cow<'s, str>, (Vec<u8>, usize)> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    let mut copy = bytes.to_vec();
    let mut at = 0;
    while let Some(comment) = comments.next(bytes, at) {
        at = comment.end;
        replace(&mut copy[comment]);
    }
    String::from_utf8(copy).map(Cow::Owned).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        (error.into_bytes(), at)
    })
}

/// Replaces each byte that is not UTF-8 by `?`.
fn replace(comment: &mut [u8]) {
    let mut at = 0;
    while let Err(error) = std::str::from_utf8(&comment[at..]) {
        let wrong = at + error.valid_up_to();
        comment[wrong] = b'?';
        at = wrong + 1;
    }
}

impl Comments {
    /// Finds the first comment from `at` on. No comment and no quoted text may be open at `at`.
    fn next(&self, bytes: &[u8], at: usize) -> Option<Range<usize>> {
        let mut at = at;
        let mut is_start = bytes[..at].last().is_none_or(|b| *b == b'\n');
        while let Some(byte) = bytes.get(at) {
            let rest = &bytes[at..];
            let line = self.line.iter().any(|sign| rest.starts_with(sign.as_bytes()));
            if line && (is_start || !self.at_start) {
                return Some(at..at + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()));
            }
            if let Some((begin, end)) = self.block.filter(|(begin, _)| rest.starts_with(begin.as_bytes())) {
                let inside = &rest[begin.len()..];
                let end = inside.windows(end.len()).position(|w| w == end.as_bytes()).map(|i| i + end.len());
                return Some(at..at + begin.len() + end.unwrap_or(inside.len()));
            }
            is_start = *byte == b'\n' || (is_start && matches!(byte, b' ' | b'\t'));
            at += self.quote.as_ref().map_or(1, |quote| quote.length(rest));
        }
        None
    }
}

impl Quote {
    /// Returns the length of the quoted text at the beginning of `text`, or 1 if it does not begin with a quote.
    fn length(&self, text: &[u8]) -> usize {
        if text.first() != Some(&self.sign) {
            return 1;
        }
        let mut at = 1;
        while let Some(byte) = text.get(at) {
            if *byte == self.sign {
                return at + 1;
            }
            at += if Some(*byte) == self.escape { 2 } else { 1 };
        }
        text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const C: Comments = Comments {
        line: &["//"],
        at_start: false,
        block: Some(("/*", "*/")),
        quote: Some(Quote { sign: b'"', escape: Some(b'\\') }),
    };
    const START: Comments = Comments { line: &["c"], at_start: true, block: None, quote: None };

    fn decoded(bytes: &[u8], comments: &Comments) -> Result<String, usize> {
        decode(bytes, comments).map(Cow::into_owned).map_err(|(_, at)| at)
    }

    #[test]
    fn bytes_of_comments_are_replaced_one_by_one() {
        assert_eq!(decoded(b"a # \xe9t\xe9\nb # \xc3\xa9 \xff\n", &HASH).unwrap(), "a # ?t?\nb # é ?\n");
        assert_eq!(decoded(b"# \xc3", &HASH).unwrap(), "# ?", "a sequence that breaks off");
        assert_eq!(decoded(b"# \xf0\x9f\x92\nx", &HASH).unwrap(), "# ???\nx");
        assert!(matches!(decode("é # é".as_bytes(), &HASH), Ok(Cow::Borrowed("é # é"))));
    }

    #[test]
    fn bytes_elsewhere_are_refused() {
        assert_eq!(decoded(b"# \xe9\n\xe9 # \xe9", &HASH), Err(4));
        assert_eq!(decoded(b"a \xe9#", &HASH), Err(2));
        assert_eq!(decoded(b"/* \xe9 */ \xe9", &C), Err(8));
        assert_eq!(decoded(b"\"// \xe9\"", &C), Err(4));
        assert_eq!(decoded(b"x c \xe9\n", &START), Err(4));
    }

    #[test]
    fn comments_of_every_form_are_found() {
        assert_eq!(decoded(b"\"\\\"/*\" /* \"\xe9*/ x // \xe9", &C).unwrap(), "\"\\\"/*\" /* \"?*/ x // ?");
        assert_eq!(decoded(b"/* \xe9", &C).unwrap(), "/* ?", "without end");
        assert_eq!(decoded(b"/*/ \xe9*/\"", &C).unwrap(), "/*/ ?*/\"", "the begin is no end");
        assert_eq!(decoded(b"c \xe9\n \t c\xe9\n1 0\n", &START).unwrap(), "c ?\n \t c?\n1 0\n");
    }
}
