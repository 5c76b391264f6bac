//! A net in machine numbers, in rows: what facts, walks, backward and guided searches read.
//!
//! Searches stay below [`LIMIT`] tokens on every place. Guards that ask for more never hold there, and effects that
//! add more must end a search's branch; so numbers of any size are treated honestly, if not cleverly.
//! [`Rules::small`] says whether all numbers of the net are as they are.

use crate::rows::Rows;
use model::{Net, PlaceId};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};

/// Most tokens on a place during a walk. Sums of a few such numbers fit 64 bits.
pub const LIMIT: u64 = 1 << 60;

/// What a firing leaves on a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The place.
    pub place: u32,
    /// Added to what the sources hold.
    pub add: i64,
    /// Where its sources are; `None`: the place itself.
    pub sources: Option<(u32, u32)>,
}

/// A guard: between `least` and `most` tokens on `place`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The place.
    pub place: u32,
    /// At least so many.
    pub least: u64,
    /// At most so many; `u64::MAX`: any number.
    pub most: u64,
}

/// The net.
#[derive(Debug)]
pub struct Rules {
    /// By transition.
    pub guards: Rows<Condition>,
    /// By transition.
    pub changes: Rows<Change>,
    /// What [`Change::sources`] points into.
    pub sources: Vec<u32>,
    /// By place: (least tokens, transition) of guards, ascending. Guards that every count satisfies are not here.
    pub lower: Rows<(u64, u32)>,
    /// By place: (most tokens, transition) of guards, ascending.
    pub upper: Rows<(u64, u32)>,
    /// By transition: how many entries `lower` and `upper` have for it.
    pub conditions: Vec<u32>,
    /// The least initial marking.
    pub initial: Vec<u64>,
    /// The greatest initial count of each place; `u64::MAX`: any number.
    pub initial_most: Vec<u64>,
    /// Places whose initial count is open, with the most extra tokens that it and a trace allow.
    pub open: Vec<(u32, u32)>,
    /// Has no guard an upper end?
    pub monotone: bool,
    /// The largest number in a guard.
    pub largest: u64,
    /// Are all numbers of the net below 2^31? Then none of them stands here for another, and sums of a few fit 64 bits.
    pub small: bool,
}

impl Rules {
    /// `None` if the least initial marking is beyond [`LIMIT`]. `O(size log size)`.
    #[must_use]
    pub fn new(net: &Net) -> Option<Self> {
        let initial: Vec<u64> = net.places().iter().map(|p| number(&p.initial.at_least)).collect();
        if initial.iter().any(|&n| n > LIMIT) {
            return None;
        }
        let initial_most: Vec<u64> =
            net.places().iter().map(|p| p.initial.at_most.as_ref().map_or(u64::MAX, number)).collect();
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
            initial_most,
            open: net.open_places().into_iter().map(|p| (p.0, most_extra(net, p))).collect(),
            monotone: net.is_monotone(),
            largest,
            small: is_small(net),
        })
    }

    /// Number of transitions.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.conditions.len()
    }

    /// Number of places.
    #[must_use]
    pub fn places(&self) -> usize {
        self.initial.len()
    }

    /// What a change leaves on its place in `tokens`; `None` if that is beyond [`LIMIT`].
    #[must_use]
    pub fn result(&self, change: Change, tokens: &[u64]) -> Option<u64> {
        let sum: u64 = match change.sources {
            None => tokens[change.place as usize],
            Some((from, to)) => self.sources[from as usize..to as usize]
                .iter()
                .try_fold(0u64, |sum, s| sum.checked_add(tokens[*s as usize]))?,
        };
        sum.checked_add_signed(change.add).filter(|n| *n <= LIMIT)
    }

    /// Do the guards of `t` hold?
    #[must_use]
    pub fn is_enabled(&self, t: u32, tokens: &[u64]) -> bool {
        let holds = |c: &Condition| (c.least..=c.most).contains(&tokens[c.place as usize]);
        self.guards.row(t as usize).iter().all(holds)
    }
}

/// Are all numbers below 2^31?
fn is_small(net: &Net) -> bool {
    let count = |n: &BigUint| n.bits() < 32 && n.to_u32().is_some_and(|n| n >> 31 == 0);
    let range = |r: &model::Range| count(&r.at_least) && r.at_most.as_ref().is_none_or(count);
    net.places().iter().all(|p| range(&p.initial))
        && net
            .transitions()
            .iter()
            .all(|t| t.guards.iter().all(|g| range(&g.range)) && t.effects.iter().all(|e| count(e.add.magnitude())))
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
