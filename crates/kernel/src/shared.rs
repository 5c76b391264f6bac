//! From shares of a closed set, each listed by one process of a cluster, to a [`Checked`] in every process.
//!
//! All processes have the same problem, and call [`confirm_shared`] with the same goals. What the verdict rests on,
//! beyond the rules of [`parts`](crate::parts): the other processes run this code, and the connection brings what
//! they send.

use crate::closed::Listed;
use crate::closed::Whole;
use crate::confirm::{Checked, no_assumptions, observed, whole_text};
use crate::net::{Listing, Marked, Rules, SlotLayout, Survey, formulas};
use crate::parts::{Exchange, shared};
use crate::program::{States, Stepper};
use crate::rule;
use crate::work::Work;
use crate::{Check, Refusal, asked, reject};
use model::{Certificate, Goal, Markings, Problem, StateSet, SystemModel};

/// Checks a closed set of which each process lists a share, as [`confirm`](crate::confirm()) checks a whole one. The
/// shares are disjoint. Formulas about whole runs are not checked in shares.
///
/// # Errors
/// If the set does not show what is claimed, in any process; if it cannot be checked within the resource limits; if
/// the kernel has no rule; or if a connection fails.
pub fn confirm_shared(
    problem: &Problem,
    goals: &[Goal],
    certificate: &Certificate,
    exchange: &mut dyn Exchange,
    work: &mut Work<'_>,
) -> Check<Checked> {
    asked(problem, goals)?;
    no_assumptions(problem)?;
    whole_text(problem)?;
    if goals.iter().any(|goal| goal.is_temporal()) {
        return Err(Refusal::Unknown("a share of a set proves nothing about whole runs".to_owned()));
    }
    let (rule, whole) = match (certificate, problem.system(), Marked::of(problem)) {
        (Certificate::StateSet(share), SystemModel::Rwb(_), _) => {
            let (other, inner) = observed(problem, goals)?;
            let stepper = Stepper::with_priorities(&other.program)?;
            let whole = check(&mut States::new(&other.program, &stepper, &inner), share.as_ref(), exchange, work)?;
            (rule::PROGRAM_STATES, whole)
        }
        (Certificate::Markings(share), _, Some(system)) => {
            (rule::MARKINGS, markings(system, problem, share, goals, exchange, work)?)
        }
        _ => return Err(Refusal::Unknown("the kernel has no rule for shares of this kind of evidence".to_owned())),
    };
    Ok(Checked::safe(goals, rule, whole))
}

fn check<L: Listed>(
    kind: &mut L,
    share: &dyn StateSet,
    exchange: &mut dyn Exchange,
    work: &mut Work<'_>,
) -> Check<Whole> {
    let whole = shared::check(kind, share, exchange, work)?;
    match whole.states {
        0 => reject("the shares of the set list no state"),
        _ => Ok(whole),
    }
}

fn markings(
    system: Marked<'_>,
    problem: &Problem,
    share: &Markings,
    goals: &[Goal],
    exchange: &mut dyn Exchange,
    work: &mut Work<'_>,
) -> Check<Whole> {
    let rules = Rules::new(system, work);
    let rules = shared::agreed(rules, exchange)?;
    let shape = shared::agreed(SlotLayout::new(system, &share.slots), exchange)?;
    let mut survey = shared::agreed(Survey::of(system, &shape, share.states.as_ref(), work), exchange)?;
    survey.merge(exchange)?;
    let formulas = formulas(system, problem, goals)?;
    let claimed = (&formulas[..], goals.contains(&Goal::Deadlock));
    let places = &share.potentially_marked;
    let listing = Listing::of_survey(system, &rules, &shape, places, claimed, survey, work);
    check(&mut shared::agreed(listing, exchange)?, share.states.as_ref(), exchange, work)
}
