//! The net under a bound on the total number of tokens of the counted places.
//!
//! Search under a bound has two forms.
//!
//! *Loose* search runs on the net as it is, and only cuts its initial markings to the bound. A goal that it
//! finds safe is safe within the bound, and a run that it finds counts if the run stays within the bound. For
//! most nets this suffices. It always does if no transition adds tokens and at most one place has an open
//! initial count, that is, more than one possible count.
//!
//! *Strict* search runs on a net with an additional place, the budget. It holds the number of tokens that are
//! left to the bound. More tokens on other places mean fewer on the budget, so cubes that contain the budget
//! are not upward-closed. The initial markings are produced by a start phase in which transitions move tokens
//! from the budget to open places, one by one. The first other transition ends the phase. One additional
//! transition ends it without any other effect.
//!
//! 1. A statement that holds in all markings after the start phase holds in all markings that the net reaches
//!    within the bound, initial markings included. It may refer to the budget, as the number of tokens left to
//!    the bound ([`model::Bit::Room`]). Proof: the start phase can produce every initial marking within the
//!    bound, the additional transition ends the phase there, and from then on both nets have the same runs
//!    within the bound.
//! 2. Bit-level IC3 encodes this net as a circuit. The gates of the circuit are the same under every bound.
//!    Proof: only the initial count of the budget depends on the bound.

use crate::rules::Rules;
use model::{Bound, Effect, Guard, Net, NetTask, Place, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// The net under bounds.
pub(super) struct Bounded {
    /// Counted places with an open initial count: place, least and greatest count.
    pub(super) open: Vec<(u32, u64, u64)>,
    /// Total number of tokens on counted places in the least initial marking.
    pub(super) least: u64,
    /// The net with a budget. `None` if loose search always suffices, or if the net with a budget cannot be
    /// built.
    pub(super) strict: Option<Strict>,
}

/// A net with a budget.
pub(super) struct Strict {
    pub(super) net: Net,
    pub(super) budget: u32,
    /// The place that is marked during the start phase.
    pub(super) starting: u32,
    /// The first transition that puts a token on an open place. The last such transition is followed by the
    /// transition that only ends the start phase.
    pub(super) first_source: u32,
    /// For each of these transitions, its open place.
    pub(super) sources: Vec<u32>,
}

impl Bounded {
    /// Computes the data for the net of `task`. Returns `None` if numbers are too large.
    pub(super) fn new(task: &NetTask, rules: &Rules, counted: &[bool]) -> Option<Self> {
        let is_counted = |p: u32| counted[p as usize];
        let least = (0u32..).zip(&rules.initial).filter(|(p, _)| is_counted(*p));
        let least = least.map(|(_, n)| *n).try_fold(0u64, u64::checked_add)?;
        let range = |&(p, _): &(u32, u32)| (p, rules.initial[p as usize], rules.initial_most[p as usize]);
        let open: Vec<(u32, u64, u64)> = rules.open.iter().filter(|(p, _)| is_counted(*p)).map(range).collect();
        let balances: Option<Vec<Balance>> =
            (0..rules.transitions()).map(|t| Balance::new(rules, t, counted)).collect();
        let balances = balances?;
        let never_more = balances.iter().enumerate().all(|(t, b)| b.most(rules, t).is_some_and(|most| most <= 0));
        let loose_is_exact = never_more && open.len() <= 1;
        let strict = if loose_is_exact { None } else { strict(task, rules, &open, &balances) };
        Some(Self { open, least, strict })
    }

    /// For each open place, its least and greatest initial count within the bound. `None` if no initial marking
    /// is within the bound.
    pub(super) fn starts(&self, bound: u64) -> Option<Vec<(u32, u64, u64)>> {
        debug_assert!(self.open.iter().all(|o| o.1 <= o.2), "ranges have a least and a greatest count");
        let left = bound.checked_sub(self.least)?;
        Some(self.open.iter().map(|&(p, least, most)| (p, least, most.min(least.saturating_add(left)))).collect())
    }

    /// True if the bound excludes some initial markings.
    pub(super) fn cuts_start(&self, bound: u64) -> bool {
        let most = self.open.iter().map(|o| o.2 - o.1).fold(self.least, u64::saturating_add);
        most > bound
    }
}

/// The change of the total of counted places by a transition: a constant, plus a sum of tokens of some places,
/// each with a factor.
#[derive(Debug)]
struct Balance {
    add: i64,
    times: BTreeMap<u32, i64>,
}

impl Balance {
    fn new(rules: &Rules, t: usize, counted: &[bool]) -> Option<Self> {
        let mut balance = Self { add: 0, times: BTreeMap::new() };
        for change in rules.changes.row(t).iter().filter(|c| counted[c.place as usize]) {
            balance.add = balance.add.checked_add(change.add)?;
            let Some((from, to)) = change.sources else { continue };
            for &source in &rules.sources[from as usize..to as usize] {
                *balance.times.entry(source).or_default() += 1;
            }
            *balance.times.entry(change.place).or_default() -= 1;
        }
        balance.times.retain(|_, times| *times != 0);
        Some(balance)
    }

    /// The greatest change among markings where the guards hold. `None` if it is unlimited.
    fn most(&self, rules: &Rules, t: usize) -> Option<i64> {
        let guard = |p: u32| rules.guards.row(t).iter().find(|g| g.place == p);
        self.times.iter().try_fold(self.add, |sum, (&p, &times)| {
            let tokens = if times < 0 { guard(p).map_or(0, |g| g.least) } else { guard(p)?.most };
            sum.checked_add(i64::try_from(tokens).ok()?.checked_mul(times)?)
        })
    }
}

/// Makes the net with a budget. Returns `None` if the number of tokens that some transition needs on the budget
/// depends on the marking, because a guard can only express a fixed number.
fn strict(task: &NetTask, rules: &Rules, open: &[(u32, u64, u64)], balances: &[Balance]) -> Option<Strict> {
    let longest = |names: &mut dyn Iterator<Item = &String>| names.map(String::len).max().unwrap_or(0);
    let name = |kind: &str, longest: usize, i: usize| format!("{kind}{i}{}", "_".repeat(longest + 1));
    let length = longest(&mut task.net.places().iter().map(|p| &p.name));
    let mut places = task.net.places().to_vec();
    for &(p, least, _) in open {
        places[p as usize].initial = Range::exactly(least);
    }
    let budget = PlaceId::new(places.len());
    places.push(Place { name: name("budget", length, 0), initial: Range::exactly(0u8) });
    let starting = PlaceId::new(places.len());
    places.push(Place { name: name("start", length, 0), initial: Range::exactly(1u8) });

    let mut transitions = task.net.transitions().to_vec();
    for (t, balance) in balances.iter().enumerate() {
        let most = balance.most(rules, t);
        if balance.times.values().any(|times| *times > 0) {
            return None;
        }
        let needed = u64::try_from(most?).unwrap_or(0);
        if needed > 0 {
            if !balance.times.is_empty() {
                return None;
            }
            transitions[t].guards.push(Guard { place: budget, range: Range::from(needed) });
        }
        if balance.add != 0 || !balance.times.is_empty() {
            let gone = balance.times.iter().flat_map(|(&p, times)| {
                std::iter::repeat_n(PlaceId(p), usize::try_from(times.unsigned_abs()).unwrap_or(0))
            });
            let sources = gone.chain([budget]).collect();
            transitions[t].effects.push(Effect {
                place: budget,
                sources,
                add: BigInt::from(balance.add.checked_neg()?),
            });
        }
        if !open.is_empty() {
            let none = std::iter::empty::<PlaceId>().collect();
            transitions[t].effects.push(Effect { place: starting, sources: none, add: BigInt::from(0) });
        }
    }
    let first_source = u32::try_from(transitions.len()).ok()?;
    let length = longest(&mut task.net.transitions().iter().map(|t| &t.name));
    let one = || BigUint::from(1u8);
    for (i, &(p, _, most)) in open.iter().enumerate() {
        let p = PlaceId(p);
        let taken = [(budget, one()), (starting, one())];
        let mut source = Transition::from_arcs(name("source", length, i), &taken, &[(p, one()), (starting, one())]);
        if most < u64::MAX {
            let range = Range { at_least: BigUint::ZERO, at_most: Some(BigUint::from(most.saturating_sub(1))) };
            source.guards.insert(0, Guard { place: p, range });
        }
        transitions.push(source);
    }
    if !open.is_empty() {
        let end = name("begin", length, 0);
        transitions.push(Transition::from_arcs(end, &[(starting, one())], &[]));
    }
    debug_assert!(first_source as usize + open.len() <= transitions.len());
    let net = Net::new(places, transitions).ok()?;
    Some(Strict {
        net,
        budget: budget.0,
        starting: starting.0,
        first_source,
        sources: open.iter().map(|o| o.0).collect(),
    })
}

/// The total number of tokens on counted places of a marking.
pub(super) fn total(bound: &Bound, tokens: &[u64]) -> u64 {
    debug_assert_eq!(tokens.len(), bound.counted.len());
    let counted = tokens.iter().zip(&bound.counted).filter(|(_, counted)| **counted);
    counted.map(|(n, _)| *n).fold(0, u64::saturating_add)
}
