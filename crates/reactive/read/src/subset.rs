//! Errors about ordinary C programs, which use features outside of the subset. Such an error names these
//! features and describes the subset in one sentence. A syntax error at the first such feature would not help
//! the author.

use super::lex::Tok;
use formats::codes::{self, Code};
use formats::error::{Error, Text};
use logos::Logos;
use std::ops::Range;

/// The subset in one sentence.
const SENTENCE: &str = "only the C subset of the RERS challenges is read: global `int`s, functions without loops, \
                        local variables or \
                        recursion, and a `main` that reads an input and calls one of the functions with it, again and \
                        again";

/// Features outside of the subset, each with its first place.
#[derive(Default)]
struct Foreign {
    found: Vec<(&'static str, Range<usize>)>,
}

impl Foreign {
    fn note(&mut self, what: &'static str, place: Range<usize>) {
        if self.found.iter().all(|(known, _)| *known != what) {
            self.found.push((what, place));
        }
    }
}

/// Codes of errors that already name a feature outside of the subset.
const TOLD: [&Code; 2] = [&codes::C_LOCAL, &codes::C_LOOP];

/// Codes of errors that may be mere consequences of a feature outside of the subset.
const MAY_FOLLOW: [&Code; 8] = [
    &codes::C_SYNTAX,
    &codes::C_CHARACTER,
    &codes::C_UNKNOWN,
    &codes::C_MAIN,
    &codes::C_NO_MAIN,
    &codes::C_TYPE,
    &codes::C_CONSTANT,
    &codes::C_ARRAY_ASSIGN,
];

/// Returns the error to show instead of `error`, the result of parsing.
pub(super) fn explain(text: Text<'_>, mut error: Box<Error>) -> Box<Error> {
    let is = |error: &Error, codes: &[&Code]| codes.iter().any(|code| code.code == error.code());
    // The preprocessor does not remove what is outside of the subset, unless it chooses between parts of the text.
    let is_directive = is(&error, &[&codes::C_DIRECTIVE]) && !has_conditions(text.text);
    if !is(&error, &TOLD) && !is(&error, &MAY_FOLLOW) && !is_directive {
        return error;
    }
    let foreign = foreign(text.text);
    let has_threads = foreign.found.iter().any(|(what, _)| *what == THREADS);
    if is(&error, &TOLD) && !has_threads {
        error.others.retain(|other| !is(other, &MAY_FOLLOW));
        return error.hint(SENTENCE);
    }
    let Some((_, place)) = foreign.found.first() else { return error };
    let all: Vec<String> =
        foreign.found.iter().map(|(what, place)| format!("{what} (line {})", text.line(place.start))).collect();
    let message = format!("this C program is outside of the supported subset: it has {}", all.join(", "));
    let error = text.error(&codes::C_SUBSET, place.clone(), message).label("not in the subset").hint(SENTENCE);
    match has_threads {
        true => {
            error.hint("threads that wait for each other are modelled as a behavioral program (docs/rwb.md) or a net")
        }
        false => error,
    }
}

/// True if the preprocessor chooses between parts of the text.
fn has_conditions(text: &str) -> bool {
    text.lines().filter_map(|line| line.trim_start().strip_prefix('#')).any(|line| line.trim_start().starts_with("if"))
}

/// True if the loop that begins with this word is not an endless loop (`while (1)`, `for (;;)`).
fn may_end(word: &str, rest: &str) -> bool {
    let head: String = rest.chars().filter(|c| !c.is_whitespace()).take(6).collect();
    let endless: &[&str] = if word == "for" { &["(;;)"] } else { &["(1)", "(true)"] };
    endless.iter().all(|condition| !head.starts_with(condition))
}

const THREADS: &str = "threads";

/// Finds the features outside of the subset, in the order of the text.
fn foreign(text: &str) -> Foreign {
    let mut foreign = Foreign::default();
    let (mut braces, mut parentheses) = (0usize, 0usize);
    // `last` is the last name outside of functions: at a `{` it is the name of the function that begins.
    let (mut last, mut function) = ("", "");
    let mut is_type = false;
    for (token, span) in Tok::lexer(text).spanned() {
        let word = &text[span.clone()];
        let is_inside = braces > 0 && !function.is_empty() && function != "main";
        if matches!(token, Ok(Tok::OpenBrace | Tok::CloseBrace | Tok::Semicolon)) {
            // A parenthesis that is still open here is never closed.
            parentheses = 0;
            is_type &= token == Ok(Tok::OpenBrace);
        }
        match token {
            Ok(Tok::OpenBrace) => {
                function = match braces {
                    0 if is_type => "",
                    0 => last,
                    _ => function,
                };
                braces += 1;
            }
            Ok(Tok::CloseBrace) => braces = braces.saturating_sub(1),
            Ok(Tok::Open) => {
                parentheses += 1;
                is_type = false;
            }
            Ok(Tok::Close) => parentheses = parentheses.saturating_sub(1),
            Ok(Tok::Directive) if ["<pthread.h>", "<threads.h>", "<omp.h>"].iter().any(|h| word.contains(h)) => {
                foreign.note(THREADS, span);
            }
            Ok(Tok::Name)
                if word.starts_with("pthread_") || word.starts_with("atomic_") || word.starts_with("sem_") =>
            {
                foreign.note(THREADS, span);
            }
            Ok(Tok::Name) if matches!(word, "malloc" | "calloc" | "free") => foreign.note("dynamic memory", span),
            Ok(Tok::Name) if braces == 0 && parentheses == 0 => last = word,
            Ok(Tok::While | Tok::For) if is_inside || braces > 1 || may_end(word, &text[span.end..]) => {
                foreign.note("loops", span);
            }
            Ok(Tok::OtherSign) => foreign.note("unsupported operators", span),
            Ok(Tok::Question) => foreign.note("conditional expressions", span),
            Ok(Tok::Int) if is_inside && parentheses == 0 => foreign.note("local variables", span),
            Ok(Tok::OtherWord) => match word {
                "do" => foreign.note("loops", span),
                "struct" | "union" | "enum" | "typedef" => {
                    is_type = true;
                    foreign.note("user-defined types", span);
                }
                "switch" | "case" | "default" => foreign.note("`switch`", span),
                "goto" | "break" | "continue" => foreign.note("jumps", span),
                "sizeof" | "volatile" => {}
                _ => foreign.note("types other than `int`", span),
            },
            _ => {}
        }
    }
    foreign
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_noted_where_it_is_first() {
        let text = "#include <pthread.h>\nint x; void f(int i) { int y; while (1) { for (;;) { } } }\n\
                    int main() { int i; while (1) { switch (x) { } } char c; }";
        let found: Vec<(&str, &str)> = foreign(text).found.into_iter().map(|(what, at)| (what, &text[at])).collect();
        let expected = [
            (THREADS, "#include <pthread.h>"),
            ("local variables", "int"),
            ("loops", "while"),
            ("`switch`", "switch"),
            ("types other than `int`", "char"),
        ];
        assert_eq!(found, expected);
    }
}
