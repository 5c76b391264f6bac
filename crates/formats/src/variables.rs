//! Variables of programs in the texts of questions: their names, their values, and comparisons with values.

use crate::codes;
use crate::error::{Error, Text, printable};
use model::{LocalId, Parameter, Program, ThreadId, Variable};
use num_bigint::BigInt;
use std::ops::Range;

type Res<T> = Result<T, Box<Error>>;

/// True if the values of the variable are names.
pub fn has_names(variable: &Variable) -> bool {
    matches!(variable.values, Parameter::Names(_))
}

/// True if a state of the thread has the name of the variable. Names of states may end with values in brackets.
pub fn is_state(program: &Program, variable: &Variable) -> bool {
    let names = program.thread(variable.thread).states.iter().map(|state| state.name.as_str());
    let rest =
        |name: &str| name.strip_prefix(variable.name.as_str()).map(|rest| rest.is_empty() || rest.starts_with('['));
    names.filter_map(rest).any(|is_whole| is_whole)
}

/// True if a name `L2` of a state is a number that depends on which variables questions name. Such a name must not be
/// used beside variables of its thread: it would stand for another state than in the program alone.
pub fn is_moved(program: &Program, thread: ThreadId, state: &str) -> bool {
    let number = state.trim_end_matches('\'').strip_prefix('L');
    let is_number = number.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    let is_kept = |variable: &Variable| variable.thread == thread && variable.at.is_some();
    (is_number || state.starts_with('(')) && program.variables().iter().any(is_kept)
}

/// Why a name of a state is not used beside variables.
pub const MOVED: [&str; 2] = [
    "is a number that changes where questions name variables of the thread",
    "say it by the values of variables, or ask about the state alone",
];

/// The error that a name is that of a variable and of a state.
pub fn ambiguous(text: Text<'_>, span: Range<usize>, name: &str) -> Box<Error> {
    let name = printable(name);
    let message = format!("`{name}` is a variable and a state of the thread");
    let error = text.error(&codes::ASK_VARIABLE, span, message).label("has two meanings");
    error.hint(format!("write `\"{name}\"` for the state; rename the state to ask about the variable"))
}

/// The error that the values of a variable are not known.
pub fn not_kept(text: Text<'_>, span: Range<usize>, name: &str) -> Box<Error> {
    let message = format!("the values of `{}` are not known in all states", printable(name));
    let error = text.error(&codes::ASK_VARIABLE, span, message).label("a variable");
    error.hint("the program was read without the question: ask on the command line, with `--ask` or `--properties`")
}

/// Returns the number of a value that is written as a name.
pub fn named(text: Text<'_>, variable: &Variable, (name, span): (&str, Range<usize>)) -> Res<i64> {
    let value = match name {
        "TRUE" => variable.named("true"),
        "FALSE" => variable.named("false"),
        _ => variable.named(name),
    };
    value.ok_or_else(|| {
        let message = format!("`{}` is no value of `{}`", printable(name), printable(&variable.name));
        let Parameter::Names(names) = &variable.values else { return Error::whole(&codes::ASK_VARIABLE, "", message) };
        let known: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{}`", printable(name))).collect();
        text.error(&codes::ASK_VARIABLE, span, message).label(format!("expected one of {}", known.join(", ")))
    })
}

/// The number of values that an error lists.
const LISTED: usize = 8;

/// Returns the value that makes the variable a statement by itself: only truth values have one.
pub fn truth(text: Text<'_>, variable: &Variable, (name, span): (&str, Range<usize>)) -> Res<i64> {
    let is_bool = matches!(&variable.values, Parameter::Names(names) if *names == ["false", "true"]);
    if is_bool {
        return Ok(1);
    }
    let message = format!("`{}` is no statement by itself", printable(name));
    Err(text.error(&codes::ASK_VARIABLE, span, message).label("expected a comparison, as in `T.n <= 3`"))
}

/// A comparison of a variable with a value, as it stands behind the name: its number of bytes, the sign, the value and
/// the place of the value.
struct Comparison<'a> {
    length: usize,
    sign: &'a str,
    value: &'a str,
    at: usize,
}

/// The signs of comparisons, longer ones first.
const SIGNS: [&str; 8] = ["<=", ">=", "==", "!=", "<>", "=", "<", ">"];

/// Splits a comparison off the text behind a name.
fn comparison(rest: &str) -> Option<Comparison<'_>> {
    let blanks = |text: &str| text.len() - text.trim_start().len();
    let start = blanks(rest);
    // `<->` and `->` are operators between formulas.
    let sign = SIGNS.into_iter().find(|sign| rest[start..].starts_with(sign) && !rest[start..].starts_with("<->"))?;
    let at = start + sign.len() + blanks(&rest[start + sign.len()..]);
    let is_part = |(place, c): (usize, char)| c.is_alphanumeric() || c == '_' || (c == '-' && place == 0);
    let length = rest[at..].char_indices().find(|part| !is_part(*part)).map_or(rest.len() - at, |(end, _)| end);
    Some(Comparison { length: at + length, sign, value: &rest[at..at + length], at })
}

/// Returns the local states in which what is said about a variable holds, in a temporal formula: a comparison with a
/// value behind its name, or a truth value. Also returns the number of bytes behind the name. `span` is the place of
/// the name in the text.
pub fn states(
    text: Text<'_>,
    variable: &Variable,
    (name, span): (&str, Range<usize>),
    rest: &str,
) -> Res<(Vec<LocalId>, usize)> {
    if variable.at.is_none() {
        return Err(not_kept(text, span, name));
    }
    let Some(Comparison { length, sign, value, at }) = comparison(rest) else {
        let wanted = truth(text, variable, (name, span))?;
        return Ok((variable.states(|value| value == wanted).collect(), 0));
    };
    let place = span.end + at..span.end + length;
    let wanted = match has_names(variable) {
        true if !matches!(sign, "=" | "==" | "!=" | "<>") => {
            let message = format!("the values of `{}` have no order", printable(name));
            return Err(text.error(&codes::ASK_VARIABLE, span, message).label("expected `=` or `!=`"));
        }
        true => named(text, variable, (value, place))?.into(),
        false => value.parse::<BigInt>().map_err(|_| {
            let message = format!("`{}` is no number", printable(value));
            let error = text.error(&codes::ASK_VARIABLE, place, message).label("expected a number");
            error.hint("variables are compared with each other in `AG phi` and `EF phi`, as in `AG T.n <= U.n`")
        })?,
    };
    let holds = |value: i64| {
        let order = BigInt::from(value).cmp(&wanted);
        match sign {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            "=" | "==" => order.is_eq(),
            _ => order.is_ne(),
        }
    };
    Ok((variable.states(holds).collect(), length))
}
