//! Reader for LoLA's questions, in a `.formula` file or on the command line. A question becomes a goal.

use super::formula::{Operator, Parser, quantifier};
use super::lex::{COMMENTS, Lexer, TokenKind};
use crate::global::{self, Global};
use crate::reach::{Question, Questions};
use crate::subject::Subject;
use formats::error::{Error, Text};
use formats::source::{Limits, Source};
use formats::{codes, comments};
use model::{Formula, Problem, SystemModel};
use num_bigint::BigInt;
use std::ops::Range;

type Res<T> = Result<T, Box<Error>>;

/// Returns the net, or the view of the system as a net, that formulas of LoLA are about.
pub fn subject<'p>(system: &'p SystemModel, source: &str) -> Res<Subject<'p>> {
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
pub fn read_formula(source: &Source, problem: &mut Problem, limits: &Limits) -> Res<Vec<Error>> {
    let system = problem.system().clone();
    let subject = subject(&system, &source.name)?;
    let text = comments::text(source, COMMENTS)?;
    let text = Text { name: &source.name, text: &text };
    let mut lexer = Lexer::new(text, limits, true);
    if lexer.peek()?.kind == TokenKind::End {
        let error = text.error(&codes::INPUT_EMPTY, 0..0, "the file has no formula");
        return Err(error.label("expected a formula, as in `EF p >= 1`"));
    }
    let at = if lexer.accept("FORMULA")? { lexer.peek()?.span.start } else { 0 };
    let mut questions = Questions::new(text, subject, limits);
    ask((text, at), &system, "target".to_owned(), limits, &mut questions)?;
    questions.put_into(problem, &source.name)?;
    Ok(Vec::new())
}

/// Parses a question from byte `at` on, and adds it: a formula, or a question for a largest value or about the system
/// as a whole.
pub fn ask(
    (text, at): (Text<'_>, usize),
    system: &SystemModel,
    id: String,
    limits: &Limits,
    questions: &mut Questions<'_>,
) -> Res<()> {
    let (subject, span) = (subject(system, text.name)?, at..text.text.len());
    let marked = system.as_marked();
    if let Some((marked, global)) = marked.zip(Global::of(&text.text[at..])) {
        return global::ask(global, (text, span), (marked, subject), id, questions);
    }
    let question = match bound_at(text.text, at).filter(|_| marked.is_some()) {
        Some(sum) => bound((text, sum), subject, limits)?,
        None => formula((text, at), subject, limits)?,
    };
    if marked.is_none() && !matches!(question, Question::Markings { .. }) {
        let message = "the formula is about runs, and not about the states of a program";
        let error = text.error(&codes::LOLA_REACHABILITY, at..text.text.len(), message).label("not for programs");
        return Err(error.hint(
            "expected `EF phi` or `AG phi`, or a temporal formula without `A` and `E`: `F T.s` instead of `AF T.s`",
        ));
    }
    questions.ask(id, &question, span)
}

/// Returns where the sum of a question for a largest value begins, `MAX SUM`.
pub fn bound_at(question: &str, at: usize) -> Option<usize> {
    let rest = question[at..].trim_start();
    let sum = rest.strip_prefix("MAX")?;
    let is_word = sum.starts_with(|c: char| c.is_whitespace() || c == '(');
    is_word.then_some(question.len() - sum.len())
}

/// Parses the sum of token counts of a question for a largest value.
fn bound<'a>((text, at): (Text<'a>, usize), subject: Subject<'a>, limits: &'a Limits) -> Res<Question> {
    let sum = Parser::new(Lexer::new(text, limits, true).from(at), subject).sum()?;
    let zero = BigInt::ZERO;
    if sum.constant != zero || !sum.products.is_empty() || sum.terms.iter().any(|(_, factor)| *factor < zero) {
        let message = "not a sum of token counts with positive factors";
        let error = text.error(&codes::LOLA_TYPE, at..text.text.len(), message);
        return Err(error.label("expected places, as in `MAX p + 2 * q`"));
    }
    Ok(Question::Bound(sum))
}

/// Parses a formula.
///
/// Quantifiers and temporal operators bind as tightly as `NOT`, with two exceptions: `EF` or `AG` at the beginning
/// extends to the end of the text if nothing temporal is after it, and so does `A` if no quantifier is after it.
fn formula<'a>((text, at): (Text<'a>, usize), subject: Subject<'a>, limits: &'a Limits) -> Res<Question> {
    let mut lexer = Lexer::new(text, limits, true).from(at);
    let (first, mut negated, mut refused) = (lexer.peek()?.span, false, None);
    while lexer.accept("NOT")? || lexer.accept("!")? {
        negated = !negated;
    }
    match whole(&mut lexer)? {
        Some(Whole::Markings { exists, inner }) => match Parser::new(lexer, subject).formula() {
            // not EF phi = AG not phi, and not AG phi = EF not phi.
            Ok(phi) => {
                return Ok(Question::Markings { exists: exists != negated, phi: phi.negated_if(inner != negated) });
            }
            Err(error) => refused = Some(error),
        },
        Some(Whole::AllRuns) => match Parser::new(lexer, subject).temporal().formula() {
            Ok(phi) if phi.has_quantifier() => {}
            Ok(phi) if negated => return Ok(Question::SomeRun(phi.negated_if(true))),
            Ok(phi) => return Ok(Question::Runs(phi)),
            Err(error) => refused = Some(error),
        },
        None => {}
    }
    match Parser::new(Lexer::new(text, limits, true).from(at), subject).temporal().formula() {
        Ok(phi) if !phi.has_quantifier() => Ok(Question::Runs(phi)),
        Ok(phi) => phi.question(true).ok_or_else(|| mixed(text, first)),
        // The reading that fails later is the one that was meant.
        Err(error) => Err(refused.filter(|other| other.offset() > error.offset()).unwrap_or(error)),
    }
}

/// A quantifier that may extend to the end of the text.
enum Whole {
    /// `EF` (if `exists`) or `AG`, perhaps with a negation after it.
    Markings { exists: bool, inner: bool },
    /// `A`.
    AllRuns,
}

/// Takes the quantifier at the beginning, if it may extend to the end of the text.
fn whole(lexer: &mut Lexer<'_>) -> Res<Option<Whole>> {
    let token = lexer.take()?;
    let mut operators = quantifier(&token, &lexer.peek()?).unwrap_or_default();
    if let [Operator::Path { exists }] = operators[..] {
        let (words, next) = match exists {
            true => (["F", "EVENTUALLY"], Operator::Finally),
            false => (["G", "ALWAYS"], Operator::Globally),
        };
        if lexer.accept(words[0])? || lexer.accept(words[1])? {
            operators.push(next);
        }
    }
    Ok(match operators[..] {
        [Operator::Path { exists: true }, Operator::Finally] => Some(Whole::Markings { exists: true, inner: false }),
        [Operator::Path { exists: false }, Operator::Globally] => Some(Whole::Markings { exists: false, inner: false }),
        [Operator::Path { exists: false }, Operator::Globally, Operator::Not] => {
            Some(Whole::Markings { exists: false, inner: true })
        }
        [Operator::Path { exists: false }] => Some(Whole::AllRuns),
        _ => None,
    })
}

fn mixed(text: Text<'_>, first: Range<usize>) -> Box<Error> {
    let message = "the formula is neither about one path nor a formula of computation tree logic";
    let error = text.error(&codes::LOLA_REACHABILITY, first, message).label("begins here");
    error.hint("expected `A` or `E` before each temporal operator, or one of them before the whole formula")
}

/// Parses a statement about single markings, without `EF` or `AG` before it.
pub fn state_formula<'a>(text: Text<'a>, subject: Subject<'a>, limits: &'a Limits) -> Res<Formula> {
    let phi = Parser::new(Lexer::new(text, limits, true), subject).formula()?;
    Questions::new(text, subject, limits).formula(&phi, true, 0..text.text.len().min(1))
}
