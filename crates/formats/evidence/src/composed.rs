//! Evidence that consists of several parts, in evidence files: for formulas of computation tree logic, and for largest
//! values of sums.
//!
//! ```json
//! "branching": {"holds": true, "formulas": [[{"sum": [["p", 1]], "at_least": 2}]], "parts": [..], "markings": {..},
//!               "siphons": [["p", "q"]], "live": {"traps": [["p"]], "refutation": [[[-1], [3, 1]], [[], [4, 2]]],
//!               "restart": {"end": "q", "steps": [["follow", "t"]], "weights": [["p", 1], ["q", 1]]}}}
//! "bound": {"value": 3, "formulas": [..], "parts": [..]}
//! ```
//!
//! `formulas` come after those of the questions about the model. A formula is the list of its nodes, operands first:
//! `{"all": [0, 1]}`, `{"any": [0, 1]}` or `{"sum": [[place, factor], ..], "at_least": number}`. A part is a claim,
//! with its `goals` (`formula 7` is the formula with this number) and one kind of evidence. `markings`, `siphons` and
//! `live` may be left out, also `restart` ([`restart`]), `recurring` and `lost` ([`recurring`]). A refutation is a list
//! of clauses with their hints.

use super::invariant::Number;
use super::names::Names;
use super::parts::{read_parts, write_parts};
use super::shape::shaped;
use super::{markings, recurring, restart};
use formats::codes;
use formats::json::{Document, Res, Value};
use model::{BranchingEvidence, Claim, Derivation, Goal, Live, Parts, PlaceId, Problem};
use num_bigint::BigUint;
use std::io::{self, Write};
use std::sync::Arc;

pub(super) fn write_branching(
    names: &Names<'_>,
    problem: &Problem,
    (holds, evidence): (bool, &BranchingEvidence),
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "\"branching\":{{\"holds\":{holds},")?;
    write_parts(names, problem, &evidence.never, out)?;
    if let Some(listed) = &evidence.markings {
        writeln!(out, ",")?;
        markings::write("markings", names, listed, out)?;
    }
    if !evidence.siphons.is_empty() {
        write!(out, ",\n\"siphons\":")?;
        write_sets(names, &evidence.siphons, out)?;
    }
    if let Some(live) = &evidence.live {
        write!(out, ",\n\"live\":{{")?;
        if let Some(restart) = &live.restart {
            restart::write(names, restart, out)?;
        }
        write!(out, "\"traps\":")?;
        write_sets(names, &live.traps, out)?;
        write!(out, ",\n\"refutation\":")?;
        serde_json::to_writer(&mut *out, &live.refutation.steps)?;
        write!(out, "}}")?;
    }
    if let Some(letters) = &evidence.recurring {
        writeln!(out, ",")?;
        recurring::write(names, problem, letters, out)?;
    }
    if !evidence.lost.is_empty() {
        writeln!(out, ",")?;
        recurring::write_lost(names, problem, &evidence.lost, out)?;
    }
    write!(out, "}}")
}

/// Writes sets of places.
fn write_sets(names: &Names<'_>, sets: &[Vec<PlaceId>], out: &mut dyn Write) -> io::Result<()> {
    for (i, set) in sets.iter().enumerate() {
        let places = set.iter().map(|place| names.place_text(*place)).collect::<io::Result<Vec<_>>>()?;
        write!(out, "{}[{}]", if i == 0 { "[" } else { ",\n" }, places.join(","))?;
    }
    write!(out, "{}]", if sets.is_empty() { "[" } else { "" })
}

fn read_sets<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Vec<Vec<PlaceId>>> {
    let set = |value| {
        let places = document.array(value, "a list of places")?;
        places.into_iter().map(|place| names.place(document, place)).collect()
    };
    document.array(value, "a list of sets of places")?.into_iter().map(set).collect()
}

fn read_live<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Arc<Live>> {
    let object = document.record(value, "traps with a refutation", &["restart", "traps", "refutation"])?;
    let restart = object.get("restart").map(|value| restart::read(document, value, names)).transpose()?;
    let traps = read_sets(document, document.required(&object, "traps")?, names)?;
    let steps = shaped(document, document.required(&object, "refutation")?)?;
    Ok(Arc::new(Live { restart, traps, refutation: Derivation { steps } }))
}

pub(super) fn write_bound(
    names: &Names<'_>,
    problem: &Problem,
    (value, parts): (&BigUint, &Parts),
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "\"bound\":{{\"value\":")?;
    serde_json::to_writer(&mut *out, &Number::count(value))?;
    write!(out, ",")?;
    write_parts(names, problem, parts, out)?;
    write!(out, "}}")
}

/// The keys of evidence about formulas of computation tree logic.
const KEYS: [&str; 8] = ["holds", "formulas", "parts", "markings", "siphons", "live", "recurring", "lost"];

pub(super) fn read_branching<'a>(
    document: Document<'a>,
    value: Value<'a>,
    goals: Vec<Goal>,
    names: &Names<'_>,
    problem: &Problem,
) -> Res<Claim> {
    let object = document.record(value, "evidence", &KEYS)?;
    let holds = document.boolean(document.required(&object, "holds")?, "true or false")?;
    let lists = (document.required(&object, "formulas")?, document.required(&object, "parts")?);
    let never = read_parts(document, lists, names, problem)?;
    let listed = object.get("markings").map(|value| markings::read(document, value, names)).transpose()?;
    let siphons = object.get("siphons").map(|value| read_sets(document, value, names)).transpose()?.unwrap_or_default();
    let live = object.get("live").map(|value| read_live(document, value, names)).transpose()?;
    let recurring =
        object.get("recurring").map(|value| recurring::read(document, value, names, problem)).transpose()?;
    let lost = object.get("lost").map(|value| recurring::read_lost(document, value, names, problem)).transpose()?;
    let (markings, lost) = (listed.map(Arc::new), lost.unwrap_or_default());
    let evidence = BranchingEvidence { never, markings, siphons, live, recurring, lost };
    Ok(Claim::Branching { goals, holds, evidence })
}

pub(super) fn read_bound<'a>(
    document: Document<'a>,
    value: Value<'a>,
    goal: Goal,
    names: &Names<'_>,
    problem: &Problem,
) -> Res<Claim> {
    let object = document.record(value, "evidence", &["value", "formulas", "parts"])?;
    let place = document.required(&object, "value")?;
    let Ok(number) = shaped::<Number>(document, place)?.into_count() else {
        let error = document.error(&codes::EVIDENCE_SHAPE, place, "a value below 0");
        return Err(error.label("expected a count"));
    };
    let lists = (document.required(&object, "formulas")?, document.required(&object, "parts")?);
    let parts = read_parts(document, lists, names, problem)?;
    Ok(Claim::Bound { goal, value: number, parts })
}
