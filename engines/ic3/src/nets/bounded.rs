//! Bounds on the tokens of all counted places together.
//!
//! Most searches under a bound need no more than a start that keeps to it. *Loose* ones do just that, and otherwise run
//! on the net as it is: what they find safe is safe within the bound, and a run of theirs counts if it stays within it.
//! Where no transition adds tokens, and one place at most is open at the start, they always do.
//!
//! *Strict* ones have a place more, the budget: what is left to the bound. It points the other way, so that cubes that
//! name it are not upward-closed; and the start becomes a phase in which open places take from it, ended by the first
//! transition that is no such step, which may be one that does nothing else. So what holds in all markings once the
//! start is over holds in all markings of the net within the bound, initial ones among them, with the budget as what
//! these leave to the bound ([`model::Bit::Room`]). The gates are the same under every bound: only the budget's start
//! changes.

use analysis::rules::Rules;
use model::{Bound, Effect, Guard, Net, NetTask, Place, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// How a net looks under bounds.
pub(super) struct Bounded {
    /// Counted places whose count is open at the start, with their range.
    pub(super) open: Vec<(u32, u64, u64)>,
    /// Tokens on all counted places in the least initial marking.
    pub(super) least: u64,
    /// The net with its budget, where loose searches do not say all there is to say, and it has one.
    pub(super) strict: Option<Strict>,
}

/// A net with a budget.
pub(super) struct Strict {
    pub(super) net: Net,
    pub(super) budget: u32,
    /// Marked while the start goes on.
    pub(super) starting: u32,
    /// Transitions from this one on put a token on an open place; one after them just ends the start.
    pub(super) first_source: u32,
    /// Which one, by source.
    pub(super) sources: Vec<u32>,
}

impl Bounded {
    /// `None` if the numbers are too large.
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

    /// The greatest counts of open places at the start, one by one; `None` if no initial marking keeps to the bound.
    pub(super) fn starts(&self, bound: u64) -> Option<Vec<(u32, u64, u64)>> {
        debug_assert!(self.open.iter().all(|o| o.1 <= o.2), "ranges have a least and a greatest count");
        let left = bound.checked_sub(self.least)?;
        Some(self.open.iter().map(|&(p, least, most)| (p, least, most.min(least.saturating_add(left)))).collect())
    }

    /// Does the bound leave initial markings out?
    pub(super) fn cuts_start(&self, bound: u64) -> bool {
        let most = self.open.iter().map(|o| o.2 - o.1).fold(self.least, u64::saturating_add);
        most > bound
    }
}

/// What a transition does to the sum of counted places: adds a constant, and so many times the tokens of some places.
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

    /// The most that it adds where the guards hold; `None`: there is no most.
    fn most(&self, rules: &Rules, t: usize) -> Option<i64> {
        let guard = |p: u32| rules.guards.row(t).iter().find(|g| g.place == p);
        self.times.iter().try_fold(self.add, |sum, (&p, &times)| {
            let tokens = if times < 0 { guard(p).map_or(0, |g| g.least) } else { guard(p)?.most };
            sum.checked_add(i64::try_from(tokens).ok()?.checked_mul(times)?)
        })
    }
}

/// The net with a budget, unless some transition needs more from it than one guard can say.
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

/// Tokens that count in a marking.
pub(super) fn total(bound: &Bound, tokens: &[u64]) -> u64 {
    debug_assert_eq!(tokens.len(), bound.counted.len());
    let counted = tokens.iter().zip(&bound.counted).filter(|(_, counted)| **counted);
    counted.map(|(n, _)| *n).fold(0, u64::saturating_add)
}
