//! From a chain of obligations to a run.
//!
//! On a monotone net the chain is one: with more tokens it still fires. Places whose initial count is open get what the
//! chain takes from them. With upper ends of guards it may be none, as predecessors were closed upwards; then nothing
//! is claimed.

use crate::markings::predecessors::Net;
use analysis::rules::Rules;
use model::{EventId, Formula, Trace};
use reduce::shorten::{Found, Shortener};

/// Firings spent on shortening.
const SHORTENING: u64 = 1_000_000;

/// A run to `goal` by way of `steps`, from a marking above `first`, to one above `target`. With the firings that it
/// took.
pub(crate) fn run(
    net: Net<'_>,
    goal: &Formula,
    first: &[(u32, u32)],
    steps: &[u32],
    target: &[(u32, u64)],
) -> (Option<Trace>, u64) {
    let rules = net.rules;
    debug_assert!(steps.iter().all(|t| (*t as usize) < rules.transitions()));
    let mut shortener = Shortener { net: rules, goal: Some(goal), work: SHORTENING.max(8 * steps.len() as u64) };
    let work = shortener.work;
    // What the chain asks for goes first; then, as more may help, what all its steps ask of all open places together.
    let few = |place: u32| {
        let first = first.iter().find(|e| e.0 == place).map_or(0, |e| u64::from(e.1));
        if net.shape.start.is_free(place) { needed(rules, place, steps, target) } else { first }
    };
    let many = |place: u32| steps.iter().map(|t| least(rules, *t, place)).fold(few(place), u64::saturating_add);
    let (few, many) = (extra(rules, few), extra(rules, many));
    let found = [few, many].iter().find_map(|extra| shortener.run(extra, steps));
    let trace = found.map(|found| {
        let Found { extra, steps } = shortener.shorten(found);
        let mut trace = Trace::new(extra.into_boxed_slice());
        steps.into_iter().for_each(|t| trace.push(EventId(t), None));
        trace
    });
    (trace, work - shortener.work)
}

/// What steps and target ask of a place that is its own only source.
fn needed(rules: &Rules, place: u32, steps: &[u32], target: &[(u32, u64)]) -> u64 {
    let target = target.iter().find(|e| e.0 == place).map_or(0, |e| e.1);
    steps.iter().rev().fold(target, |after, &t| {
        let change = rules.changes.row(t as usize).iter().find(|c| c.place == place);
        let before = change.map_or(after, |c| after.saturating_add_signed(c.add.saturating_neg()));
        before.max(least(rules, t, place))
    })
}

/// What a guard asks of a place.
fn least(rules: &Rules, t: u32, place: u32) -> u64 {
    rules.guards.row(t as usize).iter().find(|g| g.place == place).map_or(0, |g| g.least)
}

/// By open place: tokens beyond its least count.
fn extra(rules: &Rules, wanted: impl Fn(u32) -> u64) -> Vec<u32> {
    let amount = |&(place, most): &(u32, u32)| {
        let more = wanted(place).saturating_sub(rules.initial[place as usize]);
        u32::try_from(more).unwrap_or(u32::MAX).min(most)
    };
    rules.open.iter().map(amount).collect()
}
