//! The independent checker: turns claims into verdicts, and nobody else can.
//!
//! An engine only ever *claims*; [`confirm`] replays its trace or checks its certificate against the system as read. This
//! crate shares no code with any engine: its steppers are its own, straight from the definitions of the systems,
//! simple before fast. Every rule it accepts has its soundness argument beside it, because an unsound rule here makes wrong
//! verdicts that nothing else would catch. Evidence may come from a hostile file: every index is checked before use, work
//! and memory are limited, and nothing recurses.
//!
//! A [`Verdict`] has no public constructor:
//!
//! ```
//! fn good_news(verdict: &impasse_certify::Verdict) -> bool {
//!     verdict.is_safe()
//! }
//! ```
//!
//! ```compile_fail
//! fn good_news() -> impasse_certify::Verdict {
//!     impasse_certify::Verdict(impasse_certify::Answer::Safe)
//! }
//! ```

mod arith;
mod clauses;
mod clocks;
mod derivations;
mod facts;
mod hints;
mod jump;
mod key_set;
mod keys;
mod lrat;
mod nets;
mod nodes;
mod places;
mod refutation;
mod replay;
mod rup;
mod state_set;
mod stepper;
mod stuck;
#[cfg(test)]
mod tests;
mod threads;
mod work;

pub use lrat::{Lrat, Refuted, check_model};

use model::{Certificate, Claim, Goal, LemmaKind, Problem, Stop, SystemModel};
use nets::Marked;
use stepper::Stepper;
use work::Work;

/// A checked answer. Built by [`confirm`] only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict(Answer);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Safe,
    Unsafe,
}

impl Verdict {
    /// No state of the goals is reachable.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.0 == Answer::Safe
    }

    /// A state of the goal is reachable.
    #[must_use]
    pub fn is_unsafe(&self) -> bool {
        self.0 == Answer::Unsafe
    }
}

/// How far to go, and whom to believe.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names of patterns whose lemmas are accepted without proof.
    pub trust: Vec<String>,
    /// Work limit, about one step of a thread or one look at a literal each; beyond it the evidence is too dear.
    pub max_steps: u64,
}

impl Default for Options {
    /// Trusts nobody; a work limit of some minutes to an hour, so that the stop flag is what ends a check in practice.
    fn default() -> Self {
        Self { trust: Vec::new(), max_steps: 100_000_000_000 }
    }
}

/// What an answer rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvidenceKind {
    /// A run into a goal state.
    Trace,
    /// A set of states closed under successors.
    StateSet,
    /// The places that can be marked at all.
    Markable,
    /// A refutation of "there is a violating run" from lemmas.
    Lemmas,
}

impl EvidenceKind {
    /// The name in JSON and on the terminal.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            EvidenceKind::Trace => "trace",
            EvidenceKind::StateSet => "state-set",
            EvidenceKind::Markable => "markable",
            EvidenceKind::Lemmas => "lemmas",
        }
    }
}

/// A verdict with what it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirmed {
    /// The goals it settles.
    pub goals: Vec<Goal>,
    /// The verdict on them.
    pub verdict: Verdict,
    /// What it rests on.
    pub evidence: EvidenceKind,
    /// How long the evidence is: events, states, places that can be marked, or proof steps.
    pub length: u64,
    /// States stepped through to check it.
    pub replayed: u64,
    /// The kinds of lemmas that were believed because the user said so, in order of first use.
    pub trusted: Vec<LemmaKind>,
    /// For state sets a hash of the set that does not depend on the order of its states; else 0.
    pub hash: u64,
}

/// Why a claim is not confirmed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The evidence is wrong: what and where.
    #[error("the evidence is wrong: {0}")]
    Rejected(String),
    /// Beyond the work limit, the memory limit or the stop flag.
    #[error("the evidence is too dear to check")]
    TooDear,
    /// A kind of evidence or of lemma that this checker does not know.
    #[error("the evidence cannot be checked: {0}")]
    Unknown(String),
}

/// What every check in this crate returns.
type Check<T> = Result<T, Refusal>;

/// Evidence is wrong for this reason.
fn reject<T>(reason: impl Into<String>) -> Check<T> {
    Err(Refusal::Rejected(reason.into()))
}

/// Checks the evidence of `claim` on `problem`, from nothing but the two.
///
/// # Errors
/// If the evidence does not show what is claimed, or cannot be checked within the limits.
pub fn confirm(problem: &Problem, claim: &Claim, options: &Options, stop: &Stop) -> Result<Confirmed, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    match claim {
        Claim::Unknown { .. } => Err(Refusal::Unknown("an unknown comes without evidence".to_owned())),
        Claim::Unsafe { goal, trace, .. } => {
            asked(problem, &[*goal])?;
            let replayed = match marked(problem) {
                Some(system) => nets::replay(system, problem, trace, *goal, &mut work)?,
                None => {
                    let stepper = Stepper::new(problem.program())?;
                    replay::replay(problem.program(), &stepper, trace, *goal, &mut work)?
                }
            };
            Ok(Confirmed {
                goals: vec![*goal],
                verdict: Verdict(Answer::Unsafe),
                evidence: EvidenceKind::Trace,
                length: replayed.events,
                replayed: replayed.stepped,
                trusted: Vec::new(),
                hash: 0,
            })
        }
        Claim::Safe { goals, certificate } => {
            asked(problem, goals)?;
            safe(problem, goals, certificate, options, &mut work)
        }
    }
}

/// The system, if its states are markings.
fn marked(problem: &Problem) -> Option<Marked<'_>> {
    match &problem.system {
        SystemModel::Rwb(_) => None,
        SystemModel::Net(net) => Some(Marked::Net(net)),
        SystemModel::Threads(system) => Some(Marked::Threads(system)),
    }
}

fn safe(
    problem: &Problem,
    goals: &[Goal],
    certificate: &Certificate,
    options: &Options,
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    let confirmed = |evidence| Confirmed {
        goals: goals.to_vec(),
        verdict: Verdict(Answer::Safe),
        evidence,
        length: 0,
        replayed: 0,
        trusted: Vec::new(),
        hash: 0,
    };
    match (certificate, marked(problem)) {
        (Certificate::StateSet(set), None) => {
            let program = problem.program();
            let checked = state_set::check(program, &Stepper::new(program)?, set.as_ref(), goals, work)?;
            let (length, hash) = (checked.states, checked.hash);
            Ok(Confirmed { length, replayed: length, hash, ..confirmed(EvidenceKind::StateSet) })
        }
        (Certificate::Refutation(refutation), None) => {
            let program = problem.program();
            let checked = refutation::check(program, &Stepper::new(program)?, refutation, goals, &options.trust, work)?;
            let length = refutation.steps.len() as u64;
            let (replayed, trusted) = (checked.expanded, checked.trusted);
            Ok(Confirmed { length, replayed, trusted, ..confirmed(EvidenceKind::Lemmas) })
        }
        (Certificate::Markable(markable), Some(system)) => {
            nets::markable(system, problem, markable, goals, work)?;
            let length = markable.places.iter().filter(|&&can_be| can_be).count() as u64;
            Ok(Confirmed { length, ..confirmed(EvidenceKind::Markable) })
        }
        (Certificate::Markings(markings), Some(system)) => {
            let checked = nets::markings(system, problem, markings, goals, work)?;
            let (length, hash) = (checked.states, checked.hash);
            Ok(Confirmed { length, replayed: length, hash, ..confirmed(EvidenceKind::StateSet) })
        }
        (Certificate::Projection(_) | Certificate::Reduced(_) | Certificate::Restricted(..), None) => {
            Err(Refusal::Unknown("a certificate that the checker does not know".to_owned()))
        }
        (Certificate::Markable(_) | Certificate::Markings(_), None) => {
            reject("a set of places or markings says nothing about a behavioral program")
        }
        (
            Certificate::StateSet(_)
            | Certificate::Refutation(_)
            | Certificate::Projection(_)
            | Certificate::Reduced(_)
            | Certificate::Restricted(..),
            Some(_),
        ) => reject("composite states of threads say nothing about markings"),
    }
}

/// A claim must speak of goals that were asked for, each once: else it settles nothing that anybody wants to know.
fn asked(problem: &Problem, goals: &[Goal]) -> Check<()> {
    if goals.is_empty() {
        return reject("the claim names no goal");
    }
    for (i, goal) in goals.iter().enumerate() {
        if goals[..i].contains(goal) {
            return reject(format!("the claim names the goal `{goal}` twice"));
        }
        if !problem.goals().any(|g| g == *goal) {
            return reject(format!("the goal `{goal}` is not asked for"));
        }
    }
    Ok(())
}
