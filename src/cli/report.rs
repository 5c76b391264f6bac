//! Turns an answer into text, and into a record for JSON.

use super::exit::Exit;
use super::json::{EvidenceReport, FileReport, PropertyReport, StatsReport, Value};
use super::question::Question;
use super::{efforts, flow};
use impasse::certify::{CheckedBy, EvidenceKind};
use impasse::model::{
    BranchingEvidence, Certificate, Claim, Followed, Goal, Live, Problem, Reason, SystemModel, Translation,
};
use impasse::{Answer, Finding};
use std::fmt::Write;
use view::text::{Paint, count, plural};
use view::trace;

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
    // A text that contains no run is part of every report.
    let said =
        if style.quiet && answer.trace().is_some() { String::new() } else { body(problem, answer, bound, style) };
    let is_run = answer.trace().is_some();
    let detail = (!is_run && !said.is_empty()).then(|| said.trim().to_owned());
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
        trace: answer
            .trace()
            .filter(|_| style.steps)
            .map(|trace| view::record::of_trace(problem, trace, violated(answer))),
        flow: if style.flows { flow::of_answer(problem, answer) } else { Vec::new() },
    };
    let body = if style.quiet { String::new() } else { said };
    Shown { record, body, exit: Exit::of_answer(answer) }
}

/// Returns the goal that the run of the answer reaches.
fn violated(answer: &Answer) -> Option<Goal> {
    match answer.claim.as_deref() {
        Some(Claim::Unsafe { goal, .. }) => Some(*goal),
        _ => None,
    }
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
            let detail = trace::Detail { all: style.verbose, paint: style.paint };
            trace::render(problem, trace, *goal, detail)
        }
        (Finding::Settled(_), Some(Claim::Branching { evidence, .. })) => {
            format!("    {}\n", branching_line(evidence, about_runs(answer)))
        }
        (Finding::Settled(_), Some(Claim::Bound { .. })) => {
            "    A run reaches this value, and a proof excludes greater ones (both checked).\n".to_owned()
        }
        (Finding::Settled(confirmed), Some(Claim::Safe { certificate, .. })) => {
            let trusted: Vec<&str> = confirmed.trusted.iter().map(|kind| kind.0).collect();
            let is_temporal = answer.property.goal.is_temporal();
            let mut line = match problem.system() {
                SystemModel::Rwb(_) if is_temporal => holds_line(problem, confirmed.length),
                SystemModel::Net(_) | SystemModel::Threads(_) if is_temporal => {
                    none_does(confirmed.length, answer.property.asked.is_exists())
                }
                _ => safe_line(certificate, confirmed.evidence, confirmed.length),
            };
            if !trusted.is_empty() {
                let _ = write!(line, " Accepted without proof because of --trust: {}.", trusted.join(", "));
            }
            format!("    {line}\n")
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

/// Returns why invariants exclude the goal.
fn by_invariants(kind: EvidenceKind, length: u64) -> String {
    match kind {
        EvidenceKind::ConcurrencyRelation => {
            let pairs = plural(length, "pair");
            format!(
                "Only {pairs} of the places that matter can be marked together, and the goal needs others (relation \
                 checked)."
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

/// Returns what proves that a temporal formula holds, in one line.
fn holds_line(problem: &Problem, states: u64) -> String {
    let fair = match problem.fairness().len() as u64 {
        0 => String::new(),
        n => format!(", under {}", plural(n, "fairness assumption")),
    };
    let states = plural(states, "state");
    format!("No run leaves a set of {states}, and no run in it violates the formula{fair} (set and cycles checked).")
}

/// Returns why no run of a net violates a temporal formula, or satisfies it if that is asked. Only markings that matter
/// for the formula are listed.
fn none_does(markings: u64, is_exists: bool) -> String {
    let markings = plural(markings, "marking");
    let what = if is_exists { "satisfy" } else { "violate" };
    format!(
        "Runs that may {what} the formula stay in a set of {markings}, and none of them does (set and cycles checked)."
    )
}

/// Returns `Some` if the property is about runs, with true if it asks whether one satisfies the formula.
fn about_runs(answer: &Answer) -> Option<bool> {
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
fn branching_line(evidence: &BranchingEvidence, about_runs: Option<bool>) -> String {
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
            None => format!("Evaluated on {} (by the checker, too).{with}", plural(listed.states.len(), "marking")),
        },
    }
}

/// Returns what proves the property, in one line.
fn safe_line(certificate: &Certificate, kind: EvidenceKind, length: u64) -> String {
    match certificate {
        Certificate::StateSet(_) | Certificate::Valuations(_) => {
            format!(
                "No run leaves a set of {} in which the goal does not occur (set checked).",
                plural(length, "state")
            )
        }
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
        Certificate::Reduced(_) => format!(
            "The goal does not occur in {}, and no other run matters (stubborn sets checked).",
            plural(length, "state")
        ),
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
            format!("The goal is excluded by {threads} alone, in {} (set checked).", plural(length, "state"))
        }
        Certificate::Restricted(restrictions, inner) => {
            let kinds: Vec<&str> = restrictions.iter().map(|r| r.kind.0).collect();
            format!("{} By {}.", safe_line(inner, kind, length), kinds.join(", "))
        }
        Certificate::Markings(_) => {
            format!(
                "No run leaves a set of {} in which the goal does not occur (set checked).",
                plural(length, "marking")
            )
        }
        Certificate::ReducedMarkings(_) => format!(
            "The goal does not occur in {}, and no other run matters (stubborn sets checked).",
            plural(length, "marking")
        ),
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
            format!("No violating run exists: refuted in {}{from} (refutation checked).", plural(length, "step"))
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

/// Returns the whole report of a file as text.
pub(crate) fn text(report: &FileReport, bodies: &[String], style: Style) -> String {
    if is_table(report, style) {
        return table(report, style);
    }
    let mut out = String::new();
    let instance = match &report.init {
        Some(init) => format!("{} [{init}]", report.file),
        None => report.file.clone(),
    };
    if report.asks_nothing() {
        let _ = writeln!(out, "{instance}: {} (nothing is asked)", style.paint.yellow("UNKNOWN"));
    }
    for (property, body) in report.properties.iter().zip(bodies) {
        let _ = writeln!(out, "{}", headline(&instance, property, style));
        out.push_str(body);
        if style.verbose {
            out.push_str(&counts(property));
        }
    }
    if !style.quiet {
        out.push_str(&efforts::tried(report));
    }
    if style.verbose {
        let _ =
            writeln!(out, "    {:.3} s, at most {} of memory", report.seconds, view::text::bytes(report.peak_bytes));
    }
    out
}

/// Returns `FILE: PROPERTY: VERDICT (how)`.
fn headline(file: &str, property: &PropertyReport, style: Style) -> String {
    let paint = style.paint;
    let verdict = match (property.answer, property.reason) {
        ("safe", _) => paint.green("SAFE"),
        ("unsafe", _) => paint.red("UNSAFE"),
        ("reachable", _) => paint.green("REACHABLE"),
        ("unreachable", _) => paint.red("UNREACHABLE"),
        ("holds", _) => paint.green("HOLDS"),
        ("fails", _) => paint.red("FAILS"),
        ("unbounded", _) => paint.green("unbounded"),
        ("value", _) => paint.green(&property.value.as_ref().map_or_else(String::new, Value::to_string)),
        (_, reason) => paint.yellow(&format!("UNKNOWN ({})", reason.unwrap_or("gave_up"))),
    };
    if style.quiet {
        let within = property.bound.map_or(String::new(), |n| format!(" within {n}"));
        return format!("{file}: {}: {verdict}{within}", property.id);
    }
    let after = match &property.evidence {
        Some(e) if property.verdict == "unsafe" && e.kind == EvidenceKind::Trace.id() => {
            let length = plural(e.length.unwrap_or(0), step(property));
            let least = match e.shortest {
                Some(true) if style.shortest => ", as few as there can be",
                Some(false) if style.shortest => ", not known to be the fewest",
                _ => "",
            };
            format!(" after {length}{least}")
        }
        _ => String::new(),
    };
    let mut how = property.engine.to_owned();
    if let Some(bound) = property.bound {
        let _ = write!(how, ", bound {bound}");
    }
    let stats = &property.stats;
    // Walks do not store states, so they count steps.
    let walked = stats.states == 0 && stats.transitions > 0;
    let size = if walked { plural(stats.transitions, "step") } else { plural(stats.states, "state") };
    let _ = write!(how, ", {size}");
    let _ = write!(how, ", {:.3} s", property.seconds);
    if let Some(file) = property.evidence.as_ref().and_then(|e| e.file.as_ref()) {
        let _ = write!(how, "; evidence in {file}");
    }
    format!("{file}: {}: {verdict}{after} {}", property.id, paint.dim(&format!("({how})")))
}

/// Returns the name of one step in the runs of the property's system.
pub(crate) fn step(property: &PropertyReport) -> &'static str {
    match property.kind {
        Some("output" | "justice") => "frame",
        Some("error" | "ltl") if property.is_of_calls => "call",
        _ => "event",
    }
}

/// A report about a reactive program with more answers than this is a table.
const MANY: usize = 8;

/// Returns true if the report is a table. A report about many labels and formulas is a table, because the runs
/// for all of them would be too long.
fn is_table(report: &FileReport, style: Style) -> bool {
    let of_reactive = |p: &PropertyReport| p.is_of_calls && matches!(p.kind, Some("error" | "ltl"));
    !style.verbose && !style.quiet && report.properties.len() > MANY && report.properties.iter().all(of_reactive)
}

/// Returns a line for each answer, and the number of answers of each kind.
fn table(report: &FileReport, style: Style) -> String {
    let width = report.properties.iter().map(|p| p.id.len()).max().unwrap_or(0);
    let mut out = format!("{}:\n", report.file);
    let (mut safe, mut unsafe_, mut unknown) = (0u64, 0u64, 0u64);
    for property in &report.properties {
        let (verdict, how) = match (property.verdict, property.reason) {
            ("safe", _) => (style.paint.green("SAFE   "), String::new()),
            ("unsafe", _) => {
                let length = property.evidence.as_ref().and_then(|e| e.length).unwrap_or(0);
                (style.paint.red("UNSAFE "), format!("after {}, ", plural(length, step(property))))
            }
            (_, reason) => (style.paint.yellow("UNKNOWN"), format!("{}, ", reason.unwrap_or("gave_up"))),
        };
        match property.verdict {
            "safe" => safe += 1,
            "unsafe" => unsafe_ += 1,
            _ => unknown += 1,
        }
        let how = style.paint.dim(&format!("{how}{}, {:.3} s", property.engine, property.seconds));
        let _ = writeln!(out, "    {:<width$}  {verdict}  {how}", property.id);
    }
    let _ = writeln!(out, "    {unsafe_} unsafe, {safe} safe, {unknown} unknown (-v shows a run for each)");
    out
}

/// Returns all counts, for `-v`.
fn counts(property: &PropertyReport) -> String {
    let stats = &property.stats;
    let mut items = vec![plural(stats.transitions, "transition")];
    if stats.replayed > 0 {
        items.push(format!("{} stepped through by the checker", plural(stats.replayed, "state")));
    }
    items.extend(stats.more.iter().map(|(what, n)| format!("{what} {}", count(*n))));
    items.extend(stats.lemmas.iter().map(|(kind, n)| format!("{kind} x {}", count(*n))));
    format!("    {}\n", items.join(", "))
}
