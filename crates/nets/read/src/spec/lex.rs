//! Lexer for `.spec` text.

use formats::codes;
use formats::error::{Error, Text, printable};
use formats::source::Limits;
use logos::Logos;
use std::ops::Range;

/// Reserved words, which are never names.
pub(super) const RESERVED: &[&str] = &["in", "init", "invariants", "rules", "target", "true", "vars"];

/// True if `word` is a name of the format.
pub(super) fn is_identifier(word: &str) -> bool {
    let mut bytes = word.bytes();
    let head = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    head && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') && !RESERVED.contains(&word)
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
    #[token("vars")]
    Vars,
    #[token("rules")]
    Rules,
    #[token("init")]
    Init,
    #[token("target")]
    Target,
    #[token("invariants")]
    Invariants,
    #[token("in")]
    In,
    #[token("true")]
    True,
    #[token("'")]
    Prime,
    #[token("=")]
    Equal,
    #[token(">=")]
    AtLeast,
    #[token("[")]
    Open,
    #[token("]")]
    Close,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token("->")]
    Arrow,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    /// The end of the file.
    Eof,
}

impl Tok {
    /// True if the token is a reserved word.
    pub(super) fn is_word(self) -> bool {
        use Tok::{In, Init, Invariants, Rules, Target, True, Vars};
        matches!(self, Vars | Rules | Init | Target | Invariants | In | True)
    }
}

/// A lexer that returns one token at a time, so that a hostile file costs only as much as the part that is read
/// before the error.
pub(super) struct Lexer<'a> {
    source: Text<'a>,
    limits: &'a Limits,
    inner: logos::Lexer<'a, Tok>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: Text<'a>, limits: &'a Limits) -> Self {
        Self { source, limits, inner: Tok::lexer(source.text) }
    }

    /// Returns the next token and its place. At the end of the text every call returns [`Tok::Eof`].
    pub(super) fn next(&mut self) -> Result<(Tok, Range<usize>), Box<Error>> {
        let Some(token) = self.inner.next() else {
            return Ok((Tok::Eof, self.source.text.len()..self.source.text.len()));
        };
        let span = self.inner.span();
        match token {
            Ok(Tok::BadNumber) => Err(self.bad_number(span)),
            Ok(Tok::Name) if span.len() > self.limits.name_length => {
                Err(self.source.long_name(span, self.limits.name_length))
            }
            Ok(Tok::Number) if span.len() > self.limits.token_digits => Err(self.long_number(span)),
            Ok(token) => Ok((token, span)),
            Err(()) => Err(self.bad_character(span.start)),
        }
    }

    fn bad_number(&self, span: Range<usize>) -> Box<Error> {
        let text = printable(&self.source.text[span.clone()]);
        self.source
            .error(&codes::SPEC_BAD_NUMBER, span, format!("`{text}` is neither a number nor a name"))
            .label("expected a decimal number")
            .hint("names begin with a letter or `_`; numbers are decimal digits")
    }

    fn long_number(&self, span: Range<usize>) -> Box<Error> {
        let (len, most) = (span.len(), self.limits.token_digits);
        self.source
            .error(&codes::LIMIT_DIGITS, span, format!("a number of {len} digits"))
            .label(format!("expected at most {most} digits"))
    }

    fn bad_character(&self, at: usize) -> Box<Error> {
        if self.source.text[at..].starts_with('\r') {
            return self.source.lone_return(&codes::SPEC_LONE_CR, at);
        }
        self.source.stray(&codes::SPEC_CHARACTER, at, |c| match c {
            '<' | '>' => "conditions are `x = 3`, `x >= 3` and `x in [1, 3]`",
            '*' => "there is no multiplication: write `x + x`",
            ':' => "sections begin with the word alone",
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
    fn the_grammar_for_editors_has_the_same_keywords() {
        let words = RESERVED.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(testkit::grammar::keywords("spec.tmLanguage.json"), words);
    }

    #[test]
    fn every_reserved_word_is_a_token_of_its_own() {
        for word in RESERVED {
            let kinds = kinds(word);
            assert!(kinds.len() == 1 && kinds[0].is_word(), "{word}");
            assert!(super::tests::kinds(&format!("{word}s")) == [Tok::Name], "{word}s");
            assert!(!is_identifier(word) && is_identifier(&format!("{word}s")));
        }
    }

    #[test]
    fn signs_need_no_blanks() {
        use Tok::{Arrow, AtLeast, Comma, Equal, Minus, Name, Number, Plus, Prime, Semicolon};
        let text = "a>=1,b=0->a'=a-1,b'=b+a+2;# rest ;\r\n";
        let expected = [
            Name, AtLeast, Number, Comma, Name, Equal, Number, Arrow, Name, Prime, Equal, Name, Minus, Number, Comma,
            Name, Prime, Equal, Name, Plus, Name, Plus, Number, Semicolon,
        ];
        assert_eq!(kinds(text), expected);
        assert_eq!(kinds("1a"), []);
        assert!(!is_identifier("1a") && !is_identifier("") && !is_identifier("a b") && !is_identifier("é"));
    }
}
