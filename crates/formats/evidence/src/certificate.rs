//! Certificates of programs in evidence files. The key says which kind of certificate it is. Restrictions may
//! come first.
//!
//! ```json
//! "restrictions": [{"kind": "potential.weights", "excluded": [[2,1]], "why": {"potential": [[[0,1],[0,1],[0,5]]]}}],
//! "projection": {"kept": [0,2], "states": [[0,0],[1,0]]}
//! "counted": {"exact": 4, "modulus": 1, "states": [[0,0,0],[1,0,1]]}
//! ```

use super::names::Names;
use super::shape::invalid;
use super::{clauses, refutation, restriction, state_set};
use formats::codes;
use formats::json::{Document, Res, Value};
use model::certificate::Counted;
use model::{Certificate, Lengths, Problem, Program, Projection, ThreadId};
use serde_json::value::RawValue;
use std::io::{self, Write};

pub(super) fn write(
    names: &Names<'_>,
    problem: &Problem,
    program: &Program,
    certificate: &Certificate,
    out: &mut dyn Write,
) -> io::Result<()> {
    let inner = match certificate {
        Certificate::Restricted(restrictions, inner) => {
            restriction::write(restrictions, out)?;
            writeln!(out, ",")?;
            inner
        }
        plain => plain,
    };
    match inner {
        Certificate::StateSet(set) => state_set::write("state_set", program, set.as_ref(), out),
        Certificate::Reduced(set) => state_set::write("reduced", program, set.as_ref(), out),
        Certificate::Counted(counted) => write_counted(counted, out),
        Certificate::Refutation(refutation) => refutation::write(refutation, out),
        Certificate::Projection(projection) => write_projection(projection, out),
        Certificate::Clauses(clauses) => clauses::write(names, problem, clauses, out),
        Certificate::Restricted(..) => Err(invalid("restrictions of restrictions")),
        Certificate::PotentiallyMarked(_)
        | Certificate::Markings(_)
        | Certificate::ReducedMarkings(_)
        | Certificate::Invariant(_)
        | Certificate::Justice(_)
        | Certificate::Tracking(_)
        | Certificate::Valuations(_)
        | Certificate::Data(_)
        | Certificate::DataProjections(_) => Err(invalid("a certificate for another kind of system")),
    }
}

/// Reads the certificate under the key `kind`.
pub(super) fn read<'a>(
    document: Document<'a>,
    kind: &str,
    value: Value<'a>,
    restrictions: Option<Value<'a>>,
    (names, problem, program): (&Names<'_>, &Problem, &Program),
) -> Res<Certificate> {
    let inner = match kind {
        "state_set" => Certificate::StateSet(Box::new(state_set::read(document, value, program)?)),
        "reduced" => Certificate::Reduced(Box::new(state_set::read(document, value, program)?)),
        "counted" => Certificate::Counted(read_counted(document, value, program)?),
        "clauses" => Certificate::Clauses(Box::new(clauses::read(document, value, names, problem)?)),
        "projection" => Certificate::Projection(read_projection(document, value, program)?),
        _ => Certificate::Refutation(Box::new(refutation::read(document, value, program)?)),
    };
    Ok(match restrictions {
        None => inner,
        Some(list) => Certificate::Restricted(restriction::read(document, list, program)?, Box::new(inner)),
    })
}

fn write_projection(projection: &Projection, out: &mut dyn Write) -> io::Result<()> {
    let kept: Vec<u32> = projection.kept.iter().map(|t| t.0).collect();
    write!(out, "\"projection\":{{\"kept\":")?;
    serde_json::to_writer(&mut *out, &kept)?;
    write!(out, ",\"states\":")?;
    state_set::write_rows(projection.states.as_ref(), out)?;
    write!(out, "}}")
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectionShape<'a> {
    #[serde(borrow)]
    kept: &'a RawValue,
    #[serde(borrow)]
    states: &'a RawValue,
}

fn read_projection<'a>(document: Document<'a>, value: Value<'a>, program: &Program) -> Res<Projection> {
    let shape: ProjectionShape<'a> = crate::shape::shaped(document, value)?;
    let kept: Vec<u32> = crate::shape::shaped(document, shape.kept)?;
    let threads = program.threads().len();
    let known = kept.last().is_none_or(|t| (*t as usize) < threads);
    if !known || !kept.is_sorted_by(|a, b| a < b) {
        let error = document.error(&codes::EVIDENCE_SHAPE, shape.kept, "not a list of threads of the program");
        return Err(error.label(format!("expected ascending numbers below {threads}")));
    }
    let states = state_set::read_rows(document, shape.states, kept.len())?;
    Ok(Projection { kept: kept.into_iter().map(ThreadId).collect(), states: Box::new(states) })
}

fn write_counted(counted: &Counted, out: &mut dyn Write) -> io::Result<()> {
    let Lengths { exact, modulus } = counted.lengths;
    write!(out, "\"counted\":{{\"exact\":{exact},\"modulus\":{modulus},\"states\":")?;
    state_set::write_rows(counted.states.as_ref(), out)?;
    write!(out, "}}")
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CountedShape<'a> {
    exact: u32,
    modulus: u32,
    #[serde(borrow)]
    states: &'a RawValue,
}

fn read_counted<'a>(document: Document<'a>, value: Value<'a>, program: &Program) -> Res<Counted> {
    let shape: CountedShape<'a> = crate::shape::shaped(document, value)?;
    let states = state_set::read_rows(document, shape.states, program.threads().len() + 1)?;
    let lengths = Lengths { exact: shape.exact, modulus: shape.modulus };
    Ok(Counted { lengths, states: Box::new(states) })
}
