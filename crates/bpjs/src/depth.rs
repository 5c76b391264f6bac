//! Bounds the depth of a text before it is parsed, because the parser and the compiler are recursive.
//!
//! The depth of a syntax tree is bounded by tokens. Every level of the tree is due to a bracket that is open, or to a
//! sign or keyword of the same statement: an operator, `if`, `else`, `=>`, a label. So the guard counts, for each open
//! bracket, the signs and keywords since the last place where a statement or an element of a list certainly ended.
//! `else` is counted apart, because a chain of `else if` goes on after the end of a statement. Texts of templates and
//! strings are skipped, and so are regular expressions. An expression is one for certain if it begins after a bracket
//! that opens, a sign that no operand ends with, or `return`; elsewhere it is refused. The sum of the counts over all
//! open brackets is limited.

use super::regex;
use formats::codes;
use formats::error::{Error, Text};
use formats::source::Limits;

/// The number of signs and keywords that a statement may have for each level of brackets that is allowed.
const SIGNS_PER_LEVEL: usize = 10;

/// An open bracket, or the file.
#[derive(Default)]
struct Level {
    /// The position of the bracket, and the byte that closes it.
    at: usize,
    close: u8,
    signs: usize,
    elses: usize,
    /// True for the round brackets after `if`, `for`, `while` and `with`.
    is_head: bool,
}

/// The last token.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// A sign, or a keyword after which an expression follows.
    Sign,
    /// A name, a number or a string.
    Operand,
    /// `)` or `]`.
    Closed,
    /// `}`
    Brace,
    /// `;` or the begin of the file.
    End,
}

struct Guard<'a> {
    source: Text<'a>,
    bytes: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    /// The sum of the counts of all levels.
    total: usize,
    last: Last,
    /// The sign before, `r` for `return`, or 0.
    before: u8,
    is_new_line: bool,
    limits: &'a Limits,
    tokens: usize,
}

type Res<T> = Result<T, Box<Error>>;

/// Keywords that can nest without brackets.
const NESTING: &[&str] = &[
    "if",
    "for",
    "while",
    "do",
    "new",
    "typeof",
    "void",
    "delete",
    "in",
    "of",
    "instanceof",
    "return",
    "throw",
    "case",
    "await",
    "yield",
    "async",
    "function",
    "class",
    "extends",
    "with",
    "label",
    "default",
];
/// Keywords with a head in round brackets, after which a statement follows.
const HEADS: &[&str] = &["if", "for", "while", "with"];
/// Signs after which an operand begins.
const OPENING: &[u8] = b"([{;,=:!&|?*%<>~^r";
/// Words that continue a statement on the next line.
const CONTINUING: &[&str] = &["in", "of", "instanceof", "else", "while", "catch", "finally", "extends"];

/// True if the text ends in this word.
fn is_last_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '.';
    text.strip_suffix(word).is_some_and(|before| !before.ends_with(is_part))
}

/// Checks the depth, and the number of tokens.
pub(super) fn check(source: Text<'_>, limits: &Limits) -> Res<()> {
    let bytes = source.text.as_bytes();
    let levels = vec![Level::default()];
    let (last, before, is_new_line) = (Last::End, b';', true);
    let mut guard = Guard { source, bytes, at: 0, levels, total: 0, last, before, is_new_line, limits, tokens: 0 };
    while guard.at < bytes.len() {
        guard.token()?;
    }
    Ok(())
}

impl Guard<'_> {
    fn token(&mut self) -> Res<()> {
        let rest = &self.bytes[self.at..];
        match rest[0] {
            b'\n' | b'\r' => {
                self.is_new_line = true;
                self.at += 1;
            }
            b' ' | b'\t' => self.at += 1,
            b'/' if rest.starts_with(b"//") => {
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            }
            b'/' if rest.starts_with(b"/*") => self.comment(),
            _ => {
                self.tokens += 1;
                if self.tokens > self.limits.tokens {
                    let message = format!("the text has more than {} words and signs", self.limits.tokens);
                    return Err(self.source.error(&codes::LIMIT_TOKENS, self.at..self.at + 1, message));
                }
                self.word_or_sign()?;
                self.is_new_line = false;
            }
        }
        Ok(())
    }

    fn comment(&mut self) {
        let inside = &self.bytes[self.at + 2..];
        let end = inside.windows(2).position(|w| w == b"*/").map_or(inside.len(), |i| i + 2);
        self.is_new_line |= inside[..end].contains(&b'\n');
        self.at += 2 + end;
    }

    fn word_or_sign(&mut self) -> Res<()> {
        let start = self.at;
        let byte = self.bytes[start];
        let before = std::mem::replace(&mut self.before, byte);
        if b"+-".contains(&byte) && before == byte && self.bytes[start - 1] == byte {
            self.before = b')';
        }
        match byte {
            quote @ (b'"' | b'\'') => {
                self.begin_operand("");
                self.quoted(quote);
            }
            b'`' => {
                self.begin_operand("");
                self.at += 1;
                self.template(start)?;
            }
            b'(' | b'[' | b'{' => self.open()?,
            b')' | b']' | b'}' => self.close()?,
            b';' => {
                self.end_statement();
                self.last = Last::End;
                self.at += 1;
            }
            b',' => {
                self.reset(false);
                self.last = Last::Sign;
                self.at += 1;
            }
            b if b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80 => self.word(before)?,
            b'#' | b'\\' | b'@' => return Err(self.regular(start, "this sign is outside of the JavaScript subset")),
            b'/' => self.slash(before)?,
            _ => self.sign(1)?,
        }
        Ok(())
    }

    fn word(&mut self, before: u8) -> Res<()> {
        let rest = &self.source.text[self.at..];
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(1);
        let word = &rest[..end];
        self.before = if word == "return" && before != b'.' { b'r' } else { 0 };
        self.begin_operand(word);
        self.at += end;
        if word == "else" {
            self.top().elses += 1;
            self.total += 1;
        } else if NESTING.contains(&word) {
            self.top().signs += 1;
            self.total += 1;
        }
        let is_operand = word != "else" && !NESTING.contains(&word);
        self.last = if is_operand { Last::Operand } else { Last::Sign };
        self.limit(self.at - end)
    }

    /// Checks the sum of the counts.
    fn limit(&self, at: usize) -> Res<()> {
        let most = self.limits.nesting * SIGNS_PER_LEVEL;
        if self.total <= most {
            return Ok(());
        }
        Err(self.too_deep(at, format!("a statement has more than {most} signs")))
    }

    /// Ends the statement before, if a word or text here begins a new one for certain.
    fn begin_operand(&mut self, word: &str) {
        let continues = CONTINUING.contains(&word);
        let begins = match self.last {
            Last::End | Last::Brace => true,
            Last::Operand => self.is_new_line,
            Last::Closed => self.is_new_line && ["const", "let", "var"].contains(&word),
            Last::Sign => false,
        };
        if begins && !continues {
            self.reset(!matches!(self.last, Last::Closed));
        }
        self.last = Last::Operand;
    }

    fn top(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// Forgets the signs of this level, and its `else`s if `all` is true.
    fn reset(&mut self, all: bool) {
        let top = self.top();
        let mut forgotten = std::mem::take(&mut top.signs);
        if all {
            forgotten += std::mem::take(&mut top.elses);
        }
        self.total -= forgotten;
    }

    /// Ends a statement at `;`. An `else` may follow.
    fn end_statement(&mut self) {
        self.reset(false);
    }

    fn open(&mut self) -> Res<()> {
        let close = match self.bytes[self.at] {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        if self.bytes[self.at] == b'{' && self.last == Last::End {
            self.reset(true);
        }
        self.push(close)
    }

    /// Opens a level at this byte.
    fn push(&mut self, close: u8) -> Res<()> {
        let before = self.source.text[..self.at].trim_end();
        let is_head = close == b')' && HEADS.iter().any(|word| is_last_word(before, word));
        self.sign(1)?;
        let at = self.at - 1;
        self.levels.push(Level { at, close, is_head, ..Level::default() });
        self.last = Last::End;
        if self.levels.len() > self.limits.nesting + 1 {
            return Err(self.too_deep(at, format!("brackets are nested more than {} deep", self.limits.nesting)));
        }
        Ok(())
    }

    fn close(&mut self) -> Res<()> {
        let (at, close) = (self.at, self.bytes[self.at]);
        self.at += 1;
        self.reset(true);
        if self.levels.len() == 1 || self.top().close != close {
            let error = self.source.error(&codes::JS_SYNTAX, at..at + 1, "this bracket closes nothing");
            let error = error.label("unexpected bracket");
            let (open, close) = (self.top().at, char::from(self.top().close));
            return Err(match self.levels.len() {
                1 => error,
                _ => error.hint(format!("the bracket in line {} needs its `{close}` first", self.source.line(open))),
            });
        }
        let level = self.levels.pop().unwrap_or_default();
        if self.bytes[level.at] == b'$' || (level.close == b'}' && level.at > 0 && self.is_template(level.at)) {
            return self.template(level.at);
        }
        self.last = match close {
            b'}' => Last::Brace,
            // A statement follows the head of a statement.
            _ if level.is_head => Last::End,
            _ => Last::Closed,
        };
        Ok(())
    }

    /// True if the brace at `at` belongs to a `${`.
    fn is_template(&self, at: usize) -> bool {
        self.bytes[at - 1] == b'$' && self.levels.last().is_some_and(|level| level.close == b'`')
    }

    /// Skips the text of a template up to its end or the next `${`. The template that begins here has a level.
    fn template(&mut self, start: usize) -> Res<()> {
        if self.top().close != b'`' || self.bytes[start] == b'`' {
            self.levels.push(Level { at: start, close: b'`', ..Level::default() });
        }
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.reset(true);
                    self.levels.pop();
                    self.last = Last::Operand;
                    return Ok(());
                }
                b'$' if self.bytes.get(self.at + 1) == Some(&b'{') => {
                    self.at += 1;
                    return self.push(b'}');
                }
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += if *byte == b'\\' { 2 } else { 1 };
            if *byte == quote || *byte == b'\n' {
                break;
            }
        }
        self.last = Last::Operand;
    }

    fn sign(&mut self, length: usize) -> Res<()> {
        let at = self.at;
        self.at += length;
        self.top().signs += 1;
        self.total += 1;
        self.last = Last::Sign;
        self.limit(at)
    }

    fn too_deep(&self, at: usize, message: String) -> Box<Error> {
        self.source.error(&codes::LIMIT_NESTING, at..at + 1, message).label("the limit is reached here")
    }

    /// A division, or a regular expression.
    fn slash(&mut self, before: u8) -> Res<()> {
        let bytes = self.bytes;
        let line = &bytes[self.at + 1..];
        let line = &line[..line.iter().position(|b| b"\n\r".contains(b)).unwrap_or(line.len())];
        let next = line.iter().position(|b| *b == b'/');
        let has_quote = next.is_some_and(|end| line[..end].iter().any(|b| b"\"'`\\".contains(b)));
        let is_regular = match self.last {
            Last::Operand | Last::Closed => false,
            Last::Brace => has_quote,
            // Behind `++` and `--`, `/` divides.
            Last::Sign => before != b')',
            Last::End => true,
        };
        if !is_regular {
            return self.sign(1);
        }
        if !OPENING.contains(&before) {
            return Err(self.regular(self.at, "a regular expression at this place is not read"));
        }
        let Some(length) = regex::length(line) else {
            return Err(self.regular(self.at, "this regular expression does not end in its line"));
        };
        self.begin_operand("");
        self.at += 1 + length;
        Ok(())
    }

    fn regular(&self, at: usize, message: &str) -> Box<Error> {
        self.source
            .error(&codes::JS_UNSUPPORTED, at..at + 1, message)
            .label("outside of the subset")
            .hint("texts are examined with `indexOf`, `startsWith`, `split` and the like")
    }
}
