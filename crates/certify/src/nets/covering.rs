//! Sets of markings, as `model::Markings` defines them. Such a set may leave out markings that a listed marking
//! covers.
//!
//! Let R be the set that the listed markings stand for: m is in R iff m is empty outside the potentially marked
//! places, and some listed s has m = s on exact places and m <= s on other kept places. No run leaves R, and R
//! has no goal marking. The argument is that of `kernel::net::listed`, with these changes:
//! 1. *Start.* The initial markings are in R. Proof: each initial marking m0 is below an initial marking that
//!    agrees with m0 on exact places and has the greatest possible numbers on other kept places. The check
//!    looks up all these greatest markings.
//! 2. *Step.* Let m in R enable t and lead to m', and let s stand for m. Then m' is in R. Proof:
//!    * Each guard of t on a kept place holds in s. If it has an upper end, then the place is exact. Otherwise
//!      s has at least as many tokens there as m. So t is among the transitions tried from s.
//!    * Let s' be the marking that t leads to from s, on kept places. If a kept place p is exact, so are the
//!      kept sources of an effect on it, and m'(p) = s'(p). Otherwise m'(p) <= s'(p), because sums are
//!      monotone. A listed marking stands for s', and so for m'.
//!    * Threads in an exact place x that pick a target: m has as many threads in x as s, and they spread in one
//!      of the ways tried.
//!    * Threads in a place x that is not exact: no kept target of x is exact, because sources of exact places
//!      are exact. m may have fewer threads in x than s. Let the missing threads join the other threads of x at
//!      any target. This is one of the ways tried, with at least as many threads on each target, and exact
//!      places get the same number. Targets that are not kept together take arbitrarily many threads from x, or
//!      none.
//! 3. *No goal.* No marking of R is a goal. Proof: kept places with a negative weight are exact, so a formula
//!    that holds in m passes the relaxed test of s. If a deadlock is claimed, all kept places are exact, so the
//!    argument of `kernel::net::listed` applies.

use super::cover::{Cover, Fits};
use super::exact::exact_places;
use crate::{Check, reject};
use kernel::closed::{self, Change, Listed, Set, Visit};
use kernel::net::{Listing, Marked, Rules, SlotLayout, potentially_marked};
use kernel::{Refusal, Work};
use model::{Formula, Markings};
use std::cell::OnceCell;

/// Checks a set that the kernel does not accept as closed, for the reason `why_not`.
pub(crate) fn check(
    system: Marked<'_>,
    markings: &Markings,
    (formulas, deadlock): (&[&Formula], bool),
    why_not: &str,
    work: &mut Work<'_>,
) -> Check<Set> {
    let rules = Rules::new(system, work)?;
    let shape = SlotLayout::new(system, &markings.slots)?;
    let can_fire = potentially_marked::check(system, &rules, &markings.potentially_marked, work)?;
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
    /// Created on first use.
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

    /// Steps to markings that the same listed marking stands for need no lookup.
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
