//! What reports say about evidence that the checker has accepted, or why a check has no answer.

use crate::cli::limits;
use impasse::certify::{Bounded, CheckedBy, Confirmed, EvidenceKind};
use impasse::model::{Goal, Problem, Reason};
use view::text::plural;

/// Returns why there is no answer.
pub(crate) fn stopped(reason: Reason) -> String {
    limits::ended("check", reason)
}

/// Returns the ids of the goals, as they are asked for.
fn ids(problem: &Problem, goals: &[Goal]) -> String {
    let asked = |goal: &Goal| problem.properties().iter().find(|p| p.goal == *goal);
    let ids: Vec<&str> = goals.iter().map(|g| asked(g).map_or(g.id(), |p| p.id.as_str())).collect();
    ids.join(", ")
}

/// Returns the text of an answer that holds within a bound. It must not look like the verdict `safe`.
pub(crate) fn within(problem: &Problem, bounded: &Bounded) -> String {
    let what = if problem.system().as_threads().is_some() { "threads" } else { "tokens" };
    let clauses = plural(bounded.length(), "clause");
    format!("{} NOT WITHIN {} {what} ({clauses})", ids(problem, bounded.goals()), bounded.most())
}

/// Returns what the checker has accepted: `deadlock UNSAFE (trace of 5 events)`.
pub(crate) fn accepted(problem: &Problem, confirmed: &Confirmed) -> String {
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
        CheckedBy::Kernel(_) => ", by the kernel alone",
        CheckedBy::Rules => "",
    };
    format!("{} {verdict} ({evidence}{trusted}){by}", ids(problem, &confirmed.goals))
}
