//! Turns an answer into text, and into a record for JSON.

mod proof;
pub(crate) mod text;

use super::exit::Exit;
use super::flow;
use super::json::{EvidenceReport, PropertyReport, StatsReport, Value};
use super::kinds;
use super::question::Question;
use impasse::certify::{CheckedBy, EvidenceKind};
use impasse::model::{Certificate, Claim, Problem, Reason, SystemModel};
use impasse::{Answer, Finding};
use proof::{about_runs, branching_line, by_counting, checked_by, holds_line, none_does, safe_line};
use std::fmt::Write;
use view::record::{self, TraceReport};
use view::render;
use view::text::{Paint, plural};
use view::trace::Detail;
use view::why::Why;

/// One answer, ready to be shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) record: PropertyReport,
    /// The lines below the headline.
    pub(crate) body: String,
    pub(crate) exit: Exit,
}

impl Shown {
    /// Returns true if more work may settle the property.
    pub(crate) fn is_open(&self) -> bool {
        self.record.verdict == "unknown" && self.exit != Exit::Internal
    }
}

/// Determines what a report contains.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) verbose: bool,
    pub(crate) quiet: bool,
    /// True if JSON reports contain runs step by step.
    pub(crate) steps: bool,
    /// True if reports contain runs as code flows.
    pub(crate) flows: bool,
    /// True if the report contains runs of circuits in their formats.
    pub(crate) witnesses: bool,
    /// True if the report says for each run whether it is a shortest one.
    pub(crate) shortest: bool,
    pub(crate) paint: Paint,
}

/// Prepares an answer that was searched for within `bound`.
pub(crate) fn show(problem: &Problem, answer: &Answer, bound: Option<u64>, seconds: f64, style: Style) -> Shown {
    let (replayed, reason) = match &answer.finding {
        Finding::Settled(confirmed) => (confirmed.replayed, None),
        Finding::Within(_) => (0, Some(Reason::Bound.id())),
        Finding::Unknown { reason, .. } => (0, Some(reason.id())),
        // Reports have no reason of their own for bugs. The exit code and stderr say that this is a bug.
        Finding::Rejected { .. } => (0, Some(Reason::Uncertified.id())),
    };
    let why = if style.quiet { None } else { reason_of(problem, answer) };
    // A text that contains no run is part of every report.
    let mut said = match style.quiet && answer.trace().is_some() {
        true => String::new(),
        false => body(problem, answer, bound, style),
    };
    let is_run = answer.trace().is_some();
    let sentences = why.iter().flat_map(|why| &why.sentences).map(String::as_str);
    let detail: Vec<&str> = sentences.chain(Some(said.trim()).filter(|said| !said.is_empty())).collect();
    let detail = match (is_run, answer.claim.as_deref()) {
        (true, Some(Claim::Unsafe { trace, goal, .. })) if !style.quiet => record::why(problem, trace, *goal),
        (true, _) => None,
        (false, _) => (!detail.is_empty()).then(|| detail.join("\n")),
    };
    if let Some(why) = &why {
        let shown = why.render(problem, Detail { all: style.verbose, paint: style.paint });
        said.insert_str(0, &shown);
    }
    let record = PropertyReport {
        id: answer.property.id.clone(),
        kind: Some(problem.kind(&answer.property)),
        asked: PropertyReport::how(answer.property.asked),
        verdict: answer.verdict(),
        answer: answer.property.answer(answer.verdict()),
        value: answer.value().map(Value::of),
        reason,
        bound,
        engine: answer.engine,
        evidence: evidence(answer),
        stats: StatsReport::new(&answer.stats, replayed),
        seconds,
        exit: Exit::of_answer(answer),
        is_of_calls: problem.system().as_reactive().is_some(),
        detail,
        trace: if style.steps { steps(problem, answer, why.as_ref()) } else { None },
        flow: if style.flows { flow::of_answer(problem, answer) } else { Vec::new() },
        witness: if style.witnesses { kinds::of(problem).witness(answer) } else { None },
    };
    if let (Finding::Settled(confirmed), true) = (&answer.finding, style.verbose) {
        let _ = writeln!(said, "    {}", checked_by(confirmed.checked_by));
    }
    let body = if style.quiet { String::new() } else { said };
    Shown { record, body, exit: Exit::of_answer(answer) }
}

/// Returns the run of the answer step by step.
fn steps(problem: &Problem, answer: &Answer, why: Option<&Why>) -> Option<TraceReport> {
    match (answer.trace(), answer.claim.as_deref(), why) {
        (Some(trace), Some(Claim::Unsafe { goal, .. }), _) => {
            Some(record::of_trace(problem, trace, record::why(problem, trace, *goal)))
        }
        (.., Some(why)) if why.trace.len() != Some(0) => {
            Some(record::of_trace(problem, &why.trace, Some(why.sentences.join("\n"))))
        }
        _ => None,
    }
}

/// Returns why the formula of a settled answer holds or fails, if its evidence is not a run.
fn reason_of(problem: &Problem, answer: &Answer) -> Option<Why> {
    view::why::of(problem, answer.settled()?, answer.property.goal)
}

/// Returns the record of a property for which `engine` was cut off.
pub(crate) fn cut_off(
    question: &Question,
    bound: Option<u64>,
    reason: Reason,
    engine: &'static str,
    states: u64,
    seconds: f64,
) -> Shown {
    let record = PropertyReport {
        id: question.id.clone(),
        kind: question.kind,
        asked: PropertyReport::how(question.asked),
        verdict: "unknown",
        answer: "unknown",
        value: None,
        reason: Some(reason.id()),
        bound,
        engine,
        evidence: None,
        stats: StatsReport { states, ..StatsReport::default() },
        seconds,
        exit: Exit::of_reason(reason),
        is_of_calls: false,
        detail: None,
        trace: None,
        flow: Vec::new(),
        witness: None,
    };
    Shown { record, body: String::new(), exit: Exit::of_reason(reason) }
}

fn evidence(answer: &Answer) -> Option<EvidenceReport> {
    match &answer.finding {
        Finding::Settled(confirmed) => Some(EvidenceReport {
            kind: confirmed.evidence.id(),
            length: Some(confirmed.length),
            checked: true,
            checked_by: Some(confirmed.checked_by.id()),
            file: None,
            // No run has fewer events than none.
            shortest: answer.trace().map(|trace| answer.shortest || trace.len() == Some(0)),
            hash: (confirmed.hash != 0).then(|| format!("{:016x}", confirmed.hash)),
            trusted: confirmed.trusted.iter().map(|kind| kind.0).collect(),
        }),
        Finding::Within(bounded) => Some(EvidenceReport {
            kind: EvidenceKind::Clauses.id(),
            length: Some(bounded.length()),
            checked: true,
            checked_by: Some(CheckedBy::Rules.id()),
            file: None,
            shortest: None,
            hash: None,
            trusted: Vec::new(),
        }),
        Finding::Unknown { .. } | Finding::Rejected { .. } => answer.claim.as_ref().map(|claim| {
            let (kind, length) = claimed(claim);
            EvidenceReport {
                kind,
                length,
                checked: false,
                checked_by: None,
                file: None,
                shortest: None,
                hash: None,
                trusted: Vec::new(),
            }
        }),
    }
}

/// Returns the kind and length of evidence that the checker has not confirmed.
fn claimed(claim: &Claim) -> (&'static str, Option<u64>) {
    match claim {
        Claim::Unsafe { trace, .. } => ("trace", trace.len()),
        Claim::Safe { certificate, .. } => certified(certificate),
        Claim::Within { invariant, .. } => {
            let (kind, length) = EvidenceKind::of_invariant(invariant);
            (kind.id(), Some(length))
        }
        Claim::Branching { evidence, .. } => {
            (EvidenceKind::Branching.id(), evidence.markings.as_ref().map(|markings| markings.states.len()))
        }
        Claim::Bound { .. } => (EvidenceKind::Bound.id(), None),
        Claim::Unknown { .. } => ("lemmas", None),
    }
}

fn certified(certificate: &Certificate) -> (&'static str, Option<u64>) {
    match certificate {
        Certificate::StateSet(set) | Certificate::Reduced(set) => ("state-set", Some(set.len())),
        Certificate::Counted(counted) => ("state-set", Some(counted.states.len())),
        Certificate::Refutation(proof) => ("lemmas", Some(proof.steps.len() as u64)),
        Certificate::Projection(projection) => ("projection", Some(projection.states.len())),
        Certificate::Restricted(_, inner) => certified(inner),
        Certificate::PotentiallyMarked(set) => ("markable", Some(set.places.iter().filter(|m| **m).count() as u64)),
        Certificate::Markings(set) | Certificate::ReducedMarkings(set) => ("state-set", Some(set.states.len())),
        Certificate::Invariant(invariant) => {
            let (kind, length) = EvidenceKind::of_invariant(invariant);
            (kind.id(), Some(length))
        }
        Certificate::Clauses(clauses) => ("clauses", Some(clauses.invariant.clauses.len() as u64)),
        Certificate::Justice(proof) => ("clauses", Some(proof.clauses.invariant.clauses.len() as u64)),
        Certificate::Tracking(proof) => ("clauses", Some(proof.clauses.invariant.clauses.len() as u64)),
        Certificate::Valuations(set) => (EvidenceKind::StateSet.id(), Some(set.rows.len())),
        Certificate::Data(of) => (EvidenceKind::Clauses.id(), Some(of.controls.len() as u64)),
        Certificate::DataProjections(parts) => {
            let controls: usize = parts.iter().map(|part| part.invariant.controls.len()).sum();
            (EvidenceKind::Clauses.id(), Some(controls as u64))
        }
    }
}

fn body(problem: &Problem, answer: &Answer, bound: Option<u64>, style: Style) -> String {
    match (&answer.finding, answer.claim.as_deref()) {
        (Finding::Settled(_), Some(Claim::Unsafe { goal, trace, .. })) => {
            let detail = Detail { all: style.verbose, paint: style.paint };
            render::render(problem, trace, *goal, detail)
        }
        (Finding::Settled(_), Some(Claim::Branching { evidence, .. })) => {
            format!("    {}\n", branching_line(evidence, about_runs(answer)))
        }
        (Finding::Settled(_), Some(Claim::Bound { .. })) => {
            "    A run reaches this value, and a proof excludes greater ones (both checked).\n".to_owned()
        }
        (Finding::Settled(confirmed), Some(Claim::Safe { certificate, goals })) => {
            let trusted: Vec<&str> = confirmed.trusted.iter().map(|kind| kind.0).collect();
            let is_temporal = answer.property.goal.is_temporal();
            let mut line = match problem.system() {
                SystemModel::Rwb(_) if is_temporal => holds_line(problem, confirmed.length),
                SystemModel::Net(_) | SystemModel::Threads(_) if is_temporal => {
                    none_does(confirmed.length, answer.property.asked.is_exists())
                }
                _ => match (certificate, problem.system()) {
                    (Certificate::Invariant(_), SystemModel::Rwb(_) | SystemModel::Data(_)) => {
                        by_counting(confirmed.evidence, confirmed.length)
                    }
                    _ => safe_line(certificate, &answer.property, (confirmed.evidence, confirmed.length)),
                },
            };
            if !trusted.is_empty() {
                let _ = write!(line, " Accepted without proof because of --trust: {}.", trusted.join(", "));
            }
            let facts = view::why::facts(problem, goals, certificate);
            let facts = if is_temporal { Vec::new() } else { facts };
            let facts: String = facts.iter().map(|fact| format!("      {fact}.\n")).collect();
            format!("    {line}\n{facts}")
        }
        (Finding::Unknown { detail: Some(detail), .. }, claim) => {
            let what = match claim {
                None | Some(Claim::Unknown { .. }) => "",
                Some(Claim::Safe { .. }) => "claimed safe: ",
                Some(Claim::Within { .. }) => "claimed within the bound: ",
                Some(Claim::Unsafe { .. }) => "claimed unsafe: ",
                Some(Claim::Branching { holds: true, .. }) => "claimed to hold: ",
                Some(Claim::Branching { holds: false, .. }) => "claimed not to hold: ",
                Some(Claim::Bound { .. }) => "claimed value: ",
            };
            format!("    {what}{detail}\n")
        }
        (Finding::Within(bounded), _) => {
            let clauses = plural(bounded.length(), "clause");
            let most = at_most(problem, bound);
            format!(
                "    The goal does not occur with at most {most}: excluded by {clauses} (proofs checked). Beyond the \
                 bound, nothing is known.\n"
            )
        }
        (Finding::Unknown { reason: Reason::Bound, .. }, _) => {
            let most = at_most(problem, bound);
            format!(
                "    The search found no violation with at most {most} (not checked). States beyond the bound \
                     were left out.\n"
            )
        }
        (Finding::Unknown { reason: Reason::Overflow, .. }, _) => {
            "    A number became too large for the engine.\n".to_owned()
        }
        (Finding::Unknown { reason: Reason::Disk, .. }, _) => {
            "    The temporary files reached their limit, or could not be written or read.\n".to_owned()
        }
        (Finding::Unknown { reason: Reason::Lossy, .. }, _) => {
            "    The search found no run. It may have left states out, so this proves nothing.\n".to_owned()
        }
        (Finding::Unknown { reason: Reason::GaveUp, .. }, _) => {
            format!("    {} has nothing left to try.\n", answer.engine)
        }
        (Finding::Unknown { reason: Reason::Undefined, .. }, _) => {
            "    A run reaches behavior that C does not define, such as an index outside its array. Nothing more is \
             known.\n"
                .to_owned()
        }
        (Finding::Unknown { reason: Reason::Unsupported, .. }, _) if answer.engine.ends_with("ltl") => {
            "    A call prints several letters. Formulas are decided only if each call prints at most one.\n".to_owned()
        }
        (Finding::Unknown { reason: Reason::Unsupported, .. }, _) if answer.engine == "none" => {
            "    No engine that this check may use supports the property.\n".to_owned()
        }
        (Finding::Unknown { reason: Reason::Unsupported, .. }, _) => {
            "    The engine does not support this property.\n".to_owned()
        }
        (Finding::Rejected { why }, _) => format!("    the evidence of {} is wrong: {why}\n", answer.engine),
        _ => String::new(),
    }
}

fn at_most(problem: &Problem, bound: Option<u64>) -> String {
    plural(bound.unwrap_or(0), if problem.system().as_threads().is_some() { "thread" } else { "token" })
}
