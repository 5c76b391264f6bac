//! Lists of formulas and of claims about them, the parts of composed evidence ([`super::composed`]).

use super::about::About;
use super::invariant::Number;
use super::names::Names;
use super::shape::shaped;
use crate::{single_kind, trace, write_certificate};
use formats::codes;
use formats::json::{Document, Res, Value, string};
use model::{Claim, Formula, FormulaBuilder, FormulaId, Goal, Node, NodeId, Parts, PlaceId, Problem, Property};
use num_bigint::BigInt;
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
