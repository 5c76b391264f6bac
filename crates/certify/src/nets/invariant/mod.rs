//! Checks lists of net invariants that include clauses. The invariants are about all reachable markings, or
//! about the runs within a bound. To the kernel's invariants ([`kernel::invariants`], which has the argument)
//! this module adds one kind of invariant, clauses, and one way to exclude a goal, the refutation of a formula.

mod clauses;

use crate::Check;
use kernel::clauses::{Obligations, check_goals};
use kernel::net::{Marked, Rules};
use kernel::{Work, invariants, within};
use model::{Goal, InvariantCertificate, NetInvariant, Problem, Within};
use std::ops::{Deref, DerefMut};

/// The invariants that have been established so far.
pub(super) struct InvariantContext<'a> {
    invariants: invariants::CheckedInvariants<'a>,
    /// The bound, if the invariants are only about the runs within it. Only clauses make use of it.
    within: Option<&'a Within>,
}

impl<'a> Deref for InvariantContext<'a> {
    type Target = invariants::CheckedInvariants<'a>;

    fn deref(&self) -> &invariants::CheckedInvariants<'a> {
        &self.invariants
    }
}

impl DerefMut for InvariantContext<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.invariants
    }
}

/// Checks that the invariants hold in all reachable markings and exclude the goals. The formulas of the goals
/// must name only places of the system.
///
/// With `bound` the invariants are about the runs that stay within it, and not about other runs. Sound: the
/// induction then covers only these runs. (An invariant of all runs is also an invariant of these runs.)
pub(super) fn check(
    system: Marked<'_>,
    problem: &Problem,
    (certificate, bound): (&InvariantCertificate, Option<&Within>),
    goals: &[Goal],
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let rules = Rules::new(system, work)?;
    let mut known =
        InvariantContext { invariants: invariants::CheckedInvariants::new(system, &rules, work)?, within: bound };
    for number in 0..certificate.invariants.len() {
        within(add(&mut known, &certificate.invariants, number, obligation, work), || {
            format!("invariant number {}", number + 1)
        })?;
    }
    check_goals(certificate.exclusions.iter().map(|(goal, _)| goal), goals)?;
    let mut by_goal: Vec<usize> = (0..certificate.exclusions.len()).collect();
    by_goal.sort_by_key(|&number| certificate.exclusions[number].0);
    for number in by_goal {
        let (goal, why) = &certificate.exclusions[number];
        let formula = known.formula(problem, *goal, work)?;
        if let model::Exclusion::Refuted(why) = why {
            clauses::exclude(&known, &certificate.invariants, (number, &formula, why.as_ref()), obligation, work)?;
        } else {
            known.exclude(&certificate.invariants, &formula, why, work)?;
        }
    }
    Ok(())
}

fn add<'a>(
    known: &mut InvariantContext<'a>,
    invariants: &'a [NetInvariant],
    number: usize,
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    match &invariants[number] {
        NetInvariant::Clauses(clausal) => clauses::check(known, &invariants[..number], clausal, obligation, work),
        invariant => known.add(invariant, work).map(|_| ()),
    }
}
