//! Formulas that can always come true again, in nets in which more tokens never disable a transition, and formulas that
//! never come true after a run.
//!
//! The minimal markings from which an upward closed set can be reached are finitely many (Abdulla, Cerans, Jonsson and
//! Tsay, "General decidability theorems for infinite-state systems", LICS 1996; Finkel and Schnoebelen,
//! "Well-structured transition systems everywhere!", 2001). Evidence lists some markings from which a formula p over
//! places can be reached. No guard of the net has an upper bound, and no factor in p is negative. In each listed
//! marking p holds, or a transition leads from there to a marking that covers an earlier one of the list.
//!
//! 1. Let m cover n, and let a transition lead from n to n'. Then it leads from m to a marking that covers n'. Proof: m
//!    has at least the tokens of n, so the guards hold. Each effect is a sum of tokens and a constant, and the sum is
//!    not smaller in m.
//! 2. From a marking m that covers a listed one, a marking can be reached in which p holds. Proof: by induction over
//!    the list. If p holds in the listed marking, it holds in m, because more tokens make no sum smaller. Otherwise,
//!    by 1, the transition leads from m to a marking that covers an earlier one.
//! 3. So if each reachable marking covers a listed one, `EF p` is true in all reachable markings. That no reachable
//!    marking violates [`covers_some`] is another claim ([`check`] does not know it).
//! 4. Let a run lead to m, and let no marking with p be reachable in the net that starts in m ([`starting_after`]).
//!    Then `EF p` is false in m, which is reachable. This holds for each net and each formula p over places.

use crate::net::{Marked, Runs, formula};
use crate::trace::{Semantics, replay};
use crate::work::Work;
use crate::{Check, reject, within};
use model::{Formula, FormulaBuilder, FormulaId, Goal, Net, Problem, Property, Questions, Trace, Way};
use num_bigint::BigUint;
use num_traits::Zero;
use std::sync::Arc;

/// Checks that a marking in which this formula of the problem holds can be reached from each marking that covers a
/// listed one (2).
///
/// # Errors
/// If this is not shown, or if a resource limit is exceeded.
pub fn check(problem: &Problem, letter: FormulaId, ways: &[Way], work: &mut Work<'_>) -> Check<()> {
    let net = net(problem)?;
    if !net.is_monotone() {
        return reject("more tokens may disable a transition");
    }
    let formula = formula::asked(problem, Goal::Formula(letter), net.places().len())?;
    if !formula.is_upward_closed() {
        return reject("more tokens may make the formula false");
    }
    let mut runs = Runs::new(problem, Marked::Net(net), work)?;
    for (number, way) in ways.iter().enumerate() {
        work.spend(1 + (net.places().len() + way.marking.len()) as u64)?;
        let mut marking = vec![BigUint::zero(); net.places().len()];
        for (place, tokens) in &way.marking {
            match marking.get_mut(place.index()) {
                Some(own) => own.clone_from(tokens),
                None => return reject("a listed marking names a place that does not exist"),
            }
        }
        let Some((transition, earlier)) = way.next else {
            work.spend(formula::size(formula))?;
            match formula::holds(formula, &marking) {
                true => continue,
                false => return reject(format!("the formula does not hold in the listed marking {number}")),
            }
        };
        let Some(earlier) = ways[..number].get(earlier) else {
            return reject("a transition leads to no earlier marking of the list");
        };
        within(runs.step(&mut marking, transition.0, None, work), || format!("the listed marking {number}"))?;
        work.spend(earlier.marking.len() as u64)?;
        if !earlier.marking.iter().all(|(place, tokens)| marking[place.index()] >= *tokens) {
            return reject(format!("the transition from the listed marking {number} leads to another marking"));
        }
    }
    Ok(())
}

/// Returns the formula that holds in the markings that cover a listed one.
#[must_use]
pub fn covers_some(ways: &[Way]) -> Formula {
    let mut builder = FormulaBuilder::default();
    let is_empty = |way: &Way| way.marking.iter().all(|(_, tokens)| tokens.is_zero());
    let root = match ways.iter().any(is_empty) {
        true => builder.all(Vec::new()),
        false => {
            let parts = ways.iter().map(|way| builder.cover(&way.marking)).collect();
            builder.any(parts)
        }
    };
    builder.finish(root)
}

/// Returns the problem whether a formula is reachable in the net that starts in the last marking of a run (4), and the
/// length of the run.
///
/// # Errors
/// If it is no run of the net, if the net has several initial markings, or if a resource limit is exceeded.
pub fn starting_after(problem: &Problem, letter: FormulaId, run: &Trace, work: &mut Work<'_>) -> Check<(Problem, u64)> {
    let net = net(problem)?;
    if !net.open_places().is_empty() {
        return reject("a run from one of several initial markings proves nothing about the others");
    }
    let replayed = replay(&mut Runs::new(problem, Marked::Net(net), work)?, run, work)?;
    let size: usize = net.transitions().iter().map(|t| 1 + t.guards.len() + t.effects.len()).sum();
    let size = size.saturating_add(net.places().len()).saturating_add(problem.formulas().len());
    work.spend(size as u64)?;
    work.grow(size.saturating_mul(64))?;
    let goal = Goal::Formula(letter);
    let properties = vec![Property::never(goal.to_string(), goal)];
    let asked = Questions { formulas: problem.formulas().to_vec(), properties, ..Questions::default() };
    match Problem::new(Arc::new(net.starting_in(replayed.last)), asked) {
        Ok(problem) => Ok((problem, replayed.events)),
        Err(why) => reject(why.to_string()),
    }
}

fn net(problem: &Problem) -> Check<&Arc<Net>> {
    match problem.system().as_net() {
        Some(net) => Ok(net),
        None => reject("only nets have evidence about markings from which a formula can be reached"),
    }
}
