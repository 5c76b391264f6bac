//! Traps: some place of a list is marked, always.
//!
//! At the start one of the places surely holds a token. Let m mark a place s of the list, and let t lead from m to
//! m'. Then m' marks one of them too, if
//! * t leaves a token on some place of the list whatever m is: the least counts that its guards see to and the
//!   constant add up to more than 0 there, or it asks tokens of one of them and leaves it as it is; or
//! * for every s that m may mark: t leaves s as it is; or it asks no token of s, and the content of s goes to some
//!   place of the list; or s holds threads that pick, all their targets are in the list, and the active thread is not
//!   one of them.
//!
//! Places that cannot be marked, by earlier facts or because t tests them for zero, need no look.

use super::Known;
use super::firing::{Change, Firing};
use crate::net::rules::Scatter;
use crate::work::Work;
use crate::{Check, reject};
use model::PlaceId;
use num_traits::Zero;

/// Checks that one of the places is always marked.
pub(super) fn check(known: &Known<'_>, places: &[PlaceId], work: &mut Work<'_>) -> Check<()> {
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
    known: &'k Known<'a>,
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
            let empty = !self.known.markable[s as usize] || firing.test(s).is_some_and(|test| test.most == 0);
            work.spend(sources as u64)?;
            if !empty && !self.all_pick(t, s) && !firing.changes.iter().any(|c| inside(c.place) && holds(firing, c, s))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Do the threads of `s` pick targets in the list, all of them?
    fn all_pick(&self, t: usize, s: u32) -> bool {
        let of = |scatter: &&Scatter| scatter.source.0 == s && !scatter.but_one;
        let scatter = self.known.rules.scatters_of(t).iter().find(of);
        scatter.is_some_and(|scatter| scatter.targets.iter().all(|p| self.inside[p.index()]))
    }
}

/// Has the changed place a token left if `s` is marked?
fn holds(firing: &Firing, change: &Change, s: u32) -> bool {
    // What the guards ask of the sources makes up for the constant, so more tokens than that are left here.
    firing.least(s) == 0 && change.sources.iter().any(|source| source.place == s && !source.picks)
}
