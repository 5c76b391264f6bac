//! Lexer for the words and signs of LoLA's texts. Almost any text without blanks is a word. `"quoted"` words may
//! contain blanks and signs, and are never keywords. `{ comments }` end at the next `}`.

use formats::codes;
use formats::comments::{Comments, Quote};
use formats::error::{Error, Text, printable};
use formats::source::Limits;
use std::ops::Range;

type Res<T> = Result<T, Box<Error>>;

/// A word or sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    /// The text, without quotes.
    pub(super) text: &'a str,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Word,
    Quoted,
    Sign,
    End,
}

impl Token<'_> {
    /// True if the token is this keyword or sign.
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Sign) && self.text == text
    }
}

/// The comment syntax.
pub(super) const COMMENTS: &Comments =
    &Comments { line: &[], at_start: false, block: Some(("{", "}")), quote: Some(Quote { sign: b'"', escape: None }) };

/// Signs of formulas; longer ones first.
const OPERATORS: &[&str] =
    &["<->", "->", "<=", ">=", "!=", "<>", "==", "=", "<", ">", "#", "+", "-", "*", "!", "&&", "||", "&", "|"];

pub(super) struct Lexer<'a> {
    pub(super) text: Text<'a>,
    pub(super) limits: &'a Limits,
    at: usize,
    /// True if operators are recognised, as in formulas.
    operators: bool,
    next: Option<Token<'a>>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: Text<'a>, limits: &'a Limits, operators: bool) -> Self {
        let at = if text.text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, limits, at, operators, next: None }
    }

    /// Returns the lexer for the text from byte `at` on.
    pub(super) fn from(mut self, at: usize) -> Self {
        self.at = self.at.max(at);
        self
    }

    /// Returns the next token without consuming it.
    pub(super) fn peek(&mut self) -> Res<Token<'a>> {
        if self.next.is_none() {
            self.next = Some(self.scan()?);
        }
        self.next.clone().map_or_else(|| self.scan(), Ok)
    }

    pub(super) fn take(&mut self) -> Res<Token<'a>> {
        match self.next.take() {
            Some(token) => Ok(token),
            None => self.scan(),
        }
    }

    /// Consumes the next token if it is this keyword or sign.
    pub(super) fn accept(&mut self, text: &str) -> Res<bool> {
        let found = self.peek()?.is(text);
        if found {
            self.next = None;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, text: &str) -> Res<()> {
        let token = self.take()?;
        if token.is(text) { Ok(()) } else { Err(self.unexpected(&token, &format!("`{text}`"))) }
    }

    /// Returns what is left of a budget of named nodes after `name`, which stands for `count` of them.
    pub(super) fn spend(&self, left: usize, count: usize, name: &Token<'a>) -> Res<usize> {
        left.checked_sub(count).ok_or_else(|| {
            let message = format!("the formula names more than {} places and transitions", self.limits.formula_nodes);
            let error = self.text.error(&codes::LIMIT_FORMULA, name.span.clone(), message);
            error.label("the limit is reached here")
        })
    }

    pub(super) fn unexpected(&self, token: &Token<'a>, expected: &str) -> Box<Error> {
        let message = match token.kind {
            TokenKind::End => "the text ends too early".to_owned(),
            _ => format!("`{}` is not expected here", printable(token.text)),
        };
        self.text.error(&codes::LOLA_SYNTAX, token.span.clone(), message).label(format!("expected {expected}"))
    }

    fn scan(&mut self) -> Res<Token<'a>> {
        self.blanks()?;
        let start = self.at;
        let rest = &self.text.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok(Token { kind: TokenKind::End, text: "", span: start..start });
        };
        if first == '"' {
            let Some(length) = rest[1..].find('"') else {
                let error = self.text.error(&codes::LOLA_SYNTAX, start..start + 1, "a quoted name without end");
                return Err(error.label("opened here"));
            };
            self.at = start + length + 2;
            return Ok(Token { kind: TokenKind::Quoted, text: &rest[1..=length], span: start..self.at });
        }
        let (kind, length) = match self.operator(rest) {
            Some(length) => (TokenKind::Sign, length),
            None if is_sign(first) => (TokenKind::Sign, first.len_utf8()),
            None => (TokenKind::Word, self.word(rest)),
        };
        self.at = start + length;
        Ok(Token { kind, text: &rest[..length], span: start..self.at })
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) -> Res<()> {
        loop {
            let rest = &self.text.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('{') {
                return Ok(());
            }
            let Some(length) = trimmed.find('}') else {
                let error = self.text.error(&codes::LOLA_SYNTAX, self.at..self.at + 1, "a comment without end");
                return Err(error.label("opened here"));
            };
            self.at += length + 1;
        }
    }

    fn operator(&self, rest: &str) -> Option<usize> {
        let found = OPERATORS.iter().find(|op| self.operators && rest.starts_with(**op));
        found.map(|op| op.len())
    }

    /// Returns the length of the word at the beginning of `rest`. In formulas `-` is part of a word, but not in
    /// `->`.
    fn word(&self, rest: &str) -> usize {
        let ends = |(i, c): &(usize, char)| {
            let operator = self.operators && ("=<>#!&|+*".contains(*c) || rest[*i..].starts_with("->"));
            c.is_whitespace() || is_sign(*c) || *c == '"' || operator
        };
        rest.char_indices().find(ends).map_or(rest.len(), |(i, _)| i)
    }
}

/// True if a net may contain this text as a word, without quotes.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control() || is_sign(c) || c == '"')
}

fn is_sign(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '(' | ')' | '{' | '}')
}

/// Words of questions that are not answered.
pub(super) const OTHERS: &[&str] = &["EU", "AU", "MAX", "MIN", "INITIAL", "FORMULA"];

/// True for words of temporal logic, which stand in quotes if they are names.
pub(super) fn is_temporal_word(word: &str) -> bool {
    const PATHS: &[&str] = &["EF", "AG", "EG", "AF", "EX", "AX", "EXPATH", "ALLPATH"];
    const RUNS: &[&str] = &["EVENTUALLY", "ALWAYS", "NEXTSTEP", "UNTIL", "REACHABLE", "INVARIANT", "IMPOSSIBLE"];
    PATHS.contains(&word) || RUNS.contains(&word) || OTHERS.contains(&word)
}

pub(super) fn not_reachability(text: Text<'_>, token: &Token<'_>) -> Box<Error> {
    let message = "a word of temporal logic where a statement about a marking is expected";
    let error = text.error(&codes::LOLA_REACHABILITY, token.span.clone(), message).label("not in this place");
    error.hint("a place with this name stands in double quotes")
}
