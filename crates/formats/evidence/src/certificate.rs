//! Certificates in evidence files. The key says which kind of certificate it is. Restrictions may come first.
//!
//! ```json
//! "restrictions": [{"kind": "potential.weights", "excluded": [[2,1]], "why": {"potential": [[[0,1],[0,1],[0,5]]]}}],
//! "projection": {"kept": [0,2], "states": [[0,0],[1,0]]}
//! "counted": {"exact": 4, "modulus": 1, "states": [[0,0,0],[1,0,1]]}
//! ```

use super::about::About;
use super::names::Names;
use super::shape::{Input, Later, Output, Scope, Shape, Style, get, invalid, put};
use super::state_set::{Rows, read_rows};
use super::{clauses, invariant, markings, restriction, valuations};
use formats::json::{Document, Res, Value};
use model::certificate::Counted;
use model::{Certificate, Lengths, Problem, Projection, Refutation, StateSet, ThreadId};
use std::io::{self, Write};

/// The key of restrictions, beside certificates of programs.
pub(super) const RESTRICTIONS: &str = "restrictions";

fn key(certificate: &Certificate) -> &'static str {
    match certificate {
        Certificate::StateSet(_) => "state_set",
        Certificate::Reduced(_) => "reduced",
        Certificate::Counted(_) => "counted",
        Certificate::Refutation(_) => "refutation",
        Certificate::Projection(_) => "projection",
        Certificate::Clauses(_) => "clauses",
        Certificate::Justice(_) => "justice",
        Certificate::Tracking(_) => "tracking",
        Certificate::PotentiallyMarked(_) => "markable",
        Certificate::Markings(_) => "markings",
        Certificate::ReducedMarkings(_) => "reduced_markings",
        Certificate::Invariant(_) => "invariant",
        Certificate::Valuations(_) => "valuations",
        Certificate::Data(_) => "data_invariant",
        Certificate::DataProjections(_) => "data_projections",
        Certificate::Restricted(..) => RESTRICTIONS,
    }
}

/// Returns the scope of the certificates with this key.
fn scope<'p>(key: &str, names: &'p Names<'p>, problem: &'p Problem) -> Scope<'p> {
    let style = match key {
        "refutation" | RESTRICTIONS => Style::Numbers,
        "justice" | "tracking" => Style::OtherCircuit,
        _ => Style::Names,
    };
    Scope::new(names, problem, style)
}

pub(super) fn write(
    names: &Names<'_>,
    problem: &Problem,
    certificate: &Certificate,
    out: &mut dyn Write,
) -> io::Result<()> {
    let key = key(certificate);
    let is_known = |about: About| about.kinds.contains(&key) || (key == RESTRICTIONS && about.noun == "program");
    if !About::of(problem.system()).is_some_and(is_known) {
        return Err(invalid("a certificate for another kind of system"));
    }
    write!(out, "\"{key}\":")?;
    let to = &mut Output { out: &mut *out, scope: &scope(key, names, problem) };
    match certificate {
        Certificate::StateSet(set) | Certificate::Reduced(set) => {
            let (width, states) = (threads(problem), Rows(set.as_ref()));
            put!(to, {width, states})
        }
        Certificate::Counted(Counted { lengths: Lengths { exact, modulus }, states }) => {
            let states = Rows(states.as_ref());
            put!(to, {exact, modulus, states})
        }
        Certificate::Projection(Projection { kept, states }) => {
            let states = Rows(states.as_ref());
            put!(to, {kept, states})
        }
        Certificate::Refutation(refutation) => refutation.write_to(to),
        Certificate::Clauses(clauses) => clauses.write_to(to),
        Certificate::Justice(proof) => proof.write_to(to),
        Certificate::Tracking(proof) => proof.write_to(to),
        Certificate::PotentiallyMarked(places) => places.write_to(to),
        Certificate::Markings(markings) | Certificate::ReducedMarkings(markings) => markings::write(markings, to),
        Certificate::Invariant(invariant) => invariant::write(to, invariant),
        Certificate::Valuations(valuations) => match problem.system().as_reactive() {
            Some(program) => valuations::write(program, valuations, to),
            None => Err(invalid("valuations of another kind of system")),
        },
        Certificate::Data(invariant) => invariant.write_to(to),
        Certificate::DataProjections(projections) => projections.write_to(to),
        Certificate::Restricted(_, inner) if matches!(**inner, Certificate::Restricted(..)) => {
            Err(invalid("restrictions of restrictions"))
        }
        Certificate::Restricted(restrictions, inner) => {
            restrictions.write_to(to)?;
            to.text(",\n")?;
            write(names, problem, inner, to.out)
        }
    }
}

/// Reads the certificate under the key `kind`. The kind is one of those of the system.
pub(super) fn read<'a>(
    document: Document<'a>,
    (kind, value): (&str, Value<'a>),
    restrictions: Option<Value<'a>>,
    (names, problem): (&Names<'_>, &Problem),
) -> Res<Certificate> {
    let (scope, threads) = (scope(kind, names, problem), threads(problem));
    let from = &mut Input::new(document, &scope, value);
    let inner = match kind {
        "state_set" => Certificate::StateSet(read_set(from, threads)?),
        "reduced" => Certificate::Reduced(read_set(from, threads)?),
        "counted" => {
            let (exact, modulus, states) = get!(from, {exact modulus states});
            let states = from.at(states, |from| read_rows(from, threads + 1))?;
            Certificate::Counted(Counted { lengths: Lengths { exact, modulus }, states })
        }
        "projection" => Certificate::Projection(read_projection(from, threads)?),
        "refutation" => {
            let (start, refutation) = (from.here(), from.read::<Box<Refutation>>()?);
            check_width(from, start, refutation.width, threads)?;
            Certificate::Refutation(refutation)
        }
        "clauses" => Certificate::Clauses(Box::new(clauses::read(from)?)),
        "justice" => Certificate::Justice(from.read()?),
        "tracking" => Certificate::Tracking(from.read()?),
        "markable" => Certificate::PotentiallyMarked(from.read()?),
        "markings" => Certificate::Markings(markings::read(from)?),
        "reduced_markings" => Certificate::ReducedMarkings(markings::read(from)?),
        "data_invariant" => Certificate::Data(from.read()?),
        "data_projections" => Certificate::DataProjections(from.read()?),
        _ => match problem.system().as_reactive() {
            Some(program) => Certificate::Valuations(Box::new(valuations::read(from, program)?)),
            None => Certificate::Invariant(Box::new(invariant::read(from)?)),
        },
    };
    let (Some(list), Some(program)) = (restrictions, problem.system().as_program()) else { return Ok(inner) };
    let scope = scope.styled(Style::Numbers);
    let restrictions = restriction::read(&mut Input::new(document, &scope, list), program)?;
    Ok(Certificate::Restricted(restrictions, Box::new(inner)))
}

/// Returns the number of slots of a state: for a program, the number of its threads.
fn threads(problem: &Problem) -> usize {
    let own = || problem.system().as_own().map_or(0, |system| system.sizes().len());
    problem.system().as_program().map_or_else(own, |program| program.threads().len())
}

fn read_set(from: &mut Input<'_, '_>, threads: usize) -> Res<Box<dyn StateSet>> {
    let start = from.here();
    let (width, states) = get!(from, {width states});
    check_width(from, start, width, threads)?;
    from.at(states, |from| read_rows(from, threads))
}

/// Checks that evidence is about states of the threads of the program.
fn check_width(from: &Input<'_, '_>, start: Later, found: usize, threads: usize) -> Res<()> {
    let wrong = || from.wrong(start, format!("states of {found} parts, but those of the system have {threads}"));
    if found == threads { Ok(()) } else { Err(wrong().label(format!("expected `width` {threads}"))) }
}

fn read_projection(from: &mut Input<'_, '_>, threads: usize) -> Res<Projection> {
    let (list, states): (Later, Later) = get!(from, {kept states});
    let kept: Vec<ThreadId> = from.read_at(list)?;
    let known = kept.last().is_none_or(|t| t.index() < threads);
    if !known || !kept.is_sorted_by(|a, b| a < b) {
        let error = from.at(list, |from| {
            from.value()?;
            Ok(from.wrong(list, "not a list of threads of the program"))
        })?;
        return Err(error.label(format!("expected ascending numbers below {threads}")));
    }
    let states = from.at(states, |from| read_rows(from, kept.len()))?;
    Ok(Projection { kept, states })
}
