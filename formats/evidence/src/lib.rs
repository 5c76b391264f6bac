//! What is written of claims: evidence files, and exports for other tools.
//!
//! Runs of nets go to [`scn`], facts about markings to [`smt`], evidence about circuits to [`witness`]. The rest of
//! this page is about evidence files: claims written down, to be checked again by `impasse replay` or by another
//! tool.
//!
//! One JSON object:
//!
//! ```json
//! {"schema": 1, "model": {"name": "tank.rwb", "hash": "fnv1a64:..."}, "goals": ["bad"],
//!  "trace": {"start": ["L0", "a"], "runs": [{"word": ["low", {"event": "hot", "to": ["L1", "b"]}], "times": 1}]}}
//! ```
//!
//! with one of `trace`, `state_set`, `refutation`, `projection`, `reduced`, `counted` and `clauses` (about programs;
//! all but `trace` may have `restrictions` beside them), `markable`, `markings` and `invariant` (about nets and
//! thread systems); `trace` and `clauses` are also about circuits, `trace` and `valuations` about reactive programs.
//! Goals have the ids of the properties that ask for them. Traces and lists of places use names, because people read
//! them, and numbers where a system has no names; sets and refutations use numbers (positions in the lists of the
//! program, in its explicit form; certificates about a program with final states, or for other goals than `bad` and
//! `deadlock`, speak of the program of [`model::observed`]). The hash is of the system, whatever is asked of it, so
//! that evidence for another one is refused in clear words. It is no protection: whoever reads evidence checks it.

mod about;
mod arithmetic;
mod certificate;
mod clausal;
mod clauses;
mod hash;
mod invariant;
mod markings;
mod names;
mod refutation;
mod restriction;
pub mod scn;
pub mod smt;
mod state_set;
mod trace;
mod valuations;
mod within;
pub mod witness;

use about::About;
use formats::codes;
use formats::json::string;
use formats::json::{Document, Object, Res, Value};
use formats::{Error, printable};
use formats::{Limits, Source};
use model::{Certificate, Claim, Goal, Problem};
use names::Names;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

pub use state_set::ListedStates;

/// Why there is nothing to write or to read.
const OWN: &str = "a system of one's own has no evidence files";
/// What comes beside certificates of programs.
const RESTRICTIONS: &str = "restrictions";
/// What comes beside facts about the runs within a bound.
const WITHIN: &str = "within";

/// The identity of the problem's system in evidence files: a hash of it, whatever is asked of it. Empty for systems of
/// one's own, which have no evidence files.
#[must_use]
pub fn hash(problem: &Problem) -> String {
    About::of(problem.system()).map(|about| about.hash()).unwrap_or_default()
}

/// Writes a claim with its evidence. State sets are streamed.
///
/// # Errors
/// What `out` reports; an unknown answer has no evidence to write; and evidence for another kind of system or for
/// goals that the problem does not ask for has no names here.
pub fn write(model_name: &str, problem: &Problem, claim: &Claim, out: &mut dyn Write) -> io::Result<()> {
    let goals: &[Goal] = match claim {
        Claim::Safe { goals, .. } => goals,
        Claim::Unsafe { goal, .. } => std::slice::from_ref(goal),
        Claim::Within { goals, .. } => goals,
        Claim::Unknown { .. } => return Err(invalid("no evidence")),
    };
    let about = About::of(problem.system()).ok_or_else(|| invalid(OWN))?;
    let asked = Asked::of(problem);
    let ids: io::Result<Vec<String>> = goals.iter().map(|g| asked.id(*g).map(string)).collect();
    let (name, hash, ids) = (string(model_name), about.hash(), ids?.join(","));
    writeln!(out, "{{\"schema\":1,\"model\":{{\"name\":{name},\"hash\":\"{hash}\"}},\"goals\":[{ids}],")?;
    let other = match claim {
        Claim::Safe { .. } if problem.system().as_program().is_some() => {
            Some(model::observed(problem, goals).ok_or_else(|| invalid("goals that are not proven together"))?)
        }
        _ => None,
    };
    let problem = other.as_ref().map_or(problem, |other| &other.problem);
    let names = Names::of(problem.system()).ok_or_else(|| invalid(OWN))?;
    match claim {
        Claim::Unsafe { trace, .. } => trace::write(&names, trace, out)?,
        Claim::Safe { certificate, .. } => write_certificate(&names, problem, certificate, out)?,
        Claim::Within { within, invariant, .. } => {
            within::write(&names, within, out)?;
            invariant::write(&names, problem, invariant, out)?;
        }
        Claim::Unknown { .. } => {}
    }
    writeln!(out, "}}")
}

fn write_certificate(
    names: &Names<'_>,
    problem: &Problem,
    certificate: &Certificate,
    out: &mut dyn Write,
) -> io::Result<()> {
    let system = problem.system();
    if let Some(program) = system.as_program() {
        return certificate::write(names, problem, program, certificate, out);
    }
    match (certificate, system.as_circuit(), system.as_marked(), system.as_reactive()) {
        (Certificate::Clauses(clauses), Some(_), ..) => clauses::write(names, problem, clauses, out),
        (Certificate::Markable(markable), _, Some(_), _) => markings::write_markable(names, markable, out),
        (Certificate::Markings(markings), _, Some(_), _) => markings::write("markings", names, markings, out),
        (Certificate::ReducedMarkings(markings), _, Some(_), _) => {
            markings::write("reduced_markings", names, markings, out)
        }
        (Certificate::Invariant(invariant), _, Some(_), _) => invariant::write(names, problem, invariant, out),
        (Certificate::Valuations(valuations), _, _, Some(program)) => valuations::write(program, valuations, out),
        _ => Err(invalid("a certificate for another kind of system")),
    }
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// The goals of a problem and their ids.
struct Asked<'p> {
    /// Those that have a fixed id, asked for or not.
    fixed: &'static [Goal],
    ids: HashMap<Goal, &'p str>,
    goals: HashMap<&'p str, Goal>,
}

impl<'p> Asked<'p> {
    fn of(problem: &'p Problem) -> Self {
        let mut this = Self {
            fixed: About::of(problem.system()).map_or(&[], |about| about.fixed),
            ids: HashMap::new(),
            goals: HashMap::new(),
        };
        for property in problem.properties() {
            this.ids.entry(property.goal).or_insert(&property.id);
            this.goals.entry(&property.id).or_insert(property.goal);
        }
        this
    }

    /// The id of the property that asks for the goal; goals with fixed ids need none.
    fn id(&self, goal: Goal) -> io::Result<&'p str> {
        match (self.ids.get(&goal), goal) {
            (Some(id), _) => Ok(id),
            (None, Goal::Bad | Goal::Deadlock) => Ok(goal.id()),
            (None, _) => Err(invalid("a goal that the problem does not ask for")),
        }
    }

    /// The goal with this id: of a property, or (also where it is not asked for) one that has a fixed id.
    fn goal(&self, id: &str) -> Option<Goal> {
        self.goals.get(id).copied().or_else(|| self.fixed.iter().copied().find(|g| g.id() == id))
    }
}

/// Reads a claim about `problem`. It is what the file says and no more: have it checked.
///
/// # Errors
/// Anything wrong with the file, and evidence that is for another system.
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
    check_model(document, document.required(&object, "model")?, &about)?;
    let place = document.required(&object, "goals")?;
    let goals = read_goals(document, place, problem, &about)?;
    let (kind, value) = single_kind(document, root, &object, about.kinds)?;
    let restrictions = object.get(RESTRICTIONS);
    let of_programs = problem.system().as_program().is_some() && kind != "trace";
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
    if let Some(value_within) = object.get(WITHIN) {
        if kind != "invariant" {
            let error = document.error(&codes::EVIDENCE_KIND, value_within, "a bound belongs to facts about markings");
            return Err(error.label("out of place"));
        }
        let within = within::read(document, value_within, &names)?;
        let invariant = Box::new(invariant::read(document, value, &names, problem)?);
        return Ok(Claim::Within { goals, within, invariant });
    }
    let (program, reactive) = (problem.system().as_program(), problem.system().as_reactive());
    let certificate = match (kind, program, reactive) {
        ("trace", ..) => {
            let [goal] = goals.as_slice() else {
                let error = document.error(&codes::EVIDENCE_KIND, place, "a trace violates one goal");
                return Err(error.label("expected one goal"));
            };
            let trace = trace::read(document, value, &names)?;
            // Nobody has checked it: if it does not replay, it is the file that is wrong.
            return Ok(Claim::Unsafe { goal: *goal, trace, candidate: true });
        }
        ("clauses", ..) if restrictions.is_none() => {
            Certificate::Clauses(Box::new(clauses::read(document, value, &names, problem)?))
        }
        (_, Some(program), _) => certificate::read(document, kind, value, restrictions, (&names, problem, program))?,
        (_, _, Some(program)) => Certificate::Valuations(Box::new(valuations::read(document, value, program)?)),
        ("markable", ..) => Certificate::Markable(markings::read_markable(document, value, &names)?),
        ("reduced_markings", ..) => Certificate::ReducedMarkings(markings::read(document, value, &names)?),
        ("invariant", ..) => Certificate::Invariant(Box::new(invariant::read(document, value, &names, problem)?)),
        _ => Certificate::Markings(markings::read(document, value, &names)?),
    };
    Ok(Claim::Safe { goals, certificate })
}

fn check_model<'a>(document: Document<'a>, value: Value<'a>, about: &About<'_>) -> Res<()> {
    let model = document.record(value, "a model", &["name", "hash"])?;
    let place = document.required(&model, "hash")?;
    let what = about.noun;
    let (found, expected) = (document.string(place, "the hash of a system")?, about.hash());
    if found != expected {
        let message = format!("the evidence is for another {what}");
        let error = document.error(&codes::EVIDENCE_MODEL, place, message).label(format!("the hash of that {what}"));
        let error = error.hint(format!("the {what} at hand has the hash {expected}"));
        return Err(error.hint(about.other_system));
    }
    Ok(())
}

fn read_goals<'a>(document: Document<'a>, value: Value<'a>, problem: &Problem, about: &About<'_>) -> Res<Vec<Goal>> {
    let expected = match problem.system().as_program() {
        Some(_) if problem.formulas().is_empty() => "\"bad\" or \"deadlock\"",
        Some(_) => "\"bad\", \"deadlock\" or names of questions",
        None => "ids of properties",
    };
    let asked = Asked::of(problem);
    let (mut goals, mut known) = (Vec::new(), HashSet::new());
    for item in document.array(value, "a list of goals")? {
        let name = document.string(item, expected)?;
        match asked.goal(&name).filter(|g| known.insert(*g)) {
            Some(goal) => goals.push(goal),
            None => {
                let message = format!("`{}` is no goal, or one that stands here already", printable(&name));
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

/// Parses a value into a shape that serde derives; its errors become ours, with the place.
fn shaped<'a, T: Deserialize<'a>>(document: Document<'a>, value: Value<'a>) -> Res<T> {
    let start = document.span(value).start;
    serde_json::from_str(value.get()).map_err(|e| document.located(&codes::EVIDENCE_SHAPE, &e, start))
}
