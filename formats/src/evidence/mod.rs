//! Evidence files: claims written down, to be checked again by `impasse replay` or by anybody else.
//!
//! One JSON object:
//!
//! ```json
//! {"schema": 1, "model": {"name": "tank.rwb", "hash": "fnv1a64:..."}, "goals": ["bad"],
//!  "trace": {"start": ["L0", "a"], "runs": [{"word": ["low", {"event": "hot", "to": ["L1", "b"]}], "times": 1}]}}
//! ```
//!
//! with one of `trace`, `state_set` and `refutation`. Traces name events and states, because people read them; sets and
//! refutations use numbers (positions in the lists of the program, in its explicit form). The hash is of the events and
//! threads, so that evidence for another program is refused in clear words. It is no protection: whoever reads evidence
//! checks it.

mod arithmetic;
mod refutation;
mod state_set;
mod trace;

use crate::codes;
use crate::error::Error;
use crate::json::tree::{Document, Object, Res, Value};
use crate::json::write::{string, write_system};
use crate::source::{Limits, Source};
use model::{Certificate, Claim, Goal, Program};
use serde::Deserialize;
use std::io::{self, Write};

pub use state_set::ListedStates;

/// What the file is about, as its key in the file.
const KINDS: [&str; 3] = ["trace", "state_set", "refutation"];

/// The program's identity in evidence files: a hash of its events and threads, whatever is asked of it.
#[must_use]
pub fn hash(program: &Program) -> String {
    let mut fnv = Fnv(0xcbf2_9ce4_8422_2325);
    // Writing to a hash cannot fail.
    let _ = write_system(program, &mut fnv);
    format!("fnv1a64:{:016x}", fnv.0)
}

/// 64-bit FNV-1a (Fowler, Noll, Vo).
struct Fnv(u64);

impl Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a claim with its evidence. State sets are streamed.
///
/// # Errors
/// What `out` reports; and an unknown answer has no evidence to write.
pub fn write(model_name: &str, program: &Program, claim: &Claim, out: &mut dyn Write) -> io::Result<()> {
    let goals: &[Goal] = match claim {
        Claim::Safe { goals, .. } => goals,
        Claim::Unsafe { goal, .. } => std::slice::from_ref(goal),
        Claim::Unknown { .. } => return Err(io::Error::new(io::ErrorKind::InvalidInput, "no evidence")),
    };
    let goals: Vec<String> = goals.iter().map(|g| string(g.id())).collect();
    let (name, hash) = (string(model_name), hash(program));
    writeln!(out, "{{\"schema\":1,\"model\":{{\"name\":{name},\"hash\":\"{hash}\"}},\"goals\":[{}],", goals.join(","))?;
    match claim {
        Claim::Unsafe { trace, .. } => trace::write(program, trace, out)?,
        Claim::Safe { certificate: Certificate::StateSet(set), .. } => state_set::write(program, set.as_ref(), out)?,
        Claim::Safe { certificate: Certificate::Refutation(refutation), .. } => refutation::write(refutation, out)?,
        Claim::Safe { certificate: Certificate::Markable(_) | Certificate::Markings(_), .. }
        | Claim::Unknown { .. } => {}
    }
    writeln!(out, "}}")
}

/// Reads a claim about `program`. It is what the file says and no more: have it checked.
///
/// # Errors
/// Anything wrong with the file, and evidence that is for another program.
pub fn read(source: &Source, program: &Program, limits: &Limits) -> Result<Claim, Box<Error>> {
    let (document, root) = Document::open(source, limits)?;
    let object =
        document.record(root, "evidence", &["schema", "model", "goals", "trace", "state_set", "refutation"])?;
    let schema = document.required(&object, "schema")?;
    if schema.get() != "1" {
        let message = "the schema of the evidence is unknown";
        return Err(document.error(&codes::EVIDENCE_SCHEMA, schema, message).label("expected 1"));
    }
    check_model(document, document.required(&object, "model")?, program)?;
    let place = document.required(&object, "goals")?;
    let goals = read_goals(document, place)?;
    let (kind, value) = single_kind(document, root, &object)?;
    match kind {
        "trace" => {
            let [goal] = goals.as_slice() else {
                let error = document.error(&codes::EVIDENCE_KIND, place, "a trace violates one goal");
                return Err(error.label("expected one goal"));
            };
            let trace = trace::read(document, value, program)?;
            // Nobody has checked it: if it does not replay, it is the file that is wrong.
            Ok(Claim::Unsafe { goal: *goal, trace, candidate: true })
        }
        "state_set" => {
            let set = state_set::read(document, value, program)?;
            Ok(Claim::Safe { goals, certificate: Certificate::StateSet(Box::new(set)) })
        }
        _ => {
            let refutation = refutation::read(document, value, program)?;
            Ok(Claim::Safe { goals, certificate: Certificate::Refutation(Box::new(refutation)) })
        }
    }
}

fn check_model<'a>(document: Document<'a>, value: Value<'a>, program: &Program) -> Res<()> {
    let model = document.record(value, "a model", &["name", "hash"])?;
    let place = document.required(&model, "hash")?;
    let (found, expected) = (document.string(place, "the hash of a program")?, hash(program));
    if found != expected {
        let message = "the evidence is for another program";
        let error = document.error(&codes::EVIDENCE_MODEL, place, message).label("the hash of that program");
        return Err(error.hint(format!("the program at hand has the hash {expected}")));
    }
    Ok(())
}

fn read_goals<'a>(document: Document<'a>, value: Value<'a>) -> Res<Vec<Goal>> {
    let mut goals = Vec::new();
    for item in document.array(value, "a list of goals")? {
        let known = [Goal::Bad, Goal::Deadlock];
        let name = document.string(item, "\"bad\" or \"deadlock\"")?;
        match known.into_iter().find(|g| g.id() == name && !goals.contains(g)) {
            Some(goal) => goals.push(goal),
            None => {
                let error = document.error(&codes::EVIDENCE_KIND, item, "no goal, or one that stands here already");
                return Err(error.label("expected \"bad\" or \"deadlock\", each once"));
            }
        }
    }
    if goals.is_empty() {
        let error = document.error(&codes::EVIDENCE_KIND, value, "evidence for no goal");
        return Err(error.label("expected \"bad\" or \"deadlock\""));
    }
    Ok(goals)
}

fn single_kind<'a>(document: Document<'a>, root: Value<'a>, object: &Object<'a>) -> Res<(&'static str, Value<'a>)> {
    let mut found = KINDS.iter().filter_map(|kind| object.get(kind).map(|value| (*kind, value)));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        _ => {
            let start = document.span(root).start;
            let message = format!("expected one of {}", KINDS.join(", "));
            let error = document.text.error(&codes::EVIDENCE_KIND, start..start + 1, message);
            Err(error.label("in the object that begins here"))
        }
    }
}

/// Parses a value into a shape that serde derives; its errors become ours, with the place.
fn shaped<'a, T: Deserialize<'a>>(document: Document<'a>, value: Value<'a>) -> Res<T> {
    let start = document.span(value).start;
    serde_json::from_str(value.get()).map_err(|e| document.located(&codes::EVIDENCE_SHAPE, &e, start))
}
