//! Lexer for C text. Tokens outside the subset are recognised, too, so that errors can name them.

use formats::codes;
use formats::error::{Error, Text, printable};
use formats::source::Limits;
use logos::Logos;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

/// A token kind; its text is in the source.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\x0c]+")]
pub(super) enum Tok {
    #[regex(r"[A-Za-z_][A-Za-z_0-9]*")]
    Name,
    #[regex(r"[0-9][A-Za-z_0-9]*")]
    Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[regex(r"//[^\n]*", allow_greedy = true)]
    LineComment,
    #[regex(r"/\*([^*]|\*+[^*/])*\*+/")]
    Comment,
    #[regex(r"#[^\n]*", allow_greedy = true)]
    Directive,
    #[token("int")]
    Int,
    #[token("void")]
    Void,
    #[token("const")]
    Const,
    #[token("extern")]
    Extern,
    #[token("static")]
    Static,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("return")]
    Return,
    #[token("while")]
    While,
    #[token("for")]
    For,
    #[token("do")]
    #[token("switch")]
    #[token("case")]
    #[token("default")]
    #[token("goto")]
    #[token("break")]
    #[token("continue")]
    #[token("sizeof")]
    #[token("typedef")]
    #[token("struct")]
    #[token("union")]
    #[token("enum")]
    #[token("volatile")]
    #[token("char")]
    #[token("short")]
    #[token("long")]
    #[token("unsigned")]
    #[token("signed")]
    #[token("float")]
    #[token("double")]
    #[token("_Bool")]
    OtherWord,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("?")]
    Question,
    #[token("=")]
    Assign,
    #[token("==")]
    Eq,
    #[token("!=")]
    Ne,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("!")]
    Not,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    Ampersand,
    #[token("|")]
    #[token("^")]
    #[token("~")]
    #[token("<<")]
    #[token(">>")]
    #[token("++")]
    #[token("--")]
    #[token("+=")]
    #[token("-=")]
    #[token("*=")]
    #[token("/=")]
    #[token("%=")]
    #[token("&=")]
    #[token("|=")]
    #[token("^=")]
    #[token("->")]
    #[token(".")]
    OtherSign,
    /// The end of the file.
    Eof,
}

impl Tok {
    /// True if the token is a keyword of C.
    pub(super) fn is_word(self) -> bool {
        use Tok::{Const, Else, Extern, For, If, Int, OtherWord, Return, Static, Void, While};
        matches!(self, Int | Void | Const | Extern | Static | If | Else | Return | While | For | OtherWord)
    }
}

/// The last comment that is a heading. The programs of 2012 mark their inputs in no other way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Heading {
    /// No heading yet.
    None,
    /// `// inputs`
    Inputs,
    /// `// outputs`
    Outputs,
}

/// Iterates over the names in a text.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let named = |(token, span): (_, Range<usize>)| matches!(token, Ok(Tok::Name)).then(|| &text[span]);
    Tok::lexer(text).spanned().filter_map(named)
}

/// A lexer that returns one token at a time, so that a hostile file costs only as much as the part that is read
/// before the error.
pub(super) struct Lexer<'a> {
    source: Text<'a>,
    limits: &'a Limits,
    inner: logos::Lexer<'a, Tok>,
    heading: Heading,
    /// The number of times that each word stands in the text. It is counted at the first macro.
    words: OnceCell<HashMap<&'a str, usize>>,
}

impl<'a> Lexer<'a> {
    /// Makes a lexer that begins at byte `start`.
    pub(super) fn new(source: Text<'a>, start: usize, limits: &'a Limits) -> Self {
        let mut inner = Tok::lexer(source.text);
        inner.bump(start);
        Self { source, limits, inner, heading: Heading::None, words: OnceCell::new() }
    }

    /// Returns the last heading before the current token.
    pub(super) fn heading(&self) -> Heading {
        self.heading
    }

    /// Returns the next token and its place. At the end of the text every call returns [`Tok::Eof`].
    pub(super) fn next(&mut self) -> Result<(Tok, Range<usize>), Box<Error>> {
        loop {
            let Some(token) = self.inner.next() else {
                return Ok((Tok::Eof, self.source.text.len()..self.source.text.len()));
            };
            let span = self.inner.span();
            match token {
                // If the line ends in a backslash, even with blanks after it, the preprocessor joins the next
                // line.
                Ok(Tok::LineComment | Tok::Directive) if self.source.text[span.clone()].trim_end().ends_with('\\') => {
                    let message = "the line continues in the next one, which becomes part of the comment or directive";
                    let error = self.source.error(&codes::C_CHARACTER, span, message);
                    return Err(error.label("ends in `\\`"));
                }
                Ok(Tok::LineComment) => match self.source.text[span.start + 2..span.end].trim() {
                    "inputs" => self.heading = Heading::Inputs,
                    "outputs" => self.heading = Heading::Outputs,
                    _ => {}
                },
                Ok(Tok::Comment) => {}
                // A closed comment would be one token, so this comment has no end.
                Ok(Tok::Slash) if self.source.text[span.end..].starts_with('*') => {
                    return Err(self.bad_character(span.start));
                }
                Ok(Tok::Directive) => self.directive(span)?,
                Ok(Tok::Name) if span.len() > self.limits.name_length => {
                    return Err(self.source.long_name(span, self.limits.name_length));
                }
                Ok(token) => return Ok((token, span)),
                Err(()) => return Err(self.bad_character(span.start)),
            }
        }
    }

    /// Skips preprocessor lines that do not change the program, and refuses all other preprocessor lines. A macro that
    /// is not used changes nothing.
    fn directive(&self, span: Range<usize>) -> Result<(), Box<Error>> {
        let line = self.source.text[span.start + 1..span.end].trim_start();
        if line.match_indices("/*").any(|(at, _)| !line[at + 2..].contains("*/")) {
            let message = "a comment begins in this directive and does not end on its line";
            let error = self.source.error(&codes::C_DIRECTIVE, span, message).label("the comment goes on below");
            return Err(error.hint("end the comment on this line"));
        }
        let word = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if matches!(word, "include" | "pragma" | "line") || word.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(());
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let macro_name = line.strip_prefix("define").map(|rest| rest.trim_start().split(|c| !is_word(c)).next());
        if let Some(name) = macro_name.flatten().filter(|name| !name.is_empty()) {
            let words = self.words.get_or_init(|| {
                let mut words = HashMap::new();
                self.source.text.split(|c| !is_word(c)).for_each(|word| *words.entry(word).or_default() += 1);
                words
            });
            if words.get(name) == Some(&1) {
                return Ok(());
            }
        }
        let message = format!("`#{}` is not part of the C subset", printable(word));
        let error = self.source.error(&codes::C_DIRECTIVE, span, message).label("no preprocessor runs here");
        Err(error.hint("run the preprocessor first (`cpp -P`), or write the program without it"))
    }

    fn bad_character(&self, at: usize) -> Box<Error> {
        self.source.stray(&codes::C_CHARACTER, at, |c| match c {
            '"' => "the text does not end on its line",
            '/' => "the comment has no end",
            '\'' => "characters are not part of the C subset: write their numbers",
            _ => "expected C as the RERS challenges write it",
        })
    }
}
