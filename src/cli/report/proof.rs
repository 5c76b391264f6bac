//! The sentences about what proves or decides a property.

use impasse::Answer;
use impasse::certify::{CheckedBy, EvidenceKind};
use impasse::model::{BranchingEvidence, Certificate, Followed, Goal, Live, Problem, Property, Translation};
use view::text::{count, plural};

/// Returns what a state of the goal is, in the words of the question.
fn violation(property: &Property) -> &'static str {
    match property.goal {
        _ if property.is_deadlock() => "a deadlock",
        Goal::Bad => "a bad state",
        Goal::Formula(_) if property.asked.is_exists() => "one that satisfies the formula",
        _ => "a violation",
    }
}

/// Says that all reachable states are among these, and none of them is a violation.
fn all_listed(property: &Property, length: u64, what: &str) -> String {
    let violation = violation(property);
    match length {
        1 => format!("One {what} was listed. No run leaves it, and it is not {violation} (checked)."),
        _ => {
            let listed = plural(length, what);
            format!("{listed} were listed. No run leaves them, and none of them is {violation} (checked).")
        }
    }
}

/// Says the same of states some of which were left out.
fn some_listed(property: &Property, length: u64, what: &str) -> String {
    let (listed, violation) = (plural(length, what), violation(property));
    let verb = if length == 1 { "was" } else { "were" };
    format!(
        "{listed} {verb} listed, and none is {violation}. Runs that were left out lead to no other end (stubborn sets \
         checked)."
    )
}

/// Returns why invariants exclude the goal.
fn by_invariants(kind: EvidenceKind, length: u64) -> String {
    match kind {
        EvidenceKind::ConcurrencyRelation => {
            let pairs = plural(length, "pair");
            format!(
                "The goal needs tokens that are never there at the same time: of the places that matter, {pairs} can \
                 have tokens together (relation checked)."
            )
        }
        EvidenceKind::Vectors => {
            format!(
                "The goal covers one of {} that no reachable marking covers (each \
                     checked).",
                plural(length, "vector")
            )
        }
        EvidenceKind::Clauses if length == 0 => "No state satisfies the goal, reachable or not (proof \
                                                 checked)."
            .to_owned(),
        EvidenceKind::Clauses => {
            format!("Excluded by {} that every reachable state satisfies (proofs checked).", plural(length, "clause"))
        }
        EvidenceKind::Linear if length == 0 => {
            "In each case, the inequalities of the goal contradict each other or need places that are never marked \
             (cases checked)."
                .to_owned()
        }
        EvidenceKind::Linear => {
            format!("The goal contradicts {} on all reachable markings (checked).", plural(length, "linear bound"))
        }
        EvidenceKind::Traps => {
            let traps = plural(length, "trap");
            format!("The goal contradicts {traps} that no run empties, and linear bounds (each checked).")
        }
        _ => match length {
            0 => "No place can ever be marked, and without tokens the goal does not hold (set checked).".to_owned(),
            1 => "No marking of the only place that can be marked satisfies the goal (set checked).".to_owned(),
            n => format!(
                "No marking of the {} that can be marked satisfies the goal (set \
                          checked).",
                plural(n, "place")
            ),
        },
    }
}

/// Returns what proves that threads of a program never reach the goal: invariants of the program as a net.
pub(super) fn by_counting(kind: EvidenceKind, length: u64) -> String {
    match kind {
        EvidenceKind::Linear if length > 0 => format!(
            "The goal contradicts {} on the numbers of threads in local states (each checked).",
            plural(length, "linear bound")
        ),
        EvidenceKind::Traps => format!(
            "The goal contradicts {} of local states that some thread is always in, and linear bounds (each checked).",
            plural(length, "set")
        ),
        _ => "In each case, the goal needs local states that threads are never in together (cases checked).".to_owned(),
    }
}

/// Returns what proves that a temporal formula holds, in one line.
pub(super) fn holds_line(problem: &Problem, states: u64) -> String {
    let fair = match problem.fairness().len() as u64 {
        0 => String::new(),
        n => format!(", under {}", plural(n, "fairness assumption")),
    };
    let states = plural(states, "state");
    format!("No run leaves a set of {states}, and no run in it violates the formula{fair} (set and cycles checked).")
}

/// Returns why no run of a net violates a temporal formula, or satisfies it if that is asked. Only markings that matter
/// for the formula are listed.
pub(super) fn none_does(markings: u64, is_exists: bool) -> String {
    let markings = plural(markings, "marking");
    let what = if is_exists { "satisfy" } else { "violate" };
    format!(
        "Runs that may {what} the formula stay in a set of {markings}, and none of them does (set and cycles checked)."
    )
}

/// Returns `Some` if the property is about runs, with true if it asks whether one satisfies the formula.
pub(super) fn about_runs(answer: &Answer) -> Option<bool> {
    answer.property.goal.is_temporal().then(|| answer.property.asked.is_exists())
}

/// Returns what is shown about siphons, in one line without a full stop.
fn live_line(live: &Live) -> String {
    match &live.restart {
        None => "Each siphon contains a marked trap, so the net is live".to_owned(),
        Some(restart) => {
            let steps = plural(restart.steps.len() as u64, "step");
            format!("After {steps} to a smaller net, which is live if it begins again, the net is sound")
        }
    }
}

/// Returns what is shown about statements that can always come true again, in one line without a full stop.
fn recurrence_line(evidence: &BranchingEvidence) -> String {
    let after = |run: &model::Trace| plural(run.len().unwrap_or(u64::MAX), "event");
    let lost = evidence
        .lost
        .first()
        .map(|lost| format!("A run of {} leads to a marking from which it cannot come true", after(&lost.run)));
    let markings: u64 = evidence.recurring.iter().flat_map(|of| &of.ways).map(|(_, ways)| ways.len() as u64).sum();
    lost.unwrap_or_else(|| {
        format!("Each reachable marking covers one of {}, from which it can come true", plural(markings, "marking"))
    })
}

/// Returns what decides a formula of computation tree logic, or shows that a formula about runs holds, in one line.
pub(super) fn branching_line(evidence: &BranchingEvidence, about_runs: Option<bool>) -> String {
    let proofs = plural(evidence.never.claims.len() as u64, "proof");
    let with = match evidence.never.claims.len() {
        0 => String::new(),
        _ => format!(" With {proofs} about parts of the formula (checked)."),
    };
    if let Some(live) = evidence.live.as_ref().filter(|_| evidence.markings.is_none()) {
        return format!("{} (checked).{with}", live_line(live));
    }
    if evidence.markings.is_none() && (evidence.recurring.is_some() || !evidence.lost.is_empty()) {
        return format!("{} (checked).{with}", recurrence_line(evidence));
    }
    match &evidence.markings {
        None if evidence.never.claims.is_empty() => "It has the same truth value in all markings.".to_owned(),
        None => format!("Follows from {proofs} about parts of the formula (checked)."),
        Some(listed) => match about_runs {
            Some(is_exists) => format!("{}{with}", none_does(listed.states.len(), is_exists)),
            None => {
                let markings = plural(listed.states.len(), "marking");
                format!("The checker evaluated the formula on {markings}, with the same result.{with}")
            }
        },
    }
}

/// Returns what proves the property, in one line.
pub(super) fn safe_line(certificate: &Certificate, property: &Property, (kind, length): (EvidenceKind, u64)) -> String {
    match certificate {
        Certificate::StateSet(_) | Certificate::Valuations(_) => all_listed(property, length, "state"),
        Certificate::Data(_) => format!(
            "An invariant of {} excludes the goal for all numbers (proofs checked).",
            plural(length, "joint location")
        ),
        Certificate::DataProjections(parts) => {
            let most = parts.iter().map(|part| part.kept.len()).max().unwrap_or(0);
            format!(
                "{} of at most {} exclude the goal for all numbers, with {} (proofs checked).",
                plural(parts.len() as u64, "projection"),
                plural(most as u64, "thread"),
                plural(length, "joint location")
            )
        }
        Certificate::Reduced(_) => some_listed(property, length, "state"),
        Certificate::Counted(_) => format!(
            "No run leaves a set of {} with run lengths, in which the goal does not occur under the assumptions (set \
             checked).",
            plural(length, "state")
        ),
        // No thread is kept. For `bad`: no thread can reach a bad state. For a deadlock: what the threads
        // request and block excludes it, whatever states they are in.
        Certificate::Projection(projection) if projection.kept.is_empty() => {
            "The goal occurs in no combination of states that the threads reach, each by itself (checked).".to_owned()
        }
        Certificate::Projection(projection) => {
            let threads = plural(projection.kept.len() as u64, "thread");
            let (states, violation) = (plural(length, "joint state"), violation(property));
            format!("In all {states} of {threads}, none is {violation}, whatever the other threads do (set checked).")
        }
        Certificate::Restricted(restrictions, inner) => {
            let kinds: Vec<&str> = restrictions.iter().map(|r| r.kind.0).collect();
            format!("{} By {}.", safe_line(inner, property, (kind, length)), kinds.join(", "))
        }
        Certificate::Markings(_) => all_listed(property, length, "marking"),
        Certificate::ReducedMarkings(_) => some_listed(property, length, "marking"),
        Certificate::Invariant(_) => by_invariants(kind, length),
        Certificate::PotentiallyMarked(_) => by_invariants(EvidenceKind::PotentiallyMarked, length),
        Certificate::Clauses(clauses) => by_clauses(clauses, length),
        Certificate::Justice(proof) => {
            let excluded = format!("excluded by {} (proofs checked)", plural(length, "clause"));
            match proof.translation {
                Translation::Loop => format!("No state occurs again with all signals true in between: {excluded}."),
                Translation::Count(most) => {
                    format!("No run makes the signals all true more than {}: {excluded}.", plural(most.into(), "time"))
                }
            }
        }
        Certificate::Tracking(proof) => {
            let line = by_clauses(&proof.clauses, length);
            match &proof.followed {
                Followed::All => format!("Following all words of memories: {line}"),
                Followed::Some(trackers) if trackers.is_empty() => {
                    format!("Whatever words are read from memories: {line}")
                }
                Followed::Some(trackers) => {
                    format!("Following {} of memories: {line}", plural(trackers.len() as u64, "word"))
                }
            }
        }
        Certificate::Refutation(proof) => {
            let kinds: Vec<String> =
                proof.lemma_kinds().iter().map(|(k, n)| format!("{} x {}", k.0, count(*n as u64))).collect();
            let from = if kinds.is_empty() { String::new() } else { format!(" from {}", kinds.join(", ")) };
            let (steps, violation) = (plural(length, "step"), violation(property));
            format!("No run leads to {violation}: refuted in {steps}{from} (refutation checked).")
        }
    }
}

/// Describes clauses that exclude a goal, in one frame or by induction over several.
fn by_clauses(clauses: &model::Clauses, length: u64) -> String {
    let Some(induction) = &clauses.induction else { return by_invariants(EvidenceKind::Clauses, length) };
    let after = plural(induction.frames.into(), "frame");
    let with = if length == 0 { String::new() } else { format!(" that satisfy {}", plural(length, "clause")) };
    let first = if induction.frames == 1 { "frame".to_owned() } else { after.clone() };
    format!(
        "The goal occurs neither in the first {first} nor after {after}{with} in which it does not occur (proofs \
         checked)."
    )
}

/// Returns a sentence about the part of the checker that accepted the evidence.
pub(super) fn checked_by(part: CheckedBy) -> String {
    match part {
        CheckedBy::Kernel(rule) => {
            format!("Checked by the kernel alone: {} of its code ({}).", plural(rule.lines, "line"), rule.name)
        }
        CheckedBy::Rules => "Checked by the rules beside the kernel, on the kernel's definitions.".to_owned(),
    }
}
