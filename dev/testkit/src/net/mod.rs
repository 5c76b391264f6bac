//! Nets: successors of markings from the documentation of [`model::net`], brute force, and random nets.

mod backward;
mod explore;
mod generate;
mod invariants;
mod strategy;
mod tasks;
pub mod workflow;

pub use backward::{Covering, covering};
pub use explore::{Reach, explore, initial, is_within, total};
pub use generate::{net, up_to};
pub use invariants::{invariant_holds, invariant_holds_within};
pub use strategy::nets;
pub use tasks::{Features, tasks};

use crate::{Count, formula, steps};
use model::{Formula, FormulaId, Goal, Net, NetTask, Place, PlaceId, Range, Trace, Transition};
use num_bigint::BigUint;
use std::sync::Arc;

/// Token counts by place, exact at any size. Most functions also take smaller number types.
pub type Marking = Vec<BigUint>;

/// True if the transition is enabled in the marking.
pub fn is_enabled<N: Count>(transition: &Transition, marking: &[N]) -> bool {
    transition.guards.iter().all(|g| marking[g.place.index()].is_in(&g.range))
}

/// Returns the marking after the transition fired. `None` if the transition is not enabled.
pub fn fire<N: Count>(transition: &Transition, marking: &[N]) -> Option<Vec<N>> {
    if !is_enabled(transition, marking) {
        return None;
    }
    let mut next = marking.to_vec();
    for effect in &transition.effects {
        next[effect.place.index()] = N::sum(effect.sources.iter().map(|p| &marking[p.index()]), &effect.add);
    }
    Some(next)
}

/// Iterates over the markings after one step, in the order of the transitions.
pub fn successors<N: Count>(net: &Net, marking: &[N]) -> impl Iterator<Item = Vec<N>> {
    net.transitions().iter().filter_map(move |t| fire(t, marking))
}

/// True if no transition is enabled in the marking.
pub fn is_dead<N: Count>(net: &Net, marking: &[N]) -> bool {
    !net.transitions().iter().any(|t| is_enabled(t, marking))
}

/// True if the marking satisfies the goal: the formula, or without a formula, that no transition is enabled.
pub fn is_goal<N: Count>(net: &Net, formula: Option<&Formula>, marking: &[N]) -> bool {
    formula.map_or_else(|| is_dead(net, marking), |formula| formula::holds(formula, marking))
}

/// True if the marking satisfies the goal of the task.
pub fn is_goal_of<N: Count>(task: &NetTask, goal: Goal, marking: &[N]) -> bool {
    is_goal(&task.net, task.formula(goal).map(|f| &**f), marking)
}

/// Returns the initial marking with the fewest tokens.
#[must_use]
pub fn least<N: Count>(net: &Net) -> Vec<N> {
    net.places().iter().map(|p| N::of(&p.initial.at_least)).collect()
}

/// True if the marking is initial.
pub fn may_start<N: Count>(net: &Net, marking: &[N]) -> bool {
    net.places().iter().zip(marking).all(|(p, n)| n.is_in(&p.initial))
}

/// Returns the least initial marking plus `extra` tokens on the open places. `None` if the result is not an
/// initial marking.
pub fn start<N: Count>(net: &Net, extra: &[u32]) -> Option<Vec<N>> {
    let open = net.open_places();
    let mut marking = least::<N>(net);
    for (p, extra) in open.iter().zip(extra) {
        marking[p.index()] = N::of(&(marking[p.index()].big() + *extra));
    }
    (open.len() == extra.len() && may_start(net, &marking)).then_some(marking)
}

/// Returns the last marking of the trace. `None` if the trace is not a run.
pub fn replay<N: Count>(net: &Net, trace: &Trace) -> Option<Vec<N>> {
    steps(trace).try_fold(start(net, &trace.start)?, |marking, step| {
        let transition = net.transitions().get(step.event.index())?;
        fire(transition, &marking).filter(|_| step.choice.is_none())
    })
}

/// Returns all markings with at most `most` tokens on each place.
#[must_use]
pub fn boxed<N: Count>(places: usize, most: u32) -> Vec<Vec<N>> {
    crate::choices((0..places).map(|_| (0..=most).map(|n| N::of(&n.into())).collect()))
}

/// Returns a place with this name and initial range.
#[must_use]
pub fn place(name: impl Into<String>, initial: Range) -> Place {
    Place { name: name.into(), initial }
}

/// Returns a transition of a plain net from its input arcs and its output arcs: pairs of a place and a weight.
#[must_use]
pub fn arcs(name: impl Into<String>, pre: &[(u32, u64)], post: &[(u32, u64)]) -> Transition {
    let big = |arcs: &[(u32, u64)]| arcs.iter().map(|(p, n)| (PlaceId(*p), BigUint::from(*n))).collect::<Vec<_>>();
    Transition::from_arcs(name.into(), &big(pre), &big(post))
}

/// Returns the task with one goal for each formula, and with `deadlock` also the deadlock goal.
#[must_use]
pub fn task(net: Net, formulas: Vec<Formula>, deadlock: bool) -> NetTask {
    let mut goals: Vec<Goal> = (0..formulas.len()).map(|i| Goal::Formula(FormulaId::new(i))).collect();
    goals.extend(deadlock.then_some(Goal::Deadlock));
    NetTask::plain(Arc::new(net), formulas.into_iter().map(Arc::new).collect(), goals)
}
