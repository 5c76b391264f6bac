//! Reader for LoLA's questions, in a `.formula` file or on the command line. A question becomes a goal.

use super::formula::Parser;
use super::lex::{COMMENTS, Lexer, Token, TokenKind};
use crate::codes;
use crate::comments;
use crate::error::{Error, Text};
use crate::reach::{Op, Question, Questions};
use crate::source::{Limits, Source};
use crate::subject::Subject;
use model::{Asked, Formula, Problem, SystemModel};
use num_bigint::BigInt;

type Res<T> = Result<T, Box<Error>>;

/// Words with which questions about single markings begin.
pub(crate) const QUANTIFIED: &[&str] = &[
    "EF",
    "AG",
    "EG",
    "AF",
    "EX",
    "AX",
    "EU",
    "AU",
    "EXPATH",
    "REACHABLE",
    "INVARIANT",
    "IMPOSSIBLE",
    "MAX",
    "MIN",
    "INITIAL",
    "FORMULA",
];

/// Words that contain a quantifier over paths, besides the letters `A` and `E`.
const PATHS: &[&str] = &["EF", "AG", "EG", "AF", "EX", "AX", "EXPATH", "ALLPATH"];

/// True for words of temporal logic. A reachability question has such words only at its beginning.
pub(super) fn is_temporal_word(word: &str) -> bool {
    QUANTIFIED.contains(&word) || ["ALLPATH", "EVENTUALLY", "ALWAYS", "NEXTSTEP", "UNTIL"].contains(&word)
}

/// Returns the net, or the view of the system as a net, that formulas of LoLA are about.
pub(crate) fn subject<'p>(system: &'p SystemModel, source: &str) -> Res<Subject<'p>> {
    Subject::of(system).ok_or_else(|| {
        let what = "nets, thread-transition systems and behavioral programs";
        let message = format!("formulas of LoLA are about {what}, not {}", system.noun());
        Error::whole(&codes::GOALS_SYSTEM, source, message)
    })
}

/// Reads a question about the system of `problem`. The question replaces the properties of the problem.
///
/// # Errors
/// Mistakes in the input, and a kind of system that formulas cannot refer to. The problem is then unchanged.
pub(crate) fn read_formula(source: &Source, problem: &mut Problem, limits: &Limits) -> Res<Vec<Error>> {
    let system = problem.system().clone();
    let subject = subject(&system, &source.name)?;
    let text = comments::text(source, COMMENTS)?;
    let text = Text { name: &source.name, text: &text };
    let mut lexer = Lexer::new(text, limits, true);
    if lexer.peek()?.kind == TokenKind::End {
        let error = text.error(&codes::INPUT_EMPTY, 0..0, "the file has no formula");
        return Err(error.label("expected `EF` or `AG`"));
    }
    lexer.accept("FORMULA")?;
    let mut questions = Questions::new(text, subject, limits);
    question(lexer, subject, "target".to_owned(), Asked::Exists, &mut questions)?;
    questions.put_into(problem, &source.name)?;
    Ok(Vec::new())
}

/// Parses the rest of the text as a question, and adds it under this id. `exists` is the meaning of `EF`.
fn question<'a>(
    mut lexer: Lexer<'a>,
    subject: Subject<'a>,
    id: String,
    exists: Asked,
    questions: &mut Questions<'_>,
) -> Res<()> {
    let (is_exists, negated) = path(&mut lexer)?;
    let start = lexer.peek()?.span.start;
    let mut parser = Parser::new(lexer, subject);
    let mut phi = parser.formula()?;
    if negated {
        let root = parser.root;
        phi.push(Op::Not(root));
    }
    let asked = if is_exists { exists } else { Asked::Always };
    questions.add(id, &phi, asked, start..start + 1)
}

/// Parses a question on the command line, from byte `at` on, and adds it.
pub(crate) fn ask<'a>(
    text: Text<'a>,
    at: usize,
    subject: Subject<'a>,
    id: String,
    limits: &'a Limits,
    questions: &mut Questions<'_>,
) -> Res<()> {
    let lexer = Lexer::new(text, limits, true).from(at);
    question(lexer, subject, id, Asked::Expected, questions)
}

/// Parses a question on the command line whether all runs satisfy a formula, from byte `at` on, and adds it. `A` may
/// stand before the formula.
pub(crate) fn ask_runs<'a>(
    text: Text<'a>,
    at: usize,
    subject: Subject<'a>,
    id: String,
    limits: &'a Limits,
    questions: &mut Questions<'_>,
) -> Res<()> {
    let mut lexer = Lexer::new(text, limits, true).from(at);
    if !lexer.accept("ALLPATH")? {
        lexer.accept("A")?;
    }
    let phi = Parser::new(lexer, subject).about_runs().formula()?;
    questions.add_runs(id, &phi, Asked::Never, at..text.text.len())
}

/// Parses a formula with quantifiers over paths about a net, from byte `at` on, and adds what it asks of the initial
/// marking.
pub(crate) fn ask_branching<'a>(
    text: Text<'a>,
    at: usize,
    subject: Subject<'a>,
    id: String,
    limits: &'a Limits,
    questions: &mut Questions<'_>,
) -> Res<()> {
    let mut lexer = Lexer::new(text, limits, true).from(at);
    let first = lexer.peek()?;
    let phi = Parser::new(lexer, subject).about_branching().formula()?;
    let Some(question) = phi.question(true) else {
        let message = "the formula is neither about one path nor a formula of computation tree logic";
        let error = text.error(&codes::LOLA_REACHABILITY, first.span, message).label("begins here");
        return Err(
            error.hint("expected `A` or `E` before each temporal operator, or one of them before the whole formula")
        );
    };
    let question = match question {
        Question::Markings(asked, phi) if asked.is_exists() => Question::Markings(Asked::Expected, phi),
        other => other,
    };
    questions.ask(id, &question, at..text.text.len())
}

/// Parses a sum of token counts, from byte `at` on, and adds the question for its largest value.
pub(crate) fn ask_bound<'a>(
    text: Text<'a>,
    at: usize,
    subject: Subject<'a>,
    id: String,
    limits: &'a Limits,
    questions: &mut Questions<'_>,
) -> Res<()> {
    let span = at..text.text.len();
    let sum = Parser::new(Lexer::new(text, limits, true).from(at), subject).sum()?;
    let zero = BigInt::ZERO;
    if sum.constant != zero || sum.terms.iter().any(|(_, factor)| *factor < zero) {
        let error = text.error(&codes::LOLA_TYPE, span, "not a sum of token counts with positive factors");
        return Err(error.label("expected places, as in `MAX p + 2 * q`"));
    }
    questions.ask(id, &Question::Bound(sum), span)
}

/// Returns the number of quantifiers over paths in a question, and true if it begins with one.
pub(crate) fn quantifiers(text: Text<'_>, at: usize, limits: &Limits) -> (usize, bool) {
    let mut lexer = Lexer::new(text, limits, true).from(at);
    let (mut found, mut begins, mut is_first) = (0, false, true);
    while let Ok(token) = lexer.take() {
        if token.kind == TokenKind::End {
            break;
        }
        let is_letter = token.is("A") || token.is("E");
        let next = lexer.peek().ok();
        let is_before = |next: Token<'_>| ["(", "F", "G", "X"].iter().any(|text| next.is(text));
        let is_quantifier = match is_letter {
            true => next.is_some_and(is_before),
            false => token.kind == TokenKind::Word && PATHS.contains(&token.text),
        };
        found += usize::from(is_quantifier);
        begins |= is_quantifier && is_first;
        is_first &= token.is("NOT") || token.is("!");
    }
    (found, begins)
}

/// Parses a statement about single markings, without `EF` or `AG` before it.
pub(crate) fn state_formula<'a>(text: Text<'a>, subject: Subject<'a>, limits: &'a Limits) -> Res<Formula> {
    let mut parser = Parser::new(Lexer::new(text, limits, true), subject);
    let phi = parser.formula()?;
    Questions::new(text, subject, limits).formula(&phi, true, 0..text.text.len().min(1))
}

/// True if the text from `at` on has temporal operators that do not belong to a reachability question.
pub(crate) fn is_temporal(text: Text<'_>, at: usize, limits: &Limits) -> bool {
    let mut lexer = Lexer::new(text, limits, true).from(at);
    let mut found = 0;
    while let Ok(token) = lexer.take() {
        let is_letter = ["A", "E", "F", "G", "X", "U"].contains(&token.text);
        match token.kind {
            TokenKind::End => return false,
            TokenKind::Word if is_temporal_word(token.text) => {
                found += 1 + usize::from(!["EF", "AG"].contains(&token.text))
            }
            TokenKind::Word if is_letter => found += 2,
            _ => {}
        }
        if found > 1 {
            return true;
        }
    }
    false
}

/// Parses the path operators at the beginning. The first result is true for "some marking" and false for "all
/// markings". The second result is true if the rest must be negated.
fn path(lexer: &mut Lexer<'_>) -> Res<(bool, bool)> {
    let mut outer = false;
    while lexer.accept("NOT")? || lexer.accept("!")? {
        outer = !outer;
    }
    let token = lexer.take()?;
    let next = |lexer: &mut Lexer<'_>, second: &str| -> Res<()> {
        let token = lexer.take()?;
        if token.is(second) { Ok(()) } else { Err(not_reachability(lexer.text, &token)) }
    };
    let (exists, inner) = match (token.kind, token.text) {
        (TokenKind::Word, "EF" | "REACHABLE") => (true, false),
        (TokenKind::Word, "AG" | "INVARIANT") => (false, false),
        (TokenKind::Word, "IMPOSSIBLE") => (false, true),
        (TokenKind::Word, word @ ("E" | "EXPATH")) => {
            next(lexer, if word == "E" { "F" } else { "EVENTUALLY" })?;
            (true, false)
        }
        (TokenKind::Word, word @ ("A" | "ALLPATH")) => {
            next(lexer, if word == "A" { "G" } else { "ALWAYS" })?;
            (false, false)
        }
        _ => return Err(not_reachability(lexer.text, &token)),
    };
    // not EF phi = AG not phi, and not AG phi = EF not phi.
    Ok((exists != outer, inner != outer))
}

pub(super) fn not_reachability(text: Text<'_>, token: &Token<'_>) -> Box<Error> {
    let message = "this is not a reachability formula";
    let error = text.error(&codes::LOLA_REACHABILITY, token.span.clone(), message).label("not in this place");
    error.hint("expected `EF phi` or `AG phi`, and no temporal operators in phi")
}
