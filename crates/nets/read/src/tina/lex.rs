//! Lexer for Tina's textual nets. Names are words of letters, digits, `'` and `_`, or any text in braces, where a
//! backslash stands before braces and backslashes.

use formats::codes;
use formats::error::{Error, Text, printable};
use formats::source::Limits;
use std::borrow::Cow;
use std::ops::Range;

type Res<T> = Result<T, Box<Error>>;

/// Words that begin a declaration. As names they stand in braces.
const KEYWORDS: &[&str] = &["net", "tr", "pl", "lb", "pr", "nt"];

/// A word, a text in braces, or a sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    /// The text, without the outer braces.
    pub(super) text: &'a str,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Keyword,
    Word,
    Braced,
    Sign,
    End,
}

impl Token<'_> {
    /// True if the token is this sign.
    pub(super) fn is(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && self.text == sign
    }

    /// True if the token may be a name.
    pub(super) fn is_name(&self) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Braced)
    }
}

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    pub(super) text: Text<'a>,
    pub(super) limits: &'a Limits,
    at: usize,
    next: Option<Token<'a>>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: Text<'a>, limits: &'a Limits) -> Self {
        let at = if text.text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, limits, at, next: None }
    }

    /// Returns a lexer for the text from byte `at` on.
    pub(super) fn from(&self, at: usize) -> Self {
        Self { at, next: None, ..self.clone() }
    }

    /// Returns the next token without consuming it.
    pub(super) fn peek(&mut self) -> Res<&Token<'a>> {
        let token = match self.next.take() {
            Some(token) => token,
            None => self.scan()?,
        };
        Ok(self.next.insert(token))
    }

    pub(super) fn take(&mut self) -> Res<Token<'a>> {
        match self.next.take() {
            Some(token) => Ok(token),
            None => self.scan(),
        }
    }

    /// Consumes the next token if it is this sign.
    pub(super) fn accept(&mut self, sign: &str) -> Res<bool> {
        let found = self.peek()?.is(sign);
        if found {
            self.next = None;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, sign: &str) -> Res<Token<'a>> {
        let token = self.take()?;
        if token.is(sign) { Ok(token) } else { Err(self.unexpected(&token, &format!("`{sign}`"))) }
    }

    pub(super) fn unexpected(&self, token: &Token<'a>, expected: &str) -> Box<Error> {
        let message = match token.kind {
            TokenKind::End => "the text ends too early".to_owned(),
            _ => format!("`{}` is not expected here", printable(token.text)),
        };
        let error = self.text.error(&codes::TINA_SYNTAX, token.span.clone(), message);
        let error = error.label(format!("expected {expected}"));
        match token.kind {
            TokenKind::Keyword => error.hint(format!("a node of this name is written {{{}}}", token.text)),
            _ => error.hint("a declaration is, for example, `tr t p*2 -> q` or `pl p (1)`"),
        }
    }

    /// Returns the name that the token stands for.
    pub(super) fn name(&self, token: &Token<'a>, expected: &str) -> Res<Cow<'a, str>> {
        if !token.is_name() {
            return Err(self.unexpected(token, expected));
        }
        if token.text.len() > self.limits.name_length {
            return Err(self.text.long_name(token.span.clone(), self.limits.name_length));
        }
        let wrong = |message: &str| {
            let error = self.text.error(&codes::TINA_NAME, token.span.clone(), message).label("not a name");
            error.hint("in braces, a backslash stands before `{`, `}` and `\\`, and before nothing else")
        };
        if token.text.is_empty() || token.text.contains(char::is_control) {
            return Err(wrong("a name in braces is empty or has control characters"));
        }
        if token.kind == TokenKind::Word || !token.text.contains('\\') {
            return Ok(Cow::Borrowed(token.text));
        }
        unescaped(token.text).map(Cow::Owned).ok_or_else(|| wrong("a backslash before another character"))
    }

    fn scan(&mut self) -> Res<Token<'a>> {
        self.blanks();
        let start = self.at;
        let rest = &self.text.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok(Token { kind: TokenKind::End, text: "", span: start..start });
        };
        if first == '{' {
            return self.braced();
        }
        let word = rest.find(|c| !is_word_part(c)).unwrap_or(rest.len());
        let (kind, length) = match word {
            0 if rest.starts_with("->") => (TokenKind::Sign, 2),
            0 if ":()[],*?!-<>".contains(first) => (TokenKind::Sign, 1),
            0 => {
                return Err(self.text.stray(
                    &codes::TINA_SYNTAX,
                    start,
                    |_| "names with other characters stand in braces",
                ));
            }
            length if KEYWORDS.contains(&&rest[..length]) => (TokenKind::Keyword, length),
            length if is_keyword(&rest[..length]) => return Err(self.capital(start..start + length)),
            length => (TokenKind::Word, length),
        };
        self.at = start + length;
        Ok(Token { kind, text: &rest[..length], span: start..self.at })
    }

    /// Makes the error about a keyword with capital letters. Tools differ on whether it is a keyword or a name.
    fn capital(&self, span: Range<usize>) -> Box<Error> {
        let word = &self.text.text[span.clone()];
        let message = format!("`{word}` may be a keyword or a name");
        let hint = format!("write the keyword as `{}`, and the name as {{{word}}}", word.to_ascii_lowercase());
        self.text.error(&codes::TINA_KEYWORD, span, message).label("expected lower case, or braces").hint(hint)
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) {
        loop {
            let rest = &self.text.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Returns the text in braces that begins here.
    fn braced(&mut self) -> Res<Token<'a>> {
        let start = self.at;
        let inside = &self.text.text[start + 1..];
        let mut escaped = false;
        for (at, byte) in inside.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'{' => {
                    let at = start + 1 + at;
                    let error = self.text.error(&codes::TINA_NAME, at..at + 1, "a brace inside braces");
                    return Err(error.label("not escaped").hint("write `\\{` for a brace in a name"));
                }
                b'}' => {
                    self.at = start + at + 2;
                    return Ok(Token { kind: TokenKind::Braced, text: &inside[..at], span: start..self.at });
                }
                _ => {}
            }
        }
        let error = self.text.error(&codes::TINA_NAME, start..start + 1, "a brace without end").label("opened here");
        Err(error.hint("expected `}` after the name or note"))
    }
}

/// Returns the text without its escapes, or `None` if an escape is wrong.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => out.push(characters.next().filter(|c| "{}\\".contains(*c))?),
            c => out.push(c),
        }
    }
    Some(out)
}

/// Returns a name as the format writes it. Names that other tools may not read as words stand in braces.
pub(super) fn written(name: &str) -> Cow<'_, str> {
    if !name.is_empty() && name.chars().all(|c| c.is_ascii() && is_word_part(c)) && !is_keyword(name) {
        return Cow::Borrowed(name);
    }
    let mut out = String::from("{");
    for c in name.chars() {
        if "{}\\".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('}');
    Cow::Owned(out)
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '\'' || c == '_'
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, String)> {
        let limits = Limits::default();
        let mut lexer = Lexer::new(Text { name: "t", text }, &limits);
        let next = || lexer.take().ok().filter(|t| t.kind != TokenKind::End).map(|t| (t.kind, t.text.to_owned()));
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn signs_need_no_blanks() {
        use TokenKind::{Braced, Keyword, Sign, Word};
        let expected = [
            (Keyword, "tr"),
            (Word, "t'1"),
            (Sign, "["),
            (Word, "0"),
            (Sign, ","),
            (Word, "w"),
            (Sign, "["),
            (Word, "p"),
            (Sign, "?"),
            (Sign, "-"),
            (Word, "2"),
            (Sign, "->"),
            (Braced, "a \\} # b"),
            (Sign, "*"),
            (Word, "3K"),
        ];
        let expected = expected.map(|(kind, text)| (kind, text.to_owned()));
        assert_eq!(kinds("tr t'1[0,w[p?-2->{a \\} # b}*3K# {"), expected);
    }

    #[test]
    fn written_names_are_read_as_they_were() {
        let limits = Limits::default();
        for name in ["a", "a'_1", "2", "Tr", "net", "a b", "a-b", "{}\\", "\\{", "é", "#"] {
            let text = written(name);
            let mut lexer = Lexer::new(Text { name: "t", text: &text }, &limits);
            let token = lexer.take().unwrap();
            assert_eq!(lexer.name(&token, "a name").unwrap(), name);
            assert_eq!(lexer.take().unwrap().kind, TokenKind::End);
        }
        assert_eq!([written("a'1"), written("Tr"), written("a{")], ["a'1", "{Tr}", "{a\\{}"]);
    }
}
