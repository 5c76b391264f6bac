//! The independent checker: turns claims into verdicts; nothing else can.
//!
//! An engine only ever *claims*; [`confirm`] replays its trace or checks its certificate against the system as read.
//! The `kernel` comes first: it knows runs, closed sets, clauses and facts about nets, and nothing else. Evidence of
//! other kinds is checked by the *rules* in this crate; of small programs the kernel then shows the same once more.
//! They use the kernel's semantics of systems, and its closed sets and clauses wherever a kind of evidence comes down
//! to them.
//!
//! Neither shares code with an engine. Every rule has its soundness argument beside it, because an unsound rule makes
//! wrong verdicts that nothing else would catch. Evidence may come from a hostile file: every index is checked before
//! use, work and memory are limited, and nothing recurses.
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
mod assumed;
mod clauses;
mod clocks;
mod counted;
mod derivations;
mod evidence;
mod facts;
mod families;
mod groups;
mod keys;
mod lrat;
mod nets;
mod never_stuck;
mod nodes;
mod potential;
mod projected;
mod projection;
mod reactive;
mod reduced;
mod refutation;
mod response;
mod restricted;
mod rules;
mod rup;
mod stubborn;
#[cfg(test)]
mod tests;
mod threads;

pub use evidence::EvidenceKind;
pub use kernel::{Proved, Refusal};
pub use lrat::{Lrat, Refuted, check_model};
pub use reactive::Player;

use kernel::net::Marked;
use kernel::program::{self, Stepper};
use kernel::{Check, Checked, Duty, Work, asked, circuit, reject};
use model::cnf::Cnf;
use model::{Certificate, Claim, Goal, LemmaKind, Problem, Program, Stop, SystemModel};
use num_bigint::BigUint;

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

/// How far to go, and what to believe.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names of patterns whose lemmas are accepted without proof.
    pub trust: Vec<String>,
    /// Work limit, about one step of a thread or one look at a literal each; beyond it the evidence is too dear.
    pub max_steps: u64,
    /// Accept nothing but what the kernel checks alone.
    pub kernel_only: bool,
}

impl Default for Options {
    /// Believes nothing; a work limit of some minutes to an hour, so that the stop flag is what ends a check in
    /// practice.
    fn default() -> Self {
        Self { trust: Vec::new(), max_steps: 100_000_000_000, kernel_only: false }
    }
}

/// Which part of the checker a verdict rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckedBy {
    /// The kernel alone.
    Kernel,
    /// Rules of this crate, and the kernel's semantics of systems.
    Rules,
}

impl CheckedBy {
    /// Both.
    pub const ALL: [CheckedBy; 2] = [CheckedBy::Kernel, CheckedBy::Rules];

    /// The name in JSON.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            CheckedBy::Kernel => "kernel",
            CheckedBy::Rules => "rules",
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
    /// Which part of the checker it rests on.
    pub checked_by: CheckedBy,
    /// How long the evidence is: events, states, places that can be marked, pairs that can, vectors, bounds, traps,
    /// clauses, or proof steps.
    pub length: u64,
    /// States stepped through to check it.
    pub replayed: u64,
    /// The kinds of lemmas that were believed because the user said so, in order of first use.
    pub trusted: Vec<LemmaKind>,
    /// For state sets a hash of the set that does not depend on the order of its states; else 0.
    pub hash: u64,
}

/// So many valuations are a second or two of the kernel's work.
const LARGE: u64 = 1 << 16;

/// Checks the evidence of `claim` on `problem`, from nothing but the two.
///
/// # Errors
/// If the evidence does not show what is claimed, or cannot be checked within the limits.
pub fn confirm(problem: &Problem, claim: &Claim, options: &Options, stop: &Stop) -> Result<Confirmed, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    if let Claim::Safe { goals, .. } = claim {
        asked(problem, goals)?;
    }
    let by_rules = is_large(claim) && !options.kernel_only;
    let of_kernel = if by_rules { Ok(None) } else { kernel::confirm(problem, claim, &mut work) };
    match (claim, of_kernel) {
        (_, Ok(Some(checked))) => Ok(by_kernel(claim, &checked)),
        (Claim::Unknown { .. }, _) => Err(Refusal::Unknown("an unknown comes without evidence".to_owned())),
        (Claim::Within { .. }, _) => Err(Refusal::Unknown("what holds within a bound is no verdict".to_owned())),
        (Claim::Safe { goals, .. }, Ok(None)) if options.kernel_only => match enumerated(problem, goals, stop)? {
            Some(checked) => Ok(by_kernel(claim, &checked)),
            None => Err(Refusal::Unknown("the kernel alone has no rule for this kind of evidence".to_owned())),
        },
        (Claim::Safe { goals, certificate }, Ok(None)) => {
            let confirmed = rules::safe(problem, goals, certificate, options, &mut work)?;
            by_both(problem, confirmed, stop)
        }
        // A set that leaves out what others cover is not closed in the kernel's sense, and yet it may be good.
        (Claim::Safe { goals, certificate: Certificate::Markings(markings) }, Err(Refusal::Rejected(why))) => {
            if options.kernel_only {
                return Err(Refusal::Unknown(format!("the kernel alone does not accept the set of markings: {why}")));
            }
            rules::markings(problem, markings, goals, &why, &mut work)
        }
        (Claim::Unsafe { .. }, Ok(None)) => Err(Refusal::Unknown("a run of no system that is known".to_owned())),
        (_, Err(refusal)) => Err(refusal),
    }
}

/// Valuations that the kernel would interpret one by one for too long: the rules follow neighbours together.
fn is_large(claim: &Claim) -> bool {
    matches!(claim, Claim::Safe { certificate: Certificate::Valuations(of), .. } if of.rows.len() > LARGE)
}

/// The kernel enumerates so many states by itself, with so much work: half a millisecond where states are small.
const FEW: usize = 1 << 14;
const LITTLE: u64 = 1 << 16;

/// What the kernel shows by itself because the system is small, whatever the evidence is.
fn enumerated(problem: &Problem, goals: &[Goal], stop: &Stop) -> Check<Option<Checked>> {
    // To compile a program takes time in proportion to its threads' states.
    let locals = |program: &Program| program.threads().iter().map(|thread| thread.states.len()).sum::<usize>();
    let SystemModel::Rwb(program) = problem.system() else { return Ok(None) };
    if locals(program) > FEW {
        return Ok(None);
    }
    // A state of many threads and events takes longer than its slots say.
    let each = 1 + (program.events().len() / 64 + program.threads().len()) as u64 / 32;
    match kernel::enumerate(problem, goals, FEW, &mut Work::new(LITTLE / each, stop)) {
        Err(Refusal::TooDear) => Ok(None),
        result => result,
    }
}

/// What the rules accept of a small system, the kernel shows once more. It then rests on the kernel alone; the evidence
/// is what the rules have checked, and explains it.
fn by_both(problem: &Problem, confirmed: Confirmed, stop: &Stop) -> Check<Confirmed> {
    debug_assert!(confirmed.verdict.is_safe(), "of runs the kernel knows everything");
    // What rests on lemmas that are believed should say so.
    let shown = confirmed.trusted.is_empty() && enumerated(problem, &confirmed.goals, stop)?.is_some();
    let checked_by = if shown { CheckedBy::Kernel } else { confirmed.checked_by };
    Ok(Confirmed { checked_by, ..confirmed })
}

fn by_kernel(claim: &Claim, checked: &Checked) -> Confirmed {
    let evidence = match claim {
        Claim::Safe { certificate: Certificate::Clauses(_), .. } => EvidenceKind::Clauses,
        Claim::Safe { certificate: Certificate::Markable(_), .. } => EvidenceKind::Markable,
        Claim::Safe { certificate: Certificate::Invariant(of), .. } => EvidenceKind::of_invariant(of).0,
        Claim::Safe { .. } => EvidenceKind::StateSet,
        _ => EvidenceKind::Trace,
    };
    let length = match claim {
        Claim::Safe { certificate: Certificate::Invariant(of), .. } => EvidenceKind::of_invariant(of).1,
        _ => checked.length(),
    };
    Confirmed {
        goals: checked.goals().to_vec(),
        verdict: Verdict(if checked.is_safe() { Answer::Safe } else { Answer::Unsafe }),
        evidence,
        checked_by: CheckedBy::Kernel,
        length,
        replayed: checked.replayed(),
        trusted: Vec::new(),
        hash: checked.hash(),
    }
}

/// What the rules of this crate show: none of these goals is reachable.
fn by_rules(goals: &[Goal], evidence: EvidenceKind) -> Confirmed {
    Confirmed {
        goals: goals.to_vec(),
        verdict: Verdict(Answer::Safe),
        evidence,
        checked_by: CheckedBy::Rules,
        length: 0,
        replayed: 0,
        trusted: Vec::new(),
        hash: 0,
    }
}

/// What [`confirm_within`] confirms: nothing is said of runs beyond the bound, so this is no [`Verdict`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounded {
    goals: Vec<Goal>,
    most: BigUint,
    length: u64,
}

impl Bounded {
    /// The goals that no run within the bound reaches.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// Runs are meant that never have more than so many tokens (of thread systems: threads), on all places or on some
    /// of them.
    #[must_use]
    pub fn most(&self) -> &BigUint {
        &self.most
    }

    /// How many clauses the proof has.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// Checks the evidence of a [`Claim::Within`].
///
/// # Errors
/// If the evidence does not show what is claimed, cannot be checked within the limits, or the claim is another one.
pub fn confirm_within(problem: &Problem, claim: &Claim, options: &Options, stop: &Stop) -> Result<Bounded, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    let (Claim::Within { goals, within, invariant }, Some(system)) = (claim, Marked::of(problem)) else {
        return Err(Refusal::Unknown("it is no claim about what lies within a bound".to_owned()));
    };
    asked(problem, goals)?;
    if !problem.assumptions().is_empty() {
        return Err(Refusal::Unknown("assumptions speak of runs of programs".to_owned()));
    }
    nets::within(system, problem, (invariant, within), goals, &mut Duty::Check, &mut work)?;
    let (_, length) = EvidenceKind::of_invariant(invariant);
    Ok(Bounded { goals: goals.clone(), most: within.most.clone(), length })
}

/// The formulas that the derivations of a certificate with clauses have to refute, in the checker's own encoding of the
/// system as read. None if there are no clauses.
///
/// # Errors
/// Clauses that speak of nothing the system has; beyond the limits.
pub fn obligations(
    problem: &Problem,
    claim: &Claim,
    options: &Options,
    stop: &Stop,
) -> Result<Vec<(Proved, Cnf)>, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    let mut formulas = Vec::new();
    if let (Claim::Within { goals, within, invariant }, Some(system)) = (claim, Marked::of(problem)) {
        asked(problem, goals)?;
        let duty = &mut Duty::Collect(&mut formulas);
        nets::within(system, problem, (invariant, within), goals, duty, &mut work)?;
        return Ok(formulas);
    }
    let Claim::Safe { goals, certificate } = claim else { return Ok(formulas) };
    asked(problem, goals)?;
    let observed = rules::observed(problem, goals)?;
    let (problem, goals) = rules::inner(&observed).unwrap_or((problem, goals.clone()));
    let goals = &goals;
    let mut duty = Duty::Collect(&mut formulas);
    match (certificate, problem.system(), Marked::of(problem)) {
        (Certificate::Clauses(clauses), SystemModel::Circuit(circuit), _) => {
            let encoding = circuit::Encoding::new(circuit, &mut work)?;
            kernel::clauses::check(&encoding, clauses, goals, &mut duty, &mut work)?;
        }
        (Certificate::Clauses(clauses), SystemModel::Rwb(program), _) => {
            let stepper = Stepper::new(program)?;
            let encoding = program::Encoding::new(&stepper, &mut work)?;
            kernel::clauses::check(&encoding, clauses, goals, &mut duty, &mut work)?;
        }
        (Certificate::Restricted(restrictions, inner), SystemModel::Rwb(program), _) => {
            if let Certificate::Clauses(clauses) = &**inner {
                let restricted = restricted::check(program, restrictions, &mut work)?;
                let stepper = Stepper::new(&restricted)?;
                let encoding = program::Encoding::new(&stepper, &mut work)?;
                kernel::clauses::check(&encoding, clauses, goals, &mut duty, &mut work)?;
            }
        }
        (Certificate::Invariant(invariant), _, Some(system)) => {
            nets::invariant(system, problem, invariant, goals, &mut duty, &mut work)?;
        }
        _ => {}
    }
    Ok(formulas)
}
