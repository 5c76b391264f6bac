//! Facts about all reachable markings with clauses among them, or about the runs within a bound: the kernel's facts
//! ([`kernel::facts`], which has the argument), one more kind of them, and one more way to exclude a goal.

mod clauses;

use crate::Check;
use kernel::clauses::{Duty, check_goals};
use kernel::net::{Marked, Rules};
use kernel::{Work, facts, within};
use model::{Goal, Invariant, NetFact, Problem, Within};
use std::ops::{Deref, DerefMut};

/// What is known so far.
pub(super) struct Known<'a> {
    facts: facts::Known<'a>,
    /// The runs that all this is about, if not about all. Only clauses make use of it.
    within: Option<&'a Within>,
}

impl<'a> Deref for Known<'a> {
    type Target = facts::Known<'a>;

    fn deref(&self) -> &facts::Known<'a> {
        &self.facts
    }
}

impl DerefMut for Known<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.facts
    }
}

/// Checks that the facts hold in all reachable markings and exclude the goals, whose formulas speak of known places.
///
/// With `bound` all this is about the runs that stay within it, and not about others: the induction goes over these. (A
/// fact that every run satisfies, they satisfy.)
pub(super) fn check(
    system: Marked<'_>,
    problem: &Problem,
    (invariant, bound): (&Invariant, Option<&Within>),
    goals: &[Goal],
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let rules = Rules::new(system, work)?;
    let mut known = Known { facts: facts::Known::new(system, &rules, work)?, within: bound };
    for number in 0..invariant.facts.len() {
        within(add(&mut known, &invariant.facts, number, duty, work), || format!("fact number {}", number + 1))?;
    }
    check_goals(invariant.exclusions.iter().map(|(goal, _)| goal), goals)?;
    let mut by_goal: Vec<usize> = (0..invariant.exclusions.len()).collect();
    by_goal.sort_by_key(|&number| invariant.exclusions[number].0);
    for number in by_goal {
        let (goal, why) = &invariant.exclusions[number];
        let formula = known.formula(problem, *goal, work)?;
        if let model::Exclusion::Refuted(why) = why {
            clauses::exclude(&known, &invariant.facts, (number, &formula, why.as_ref()), duty, work)?;
        } else {
            known.exclude(&invariant.facts, &formula, why, work)?;
        }
    }
    Ok(())
}

fn add<'a>(
    known: &mut Known<'a>,
    facts: &'a [NetFact],
    number: usize,
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    match &facts[number] {
        NetFact::Clauses(clausal) => clauses::check(known, &facts[..number], clausal, duty, work),
        fact => known.add(fact, work).map(|_| ()),
    }
}
