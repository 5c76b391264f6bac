//! Writers and readers for claims: evidence files, and exports for other tools.
//!
//! ```
//! use formats::{Limits, Source, codes};
//! use model::{Claim, EventId, EventSet, Goal, LocalId, LocalState, Problem, Program, Thread, Trace};
//!
//! let problem = |event: &str| {
//!     let state = |name: &str, request: &[EventId], on: &[(EventId, Vec<LocalId>)]| LocalState {
//!         name: name.to_owned(),
//!         request: EventSet::from_events(1, request.iter().copied()),
//!         block: EventSet::empty(1),
//!         bad: false,
//!         on: on.iter().cloned().collect(),
//!     };
//!     let free = state("free", &[EventId(0)], &[(EventId(0), vec![LocalId(1)])]);
//!     let states = vec![free, state("held", &[], &[])];
//!     let thread = Thread { name: "T".to_owned(), states, initial: vec![LocalId(0)] };
//!     let program = Program::new(vec![event.to_owned()], vec![thread], vec![Goal::Deadlock]).unwrap();
//!     Problem::of_program(program.into())
//! };
//! // A claim: after the event `take`, the program is in a deadlock.
//! let mut trace = Trace::new(Box::from([0]));
//! trace.push(EventId(0), None);
//! let claim = Claim::Unsafe { goal: Goal::Deadlock, trace, candidate: false };
//!
//! let mut bytes = Vec::new();
//! impasse_evidence::write("lock.rwb", &problem("take"), &claim, &mut bytes).unwrap();
//! let file = Source { name: "claim.json".to_owned(), bytes };
//! let claim = impasse_evidence::read(&file, &problem("take"), &Limits::default()).unwrap();
//! let Claim::Unsafe { goal: Goal::Deadlock, trace, candidate: true } = claim else { panic!("{claim:?}") };
//! assert_eq!(trace.len(), Some(1));
//!
//! let error = impasse_evidence::read(&file, &problem("lock"), &Limits::default()).unwrap_err();
//! assert_eq!(error.code(), codes::EVIDENCE_MODEL.code);
//! ```
//!
//! [`write()`] and [`read()`] are for evidence files. [`hash()`] returns the identity of a system in these files.
//! [`scn`] writes runs of nets, [`smt`] writes invariants of nets, [`witness`] writes evidence about circuits,
//! [`word_witness`] runs of systems over words.
//! The rest of this page is about evidence files: claims that `impasse replay` or another tool can check again.
//!
//! A file is one JSON object:
//!
//! ```json
//! {"schema": 1, "model": {"name": "tank.rwb", "hash": "fnv1a64:..."}, "goals": ["bad"],
//!  "trace": {"start": ["L0", "a"], "runs": [{"word": ["low", {"event": "hot", "to": ["L1", "b"]}], "times": 1}]}}
//! ```
//!
//! with one of `trace`, `state_set`, `refutation`, `projection`, `reduced`, `counted` and `clauses` (about
//! programs; all but `trace` may have `restrictions` beside them), `markable`, `markings`, `reduced_markings`
//! and `invariant` (about nets and thread-transition systems). `trace` and `clauses` may also be about
//! circuits, `trace` and `valuations` about reactive programs.
//!
//! Goals have the ids of their properties. Traces and lists of places use names, because users read them, and
//! numbers where a system has no names. Sets and refutations use numbers: positions in the lists of the program,
//! in its explicit form. (Certificates about a program with final states, or for goals other than `bad` and
//! `deadlock`, refer to the program of [`mod@model::observed`].) The hash is that of the system, independent of its
//! goals, so that evidence for another system is refused with a clear error. It is no protection against forged
//! evidence: every claim that is read must be checked.

mod about;
mod asked;
mod certificate;
mod clausal;
mod clauses;
mod composed;
mod data;
mod hash;
mod invariant;
mod markings;
mod names;
mod parts;
mod recurring;
mod refutation;
mod restart;
mod restriction;
pub mod scn;
mod shape;
pub mod smt;
mod state_set;
mod trace;
mod valuations;
mod within;
pub mod witness;
pub mod word_witness;

use about::About;
use asked::GoalNames;
use certificate::RESTRICTIONS;
use formats::json::{Document, Object, Res, Value, string};
use formats::{Error, Limits, Source, codes, printable};
use model::{Certificate, Claim, Goal, Problem};
use names::Names;
use shape::{Input, Output, Scope, Shape, Style, invalid};
use std::collections::HashSet;
use std::io::{self, Write};

pub use state_set::ListedStates;

/// The error for systems without evidence files.
const OWN: &str = "a system of one's own has no evidence files";
/// The key of the bound, beside invariants for runs within a bound.
const WITHIN: &str = "within";

/// Returns the identity of the problem's system in evidence files: a hash of the system, independent of its
/// goals. The result is empty for systems of one's own, which have no evidence files.
#[must_use]
pub fn hash(problem: &Problem) -> String {
    hash::of(problem.system())
}

/// Writes a claim with its evidence. State sets are streamed.
///
/// # Errors
/// Errors of `out`; an unknown answer, which has no evidence; and evidence for another kind of system or for
/// goals that the problem does not ask for.
pub fn write(model_name: &str, problem: &Problem, claim: &Claim, out: &mut dyn Write) -> io::Result<()> {
    let asked = GoalNames::of(problem);
    // A proof may also be about parts of questions. It stays valid for fewer goals.
    let of_parts = |goal: &&Goal| matches!(claim, Claim::Safe { .. }) && asked.id(**goal).is_err();
    let kept: Vec<Goal> = claim.goals().iter().filter(|goal| !of_parts(goal)).copied().collect();
    let goals = if kept.is_empty() { claim.goals() } else { &kept[..] };
    if matches!(claim, Claim::Unknown { .. }) {
        return Err(invalid("no evidence"));
    }
    let ids: io::Result<Vec<String>> = goals.iter().map(|g| asked.id(*g).map(string)).collect();
    let (name, hash, ids) = (string(model_name), hash(problem), ids?.join(","));
    if hash.is_empty() {
        return Err(invalid(OWN));
    }
    writeln!(out, "{{\"schema\":1,\"model\":{{\"name\":{name},\"hash\":\"{hash}\"}},\"goals\":[{ids}],")?;
    let is_invariant = |certificate| matches!(certificate, &Certificate::Data(_) | &Certificate::DataProjections(_));
    let other = match claim {
        Claim::Safe { certificate, .. } if is_of_program(problem, is_invariant(certificate)) => {
            Some(model::observed(problem, goals).ok_or_else(|| invalid("goals that are not proven together"))?)
        }
        _ => None,
    };
    let problem = other.as_ref().map_or(problem, |other| &other.problem);
    let names = Names::of(problem.system()).ok_or_else(|| invalid(OWN))?;
    let scope = Scope::new(&names, problem, Style::Names);
    let to = &mut Output { out: &mut *out, scope: &scope };
    match claim {
        Claim::Unsafe { trace, .. } => trace::write(&names, trace, to.out)?,
        Claim::Safe { certificate, .. } => certificate::write(&names, problem, certificate, to.out)?,
        Claim::Within { within, invariant, .. } => {
            to.text("\"within\":")?;
            within.write_to(to)?;
            to.text(",\n\"invariant\":")?;
            invariant::write(to, invariant)?;
        }
        Claim::Branching { holds, evidence, .. } => composed::write_branching(to, *holds, evidence)?,
        Claim::Bound { value, parts, .. } => composed::write_bound(to, value, parts)?,
        Claim::Unknown { .. } => {}
    }
    writeln!(out, "}}")
}

/// Returns true if a certificate is about a program: a behavioral program, or the skeleton of a program with unbounded
/// data ([`mod@model::observed`]). `is_invariant` says that it is an invariant of unbounded data.
fn is_of_program(problem: &Problem, is_invariant: bool) -> bool {
    problem.system().as_program().is_some() || (problem.system().as_data().is_some() && !is_invariant)
}

/// Reads a claim about `problem`. The claim is only what the file says: the caller must have it checked.
///
/// # Errors
/// Mistakes in the file, and evidence for another system.
pub fn read(source: &Source, problem: &Problem, limits: &Limits) -> Result<Claim, Box<Error>> {
    let (document, root) = Document::open(source, limits)?;
    let no_files = || document.error(&codes::EVIDENCE_KIND, root, OWN).label("evidence about some other system");
    let about = About::of(problem.system()).ok_or_else(no_files)?;
    let mut keys = vec!["schema", "model", "goals", RESTRICTIONS, WITHIN];
    keys.extend(about::kinds());
    let object = document.record(root, "evidence", &keys)?;
    let schema = document.required(&object, "schema")?;
    if schema.get() != "1" {
        let message = "the schema of the evidence is unknown";
        return Err(document.error(&codes::EVIDENCE_SCHEMA, schema, message).label("expected 1"));
    }
    check_model(document, document.required(&object, "model")?, problem, &about)?;
    let place = document.required(&object, "goals")?;
    let goals = read_goals(document, place, problem, &about)?;
    let (kind, value) = single_kind(document, root, &object, about.kinds)?;
    let restrictions = object.get(RESTRICTIONS);
    let of_programs = kind != "trace" && is_of_program(problem, kind.starts_with("data_"));
    if let Some(list) = restrictions.filter(|_| !of_programs) {
        let error = document.error(&codes::EVIDENCE_KIND, list, "restrictions belong to certificates of programs");
        return Err(error.label("out of place"));
    }
    let other = match of_programs {
        true => Some(model::observed(problem, &goals).ok_or_else(|| {
            let error = document.error(&codes::EVIDENCE_KIND, place, "goals of a program that are not proven together");
            error.label("expected `bad` and `deadlock`, or one other goal")
        })?),
        false => None,
    };
    let problem = other.as_ref().map_or(problem, |other| &other.problem);
    let names = Names::of(problem.system()).ok_or_else(no_files)?;
    let scope = Scope::new(&names, problem, Style::Names);
    if let Some(value_within) = object.get(WITHIN) {
        if kind != "invariant" {
            let error = document.error(&codes::EVIDENCE_KIND, value_within, "a bound belongs to an invariant");
            return Err(error.label("out of place"));
        }
        let within = Input::new(document, &scope, value_within).read()?;
        let invariant = Box::new(invariant::read(&mut Input::new(document, &scope, value))?);
        return Ok(Claim::Within { goals, within, invariant });
    }
    if kind == "branching" {
        return composed::read_branching(&mut Input::new(document, &scope, value), goals);
    }
    if kind == "bound" {
        let goal = only(document, &goals, place)?;
        return composed::read_bound(&mut Input::new(document, &scope, value), goal);
    }
    claim_about(document, (kind, value), restrictions, (goals, place), (&names, problem))
}

/// Returns the only goal of evidence that is about one goal.
fn only<'a>(document: Document<'a>, goals: &[Goal], place: Value<'a>) -> Res<Goal> {
    match goals {
        [goal] => Ok(*goal),
        _ => {
            let error = document.error(&codes::EVIDENCE_KIND, place, "this kind of evidence is about one goal");
            Err(error.label("expected one goal"))
        }
    }
}

/// Reads a claim with a trace or a certificate of this kind.
fn claim_about<'a>(
    document: Document<'a>,
    (kind, value): (&'static str, Value<'a>),
    restrictions: Option<Value<'a>>,
    (goals, place): (Vec<Goal>, Value<'a>),
    (names, problem): (&Names<'_>, &Problem),
) -> Res<Claim> {
    if kind != "trace" {
        let certificate = certificate::read(document, (kind, value), restrictions, (names, problem))?;
        return Ok(Claim::Safe { goals, certificate });
    }
    let goal = only(document, &goals, place)?;
    let scope = Scope::new(names, problem, Style::Names);
    let trace = trace::read(&mut Input::new(document, &scope, value))?;
    // The trace has not been checked. As a candidate, a trace that does not replay is a mistake of the file and no bug.
    Ok(Claim::Unsafe { goal, trace, candidate: true })
}

fn check_model<'a>(document: Document<'a>, value: Value<'a>, problem: &Problem, about: &About) -> Res<()> {
    let model = document.record(value, "a model", &["name", "hash"])?;
    let place = document.required(&model, "hash")?;
    let what = about.noun;
    let (found, expected) = (document.string(place, "the hash of a system")?, hash(problem));
    if found != expected {
        let message = format!("the evidence is for another {what}");
        let error = document.error(&codes::EVIDENCE_MODEL, place, message).label(format!("the hash of that {what}"));
        let error = error.hint(format!("the given {what} has the hash {expected}"));
        return Err(error.hint(about.other_system));
    }
    Ok(())
}

fn read_goals<'a>(document: Document<'a>, value: Value<'a>, problem: &Problem, about: &About) -> Res<Vec<Goal>> {
    let expected = match problem.system().as_program() {
        Some(_) if problem.formulas().is_empty() => "\"bad\" or \"deadlock\"",
        Some(_) => "\"bad\", \"deadlock\" or names of questions",
        None => "ids of properties",
    };
    let asked = GoalNames::of(problem);
    let (mut goals, mut known) = (Vec::new(), HashSet::new());
    for item in document.array(value, "a list of goals")? {
        let name = document.string(item, expected)?;
        match asked.goal(&name).filter(|g| known.insert(*g)) {
            Some(goal) => goals.push(goal),
            None => {
                let message = format!("`{}` is not a goal, or is listed twice", printable(&name));
                let error = document.error(&codes::EVIDENCE_KIND, item, message);
                let error = error.label(format!("expected {expected}, each once"));
                return Err(error.hint(about.other_goals));
            }
        }
    }
    if goals.is_empty() {
        let error = document.error(&codes::EVIDENCE_KIND, value, "evidence for no goal");
        return Err(error.label(format!("expected {expected}")));
    }
    Ok(goals)
}

fn single_kind<'a>(
    document: Document<'a>,
    root: Value<'a>,
    object: &Object<'a>,
    kinds: &'static [&'static str],
) -> Res<(&'static str, Value<'a>)> {
    let all = about::kinds();
    let given = all.filter(|kind| object.get(kind).is_some()).count();
    let mut found = kinds.iter().filter_map(|kind| object.get(kind).map(|value| (*kind, value)));
    match (found.next(), given) {
        (Some(one), 1) => Ok(one),
        _ => {
            let message = format!("expected one of {}", kinds.join(", "));
            Err(document.error_at_start(&codes::EVIDENCE_KIND, root, message).label("in the object that begins here"))
        }
    }
}
