//! Lexer of version 2. The parser compares tokens by their text, so a token has only a kind.

use crate::rwb::lex as first;
use formats::codes;
use formats::error::{Error, Span, Text};
use formats::source::Limits;
use logos::Logos;

/// Reserved words that version 1 does not have. Sorted.
pub(in crate::rwb) const RESERVED: &[&str] = &[
    "assert",
    "bool",
    "break",
    "continue",
    "enum",
    "environment",
    "false",
    "final",
    "if",
    "int",
    "interrupt",
    "true",
    "var",
    "while",
];

/// True if the word is reserved.
pub(in crate::rwb) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok() || first::RESERVED.binary_search(&word).is_ok()
}

/// The kind of a token.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\n]+")]
#[logos(skip r"\r\n")]
#[logos(skip(r"#[^\r\n]*", allow_greedy = true))]
pub(super) enum Kind {
    /// A name or a reserved word.
    #[regex(r"[A-Za-z_][A-Za-z_0-9]*")]
    Word,
    #[regex(r"[0-9]+")]
    Number,
    #[regex(r"[0-9]+[A-Za-z_][A-Za-z_0-9]*")]
    BadNumber,
    #[regex(r"->|\.\.=|\.\.|\|\||&&|==|!=|<=|>=|[{}()\[\],;:|=<>+\-*/%!]")]
    Sign,
    /// The end of the file.
    Eof,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) span: Span,
}

impl Token<'_> {
    /// True if the token is this word or sign.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Eof && self.text == text
    }

    /// True if the token is a name.
    pub(super) fn is_name(&self) -> bool {
        self.kind == Kind::Word && !is_reserved(self.text)
    }
}

/// Splits a text into tokens. The last one is [`Kind::Eof`].
pub(super) fn tokens<'a>(source: Text<'a>, limits: &Limits) -> Result<Vec<Token<'a>>, Box<Error>> {
    let mut tokens = Vec::new();
    for (kind, range) in Kind::lexer(source.text).spanned() {
        let text = &source.text[range.clone()];
        if tokens.len() >= limits.tokens {
            let message = format!("the file has more than {} words and signs", limits.tokens);
            return Err(source.error(&codes::LIMIT_TOKENS, range, message).label("one too many"));
        }
        match kind {
            Ok(Kind::BadNumber) => {
                let error = source.error(&codes::RWB_BAD_NUMBER, range, "this is neither a number nor a name");
                return Err(error.label("expected a decimal number"));
            }
            Ok(Kind::Word) if text.len() > limits.name_length => {
                return Err(source.long_name(range, limits.name_length));
            }
            Ok(kind) => tokens.push(Token { kind, text, span: Span::new(range) }),
            Err(()) if text.starts_with('\r') => {
                return Err(source.lone_return(&codes::RWB_LONE_CR, range.start));
            }
            Err(()) => {
                let is_in_name = source.text[..range.start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                    && source.text[range.end..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                let hint = if is_in_name { of_another } else { of_character };
                return Err(source.stray(&codes::RWB_CHARACTER, range.start, hint));
            }
        }
    }
    let end = source.text.len();
    tokens.push(Token { kind: Kind::Eof, text: "the end of the file", span: Span::new(end..end) });
    Ok(tokens)
}

/// Returns the hint about a character that means nothing.
fn of_character(c: char) -> &'static str {
    match c {
        '&' => "`and` is written `&&`",
        '.' => "a range is written `from..to`",
        '\'' | '"' => "names are written without quotes",
        '?' => "a choice is written `if .. { .. } else { .. }`",
        _ => "names are ASCII letters, digits and `_`; a comment begins with `#`",
    }
}

/// Returns the hint about a character between two names, such as the point in `A.n`.
fn of_another(c: char) -> &'static str {
    match c {
        '.' => "a thread reads only its own variables; it sees what another thread does by waiting for its events",
        other => of_character(other),
    }
}

/// The hint about a variable that is declared in a body.
pub(super) const LOCAL: &str = "a variable is declared in its thread, before the body: `var n: 0..10 = 0`";
