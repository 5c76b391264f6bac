//! Makes a run from a chain of obligations.
//!
//! On a monotone net, every chain is a run, because its transitions also fire with more tokens. Places with an
//! open initial count get the tokens that the chain takes from them. With upper limits in guards, a chain may
//! not be a run, because predecessors are closed upwards. Then no claim is made.

use crate::coverability::predecessors::Net;
use crate::reduce::shorten::{FiringRun, Shortener};
use crate::rules::Rules;
use model::{EventId, Formula, Trace};

/// Limit on the firings spent on shortening a run.
const SHORTENING: u64 = 1_000_000;

/// Returns a run to `goal`, and the number of firings that finding it took. The run fires `steps`, from a
/// marking that covers `first` to one that covers `target`.
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
    // Try first the tokens that the chain needs. If this fails, more tokens may help: for each open place, add
    // all tokens that the guards of the steps require in total.
    let few = |place: u32| {
        let first = first.iter().find(|e| e.0 == place).map_or(0, |e| u64::from(e.1));
        if net.shape.start.is_free(place) { needed(rules, place, steps, target) } else { first }
    };
    let many = |place: u32| steps.iter().map(|t| least(rules, *t, place)).fold(few(place), u64::saturating_add);
    let (few, many) = (extra(rules, few), extra(rules, many));
    let found = [few, many].iter().find_map(|extra| shortener.run(extra, steps));
    let trace = found.map(|found| {
        let FiringRun { extra, steps } = shortener.shorten(found);
        let mut trace = Trace::new(extra.into_boxed_slice());
        steps.into_iter().for_each(|t| trace.push(EventId(t), None));
        trace
    });
    (trace, work - shortener.work)
}

/// Returns the tokens that `steps` and `target` require on a place that is its own only source.
fn needed(rules: &Rules, place: u32, steps: &[u32], target: &[(u32, u64)]) -> u64 {
    let target = target.iter().find(|e| e.0 == place).map_or(0, |e| e.1);
    steps.iter().rev().fold(target, |after, &t| {
        let change = rules.changes.row(t as usize).iter().find(|c| c.place == place);
        let before = change.map_or(after, |c| after.saturating_add_signed(c.add.saturating_neg()));
        before.max(least(rules, t, place))
    })
}

/// Returns the tokens that a guard requires on a place.
fn least(rules: &Rules, t: u32, place: u32) -> u64 {
    rules.guards.row(t as usize).iter().find(|g| g.place == place).map_or(0, |g| g.least)
}

/// For each open place, the tokens beyond its least initial count.
fn extra(rules: &Rules, wanted: impl Fn(u32) -> u64) -> Vec<u32> {
    let amount = |&(place, most): &(u32, u32)| {
        let more = wanted(place).saturating_sub(rules.initial[place as usize]);
        u32::try_from(more).unwrap_or(u32::MAX).min(most)
    };
    rules.open.iter().map(amount).collect()
}
