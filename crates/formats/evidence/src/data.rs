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

use super::shape::{Input, Output, Shape, shape};
use formats::json::{Res, string};
use model::data::{Constraint, Control, DataCertificate, DataProjection, Linear, Proof, ProofStep, Symbol};
use model::{EventId, ThreadId, VariableId};
use num_bigint::BigInt;
use std::io;

shape! { DataCertificate = {controls / proofs} => {DataCertificate { controls, proofs }} }

shape! { DataProjection [LINES] = {kept, targets, controls / proofs} =>
{DataProjection { kept, targets, invariant: DataCertificate { controls, proofs } }} }

shape! { Control [LINES] = {at, clauses} => {Control { locations: at, clauses }} }

shape! { Proof [LINES] = (steps) => {Proof { steps }} }

/// A constraint is a text such as `2 v0 + -1 v1 + 3`.
impl Shape for Constraint {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        to.text(&string(&self.term().to_string()))
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, text) = (from.here(), from.string("a constraint")?);
        let term = linear(&text).map(|term| Self::at_most_zero(&term));
        term.ok_or_else(|| from.wrong(start, "a constraint cannot be read, expected the form `2 v0 + -1 v1 + 3`"))
    }
}

/// A step is a text such as `decide 1`.
impl Shape for ProofStep {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        to.text(&string(&step_text(self)))
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, text) = (from.here(), from.string("a step")?);
        step(&text).ok_or_else(|| from.wrong(start, "a step of a proof cannot be read, expected the form `decide 1`"))
    }
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
