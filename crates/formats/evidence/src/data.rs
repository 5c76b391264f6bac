//! Certificates about programs with unbounded data in evidence files: invariants with proofs.
//!
//! ```json
//! "data_invariant": {
//!   "controls": [{"at": [0, 2], "clauses": [["1 v0 + -1 v1 + 0"]]}],
//!   "proofs": [["decide 1", "done", "sum 0*1 2*3"]]}
//! ```
//!
//! `"data_projections"` is a list of such objects, each with the numbers of the kept threads and of the targets as
//! well: `{"kept": [0, 3], "targets": [3], "controls": ..}`. Its numbers of threads, variables and locations are those
//! of the projection.
//!
//! A control has the number of the location of each thread, and clauses of constraints. A constraint is a term that is
//! at most 0: multiples of variables (`v0`), arguments (`a0`) and inputs (`i1.0`: thread, number), and a constant. A
//! proof is a list of steps (`model::data::ProofStep`).

use crate::shape::shaped;
use formats::codes;
use formats::json::{Document, Res, Value};
use model::data::{Constraint, Control, DataCertificate, DataProjection, Linear, Proof, ProofStep, Symbol};
use model::{EventId, LocationId, ThreadId, VariableId};
use num_bigint::BigInt;
use serde_json::value::RawValue;
use std::io::{self, Write};

pub(super) fn write(certificate: &DataCertificate, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"data_invariant\":{{")?;
    write_fields(certificate, out)
}

/// Writes proofs about projections: the fields of an invariant, with the kept threads and the targets.
pub(super) fn write_projections(parts: &[DataProjection], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"data_projections\":[")?;
    for (number, part) in parts.iter().enumerate() {
        write!(out, "{}{{\"kept\":", if number == 0 { "\n" } else { ",\n" })?;
        let numbers = |threads: &[ThreadId]| threads.iter().map(|thread| thread.0).collect::<Vec<u32>>();
        serde_json::to_writer(&mut *out, &numbers(&part.kept))?;
        write!(out, ",\"targets\":")?;
        serde_json::to_writer(&mut *out, &numbers(&part.targets))?;
        write!(out, ",")?;
        write_fields(&part.invariant, out)?;
    }
    write!(out, "]")
}

fn write_fields(certificate: &DataCertificate, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"controls\":[")?;
    for (number, control) in certificate.controls.iter().enumerate() {
        let at: Vec<u32> = control.locations.iter().map(|location| location.0).collect();
        let clause = |clause: &Vec<Constraint>| clause.iter().map(|c| c.term().to_string()).collect::<Vec<_>>();
        let clauses: Vec<Vec<String>> = control.clauses.iter().map(clause).collect();
        write!(out, "{}{{\"at\":", if number == 0 { "\n" } else { ",\n" })?;
        serde_json::to_writer(&mut *out, &at)?;
        write!(out, ",\"clauses\":")?;
        serde_json::to_writer(&mut *out, &clauses)?;
        write!(out, "}}")?;
    }
    write!(out, "],\n\"proofs\":[")?;
    for (number, proof) in certificate.proofs.iter().enumerate() {
        let steps: Vec<String> = proof.steps.iter().map(step_text).collect();
        write!(out, "{}", if number == 0 { "\n" } else { ",\n" })?;
        serde_json::to_writer(&mut *out, &steps)?;
    }
    write!(out, "]}}")
}

fn step_text(step: &ProofStep) -> String {
    match step {
        ProofStep::Contradiction(sum) => {
            let parts: Vec<String> = sum.iter().map(|(fact, factor)| format!(" {fact}*{factor}")).collect();
            format!("sum{}", parts.concat())
        }
        ProofStep::Clause(number) => format!("clause {number}"),
        ProofStep::Cut(constraint) => format!("cut {}", constraint.term()),
        ProofStep::Decide(thread) => format!("decide {}", thread.0),
        ProofStep::Step => "step".to_owned(),
        ProofStep::Done => "done".to_owned(),
        ProofStep::Instance { event, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(|argument| format!(" | {argument}")).collect();
            format!("instance {}{}", event.0, arguments.concat())
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(borrow)]
    controls: &'a RawValue,
    #[serde(borrow)]
    proofs: &'a RawValue,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlShape {
    at: Vec<u32>,
    clauses: Vec<Vec<String>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectionFields<'a> {
    kept: Vec<u32>,
    targets: Vec<u32>,
    #[serde(borrow)]
    controls: &'a RawValue,
    #[serde(borrow)]
    proofs: &'a RawValue,
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>) -> Res<DataCertificate> {
    read_fields(document, &shaped(document, value)?)
}

pub(super) fn read_projections<'a>(document: Document<'a>, value: Value<'a>) -> Res<Vec<DataProjection>> {
    let mut parts = Vec::new();
    for item in document.array(value, "a list of projections")? {
        let ProjectionFields { kept, targets, controls, proofs } = shaped(document, item)?;
        let threads = |numbers: Vec<u32>| numbers.into_iter().map(ThreadId).collect();
        let invariant = read_fields(document, &Fields { controls, proofs })?;
        parts.push(DataProjection { kept: threads(kept), targets: threads(targets), invariant });
    }
    Ok(parts)
}

fn read_fields<'a>(document: Document<'a>, shape: &Fields<'a>) -> Res<DataCertificate> {
    let mut certificate = DataCertificate::default();
    for item in document.array(shape.controls, "a list of controls")? {
        let control: ControlShape = shaped(document, item)?;
        let mut clauses = Vec::with_capacity(control.clauses.len());
        for clause in &control.clauses {
            let constraints: Option<Vec<Constraint>> =
                clause.iter().map(|text| Some(Constraint::at_most_zero(&linear(text)?))).collect();
            clauses.push(constraints.ok_or_else(|| wrong(document, item, "a constraint", "2 v0 + -1 v1 + 3"))?);
        }
        certificate.controls.push(Control { locations: control.at.into_iter().map(LocationId).collect(), clauses });
    }
    for item in document.array(shape.proofs, "a list of proofs")? {
        let texts: Vec<String> = shaped(document, item)?;
        let steps: Option<Vec<ProofStep>> = texts.iter().map(|text| step(text)).collect();
        let steps = steps.ok_or_else(|| wrong(document, item, "a step of a proof", "decide 1"))?;
        certificate.proofs.push(Proof { steps });
    }
    Ok(certificate)
}

fn wrong(document: Document<'_>, value: Value<'_>, what: &str, example: &str) -> Box<formats::Error> {
    let error = document.error(&codes::EVIDENCE_SHAPE, value, format!("{what} cannot be read"));
    error.label(format!("expected it in the form `{example}`"))
}

fn step(text: &str) -> Option<ProofStep> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(match word {
        "sum" => {
            let part = |part: &str| {
                let (fact, factor) = part.split_once('*')?;
                Some((fact.parse().ok()?, factor.parse().ok()?))
            };
            ProofStep::Contradiction(rest.split_whitespace().map(part).collect::<Option<_>>()?)
        }
        "clause" => ProofStep::Clause(rest.parse().ok()?),
        "cut" => ProofStep::Cut(Constraint::at_most_zero(&linear(rest)?)),
        "decide" => ProofStep::Decide(ThreadId(rest.parse().ok()?)),
        "step" if rest.is_empty() => ProofStep::Step,
        "done" if rest.is_empty() => ProofStep::Done,
        "instance" => {
            let mut parts = rest.split(" | ");
            let event = EventId(parts.next()?.parse().ok()?);
            ProofStep::Instance { event, arguments: parts.map(linear).collect::<Option<_>>()? }
        }
        _ => return None,
    })
}

/// Reads `2 v0 + -1 a0 + 3`.
fn linear(text: &str) -> Option<Linear> {
    let mut parts: Vec<&str> = text.split(" + ").collect();
    let constant: BigInt = parts.pop()?.parse().ok()?;
    let term = |part: &str| {
        let (factor, name) = part.split_once(' ')?;
        let number = name.get(1..)?;
        let symbol = match name.get(..1)? {
            "v" => Symbol::Variable(VariableId(number.parse().ok()?)),
            "a" => Symbol::Argument(number.parse().ok()?),
            "i" => {
                let (thread, input) = number.split_once('.')?;
                Symbol::Input(ThreadId(thread.parse().ok()?), input.parse().ok()?)
            }
            _ => return None,
        };
        Some((symbol, factor.parse::<BigInt>().ok()?))
    };
    let terms: Option<Vec<(Symbol, BigInt)>> = parts.into_iter().map(term).collect();
    Some(Linear::new(terms?, constant))
}
