//! Lexer for `.rwb` text. Line ends are LF or CR LF. A lone CR is refused, because some readers would end a
//! comment there and other readers would not.

use formats::codes;
use formats::error::{Error, Text, printable};
use formats::source::Limits;
use logos::Logos;
use std::ops::Range;

/// Defines the tokens. Words are sorted.
macro_rules! tokens {
    (words { $($word:ident $text:tt)* } newer { $($newer:ident $new:tt)* } signs { $($sign:ident $chars:tt)* }) => {
        /// Reserved words, which are never names. Sorted.
        pub(crate) const RESERVED: &[&str] = &[$($text),*];

        /// Reserved words that version 1 does not have. Sorted.
        pub(super) const NEWER: &[&str] = &[$($new),*];

        /// A token kind; its text is in the source.
        #[derive(Logos, Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
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
            $(#[token($text)] $word,)*
            $(#[token($new)] $newer,)*
            $(#[token($chars)] $sign,)*
            /// The end of the file.
            Eof,
        }
    };
}

tokens! {
    words {
        Bad "bad" Block "block" Body "body" Check "check" Choose "choose" Const "const" Deadlock "deadlock" Else "else"
        End "end" Event "event" For "for" In "in" Init "init" Loop "loop" None "none" On "on" Or "or" Repeat "repeat"
        Request "request" Rwb "rwb" Select "select" Set "set" State "state" Sync "sync" Thread "thread" Wait "wait"
        When "when"
    }
    newer {
        Assert "assert" Bool "bool" Break "break" Continue "continue" Enum "enum" Environment "environment"
        False "false" Final "final" If "if" Int "int" Interrupt "interrupt" True "true" Var "var" While "while"
    }
    signs {
        Open "{" Close "}" OpenIndex "[" CloseIndex "]" OpenParen "(" CloseParen ")" Comma "," Semicolon ";" Colon ":"
        Bar "|" Arrow "->" Dots ".." DotsEqual "..=" Assign "=" OrOr "||" AndAnd "&&" Equal "==" Unequal "!=" Less "<"
        AtMost "<=" Greater ">" AtLeast ">=" Plus "+" Minus "-" Star "*" Slash "/" Percent "%" Not "!"
    }
}

/// True if `word` is an identifier of version 1.
pub(crate) fn is_identifier(word: &str) -> bool {
    let mut bytes = word.bytes();
    let head = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    head && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') && RESERVED.binary_search(&word).is_err()
}

impl Tok {
    /// True if the token is a reserved word.
    pub(super) fn is_word(self) -> bool {
        (Tok::Bad..=Tok::While).contains(&self)
    }
}

/// A lexer that returns one token at a time, so that a hostile file costs only as much as the part that is read
/// before the error.
pub(super) struct Lexer<'a> {
    source: Text<'a>,
    limits: &'a Limits,
    inner: logos::Lexer<'a, Tok>,
    /// The version of the format, 1 or 2. It decides which words and signs exist.
    pub(super) version: u8,
    count: usize,
    /// Invalid characters before this position get no error of their own.
    pub(super) quiet_until: usize,
    /// True if an invalid character was skipped since this was last set to false.
    pub(super) has_skipped: bool,
    has_foreign_comment: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: Text<'a>, limits: &'a Limits) -> Self {
        let inner = Tok::lexer(source.text);
        let (quiet_until, has_skipped, has_foreign_comment) = (0, false, false);
        Self { source, limits, inner, version: 1, count: 0, quiet_until, has_skipped, has_foreign_comment }
    }

    /// Iterates over the tokens after the current one, without moving to them. Words of version 2 are words here.
    pub(super) fn ahead(&self) -> impl Iterator<Item = (Tok, Range<usize>)> + use<'a> {
        self.inner.clone().spanned().map(|(token, span)| (token.unwrap_or(Tok::Eof), span))
    }

    /// Returns the next token and its place. At the end of the text every call returns [`Tok::Eof`]. After an
    /// error, the next call continues with the text after the error.
    pub(super) fn next(&mut self) -> Result<(Tok, Range<usize>), Box<Error>> {
        loop {
            let Some(token) = self.inner.next() else {
                return Ok((Tok::Eof, self.source.text.len()..self.source.text.len()));
            };
            let span = self.inner.span();
            self.count += 1;
            if self.count > self.limits.tokens {
                let message = format!("the file has more than {} words and signs", self.limits.tokens);
                return Err(self.source.error(&codes::LIMIT_TOKENS, span, message).label("one too many"));
            }
            let is_foreign_comment = || self.source.text[span.end..].starts_with(['/', '*']);
            let token = match token {
                Ok(Tok::Colon) if self.version == 1 => Err(()),
                Ok(token) if self.version == 1 && (Tok::Assert..=Tok::While).contains(&token) => Ok(Tok::Name),
                token => token,
            };
            match token {
                Ok(Tok::Slash) if is_foreign_comment() => {
                    self.inner.bump(foreign_comment_length(&self.source.text[span.end..]));
                    if !std::mem::replace(&mut self.has_foreign_comment, true) {
                        return Err(self.foreign_comment(span));
                    }
                }
                Ok(Tok::Name) if span.len() > self.limits.name_length => {
                    return Err(self.source.long_name(span, self.limits.name_length));
                }
                Ok(token) => return Ok((token, span)),
                Err(()) if span.start < self.quiet_until => self.has_skipped = true,
                Err(()) => {
                    self.has_skipped = true;
                    return Err(self.bad_character(span.start));
                }
            }
        }
    }

    /// Makes the error about the first comment in the syntax of another language. All such comments are skipped.
    fn foreign_comment(&self, span: Range<usize>) -> Box<Error> {
        let sign = span.start..span.end + 1;
        let message = format!("`{}` does not begin a comment here", &self.source.text[sign.clone()]);
        self.source
            .error(&codes::RWB_COMMENT, sign, message)
            .label("expected `#`")
            .hint("a comment begins with `#` and goes to the end of the line (further ones are skipped, not reported)")
    }

    /// Makes the error about a [`Tok::BadNumber`].
    pub(super) fn bad_number(&self, span: Range<usize>) -> Box<Error> {
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
        let begins_name = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_member = self.source.text[at..].strip_prefix('.').is_some_and(|rest| rest.starts_with(begins_name))
            && self.source.text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        self.source.stray(&codes::RWB_CHARACTER, at, match self.version {
            1 => of_character,
            _ if is_member => |_| {
                "a thread reads only its own variables; it sees what another thread does by waiting for its events"
            },
            _ => |c| if c == '?' { "a choice is written `if .. { .. } else { .. }`" } else { of_character(c) },
        })
    }
}

/// Returns the hint about a character that means nothing.
fn of_character(c: char) -> &'static str {
    match c {
        '&' => "`and` is written `&&`",
        '.' => "a range is written `from..to`",
        '\'' | '"' => "names are written without quotes",
        ':' => "clauses have no colon: `request a`, `on a -> s`",
        '?' => "a choice is written `when .. { .. } else { .. }`, on constants, or `choose { .. } or { .. }`",
        _ => "names are ASCII letters, digits and `_`; a comment begins with `#`",
    }
}

/// Returns the number of opening braces minus the number of closing braces in `text`, which may have errors.
pub(super) fn missing_braces(text: &str) -> isize {
    let mut lexer = Tok::lexer(text);
    let mut missing = 0;
    while let Some(token) = lexer.next() {
        match token {
            Ok(Tok::Open) => missing += 1,
            Ok(Tok::Close) => missing -= 1,
            Ok(Tok::Slash) => lexer.bump(foreign_comment_length(&text[lexer.span().end..])),
            _ => {}
        }
    }
    missing
}

/// Iterates over the names in a text.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let named = |(token, span): (_, Range<usize>)| matches!(token, Ok(Tok::Name)).then(|| &text[span]);
    Tok::lexer(text).spanned().filter_map(named)
}

/// Returns the length of the rest of a comment in the syntax of another language, after its first `/`, or 0 if
/// it is not a comment.
fn foreign_comment_length(rest: &str) -> usize {
    match rest.as_bytes().first() {
        Some(b'*') => rest[1..].find("*/").map_or(rest.len(), |end| end + 3),
        Some(b'/') => rest.find('\n').unwrap_or(rest.len()),
        _ => 0,
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
            assert!(kinds.len() == 1 && kinds[0].is_word(), "{word}");
            assert!(super::tests::kinds(&format!("{word}s")) == [Tok::Name], "{word}s");
        }
        assert!(RESERVED.is_sorted() && NEWER.is_sorted());
        assert!(NEWER.iter().all(|word| kinds(word) == [Tok::Name] && is_identifier(word)));
    }

    #[test]
    fn ranges_and_numbers_do_not_mix() {
        assert_eq!(kinds("0..n # rest ] }\r\nx"), [Tok::Number, Tok::Dots, Tok::Name, Tok::Name]);
        assert_eq!(kinds("1a"), [Tok::BadNumber]);
        assert_eq!(kinds("a->b|c||d"), [Tok::Name, Tok::Arrow, Tok::Name, Tok::Bar, Tok::Name, Tok::OrOr, Tok::Name]);
    }

    #[test]
    fn comments_of_other_languages_are_passed_over() {
        let limits = Limits::default();
        for text in ["a // b }\nc", "a /* b\n} */ c", "a // b", "a /* b", "a /*/ b"] {
            let mut lexer = Lexer::new(Text { name: "t", text }, &limits);
            let tokens: Vec<_> = (0..4).map(|_| lexer.next().map(|(tok, _)| tok).map_err(|e| e.code())).collect();
            assert_eq!(tokens[..2], [Ok(Tok::Name), Err("rwb::comment")], "{text}");
            let last = if text.contains('c') { Tok::Name } else { Tok::Eof };
            assert_eq!(tokens[2..], [Ok(last), Ok(Tok::Eof)], "{text}");
        }
    }
}
