//! Sets of markings that leave out what others cover, as `model::Markings` says.
//!
//! Let R be the set that the listed markings stand for: m is in R iff m is empty outside the markable places and some
//! listed s has m = s on exact and m <= s on other kept places. No run leaves R, by the argument of
//! `kernel::net::listed`, and:
//!
//! * *Start.* Each initial marking is below one that agrees with it on exact places and is greatest on other kept ones,
//!   and all of these are looked up.
//! * *Step.* Let m in R with s enable t and lead to m'. A guard on a kept place holds of s: if it has an upper end then
//!   the place is exact, else s has no fewer tokens. So t is among the transitions tried from s; let s' be what it
//!   leads to on kept places. If a kept place p is exact, so are the kept sources of an effect on it, and m'(p) =
//!   s'(p); else m'(p) <= s'(p), as sums are monotone. A listed marking stands for s' and so for m'. Threads that pick:
//!   if x is exact then m has as many threads there, and they spread in one of the ways tried. If not, then no kept
//!   target of x is exact, because sources of exact places are; m may have fewer threads in x, but let those that it
//!   lacks join the others at any target: that is one of the ways tried, with no fewer threads on each target, and
//!   exact places get the same. Targets that are not kept take any number of threads from x together, none too.
//! * *No goal.* Kept places with a negative weight are exact, so a formula that holds in m passes the relaxed test of
//!   s. If a deadlock is claimed then all kept places are exact.

use super::cover::{Cover, Fits};
use super::exact::exact_places;
use crate::{Check, reject};
use kernel::closed::{self, Change, Listed, Set, Visit};
use kernel::net::{Listing, Marked, Rules, Shape, markable};
use kernel::{Refusal, Work};
use model::{Formula, Markings};
use std::cell::OnceCell;

/// Checks a set that is not closed in the kernel's sense, for the reason given.
pub(crate) fn check(
    system: Marked<'_>,
    markings: &Markings,
    (formulas, deadlock): (&[&Formula], bool),
    why_not: &str,
    work: &mut Work<'_>,
) -> Check<Set> {
    let rules = Rules::new(system, work)?;
    let shape = Shape::new(system, &markings.slots)?;
    let can_fire = markable::check(system, &rules, &markings.markable, work)?;
    let exact = exact_places(&rules, &can_fire, &shape, formulas, deadlock, work)?;
    let fits = Fits::new(&shape, &exact);
    if fits.only_equal() {
        return reject(why_not);
    }
    let listing = Listing::new(system, &rules, &shape, markings, (formulas, deadlock), work)?.with_exact(exact);
    let mut covering = Covering { listing, fits, cover: OnceCell::new() };
    closed::check(&mut covering, markings.states.as_ref(), work)
}

struct Covering<'a> {
    listing: Listing<'a>,
    fits: Fits,
    /// Made when first asked for.
    cover: OnceCell<Cover>,
}

impl Covering<'_> {
    fn cover(&self, set: &Set, work: &mut Work<'_>) -> Check<&Cover> {
        if let Some(cover) = self.cover.get() {
            return Ok(cover);
        }
        let cover = Cover::new(&set.table, &set.layout, &self.fits, &self.listing.survey().greatest, work)?;
        Ok(self.cover.get_or_init(|| cover))
    }
}

impl Listed for Covering<'_> {
    const ELEMENT: &'static str = "marking";

    fn sizes(&self) -> Vec<usize> {
        self.listing.sizes()
    }

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        self.listing.initial(visit)
    }

    /// Steps to what the same listed marking stands for need no look.
    fn expand(&mut self, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()> {
        let fits = &self.fits;
        let mut others = |changes: &[Change], work: &mut Work<'_>| match changes {
            changes if changes.iter().all(|c| fits.covers(c.slot, c.to, c.from)) => Ok::<(), Refusal>(()),
            changes => visit.visit(changes, work),
        };
        self.listing.expand(state, &mut others, work)
    }

    fn has_like(&self, state: &[u32], set: &Set, work: &mut Work<'_>) -> Check<bool> {
        self.cover(set, work)?.has(state, &set.table, &set.layout, &self.fits, work)
    }

    fn describe(&self, state: &[u32]) -> String {
        self.listing.describe(state)
    }
}
