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
use super::{about::About, markings, recurring, restart, shaped, single_kind, trace, write_certificate};
use formats::codes;
use formats::json::{Document, Res, Value, string};
use model::{
    BranchingEvidence, Claim, Derivation, Formula, FormulaBuilder, FormulaId, Goal, Live, Node, NodeId, Parts, PlaceId,
    Problem, Property,
};
use num_bigint::{BigInt, BigUint};
use std::io::{self, Write};
use std::sync::Arc;

/// Returns the problem about which the parts are: with these formulas after its own, and a goal for each formula.
pub(super) fn extended(problem: &Problem, formulas: &[Arc<Formula>]) -> Option<Problem> {
    let extended = problem.clone().changed(|asked| {
        asked.formulas.extend(formulas.iter().cloned());
        let goal = |number| Goal::Formula(FormulaId::new(number));
        let property = |goal: Goal| Property::never(goal.to_string(), goal);
        let goals = (0..asked.formulas.len()).map(goal).chain([Goal::Deadlock]);
        asked.properties = goals.map(property).collect();
    });
    extended.ok()
}

fn write_formula(names: &Names<'_>, formula: &Formula, out: &mut dyn Write) -> io::Result<()> {
    let ids = |parts: &[NodeId]| parts.iter().map(|part| part.index().to_string()).collect::<Vec<_>>().join(",");
    for (i, node) in formula.nodes().iter().enumerate() {
        write!(out, "{}", if i == 0 { "[" } else { "," })?;
        match node {
            Node::All(parts) => write!(out, "{{\"all\":[{}]}}", ids(parts))?,
            Node::Any(parts) => write!(out, "{{\"any\":[{}]}}", ids(parts))?,
            Node::AtLeast(sum) => {
                write!(out, "{{\"sum\":[")?;
                for (i, (place, factor)) in sum.terms.iter().enumerate() {
                    write!(out, "{}[{},", if i == 0 { "" } else { "," }, names.place_text(*place)?)?;
                    serde_json::to_writer(&mut *out, &Number::of(factor))?;
                    write!(out, "]")?;
                }
                write!(out, "],\"at_least\":")?;
                serde_json::to_writer(&mut *out, &Number::of(&sum.at_least))?;
                write!(out, "}}")?;
            }
        }
    }
    write!(out, "]")
}

pub(super) fn write_parts(names: &Names<'_>, problem: &Problem, parts: &Parts, out: &mut dyn Write) -> io::Result<()> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "parts that do not fit the model");
    let extended = extended(problem, &parts.formulas).ok_or_else(invalid)?;
    write!(out, "\"formulas\":[")?;
    for (i, formula) in parts.formulas.iter().enumerate() {
        write!(out, "{}", if i == 0 { "" } else { ",\n" })?;
        write_formula(names, formula, out)?;
    }
    write!(out, "],\n\"parts\":[")?;
    for (i, claim) in parts.claims.iter().enumerate() {
        let goals: Vec<String> = claim.goals().iter().map(|goal| string(&goal.to_string())).collect();
        write!(out, "{}{{\"goals\":[{}],", if i == 0 { "" } else { ",\n" }, goals.join(","))?;
        match &**claim {
            Claim::Unsafe { trace, .. } => trace::write(names, trace, out)?,
            Claim::Safe { certificate, .. } => write_certificate(names, &extended, certificate, out)?,
            _ => return Err(invalid()),
        }
        write!(out, "}}")?;
    }
    write!(out, "]")
}

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

/// Reads a list of places with numbers.
pub(super) fn read_terms<'a>(
    document: Document<'a>,
    value: Value<'a>,
    names: &Names<'_>,
) -> Res<Vec<(PlaceId, BigInt)>> {
    let mut terms = Vec::new();
    for term in document.array(value, "places with factors")? {
        let [place, factor] = document.array(term, "a place and its factor")?[..] else {
            let error = document.error(&codes::EVIDENCE_SHAPE, term, "not a place and its factor");
            return Err(error.label("expected two elements"));
        };
        terms.push((names.place(document, place)?, shaped::<Number>(document, factor)?.into_integer()));
    }
    Ok(terms)
}

fn read_formula<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Formula> {
    let mut builder = FormulaBuilder::default();
    let mut nodes: Vec<NodeId> = Vec::new();
    for item in document.array(value, "the nodes of a formula")? {
        let object = document.record(item, "a node", &["all", "any", "sum", "at_least"])?;
        let operands = |list: Value<'a>, nodes: &[NodeId]| -> Res<Vec<NodeId>> {
            let numbers: Vec<usize> = shaped(document, list)?;
            let node = |number: usize| nodes.get(number).copied();
            numbers.into_iter().map(node).collect::<Option<Vec<_>>>().ok_or_else(|| {
                let error = document.error(&codes::EVIDENCE_SHAPE, list, "an operand that does not come before");
                error.label("expected numbers of nodes that come before this one")
            })
        };
        let node = if let Some(list) = object.get("all") {
            let parts = operands(list, &nodes)?;
            builder.all(parts)
        } else if let Some(list) = object.get("any") {
            let parts = operands(list, &nodes)?;
            builder.any(parts)
        } else {
            let terms = read_terms(document, document.required(&object, "sum")?, names)?;
            let least: Number = shaped(document, document.required(&object, "at_least")?)?;
            builder.at_least(terms, least.into_integer())
        };
        nodes.push(node);
    }
    match nodes.last() {
        Some(root) => Ok(builder.finish(*root)),
        None => {
            Err(document.error(&codes::EVIDENCE_SHAPE, value, "a formula without nodes").label("expected one node"))
        }
    }
}

pub(super) fn read_parts<'a>(
    document: Document<'a>,
    (formulas, parts): (Value<'a>, Value<'a>),
    names: &Names<'_>,
    problem: &Problem,
) -> Res<Parts> {
    let formulas = document.array(formulas, "a list of formulas")?;
    let formulas: Vec<Arc<Formula>> =
        formulas.into_iter().map(|item| read_formula(document, item, names).map(Arc::new)).collect::<Res<_>>()?;
    let unfit = || document.error(&codes::EVIDENCE_KIND, parts, "parts that do not fit the model");
    let extended = extended(problem, &formulas).ok_or_else(unfit)?;
    let about = About::of(extended.system()).ok_or_else(unfit)?;
    let mut claims = Vec::new();
    let kinds: Vec<&'static str> = about.kinds.iter().copied().filter(|kind| !KINDS.contains(kind)).collect();
    let mut keys = vec!["goals"];
    keys.extend(&kinds);
    for item in document.array(parts, "a list of parts")? {
        let object = document.record(item, "a part", &keys)?;
        let place = document.required(&object, "goals")?;
        let goals = super::read_goals(document, place, &extended, &about)?;
        let (kind, value) = single_kind(document, item, &object, about.kinds)?;
        claims.push(Arc::new(super::claim_about(document, (kind, value), (goals, place), names, &extended)?));
    }
    Ok(Parts { formulas, claims })
}

/// The kinds that consist of parts. Parts are of other kinds.
pub(super) const KINDS: [&str; 2] = ["branching", "bound"];

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
