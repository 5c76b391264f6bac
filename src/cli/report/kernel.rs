//! How many lines of the kernel a verdict rests on: the files that the check of its evidence uses.

use impasse::Answer;
use impasse::certify::{CheckedBy, Confirmed};
use impasse::model::{Certificate, Claim, Problem, SystemModel};
use view::text::plural;

/// The lines for each kind of evidence, as in `docs/trust.md`. `tests/it/kernel_size.rs` counts them.
#[rustfmt::skip]
const LINES: [(&str, u64); 25] = [
    // lines of the kernel
    ("run of a program", 1644),
    ("run of a net or thread-transition system", 1218),
    ("run of a circuit", 659),
    ("run of a reactive program", 1014),
    ("run of a program with unbounded numbers", 1120),
    ("run of a system in Rust", 1300),
    ("run of a program that violates a temporal formula", 1929),
    ("run of a net that violates a temporal formula", 1459),
    ("run of a circuit that repeats", 727),
    ("set of states of a program", 1726),
    ("set of states of a program, for a temporal formula", 2462),
    ("set of markings", 2657),
    ("set of markings, for a temporal formula", 3431),
    ("set of valuations", 1714),
    ("set of states of a system in Rust", 1262),
    ("markings, for a formula of computation tree logic", 3104),
    ("markings, for formulas of such a formula about whole runs", 3490),
    ("potentially marked places", 484),
    ("clauses of a program", 1819),
    ("clauses of a circuit", 1096),
    ("clauses of a circuit translated for justice", 1297),
    ("clauses of a circuit with memories", 1180),
    ("invariants of a net", 1608),
    ("traps, restarts and recurrence of a net", 2395),
    ("invariants of a program with unbounded numbers", 1819),
    // end
];

/// Returns the name of the evidence in [`LINES`]; `None` if the kernel has no rule for it.
fn evidence(problem: &Problem, claim: &Claim) -> Option<&'static str> {
    use SystemModel::{Circuit, Data, Net, Own, Reactive, Rwb, Threads};
    let is_temporal = claim.goals().iter().any(|goal| goal.is_temporal());
    let certificate = match claim {
        Claim::Unsafe { .. } => {
            return Some(match (problem.system(), is_temporal) {
                (Rwb(_), false) => "run of a program",
                (Rwb(_), true) => "run of a program that violates a temporal formula",
                (Net(_) | Threads(_), false) => "run of a net or thread-transition system",
                (Net(_) | Threads(_), true) => "run of a net that violates a temporal formula",
                (Circuit(_), false) => "run of a circuit",
                (Circuit(_), true) => "run of a circuit that repeats",
                (Reactive(_), _) => "run of a reactive program",
                (Data(_), _) => "run of a program with unbounded numbers",
                (Own(_), _) => "run of a system in Rust",
            });
        }
        Claim::Branching { .. } => return Some("markings, for formulas of such a formula about whole runs"),
        Claim::Safe { certificate, .. } => certificate,
        Claim::Within { .. } | Claim::Bound { .. } | Claim::Unknown { .. } => return None,
    };
    Some(match (certificate, problem.system()) {
        (Certificate::StateSet(_), Own(_)) => "set of states of a system in Rust",
        (Certificate::StateSet(_), _) if is_temporal => "set of states of a program, for a temporal formula",
        (Certificate::StateSet(_), _) => "set of states of a program",
        (Certificate::Markings(_), _) if is_temporal => "set of markings, for a temporal formula",
        (Certificate::Markings(_), _) => "set of markings",
        (Certificate::Valuations(_), _) => "set of valuations",
        (Certificate::PotentiallyMarked(_), _) => "potentially marked places",
        (Certificate::Invariant(_), _) => "invariants of a net",
        (Certificate::Clauses(_), Circuit(_)) => "clauses of a circuit",
        (Certificate::Clauses(_), _) => "clauses of a program",
        (Certificate::Justice(_), _) => "clauses of a circuit translated for justice",
        (Certificate::Tracking(_), _) => "clauses of a circuit with memories",
        (Certificate::Data(_) | Certificate::DataProjections(_), _) => "invariants of a program with unbounded numbers",
        _ => return None,
    })
}

/// Returns a sentence about the part of the checker that accepted the evidence.
pub(super) fn checked_by(problem: &Problem, answer: &Answer, confirmed: &Confirmed) -> String {
    let of_evidence = answer.claim.as_deref().and_then(|claim| evidence(problem, claim));
    // If it has no rule for the evidence about a small program, it has listed the states itself.
    let kind = of_evidence.unwrap_or("set of states of a program");
    let lines = LINES.iter().find(|(name, _)| *name == kind).map_or(0, |(_, lines)| *lines);
    match confirmed.checked_by {
        CheckedBy::Kernel => format!("Checked by the kernel alone: {} of its code ({kind}).", plural(lines, "line")),
        CheckedBy::Rules => "Checked by the rules beside the kernel, on the kernel's definitions.".to_owned(),
    }
}
