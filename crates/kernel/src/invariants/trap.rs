//! Traps as invariants: a list of places of which at least one is always marked.
//!
//! Let t lead from m to m', where m marks some place of the list.
//!
//! 1. m' marks a place x of the list if t leaves a token on x whatever m is. This is so in two cases. Either
//!    the least counts of the guards on the sources of x and the constant have a positive sum. Or t needs a
//!    token on x and does not change x. Proof: immediate.
//! 2. m' marks some place of the list if one of these conditions holds for every place s of the list that m may
//!    mark:
//!    * t does not change s;
//!    * t needs no token on s, and the content of s is added to some place of the list;
//!    * the threads in s pick targets, all these targets are in the list, and the active thread is not one of
//!      these threads.
//!
//!    Proof: m marks one such s. Its tokens stay on s, or are added to a place of the list, or go to places of the
//!    list.
//! 3. Some place of the list is marked in every reachable marking. Proof: by induction over the run. Initially
//!    one of the places certainly holds a token. Claim 1 or claim 2 applies to each transition that can fire.
//!
//! Places that cannot be marked when t fires, by earlier invariants or because t tests them for zero, need no test.

use super::CheckedInvariants;
use super::firing::{Change, Firing};
use crate::net::rules::Scatter;
use crate::work::Work;
use crate::{Check, reject};
use model::PlaceId;
use num_traits::Zero;

/// Checks that at least one of the places is always marked.
pub(super) fn check(known: &CheckedInvariants<'_>, places: &[PlaceId], work: &mut Work<'_>) -> Check<()> {
    let count = known.rules.initial.len();
    work.spend((1 + places.len() + count / 16) as u64)?;
    if places.windows(2).any(|w| w[0] >= w[1]) || places.last().is_some_and(|p| p.index() >= count) {
        return reject("the places of a trap must be known and ascending");
    }
    if !places.iter().any(|p| !known.rules.initial[p.index()].at_least.is_zero()) {
        return reject("no place of a trap is surely marked at the start");
    }
    let mut inside = vec![false; count];
    let mut touching: Vec<u32> = Vec::new();
    for place in places {
        inside[place.index()] = true;
        work.spend(known.changers[place.index()].len() as u64)?;
        touching.extend(&known.changers[place.index()]);
    }
    touching.sort_unstable();
    touching.dedup();
    let trap = Trap { known, inside };
    for t in touching.into_iter().filter(|t| known.can_fire[*t as usize]) {
        if !trap.stays_marked(t as usize, work)? {
            return reject(format!("transition number {} may empty a trap", t + 1));
        }
    }
    Ok(())
}

struct Trap<'k, 'a> {
    known: &'k CheckedInvariants<'a>,
    inside: Vec<bool>,
}

impl Trap<'_, '_> {
    fn stays_marked(&self, t: usize, work: &mut Work<'_>) -> Check<bool> {
        debug_assert!(self.known.can_fire[t], "others empty nothing");
        let firing = &self.known.firings[t];
        let sources: usize = firing.changes.iter().map(|c| 1 + c.sources.len()).sum();
        work.spend((1 + firing.tests.len() + sources) as u64)?;
        let inside = |place: u32| self.inside[place as usize];
        let kept = firing.preset().any(|test| inside(test.place) && firing.change(test.place).is_none());
        if kept || firing.changes.iter().any(|c| c.surely > 0 && inside(c.place)) {
            return Ok(true);
        }
        for change in firing.changes.iter().filter(|c| inside(c.place)) {
            let s = change.place;
            let empty = !self.known.potentially_marked[s as usize] || firing.test(s).is_some_and(|test| test.most == 0);
            work.spend(sources as u64)?;
            let stays = || self.all_pick(t, s) || firing.changes.iter().any(|c| inside(c.place) && holds(firing, c, s));
            if !empty && !stays() && !self.known.is_empty_at(t, s, work)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if all threads in `s` pick targets in the list.
    fn all_pick(&self, t: usize, s: u32) -> bool {
        let of = |scatter: &&Scatter| scatter.source.0 == s && !scatter.but_one;
        let scatter = self.known.rules.scatters_of(t).iter().find(of);
        scatter.is_some_and(|scatter| scatter.targets.iter().all(|p| self.inside[p.index()]))
    }
}

/// Returns true if the changed place holds a token after the transition whenever `s` was marked before.
fn holds(firing: &Firing, change: &Change, s: u32) -> bool {
    // The tokens that the guards need on the sources compensate for the constant, so tokens of `s` beyond that
    // remain.
    firing.least(s) == 0 && change.sources.iter().any(|source| source.place == s && !source.picks)
}
