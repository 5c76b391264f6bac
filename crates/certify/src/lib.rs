//! The independent checker: it alone turns claims of engines into verdicts.
//!
//! An engine only *claims*. [`confirm`] replays the engine's trace or checks its certificate against the system
//! as read.
//!
//! The checker has two layers. The `kernel` is tried first, except on very large sets of valuations (states of
//! a reactive program). It has rules for runs, closed sets, clauses and invariants of nets, and for nothing
//! else. Evidence of other kinds is checked by the *rules* in this crate. The rules use the kernel's semantics
//! of systems. They also use the kernel's closed sets and clauses wherever a kind of evidence reduces to them.
//! If a program is small, the kernel then repeats the result of the rules by enumerating the states.
//!
//! Neither layer shares code with an engine. Every rule has its soundness argument beside it, because an
//! unsound rule makes wrong verdicts that nothing else would catch. Evidence may come from a hostile file:
//! every index is checked before use, work and memory are limited, and no function recurses on the depth of its
//! input.
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
mod arrays;
mod assumed;
mod clauses;
mod clocks;
mod composed;
mod counted;
mod counts;
mod derivations;
mod evidence;
mod families;
mod groups;
mod joint;
mod justifications;
mod keys;
mod linear;
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
pub mod why;

/// What engines need to prove invariants of programs with unbounded data, and to show their runs.
pub mod data {
    pub use kernel::Semantics;
    pub use kernel::data::{After, DataState, Deciding, Invariant, Obligation, Open, Runs, Status};
}

pub use evidence::EvidenceKind;
pub use kernel::Work;
pub use kernel::branching::Truths;
pub use kernel::live::{Ordinary, Shown as ShownLive};
pub use kernel::parts::{Buckets, Exchange, Storage};
pub use kernel::recurring::covers_some;
pub use kernel::restart::{added as with_restart, may_begin_again, smaller::Smaller};

pub use kernel::{Proved, Refusal, Rule};
pub use lrat::{Lrat, Refuted, check_model};
pub use reactive::Player;

use kernel::net::Marked;
use kernel::program::{self, Stepper};
use kernel::{Check, Checked, Obligations, asked, circuit, reject};
use model::cnf::Cnf;
use model::{Certificate, Claim, Goal, LemmaKind, Problem, Program, Stop, SystemModel};
use num_bigint::BigUint;
use std::sync::Arc;

/// A checked answer. Only [`confirm`] and [`confirm_shared`] build one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict(VerdictKind);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VerdictKind {
    Safe,
    Unsafe,
    Value,
}

impl Verdict {
    /// True if no run reaches a state of the goals, or violates their formulas.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.0 == VerdictKind::Safe
    }

    /// True if a run reaches a state of the goal, or violates its formula; and if a formula of computation tree logic
    /// does not hold.
    #[must_use]
    pub fn is_unsafe(&self) -> bool {
        self.0 == VerdictKind::Unsafe
    }

    /// Returns the name used in JSON: `safe`, `unsafe` or `value`.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self.0 {
            VerdictKind::Safe => "safe",
            VerdictKind::Unsafe => "unsafe",
            VerdictKind::Value => "value",
        }
    }
}

/// The limits of a check, and what it accepts without proof.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names of patterns. Their lemmas are accepted without proof.
    pub trust: Vec<String>,
    /// Limit on work units. A unit is about one step of a thread or one inspected literal. A check beyond the
    /// limit ends with [`Refusal::ResourceLimit`].
    pub max_steps: u64,
    /// True if only evidence that the kernel checks alone is accepted.
    pub kernel_only: bool,
    /// Temporary storage for closed sets that do not fit memory. Without it, their check ends with
    /// [`Refusal::ResourceLimit`].
    pub storage: Option<Arc<dyn Storage>>,
}

impl Default for Options {
    /// Trusts no pattern. The work limit corresponds to some minutes to an hour, so in practice the stop flag
    /// ends a check.
    fn default() -> Self {
        Self { trust: Vec::new(), max_steps: 100_000_000_000, kernel_only: false, storage: None }
    }
}

/// The part of the checker that a verdict rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckedBy {
    /// The kernel alone, by this rule.
    Kernel(Rule),
    /// Rules of this crate, with the kernel's semantics of systems.
    Rules,
}

impl CheckedBy {
    /// Returns the name used in JSON.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            CheckedBy::Kernel(_) => "kernel",
            CheckedBy::Rules => "rules",
        }
    }
}

/// A verdict, with the evidence and the work behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirmed {
    /// The goals that the verdict is about.
    pub goals: Vec<Goal>,
    /// The verdict on these goals.
    pub verdict: Verdict,
    /// For a goal [`Goal::Bound`], the largest value, and the verdict is neither safe nor unsafe. Otherwise `None`.
    pub value: Option<BigUint>,
    /// The kind of evidence that the verdict rests on.
    pub evidence: EvidenceKind,
    /// The part of the checker that accepted the evidence.
    pub checked_by: CheckedBy,
    /// Length of the evidence. Depending on its kind, this is the number of events, states, potentially marked
    /// places, pairs of places that may be marked together, vectors, bounds, traps, clauses, or proof steps.
    pub length: u64,
    /// Number of states that the check stepped through.
    pub replayed: u64,
    /// Kinds of lemmas that were accepted without proof because the user trusts their pattern, in order of
    /// first use.
    pub trusted: Vec<LemmaKind>,
    /// For state sets: a hash of the set that does not depend on the order of its states. For other
    /// evidence: 0.
    pub hash: u64,
}

/// Number of valuations that the kernel interprets in a second or two. The rules check larger sets.
const LARGE: u64 = 1 << 16;

/// Checks the evidence of `claim` about `problem`. The result depends only on these two and on `options`.
///
/// # Errors
/// If the evidence does not show what is claimed, or cannot be checked within the limits.
pub fn confirm(problem: &Problem, claim: &Claim, options: &Options, stop: &Stop) -> Result<Confirmed, Refusal> {
    let mut work = Work::new(options.max_steps, stop).with_storage(options.storage.as_deref());
    if let Claim::Safe { goals, .. } = claim {
        asked(problem, goals)?;
    }
    let by_rules = is_large(claim) && !options.kernel_only;
    let of_kernel = if by_rules { Ok(None) } else { kernel::confirm(problem, claim, &mut work) };
    match (claim, of_kernel) {
        (_, Ok(Some(checked))) => Ok(by_kernel(claim, &checked)),
        (Claim::Branching { .. } | Claim::Bound { .. }, Ok(None)) if options.kernel_only => {
            Err(Refusal::Unknown("the kernel alone has no rule for claims with parts".to_owned()))
        }
        (Claim::Branching { goals, holds, evidence }, Ok(None)) => {
            composed::branching(problem, (goals, *holds), evidence, options, &mut work, stop)
        }
        (Claim::Bound { goal, value, parts }, Ok(None)) => {
            composed::bound(problem, (*goal, value), parts, options, stop)
        }
        (Claim::Unknown { .. }, _) => Err(Refusal::Unknown("an unknown answer has no evidence".to_owned())),
        (Claim::Within { .. }, _) => {
            Err(Refusal::Unknown("a proof within a bound does not prove the property".to_owned()))
        }
        (Claim::Safe { goals, .. }, Ok(None)) if options.kernel_only => match enumerated(problem, goals, stop)? {
            Some(checked) => Ok(by_kernel(claim, &checked)),
            None => Err(Refusal::Unknown("the kernel alone has no rule for this kind of evidence".to_owned())),
        },
        (Claim::Safe { goals, certificate }, Ok(None)) => {
            let confirmed = rules::safe(problem, goals, certificate, options, &mut work)?;
            by_both(problem, confirmed, stop)
        }
        // A set may leave out markings that listed markings cover. The kernel rejects such a set, but the rules
        // may accept it.
        (Claim::Safe { goals, certificate: Certificate::Markings(markings) }, Err(Refusal::Rejected(why)))
            if !goals.iter().any(|goal| goal.is_temporal()) =>
        {
            if options.kernel_only {
                return Err(Refusal::Unknown(format!("the kernel alone does not accept the set of markings: {why}")));
            }
            rules::markings(problem, markings, goals, &why, &mut work)
        }
        (Claim::Unsafe { .. }, Ok(None)) => {
            Err(Refusal::Unknown("the checker has no rule for runs of this kind of system".to_owned()))
        }
        (_, Err(refusal)) => Err(refusal),
    }
}

/// Checks a closed set of states or markings of which this process lists a share. All processes of the cluster call
/// this with the same problem and goals, and get the same result ([`kernel::confirm_shared`]).
///
/// # Errors
/// If the set does not show what is claimed, in any process; if it cannot be checked within the limits; or if a
/// connection fails.
pub fn confirm_shared(
    problem: &Problem,
    goals: &[Goal],
    share: &Certificate,
    exchange: &mut dyn Exchange,
    options: &Options,
    stop: &Stop,
) -> Result<Confirmed, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    let checked = kernel::confirm_shared(problem, goals, share, exchange, &mut work)?;
    Ok(of_checked(EvidenceKind::StateSet, checked.length(), &checked))
}

/// True if the claim lists more valuations than the kernel should interpret one by one. The rules process
/// neighbouring rows together.
fn is_large(claim: &Claim) -> bool {
    matches!(claim, Claim::Safe { certificate: Certificate::Valuations(of), .. } if of.rows.len() > LARGE)
}

/// Largest number of states that the kernel enumerates by itself. Together with the work limit `LITTLE` this is
/// about half a millisecond if states are small.
const FEW: usize = 1 << 14;
const LITTLE: u64 = 1 << 16;

/// Lets the kernel enumerate the states of a small program, whatever the evidence is. `None` if the program is
/// too large.
fn enumerated(problem: &Problem, goals: &[Goal], stop: &Stop) -> Check<Option<Checked>> {
    // Compiling a program takes time proportional to the number of its local states.
    let locals = |program: &Program| program.threads().iter().map(|thread| thread.states.len()).sum::<usize>();
    let SystemModel::Rwb(program) = problem.system() else { return Ok(None) };
    if locals(program) > FEW {
        return Ok(None);
    }
    // A state with many threads and events takes more time than its work units suggest, so the limit is
    // lowered.
    let each = 1 + (program.events().len() / 64 + program.threads().len()) as u64 / 32;
    match kernel::enumerate(problem, goals, FEW, &mut Work::new(LITTLE / each, stop)) {
        Err(Refusal::ResourceLimit) => Ok(None),
        result => result,
    }
}

/// Lets the kernel repeat a result of the rules, if the program is small. The verdict then rests on the kernel
/// alone. The reported evidence remains the one that the rules checked, because it explains the verdict.
fn by_both(problem: &Problem, confirmed: Confirmed, stop: &Stop) -> Check<Confirmed> {
    debug_assert!(confirmed.verdict.is_safe(), "the kernel checks every run by itself");
    // A verdict that rests on trusted lemmas must keep saying so.
    if !confirmed.trusted.is_empty() {
        return Ok(confirmed);
    }
    let by_kernel = enumerated(problem, &confirmed.goals, stop)?.map(|checked| CheckedBy::Kernel(checked.rule()));
    Ok(Confirmed { checked_by: by_kernel.unwrap_or(confirmed.checked_by), ..confirmed })
}

fn by_kernel(claim: &Claim, checked: &Checked) -> Confirmed {
    let evidence = match claim {
        Claim::Safe {
            certificate: Certificate::Clauses(_) | Certificate::Justice(_) | Certificate::Tracking(_),
            ..
        } => EvidenceKind::Clauses,
        Claim::Safe { certificate: Certificate::Data(_) | Certificate::DataProjections(_), .. } => {
            EvidenceKind::Clauses
        }
        Claim::Safe { certificate: Certificate::PotentiallyMarked(_), .. } => EvidenceKind::PotentiallyMarked,
        Claim::Safe { certificate: Certificate::Invariant(of), .. } => EvidenceKind::of_invariant(of).0,
        Claim::Safe { .. } => EvidenceKind::StateSet,
        Claim::Branching { .. } => EvidenceKind::Branching,
        _ => EvidenceKind::Trace,
    };
    let length = match claim {
        Claim::Safe { certificate: Certificate::Invariant(of), .. } => EvidenceKind::of_invariant(of).1,
        _ => checked.length(),
    };
    of_checked(evidence, length, checked)
}

fn of_checked(evidence: EvidenceKind, length: u64, checked: &Checked) -> Confirmed {
    Confirmed {
        goals: checked.goals().to_vec(),
        verdict: Verdict(if checked.is_safe() { VerdictKind::Safe } else { VerdictKind::Unsafe }),
        value: None,
        evidence,
        checked_by: CheckedBy::Kernel(checked.rule()),
        length,
        replayed: checked.replayed(),
        trusted: Vec::new(),
        hash: checked.hash(),
    }
}

/// The confirmation, by the rules of this crate, that none of these goals is reachable.
fn by_rules(goals: &[Goal], evidence: EvidenceKind) -> Confirmed {
    Confirmed {
        goals: goals.to_vec(),
        verdict: Verdict(VerdictKind::Safe),
        value: None,
        evidence,
        checked_by: CheckedBy::Rules,
        length: 0,
        replayed: 0,
        trusted: Vec::new(),
        hash: 0,
    }
}

/// The result of [`confirm_within`]. It says nothing about runs beyond the bound, so it is not a [`Verdict`].
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

    /// The bound. The result is about the runs in which the counted places together never have more than this
    /// many tokens (in thread-transition systems: threads). The counted places are all places, or some of the
    /// places.
    #[must_use]
    pub fn most(&self) -> &BigUint {
        &self.most
    }

    /// Length of the evidence: the number of its clauses. Without clauses: the size of its strongest kind of
    /// invariant, as [`EvidenceKind::of_invariant`] computes it.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// Checks the evidence of a [`Claim::Within`].
///
/// # Errors
/// If the evidence does not show what is claimed, if it cannot be checked within the limits, or if the claim is
/// of another kind.
pub fn confirm_within(problem: &Problem, claim: &Claim, options: &Options, stop: &Stop) -> Result<Bounded, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    let (Claim::Within { goals, within, invariant }, Some(system)) = (claim, Marked::of(problem)) else {
        return Err(Refusal::Unknown("the claim has no bound".to_owned()));
    };
    asked(problem, goals)?;
    if !problem.assumptions().is_empty() {
        return Err(Refusal::Unknown("assumptions are allowed only for behavioral programs".to_owned()));
    }
    nets::within(system, problem, (invariant, within), goals, &mut Obligations::Check, &mut work)?;
    let (_, length) = EvidenceKind::of_invariant(invariant);
    Ok(Bounded { goals: goals.clone(), most: within.most.clone(), length })
}

/// Returns the proof obligations of a certificate with clauses: the formulas that its derivations must refute,
/// in the checker's own encoding of the system as read. The list is empty if the certificate has no clauses.
///
/// # Errors
/// If the claim or its clauses name something that the system does not have, or if the limits are exceeded.
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
        let obligation = &mut Obligations::Collect(&mut formulas);
        nets::within(system, problem, (invariant, within), goals, obligation, &mut work)?;
        return Ok(formulas);
    }
    let Claim::Safe { goals, certificate } = claim else { return Ok(formulas) };
    asked(problem, goals)?;
    let observed = rules::observed(problem, goals)?;
    let (problem, goals) = rules::inner(&observed).unwrap_or((problem, goals.clone()));
    let goals = &goals;
    let mut obligation = Obligations::Collect(&mut formulas);
    match (certificate, problem.system(), Marked::of(problem)) {
        (Certificate::Clauses(clauses), SystemModel::Circuit(circuit), _) => {
            let encoding = circuit::Encoding::new(circuit, &mut work)?;
            kernel::clauses::check(&encoding, clauses, goals, &mut obligation, &mut work)?;
        }
        (Certificate::Justice(proof), SystemModel::Circuit(circuit), _) => {
            circuit::justice::check_proof(circuit, proof, goals, &mut obligation, &mut work)?;
        }
        (Certificate::Tracking(proof), SystemModel::Circuit(circuit), _) => {
            circuit::tracking::check_proof(circuit, proof, goals, &mut obligation, &mut work)?;
        }
        (Certificate::Clauses(clauses), SystemModel::Rwb(program), _) => {
            let stepper = Stepper::new(program)?;
            let encoding = program::Encoding::new(&stepper, &mut work)?;
            kernel::clauses::check(&encoding, clauses, goals, &mut obligation, &mut work)?;
        }
        (Certificate::Restricted(restrictions, inner), SystemModel::Rwb(program), _) => {
            if let Certificate::Clauses(clauses) = &**inner {
                let restricted = restricted::check(program, restrictions, &mut work)?;
                let stepper = Stepper::new(&restricted)?;
                let encoding = program::Encoding::new(&stepper, &mut work)?;
                kernel::clauses::check(&encoding, clauses, goals, &mut obligation, &mut work)?;
            }
        }
        (Certificate::Invariant(invariant), _, Some(system)) => {
            nets::invariant(system, problem, invariant, goals, &mut obligation, &mut work)?;
        }
        _ => {}
    }
    Ok(formulas)
}
