//! `impasse replay`: checks evidence against the model with the independent checker alone.

use super::args::{Common, ReplayArgs};
use super::evidence::whole;
use super::exit::Exit;
use super::limits::{self, Watch};
use super::notes::Complaints;
use super::{flags, input, sat, usage};
use impasse::certify::{self, Bounded, CheckedBy, Confirmed, EvidenceKind, Refusal};
use impasse::formats::{self, Limits, Source};
use impasse::model::{Claim, Goal, Problem, Reason};
use impasse::questions;
use serde::Deserialize;
use std::path::Path;
use view::text::plural;
use view::trace::{self, Detail};

/// Evidence up to this number of bytes is accepted whatever the memory limit is. Evidence may be far larger
/// than a model. For example, a state set has a line for each of its states.
const EVIDENCE_BYTES: usize = 1 << 30;

/// Returns the limits on evidence and proofs.
pub(super) fn evidence_limits() -> Limits {
    let usual = Limits::within(limits::memory());
    Limits { bytes: usual.bytes.max(EVIDENCE_BYTES), ..usual }
}

pub(crate) fn run(args: &ReplayArgs, common: &Common) -> Exit {
    let is_formula = sat::is_formula(&args.file, common.input_format.as_deref());
    let replay = if is_formula { sat::replay } else { replay };
    match replay(args, common) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn replay(args: &ReplayArgs, common: &Common) -> Result<Exit, Exit> {
    // The watch starts before the options are checked, because this check may read the file.
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|reason| {
        say!("NOT ACCEPTED: {}", stopped(reason));
        Exit::NotAccepted
    });
    if let Some(why) = overwrites(args) {
        watch.take_over();
        return Err(usage(&why));
    }
    if let Some(why) = flags::refused_question(&args.file, &args.question, common.input_format.as_deref()) {
        watch.take_over();
        return Err(usage(&why));
    }
    let complaints = Complaints::new(common);
    let model = input::asked(&args.file, &args.question, &complaints)?.asking(&complaints)?;
    let (problem, claim) = evidence(model.problem, &args.evidence, common)?;
    let how =
        certify::Options { trust: args.trust.clone(), kernel_only: args.kernel_only, ..certify::Options::default() };
    let stop = watch.stop();
    let checked = match &claim {
        Claim::Within { .. } if args.kernel_only => {
            Err(Refusal::Unknown("the kernel has no rule for what holds within a bound".to_owned()))
        }
        Claim::Within { .. } => certify::confirm_within(&problem, &claim, &how, &stop).map(|b| within(&problem, &b)),
        _ => certify::confirm(&problem, &claim, &how, &stop).map(|confirmed| accepted(&problem, &confirmed)),
    };
    // Under the watch, like the check: a state may have very many parts.
    let drawing = match (&args.picture, &checked, &claim) {
        (Some(_), Ok(_), Claim::Unsafe { goal, trace, .. }) => Some(view::draw::sequence::svg(&problem, trace, *goal)),
        _ => None,
    };
    watch.take_over();
    let paint = common.color.paint(&std::io::stdout());
    Ok(match checked {
        Ok(accepted) => {
            say!("{}: {accepted}", paint.green("ACCEPTED"));
            if let (Claim::Unsafe { goal, trace, .. }, false) = (&claim, common.quiet) {
                let detail = Detail { all: common.verbose, paint };
                say!("{}", trace::render(&problem, trace, *goal, detail).trim_end());
            }
            match &args.picture {
                Some(path) => draw(path, drawing),
                None => Exit::Done,
            }
        }
        Err(Refusal::ResourceLimit) if stop.raised().is_some() => {
            say!("{}: {}", paint.red("NOT ACCEPTED"), stopped(stop.raised().unwrap_or(Reason::Interrupted)));
            Exit::NotAccepted
        }
        Err(refusal) => {
            let word = if matches!(refusal, Refusal::Rejected(_)) { "REJECTED" } else { "NOT ACCEPTED" };
            say!("{}: {refusal}", paint.red(word));
            Exit::NotAccepted
        }
    })
}

/// Writes the drawing of an accepted run, if the evidence is a run.
fn draw(path: &Path, drawing: Option<String>) -> Exit {
    let Some(drawing) = drawing else {
        return usage("`--picture` draws runs, and this evidence has none: it is a certificate");
    };
    match whole(path, |out| out.write_all(drawing.as_bytes())) {
        Ok(()) => Exit::Done,
        Err(error) => {
            tell!("error: cannot write {}: {error}", path.display());
            Exit::Input
        }
    }
}

/// Returns why the drawing cannot be written to the path: it is one of the files that are read.
fn overwrites(args: &ReplayArgs) -> Option<String> {
    let picture = args.picture.as_ref()?.canonicalize().ok()?;
    let read = [&args.file, &args.evidence]
        .into_iter()
        .find(|file| Path::new(file).canonicalize().is_ok_and(|f| f == picture))?;
    Some(format!("`--picture` would overwrite {read}"))
}

/// Reads the claim in an evidence file. Returns it with the problem, extended by the goals that the claim is
/// about.
pub(super) fn evidence(problem: Problem, path: &str, common: &Common) -> Result<(Problem, Claim), Exit> {
    let limits = evidence_limits();
    if readers::by_path(path).is_some_and(|format| format.name != "json") {
        tell!("error: {path} is a model by its name and no evidence\n  help: `check MODEL --evidence DIR` writes it");
        return Err(Exit::Input);
    }
    let packed = input::source(path, limits.bytes)?;
    let (name, bytes) = formats::decompress(&packed.name, packed.bytes, &limits)
        .map_err(|error| input::complain_all(&error, common))?;
    let has_markings = problem.system().as_marked().is_some();
    let known = if has_markings { questions::also(problem, &goals_named(&bytes)) } else { problem };
    let claim = evidence::read(&Source { name, bytes }, &known, &limits)
        .map_err(|error| input::complain_all(&error, common))?;
    Ok((questions::about(known, &claim), claim))
}

/// Returns why there is no answer.
pub(super) fn stopped(reason: Reason) -> String {
    limits::ended("check", reason)
}

/// The goals that a file of evidence names. If the file is no evidence, the reader of evidence reports this
/// later.
#[derive(Deserialize)]
struct Header {
    goals: Vec<String>,
}

pub(super) fn goals_named(evidence: &[u8]) -> Vec<String> {
    serde_json::from_slice::<Header>(evidence).map_or(Vec::new(), |header| header.goals)
}

/// Returns the ids of the goals, as they are asked for.
fn ids(problem: &Problem, goals: &[Goal]) -> String {
    let asked = |goal: &Goal| problem.properties().iter().find(|p| p.goal == *goal);
    let ids: Vec<&str> = goals.iter().map(|g| asked(g).map_or(g.id(), |p| p.id.as_str())).collect();
    ids.join(", ")
}

/// Returns the text of an answer that holds within a bound. It must not look like the verdict `safe`.
fn within(problem: &Problem, bounded: &Bounded) -> String {
    let what = if problem.system().as_threads().is_some() { "threads" } else { "tokens" };
    let clauses = plural(bounded.length(), "clause");
    format!("{} NOT WITHIN {} {what} ({clauses})", ids(problem, bounded.goals()), bounded.most())
}

/// Returns what the checker has accepted: `deadlock UNSAFE (trace of 5 events)`.
pub(super) fn accepted(problem: &Problem, confirmed: &Confirmed) -> String {
    let unit = match confirmed.evidence {
        EvidenceKind::Trace if problem.system().as_circuit().is_some() => "frame",
        EvidenceKind::Trace if problem.system().as_reactive().is_some() => "call",
        EvidenceKind::Trace => "event",
        EvidenceKind::StateSet | EvidenceKind::Projection => "state",
        EvidenceKind::Branching | EvidenceKind::Bound => "marking",
        EvidenceKind::PotentiallyMarked => "place",
        EvidenceKind::Lemmas => "step",
        EvidenceKind::ConcurrencyRelation => "pair",
        EvidenceKind::Vectors => "vector",
        EvidenceKind::Linear => "bound",
        EvidenceKind::Traps => "trap",
        EvidenceKind::Clauses => "clause",
    };
    let length = plural(confirmed.length, unit);
    let evidence = match confirmed.evidence {
        EvidenceKind::PotentiallyMarked => format!("set of {length} that can be marked"),
        EvidenceKind::ConcurrencyRelation => format!("{length} that can be marked together"),
        EvidenceKind::Vectors => format!("{length} never covered"),
        EvidenceKind::Linear => format!("linear, {length}"),
        EvidenceKind::Traps | EvidenceKind::Clauses => length,
        EvidenceKind::Branching => format!("evaluated with {length}"),
        EvidenceKind::Bound => "run and proof".to_owned(),
        kind => format!("{} of {length}", kind.id()),
    };
    let verdict = match &confirmed.value {
        Some(value) => value.to_string(),
        None => {
            let properties = problem.properties().iter().filter(|p| confirmed.goals.contains(&p.goal));
            let mut words: Vec<&str> = properties.map(|p| p.answer(confirmed.verdict.id())).collect();
            words.dedup();
            if let [word] = words[..] { word } else { confirmed.verdict.id() }.to_uppercase()
        }
    };
    let trusted: Vec<&str> = confirmed.trusted.iter().map(|k| k.0).collect();
    let trusted = if trusted.is_empty() { String::new() } else { format!(", trusting {}", trusted.join(", ")) };
    let by = match confirmed.checked_by {
        CheckedBy::Kernel => ", by the kernel alone",
        CheckedBy::Rules => "",
    };
    format!("{} {verdict} ({evidence}{trusted}){by}", ids(problem, &confirmed.goals))
}
