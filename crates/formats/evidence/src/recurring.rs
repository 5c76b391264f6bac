//! Letters that can always be reached, and letters that are lost after a run, in evidence files ([`model::Recurring`],
//! [`model::Lost`]).
//!
//! ```json
//! "recurring": {"ways": [{"goals": ["formula 0"], "markings": [[[["a", 1]]], [[["p", 1]], "t", 0]]}],
//!               "formulas": [..], "parts": [..]}
//! "lost": [{"goals": ["formula 0"], "trace": {..}, "never": {"invariant": {..}}}]
//! ```
//!
//! A marking is a list of places with their tokens. After it stand the name of a transition, and the number of the
//! earlier marking that is covered when the transition has fired; or nothing. `never` has the kind of a certificate
//! with its value.

use super::about::About;
use super::invariant::Number;
use super::names::Names;
use super::parts::{extended, read_parts, read_terms, write_parts};
use super::shape::{invalid, shaped};
use super::{claim_about, read_goals, single_kind, trace, write_certificate};
use formats::codes;
use formats::json::{Document, Object, Res, Value, string};
use model::{Claim, EventId, FormulaId, Goal, Lost, Problem, Recurring, TransitionId, Vector, Way};
use std::io::{self, Write};
use std::sync::Arc;

pub(super) fn write(
    names: &Names<'_>,
    problem: &Problem,
    recurring: &Recurring,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "\"recurring\":{{\"ways\":[")?;
    for (i, (letter, ways)) in recurring.ways.iter().enumerate() {
        write!(out, "{}{},\"markings\":[", if i == 0 { "{" } else { ",\n{" }, goal_text(*letter))?;
        for (j, way) in ways.iter().enumerate() {
            write!(out, "{}[[", if j == 0 { "" } else { ",\n" })?;
            for (k, (place, tokens)) in way.marking.iter().enumerate() {
                write!(out, "{}[{},", if k == 0 { "" } else { "," }, names.place_text(*place)?)?;
                serde_json::to_writer(&mut *out, &Number::count(tokens))?;
                write!(out, "]")?;
            }
            match way.next {
                Some((t, earlier)) => write!(out, "],{},{earlier}]", names.event_text(EventId(t.0))?)?,
                None => write!(out, "]]")?,
            }
        }
        write!(out, "]}}")?;
    }
    writeln!(out, "],")?;
    write_parts(names, problem, &recurring.parts, out)?;
    write!(out, "}}")
}

fn goal_text(letter: FormulaId) -> String {
    format!("\"goals\":[{}]", string(&Goal::Formula(letter).to_string()))
}

pub(super) fn write_lost(
    names: &Names<'_>,
    problem: &Problem,
    list: &[Arc<Lost>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let extended = extended(problem, &[]).ok_or_else(|| invalid("a letter that does not fit the model"))?;
    write!(out, "\"lost\":[")?;
    for (i, lost) in list.iter().enumerate() {
        let Claim::Safe { certificate, .. } = &*lost.never else { return Err(invalid("a letter that is not lost")) };
        write!(out, "{}{},", if i == 0 { "{" } else { ",\n{" }, goal_text(lost.letter))?;
        trace::write(names, &lost.run, out)?;
        write!(out, ",\n\"never\":{{")?;
        write_certificate(names, &extended, certificate, out)?;
        write!(out, "}}}}")?;
    }
    write!(out, "]")
}

/// Returns the problem with a goal for each letter.
fn known<'a>(document: Document<'a>, value: Value<'a>, problem: &Problem) -> Res<Problem> {
    let unfit = || document.error(&codes::EVIDENCE_KIND, value, "letters that do not fit the model");
    extended(problem, &[]).ok_or_else(|| unfit().label("expected formulas over the places of the model"))
}

/// Reads the letter that an object is about.
fn read_letter<'a>(document: Document<'a>, object: &Object<'a>, extended: &Problem) -> Res<FormulaId> {
    let place = document.required(object, "goals")?;
    let goals = match About::of(extended.system()) {
        Some(about) => read_goals(document, place, extended, &about)?,
        None => Vec::new(),
    };
    match goals[..] {
        [Goal::Formula(letter)] => Ok(letter),
        _ => {
            let error = document.error(&codes::EVIDENCE_KIND, place, "the goal is no formula over places");
            Err(error.label("expected one formula"))
        }
    }
}

pub(super) fn read<'a>(
    document: Document<'a>,
    value: Value<'a>,
    names: &Names<'_>,
    problem: &Problem,
) -> Res<Arc<Recurring>> {
    let object = document.record(value, "letters that recur", &["ways", "formulas", "parts"])?;
    let extended = known(document, value, problem)?;
    let mut ways = Vec::new();
    for item in document.array(document.required(&object, "ways")?, "a list of letters")? {
        let object = document.record(item, "a letter that recurs", &["goals", "markings"])?;
        let letter = read_letter(document, &object, &extended)?;
        let list = document.array(document.required(&object, "markings")?, "a list of markings")?;
        ways.push((letter, list.into_iter().map(|way| read_way(document, way, names)).collect::<Res<_>>()?));
    }
    let lists = (document.required(&object, "formulas")?, document.required(&object, "parts")?);
    Ok(Arc::new(Recurring { ways, parts: read_parts(document, lists, names, problem)? }))
}

fn read_way<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Way> {
    let wrong = |value, label: &str| {
        let error = document.error(&codes::EVIDENCE_SHAPE, value, "not a marking from which a letter can be reached");
        error.label(label.to_owned())
    };
    let items = document.array(value, "a marking")?;
    let (marking, next) = match items[..] {
        [marking] => (marking, None),
        [marking, transition, earlier] => {
            let transition = TransitionId(names.event(document, transition)?.0);
            (marking, Some((transition, shaped(document, earlier)?)))
        }
        _ => return Err(wrong(value, "expected a marking, or a marking, a transition and a number")),
    };
    let tokens = read_terms(document, marking, names)?.into_iter();
    let tokens = tokens.map(|(place, tokens)| Some((place, tokens.to_biguint()?)));
    let marking: Vector =
        tokens.collect::<Option<_>>().ok_or_else(|| wrong(marking, "expected numbers of tokens of at least 0"))?;
    Ok(Way { marking, next })
}

pub(super) fn read_lost<'a>(
    document: Document<'a>,
    value: Value<'a>,
    names: &Names<'_>,
    problem: &Problem,
) -> Res<Vec<Arc<Lost>>> {
    let extended = known(document, value, problem)?;
    let kinds = About::of(extended.system()).map_or(&[][..], |about| about.kinds);
    let mut list = Vec::new();
    for item in document.array(value, "a list of letters")? {
        let object = document.record(item, "a letter that is lost", &["goals", "trace", "never"])?;
        let letter = read_letter(document, &object, &extended)?;
        let run = trace::read(document, document.required(&object, "trace")?, names)?;
        let place = document.required(&object, "never")?;
        let certificate = document.record(place, "a certificate", kinds)?;
        let (kind, value) = single_kind(document, place, &certificate, kinds)?;
        let goals = (vec![Goal::Formula(letter)], place);
        let never = Arc::new(claim_about(document, (kind, value), goals, names, &extended)?);
        list.push(Arc::new(Lost { letter, run, never }));
    }
    Ok(list)
}
