//! The net in machine numbers, indexed for stepping forwards.
//!
//! Walks stay below [`LIMIT`] tokens on every place. Guards that ask for more never hold there, and effects that add more end
//! the walk; so numbers of any size are treated honestly, if not cleverly.

use crate::rows::Rows;
use model::{Net, NetTask, PlaceId};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};

/// Most tokens on a place during a walk. Sums of a few such numbers fit 64 bits.
pub(crate) const LIMIT: u64 = 1 << 60;

/// What a firing leaves on a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) place: u32,
    pub(crate) add: i64,
    /// Where its sources are; `None`: the place itself.
    pub(crate) sources: Option<(u32, u32)>,
}

/// A guard: between `least` and `most` tokens on `place`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    pub(crate) place: u32,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

pub(crate) struct Compiled {
    /// By transition.
    pub(crate) guards: Rows<Condition>,
    /// By transition.
    pub(crate) changes: Rows<Change>,
    /// What [`Change::sources`] points into.
    pub(crate) sources: Vec<u32>,
    /// By place: (least tokens, transition) of guards, ascending. Guards that every count satisfies are not here.
    pub(crate) lower: Rows<(u64, u32)>,
    /// By place: (most tokens, transition) of guards, ascending.
    pub(crate) upper: Rows<(u64, u32)>,
    /// By transition: how many entries `lower` and `upper` have for it.
    pub(crate) conditions: Vec<u32>,
    /// The least initial marking.
    pub(crate) initial: Vec<u64>,
    /// Places whose initial count is open, with the most extra tokens that it and a trace allow.
    pub(crate) open: Vec<(u32, u32)>,
    pub(crate) monotone: bool,
    /// The largest number in a guard.
    pub(crate) largest: u64,
}

impl Compiled {
    /// `None` if the least initial marking is beyond [`LIMIT`].
    pub(crate) fn new(task: &NetTask) -> Option<Self> {
        let net = &*task.net;
        let initial: Vec<u64> = net.places().iter().map(|p| number(&p.initial.at_least)).collect();
        if initial.iter().any(|&n| n > LIMIT) {
            return None;
        }
        let guards: Rows<Condition> =
            Rows::in_order(net.transitions().iter().map(|t| t.guards.iter().map(condition).collect()));
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        let mut conditions = vec![0u32; net.transitions().len()];
        let mut largest = 0;
        for (t, conditions) in conditions.iter_mut().enumerate() {
            for guard in guards.row(t) {
                if guard.least > 0 {
                    lower.push((guard.place, (guard.least, id(t))));
                    *conditions += 1;
                    largest = largest.max(guard.least);
                }
                if guard.most < u64::MAX {
                    upper.push((guard.place, (guard.most, id(t))));
                    *conditions += 1;
                    largest = largest.max(guard.most);
                }
            }
        }
        let mut sources = Vec::new();
        let changes = Rows::in_order(net.transitions().iter().map(|t| {
            let change = |e: &model::Effect| {
                let from = id(sources.len());
                if e.delta().is_none() {
                    sources.extend(e.sources.iter().map(|p| p.0));
                }
                let range = e.delta().is_none().then(|| (from, id(sources.len())));
                Change { place: e.place.0, add: signed(&e.add), sources: range }
            };
            t.effects.iter().map(change).collect()
        }));
        let places = net.places().len();
        Some(Self {
            guards,
            changes,
            sources,
            lower: Rows::sorted(places, lower),
            upper: Rows::sorted(places, upper),
            conditions,
            initial,
            open: net.open_places().into_iter().map(|p| (p.0, most_extra(net, p))).collect(),
            monotone: net.is_monotone(),
            largest,
        })
    }

    pub(crate) fn transitions(&self) -> usize {
        self.conditions.len()
    }

    pub(crate) fn places(&self) -> usize {
        self.initial.len()
    }

    /// What a change leaves on its place in `tokens`; `None` if that is beyond [`LIMIT`].
    pub(crate) fn result(&self, change: Change, tokens: &[u64]) -> Option<u64> {
        let sum: u64 = match change.sources {
            None => tokens[change.place as usize],
            Some((from, to)) => self.sources[from as usize..to as usize]
                .iter()
                .try_fold(0u64, |sum, s| sum.checked_add(tokens[*s as usize]))?,
        };
        sum.checked_add_signed(change.add).filter(|n| *n <= LIMIT)
    }

    pub(crate) fn is_enabled(&self, t: u32, tokens: &[u64]) -> bool {
        let holds = |c: &Condition| (c.least..=c.most).contains(&tokens[c.place as usize]);
        self.guards.row(t as usize).iter().all(holds)
    }
}

fn id(index: usize) -> u32 {
    u32::try_from(index).expect("model limits keep every index below 2^32")
}

/// As it is, or more than any walk sees.
fn number(n: &BigUint) -> u64 {
    n.to_u64().unwrap_or(u64::MAX)
}

/// As it is, or so far from 0 that no walk gets there.
fn signed(n: &BigInt) -> i64 {
    n.to_i64().unwrap_or(if n.is_negative() { i64::MIN } else { i64::MAX })
}

fn condition(guard: &model::Guard) -> Condition {
    let most = guard.range.at_most.as_ref().map_or(u64::MAX, number);
    Condition { place: guard.place.0, least: number(&guard.range.at_least), most }
}

fn most_extra(net: &Net, p: PlaceId) -> u32 {
    let range = &net.place(p).initial;
    let extra = range.at_most.as_ref().map(|most| most - &range.at_least);
    // Tokens at the start are far below the limit too.
    extra.and_then(|n| n.to_u32()).unwrap_or(u32::MAX)
}
