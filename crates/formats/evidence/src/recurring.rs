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
use super::parts::{extended, read_parts, write_parts};
use super::shape::{BREAKS, Input, Later, Output, Shape, get, invalid};
use super::{certificate, claim_about, read_goals, single_kind, trace};
use formats::codes;
use formats::json::{Res, string};
use model::{Claim, FormulaId, Goal, Lost, Problem, Recurring, Way};
use std::io;
use std::sync::Arc;

pub(super) fn write(to: &mut Output<'_>, recurring: &Recurring) -> io::Result<()> {
    to.text("{\"ways\":[")?;
    for (i, (letter, ways)) in recurring.ways.iter().enumerate() {
        to.text(if i == 0 { "{" } else { ",\n{" })?;
        to.text(&format!("{},\"markings\":", goal_text(*letter)))?;
        ways.write_to(to)?;
        to.text("}")?;
    }
    to.text("],\n")?;
    write_parts(to, &recurring.parts)?;
    to.text("}")
}

/// A way is a list of the marking and, if it goes on, of a transition and the number of the earlier marking.
impl Shape for Way {
    const BEFORE: [&'static str; 2] = BREAKS;

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        to.text("[")?;
        self.marking.write_to(to)?;
        if let Some((transition, earlier)) = self.next {
            to.text(",")?;
            transition.write_to(to)?;
            to.text(&format!(",{earlier}"))?;
        }
        to.text("]")
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, mut parts) = (from.here(), Vec::new());
        from.list(|from| {
            parts.push(Later::read_from(from)?);
            Ok(())
        })?;
        let (marking, next) = match parts[..] {
            [marking] => (marking, None),
            [marking, transition, earlier] => (marking, Some((from.read_at(transition)?, from.read_at(earlier)?))),
            _ => return Err(from.wrong(start, "expected a marking, or a marking, a transition and a number")),
        };
        Ok(Self { marking: from.read_at(marking)?, next })
    }
}

fn goal_text(letter: FormulaId) -> String {
    format!("\"goals\":[{}]", string(&Goal::Formula(letter).to_string()))
}

pub(super) fn write_lost(to: &mut Output<'_>, list: &[Arc<Lost>]) -> io::Result<()> {
    let (names, unfit) = (to.scope.names, || invalid("a letter that does not fit the model"));
    let extended = extended(to.scope.problem, &[]).ok_or_else(unfit)?;
    to.text("[")?;
    for (i, lost) in list.iter().enumerate() {
        let Claim::Safe { certificate, .. } = &*lost.never else { return Err(invalid("a letter that is not lost")) };
        to.text(if i == 0 { "{" } else { ",\n{" })?;
        to.text(&format!("{},", goal_text(lost.letter)))?;
        trace::write(names, &lost.run, to.out)?;
        to.text(",\n\"never\":{")?;
        certificate::write(names, &extended, certificate, to.out)?;
        to.text("}}")?;
    }
    to.text("]")
}

/// Returns the problem with a goal for each letter.
fn known(from: &Input<'_, '_>, place: Later) -> Res<Problem> {
    let unfit = || from.error(&codes::EVIDENCE_KIND, place, "letters that do not fit the model");
    extended(from.scope.problem, &[]).ok_or_else(|| unfit().label("expected formulas over the places of the model"))
}

/// Reads the letter that an object is about.
fn read_letter(from: &mut Input<'_, '_>, goals: Later, extended: &Problem) -> Res<FormulaId> {
    let (place, document) = (from.at(goals, Input::value)?, from.document);
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

pub(super) fn read(from: &mut Input<'_, '_>) -> Res<Arc<Recurring>> {
    let (list, formulas, parts): (Later, Later, Later) = get!(from, {ways formulas parts});
    let extended = known(from, list)?;
    let mut ways = Vec::new();
    from.at(list, |from| {
        from.list(|from| {
            let (goals, markings): (Later, Vec<Way>) = get!(from, {goals markings});
            ways.push((read_letter(from, goals, &extended)?, markings));
            Ok(())
        })
    })?;
    Ok(Arc::new(Recurring { ways, parts: read_parts(from, (formulas, parts))? }))
}

pub(super) fn read_lost(from: &mut Input<'_, '_>) -> Res<Vec<Arc<Lost>>> {
    let (start, document, names) = (from.here(), from.document, from.scope.names);
    let extended = known(from, start)?;
    let kinds = About::of(extended.system()).map_or(&[][..], |about| about.kinds);
    let mut list = Vec::new();
    from.list(|from| {
        let (goals, run, never): (Later, Later, Later) = get!(from, {goals trace never});
        let letter = read_letter(from, goals, &extended)?;
        let run = from.coded(false, |from| from.at(run, trace::read))?;
        let place = from.at(never, Input::value)?;
        let certificate = document.record(place, "a certificate", kinds)?;
        let kind = single_kind(document, place, &certificate, kinds)?;
        let goals = (vec![Goal::Formula(letter)], place);
        let never = Arc::new(claim_about(document, kind, None, goals, (names, &extended))?);
        list.push(Arc::new(Lost { letter, run, never }));
        Ok(())
    })?;
    Ok(list)
}
