//! Checks evidence for which the kernel has no rule, with one rule for each kind of evidence.

use crate::refutation::{self, Premises};
use crate::{Confirmed, EvidenceKind, Options, by_rules, counted, nets, projection, reactive, reduced, restricted};
use kernel::closed::{self, Set};
use kernel::net::Marked;
use kernel::program::{self, States, Stepper};
use kernel::{Check, Obligations, Work, reject};
use model::{Certificate, Goal, Markings, Observed, Problem, Program, SystemModel};

/// Returns the program to which certificates for `goals` refer. `None` means the system as read.
pub(crate) fn observed(problem: &Problem, goals: &[Goal]) -> Check<Option<Observed>> {
    if !matches!(problem.system(), SystemModel::Rwb(_) | SystemModel::Data(_)) {
        return Ok(None);
    }
    match (model::observed(problem, goals), problem.system()) {
        (Some(observed), _) => Ok(Some(observed)),
        (None, SystemModel::Data(_)) => {
            reject("only an inductive invariant can prove a program with unbounded data free of deadlocks")
        }
        (None, _) => reject("evidence about this kind of goal names one goal, and the program has no assumptions"),
    }
}

/// The problem of the observed program, with its goals.
pub(crate) fn inner(observed: &Option<Observed>) -> Option<(&Problem, Vec<Goal>)> {
    observed.as_ref().map(|other| (&other.problem, other.problem.goals().collect()))
}

/// Checks a certificate for which the kernel has no rule.
pub(crate) fn safe(
    problem: &Problem,
    goals: &[Goal],
    certificate: &Certificate,
    options: &Options,
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    if matches!(problem.system(), SystemModel::Rwb(_)) && goals.iter().any(|goal| goal.is_temporal()) {
        return reject("only a set of all states can prove a property of whole runs");
    }
    if let Some(other) = observed(problem, goals)? {
        let inner: Vec<Goal> = other.problem.goals().collect();
        let confirmed = safe_program(&other, &inner, certificate, options, work)?;
        return Ok(Confirmed { goals: goals.to_vec(), ..confirmed });
    }
    if matches!(problem.system(), SystemModel::Circuit(_)) {
        return reject("states of threads and markings prove nothing about circuits");
    }
    if let SystemModel::Reactive(program) = problem.system() {
        let Certificate::Valuations(valuations) = certificate else {
            return reject("states of threads, markings and clauses prove nothing about reactive programs");
        };
        return reactive::holds(program, problem, valuations, goals, work);
    }
    match (certificate, Marked::of(problem)) {
        (Certificate::ReducedMarkings(markings), Some(system)) => {
            Ok(of_set(goals, EvidenceKind::StateSet, &nets::reduced(system, problem, markings, goals, None, work)?))
        }
        (Certificate::Invariant(invariant), Some(system)) => {
            nets::invariant(system, problem, invariant, goals, &mut Obligations::Check, work)?;
            let (evidence, length) = EvidenceKind::of_invariant(invariant);
            Ok(Confirmed { length, ..by_rules(goals, evidence) })
        }
        (_, _) => reject("composite states of threads prove nothing about markings"),
    }
}

/// Checks a certificate of a program without proper ends (states in which every thread may end). The goals are
/// `bad`, `deadlock`, or both.
fn safe_program(
    asked: &Observed,
    goals: &[Goal],
    certificate: &Certificate,
    options: &Options,
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    let (problem, program) = (&asked.problem, &asked.program);
    match certificate {
        Certificate::Restricted(restrictions, inner) => {
            // The restricted program has the same runs, steps and goals as `program`, and local states keep
            // their numbers. So what the inner certificate shows of the restricted program, under whatever
            // assumptions, holds of `program` under the same assumptions.
            let restricted = restricted::check(program, restrictions, work)?;
            never_violated(&restricted, problem, goals, inner, options, work)
        }
        _ => never_violated(program, problem, goals, certificate, options, work),
    }
}

/// Checks a certificate of `program`, which is the problem's program, or a program with the same runs into
/// goals.
fn never_violated(
    program: &Program,
    problem: &Problem,
    goals: &[Goal],
    certificate: &Certificate,
    options: &Options,
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    // Without priorities: these rules reason about all events that are requested and not blocked. Priorities only
    // remove steps, so no run of the program reaches what these steps do not reach.
    let stepper = Stepper::new(program)?;
    match certificate {
        Certificate::StateSet(set) => {
            let mut states = States::new(program, &stepper, goals);
            Ok(of_set(goals, EvidenceKind::StateSet, &closed::check(&mut states, set.as_ref(), work)?))
        }
        Certificate::Refutation(refutation) => {
            let premises = Premises { trust: &options.trust, assumptions: problem.assumptions() };
            let checked = refutation::check(program, &stepper, refutation, goals, &premises, work)?;
            let length = refutation.steps.len() as u64;
            let (replayed, trusted) = (checked.expanded, checked.trusted);
            Ok(Confirmed { length, replayed, trusted, ..by_rules(goals, EvidenceKind::Lemmas) })
        }
        Certificate::Projection(projection) => {
            let set = projection::check(program, &stepper, projection, goals, work)?;
            Ok(of_set(goals, EvidenceKind::Projection, &set))
        }
        Certificate::Reduced(set) => {
            let set = reduced::check(program, &stepper, set.as_ref(), goals, work)?;
            Ok(of_set(goals, EvidenceKind::StateSet, &set))
        }
        Certificate::Counted(counted) => {
            // A closed set, so only the steps that the program has count.
            let stepper = Stepper::with_priorities(program)?;
            let set = counted::check(program, &stepper, counted, goals, problem.assumptions(), work)?;
            Ok(of_set(goals, EvidenceKind::StateSet, &set))
        }
        Certificate::Clauses(clauses) => {
            let encoding = program::Encoding::new(&stepper, work)?;
            kernel::clauses::check(&encoding, clauses, goals, &mut Obligations::Check, work)?;
            let length = clauses.invariant.clauses.len() as u64;
            Ok(Confirmed { length, ..by_rules(goals, EvidenceKind::Clauses) })
        }
        Certificate::Restricted(..) => reject("the restrictions of a program must be in one list"),
        Certificate::PotentiallyMarked(_)
        | Certificate::Markings(_)
        | Certificate::ReducedMarkings(_)
        | Certificate::Invariant(_)
        | Certificate::Valuations(_)
        | Certificate::Justice(_)
        | Certificate::Tracking(_)
        | Certificate::Data(_)
        | Certificate::DataProjections(_) => {
            reject("a set of places or markings proves nothing about a behavioral program")
        }
    }
}

/// Checks a set of markings that the kernel refused for the reason `why_not`.
pub(crate) fn markings(
    problem: &Problem,
    markings: &Markings,
    goals: &[Goal],
    why_not: &str,
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    match Marked::of(problem) {
        Some(system) => {
            let set = nets::markings(system, problem, markings, goals, why_not, work)?;
            Ok(of_set(goals, EvidenceKind::StateSet, &set))
        }
        None => reject(why_not),
    }
}

fn of_set(goals: &[Goal], evidence: EvidenceKind, set: &Set) -> Confirmed {
    let length = set.table.len() as u64;
    Confirmed { length, replayed: length, hash: set.hash, ..by_rules(goals, evidence) }
}
