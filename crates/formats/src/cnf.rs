//! Strict reader for DIMACS cnf: a file is refused if its header does not match its clauses.

use crate::comments::{self, Comments};
use crate::error::{Error, Text, printable};
use crate::source::{Limits, Source};
use crate::{codes, input};
use model::cnf::Cnf;
use std::ops::Range;

/// The largest number of clauses for which memory is reserved in advance, because the header may promise more
/// clauses than the file has.
const RESERVED_CLAUSES: usize = 1 << 16;

/// Comments are lines that begin with `c`.
const COMMENTS: Comments = Comments { line: &["c"], at_start: true, block: None, quote: None };

/// Reads a formula in conjunctive normal form, and decompresses it first if necessary. Returns it with the warnings.
///
/// # Errors
/// A missing or wrong header, words that are not literals, a number of clauses that differs from the header,
/// and numbers beyond the limits.
pub fn read_cnf(source: Source, limits: &Limits) -> Result<(Cnf, Vec<Error>), Box<Error>> {
    let (_, bytes) = input::decompress(&source.name, source.bytes, limits)?;
    let source = Source { name: source.name, bytes };
    let text = comments::text(&source, &COMMENTS)?;
    let text = Text { name: &source.name, text: &text };
    let mut words = Words { text: text.text, at: 0 };
    let (vars, count) = header(text, &mut words, limits)?;
    let mut cnf = Cnf { vars, clauses: Vec::with_capacity(count.min(RESERVED_CLAUSES)) };
    let mut clause: Vec<i32> = Vec::new();
    let mut last = 0..0;
    while let Some(span) = words.next() {
        if clause.is_empty() && cnf.clauses.len() == count && &text.text[span.clone()] == "%" {
            return Ok((cnf, vec![trailer(text, &mut words, span)?]));
        }
        last = span.clone();
        let literal = literal(text, span.clone(), vars)?;
        if literal != 0 {
            clause.push(literal);
            continue;
        }
        if cnf.clauses.len() == count {
            let error = text.error(&codes::CNF_COUNT, span, format!("more than the {count} clauses of the header"));
            return Err(error.label("the end of one clause too many"));
        }
        cnf.clauses.push(clause.as_slice().into());
        clause.clear();
    }
    if !clause.is_empty() {
        let error = text.error(&codes::CNF_UNFINISHED, last, "the last clause has no end");
        return Err(error.label("expected `0` after this"));
    }
    if cnf.clauses.len() < count {
        let found = cnf.clauses.len();
        let end = text.text.len();
        let error = text.error(&codes::CNF_COUNT, end..end, format!("{found} clauses, but the header says {count}"));
        return Err(error.label("the file ends here").hint("is it cut off?"));
    }
    Ok((cnf, Vec::new()))
}

/// Reads the lines `%` and `0` after the last clause, with which files of SATLIB end. Returns a warning.
fn trailer(text: Text<'_>, words: &mut Words<'_>, percent: Range<usize>) -> Result<Error, Box<Error>> {
    let zero = words.next().filter(|span| &text.text[span.clone()] == "0");
    if let Some(more) = zero.as_ref().map_or_else(|| Some(percent.clone()), |_| words.next()) {
        let error = text.error(&codes::CNF_SYNTAX, more, "the file does not end here");
        return Err(error.label("expected `%` and `0` after the last clause, or nothing"));
    }
    let message = "the file ends with `%` and `0`, as those of SATLIB do";
    let warning = text.error(&codes::CNF_TRAILER, percent, message).warning();
    Ok(*warning.label("not a part of the formula"))
}

/// The words of a file that are not in comment lines.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl Words<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        loop {
            while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            let start = self.at;
            let begins_line = || {
                let before = bytes[..start].iter().rev().find(|b| !matches!(b, b' ' | b'\t'));
                before.is_none_or(|b| *b == b'\n')
            };
            if bytes.get(start) == Some(&b'c') && begins_line() {
                self.at += bytes[start..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - start);
                continue;
            }
            while bytes.get(self.at).is_some_and(|b| !b.is_ascii_whitespace()) {
                self.at += 1;
            }
            return (self.at > start).then_some(start..self.at);
        }
    }
}

fn header(text: Text<'_>, words: &mut Words<'_>, limits: &Limits) -> Result<(u32, usize), Box<Error>> {
    let end = text.text.len()..text.text.len();
    let wrong = |span: Range<usize>, what: String| {
        text.error(&codes::CNF_HEADER, span, what).label("expected `p cnf VARIABLES CLAUSES`")
    };
    for expected in ["p", "cnf"] {
        let Some(span) = words.next() else {
            return Err(if expected == "p" {
                text.error(&codes::INPUT_EMPTY, end, "the file is empty").label("expected `p cnf VARIABLES CLAUSES`")
            } else {
                wrong(end, "the header is incomplete".to_owned())
            });
        };
        if &text.text[span.clone()] != expected {
            let found = printable(&text.text[span.clone()]);
            return Err(wrong(span, format!("expected `{expected}`, found `{found}`")));
        }
    }
    let line_end = text.text[words.at..].find('\n').map_or(text.text.len(), |i| words.at + i);
    let mut numbers = [0usize; 2];
    let bounds =
        [(limits.variables, &codes::LIMIT_VARIABLES, "variables"), (limits.clauses, &codes::LIMIT_CLAUSES, "clauses")];
    for (number, (most, code, what)) in numbers.iter_mut().zip(bounds) {
        let span = words.next().filter(|span| span.end <= line_end);
        let span = span.ok_or_else(|| wrong(line_end..line_end, "the header is incomplete".to_owned()))?;
        let word = &text.text[span.clone()];
        if !word.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong(span, format!("`{}` is not a number of {what}", printable(word))));
        }
        // The word is all digits, so a number that does not parse is too large.
        *number = word.parse().unwrap_or(usize::MAX);
        if *number > most {
            let message = format!("the formula has {} {what}", printable(word));
            return Err(text.error(code, span, message).label(format!("expected at most {most}")));
        }
    }
    let rest = text.text[words.at..line_end].trim_ascii();
    if !rest.is_empty() {
        return Err(wrong(words.at..line_end, format!("`{}` follows the header", printable(rest))));
    }
    let vars = u32::try_from(numbers[0]).ok().filter(|v| i32::try_from(*v).is_ok());
    let vars = vars.ok_or_else(|| wrong(end.clone(), "more than 2^31 - 1 variables".to_owned()))?;
    Ok((vars, numbers[1]))
}

fn literal(text: Text<'_>, span: Range<usize>, vars: u32) -> Result<i32, Box<Error>> {
    let word = &text.text[span.clone()];
    let digits = word.strip_prefix('-').unwrap_or(word);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_number || word == "-0" {
        let error = text.error(&codes::CNF_SYNTAX, span, format!("`{}` is not a literal", printable(word)));
        return Err(error.label("expected a variable, perhaps with `-`, or `0`"));
    }
    match word.parse::<i32>() {
        Ok(literal) if literal.unsigned_abs() <= vars => Ok(literal),
        _ => {
            let message = format!("literal {} of a variable that is not declared", printable(word));
            let error = text.error(&codes::CNF_LITERAL, span, message);
            Err(error.label(format!("expected a variable from 1 to {vars}")))
        }
    }
}
