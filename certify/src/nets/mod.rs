//! Nets and thread systems: replay of traces, markable places, closed sets of markings.
//!
//! Traces are stepped exactly, in big integers, by two steppers straight from the definitions: [`net_stepper`] and
//! [`thread_stepper`]. Certificates speak of places, so for them a thread system is translated to guards and effects
//! ([`rules`]); nothing but the definition is shared with the steppers.

mod closed;
mod compiled;
mod cover;
mod exact;
mod formula;
mod goals;
mod invariant;
mod markable;
mod markings;
mod net_stepper;
pub(crate) mod outcomes;
pub(crate) mod reduced;
mod replay;
pub(crate) mod rules;
pub(crate) mod shape;
mod spread;
pub(crate) mod stubborn;
mod table;
mod thread_stepper;

use crate::clausal::Duty;
use crate::work::Work;
use crate::{Check, reject};
use model::{Formula, Goal, Invariant, Markable, Markings, Net, Problem, ThreadSystem, Trace, Within};

/// A system whose states are markings.
#[derive(Clone, Copy)]
pub(crate) enum Marked<'a> {
    Net(&'a Net),
    Threads(&'a ThreadSystem),
}

impl Marked<'_> {
    fn places(self) -> usize {
        match self {
            Marked::Net(net) => net.places().len(),
            Marked::Threads(system) => system.places(),
        }
    }

    /// A place, for messages.
    fn name(self, place: usize) -> String {
        match self {
            Marked::Net(net) => net.places().get(place).map_or_else(|| format!("#{place}"), |p| p.name.clone()),
            Marked::Threads(system) => match place.checked_sub(system.shared() as usize) {
                None => format!("shared {place}"),
                Some(local) => format!("local {local}"),
            },
        }
    }
}

/// Replays a trace; it must end in a marking of `goal`.
pub(crate) fn replay(
    system: Marked<'_>,
    problem: &Problem,
    trace: &Trace,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<crate::replay::Replayed> {
    let formula = formulas(system, problem, &[goal])?.pop();
    match system {
        Marked::Net(net) => replay::replay(&net_stepper::NetStepper::new(net), trace, formula, work),
        Marked::Threads(threads) => replay::replay(&thread_stepper::ThreadStepper::new(threads), trace, formula, work),
    }
}

/// Checks that no goal can be without the places that are never marked.
pub(crate) fn markable(
    system: Marked<'_>,
    problem: &Problem,
    markable: &Markable,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<()> {
    if goals.contains(&Goal::Deadlock) {
        return reject("which places can be marked says nothing about deadlocks");
    }
    let formulas = formulas(system, problem, goals)?;
    let rules = rules::Rules::new(system, work)?;
    markable::check(system, &rules, &markable.places, work)?;
    markable::excludes(&markable.places, &formulas, work)
}

/// Checks that facts hold in all reachable markings and exclude the goals.
pub(crate) fn invariant(
    system: Marked<'_>,
    problem: &Problem,
    invariant: &Invariant,
    goals: &[Goal],
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    formulas(system, problem, goals)?;
    let rules = rules::Rules::new(system, work)?;
    invariant::check(system, &rules, problem, (invariant, None), goals, duty, work)
}

/// Checks that facts hold in all markings of the runs that stay within a bound, and exclude the goals.
pub(crate) fn within(
    system: Marked<'_>,
    problem: &Problem,
    (invariant, within): (&Invariant, &Within),
    goals: &[Goal],
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    formulas(system, problem, goals)?;
    work.spend(1 + within.counted.len() as u64)?;
    if !within.counted.is_sorted_by(|a, b| a < b) || within.counted.last().is_some_and(|p| p.index() >= system.places())
    {
        return reject("the counted places are not in order, or not all places of the system");
    }
    if let (Marked::Threads(threads), Some(first)) = (system, within.counted.first())
        && first.index() < threads.shared() as usize
    {
        return reject("shared states are no threads, so a bound on threads does not count them");
    }
    let rules = rules::Rules::new(system, work)?;
    invariant::check(system, &rules, problem, (invariant, Some(within)), goals, duty, work)
}

/// Checks that a set of markings is closed and without goals.
pub(crate) fn markings(
    system: Marked<'_>,
    problem: &Problem,
    markings: &Markings,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<markings::Checked> {
    let formulas = formulas(system, problem, goals)?;
    let rules = rules::Rules::new(system, work)?;
    markings::check(system, &rules, markings, &formulas, goals.contains(&Goal::Deadlock), work)
}

/// Checks that a set of markings has enough successors of each and no goals.
pub(crate) fn reduced(
    system: Marked<'_>,
    problem: &Problem,
    markings: &Markings,
    goals: &[Goal],
    omit: Option<stubborn::Omit>,
    work: &mut Work<'_>,
) -> Check<markings::Checked> {
    let formulas = formulas(system, problem, goals)?;
    let rules = rules::Rules::new(system, work)?;
    reduced::check(system, &rules, markings, &formulas, goals.contains(&Goal::Deadlock), omit, work)
}

/// The formulas among `goals`, which speak of places that the system has.
fn formulas<'a>(system: Marked<'_>, problem: &'a Problem, goals: &[Goal]) -> Check<Vec<&'a Formula>> {
    let mut formulas = Vec::new();
    for goal in goals {
        match goal {
            Goal::Deadlock => {}
            Goal::Formula(id) => match problem.formulas.get(id.index()) {
                Some(formula) if formula::knows_places(formula, system.places()) => formulas.push(&**formula),
                Some(_) => return reject(format!("the {goal} speaks of places that the system does not have")),
                None => return reject(format!("there is no {goal}")),
            },
            _ => return reject("markings are never bad and have neither outputs nor calls"),
        }
    }
    Ok(formulas)
}
